package main

import "fmt"

// Offsets of the fields of dwArgs in kernels/conv/asm_arm64.go.
const (
	dDst, dSrc, dW, dBias                        = 0, 8, 16, 24
	dDstStep, dSrcStep, dRow, dCol, dWRow, dWCol = 32, 40, 48, 56, 64, 72
	dRows, dCols, dPixels, dLo, dHi              = 80, 88, 96, 104, 108
)

func convKernels(w *file) {
	taps(w, 8)
	threeByThree(w, 1, 4)
	threeByThree(w, 2, 4)
	winograd(w)
	winoFilter(w, 0)
	winoFilter(w, 1)
}

// walk writes code that loads a vector from the address in register p, and then adds register step to
// register p.
func (f *fn) walk(p, step string) V {
	d := f.reg()
	f.memory([]V{d}, nil, "VLD1.P (%s)(%s), [V{0}.B16]", p, step)
	return d
}

// put writes code that stores a vector at the address in register p, and then adds register step to
// register p.
func (f *fn) put(v V, p, step string) {
	f.memory(nil, []V{v}, "VST1.P [V{0}.B16], (%s)(%s)", p, step)
}

// clampInPlace limits v to [lo, hi]; a NaN stays NaN.
func (f *fn) clampInPlace(v, lo, hi V) {
	f.vec("fmax", v, v, lo, 0)
	f.vec("fmin", v, v, hi, 0)
}

// taps writes the depthwise kernel for any window and four channels. The kernel computes groups of
// px pixels, then the remaining pixels one by one.
func taps(w *file, px int) {
	f := w.begin("depthwiseNEON", "", "p *byte")
	p := f.arg("p")
	src, dst, n := f.field(p, dSrc), f.field(p, dDst), f.field(p, dPixels)
	srcStep, dstStep := f.field(p, dSrcStep), f.field(p, dDstStep)
	rowStep, colStep, wRow, wCol := f.field(p, dRow), f.field(p, dCol), f.field(p, dWRow), f.field(p, dWCol)
	lo, hi := f.everyField(p, dLo), f.everyField(p, dHi)
	bias := f.field(p, dBias)
	row, weights, i, s, wp, j, q := f.gp(), f.gp(), f.gp(), f.gp(), f.gp(), f.gp(), f.gp()
	group := func(px int) {
		l := func(s string) string { return fmt.Sprintf("%s%d", s, px) }
		acc := make([]V, px)
		for i := range acc {
			acc[i] = f.zero()
		}
		f.line("MOVD %s, %s", src, row)
		f.line("MOVD %d(%s), %s", dW, p, weights)
		f.line("MOVD %d(%s), %s", dRows, p, i)
		f.label(l("row"))
		f.line("MOVD %s, %s", row, s)
		f.line("MOVD %s, %s", weights, wp)
		f.line("MOVD %d(%s), %s", dCols, p, j)
		f.label(l("tap"))
		v := f.walk(wp, wCol)
		f.line("MOVD %s, %s", s, q)
		for _, a := range acc {
			f.vec("fmla", a, f.walk(q, srcStep), v, 0)
		}
		f.line("ADD %s, %s", colStep, s)
		f.line("SUBS $1, %s, %s", j, j)
		f.jump("BNE", "", l("tap"))
		f.line("ADD %s, %s", rowStep, row)
		f.line("ADD %s, %s", wRow, weights)
		f.line("SUBS $1, %s, %s", i, i)
		f.jump("BNE", "", l("row"))
		f.jump("CBZ", bias+", ", l("nobias"))
		b := f.load(bias, 0)
		for _, a := range acc {
			f.vec("fadd", a, a, b, 0)
		}
		f.label(l("nobias"))
		for _, a := range acc {
			f.clampInPlace(a, lo, hi)
			f.put(a, dst, dstStep)
			f.line("ADD %s, %s", srcStep, src)
		}
	}
	f.line("SUBS $%d, %s, %s", px, n, n)
	f.jump("BLT", "", "rest")
	f.label("groups")
	group(px)
	f.line("SUBS $%d, %s, %s", px, n, n)
	f.jump("BGE", "", "groups")
	f.label("rest")
	f.line("ADDS $%d, %s, %s", px, n, n)
	f.jump("BEQ", "", "done")
	f.label("singles")
	group(1)
	f.line("SUBS $1, %s, %s", n, n)
	f.jump("BNE", "", "singles")
	f.label("done")
	f.ret()
}

// threeByThree writes the kernel for 3×3 windows of four channels with adjacent taps and horizontal
// stride st. The weights stay in registers, and pixels share loads. An iteration of the loop
// computes px pixels, so the number of pixels must be a multiple of px.
func threeByThree(w *file, st, px int) {
	f := w.begin(fmt.Sprintf("depthwiseNEON3s%d", st), "", "p *byte")
	p := f.arg("p")
	wp, wCol := f.field(p, dW), f.field(p, dWCol)
	var weights [9]V
	for i := range weights {
		weights[i] = f.walk(wp, wCol)
	}
	bias, b := f.field(p, dBias), f.zero()
	f.jump("CBZ", bias+", ", "nobias")
	f.memory([]V{b}, nil, "FMOVQ (%s), F{0}", bias)
	f.label("nobias")
	lo, hi := f.everyField(p, dLo), f.everyField(p, dHi)
	src, dst, n := f.field(p, dSrc), f.field(p, dDst), f.field(p, dPixels)
	col, rowStep, dstStep := f.field(p, dCol), f.field(p, dRow), f.field(p, dDstStep)
	round, row, q := f.gp(), f.gp(), f.gp()
	f.line("MOVD $%d, %s", st*px, round)
	f.line("MUL %s, %s, %s", col, round, round)
	f.label("pixels")
	acc := make([]V, px)
	f.line("MOVD %s, %s", src, row)
	for i := range 3 {
		f.line("MOVD %s, %s", row, q)
		in := make([]V, st*(px-1)+3)
		for x := range in {
			in[x] = f.walk(q, col)
		}
		for j := range 3 {
			for x := range acc {
				if i == 0 && j == 0 {
					acc[x] = f.fmul(in[x*st], weights[0])
					continue
				}
				f.vec("fmla", acc[x], in[x*st+j], weights[i*3+j], 0)
			}
		}
		if i < 2 {
			f.line("ADD %s, %s", rowStep, row)
		}
	}
	for _, a := range acc {
		f.vec("fadd", a, a, b, 0)
		f.clampInPlace(a, lo, hi)
		f.put(a, dst, dstStep)
	}
	f.line("ADD %s, %s", round, src)
	f.line("SUBS $%d, %s, %s", px, n, n)
	f.jump("BGT", "", "pixels")
	f.ret()
}
