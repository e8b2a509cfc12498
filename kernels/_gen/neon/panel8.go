package main

import "fmt"

// Offsets of the fields of args in kernels/internal/panel8/asm_arm64.go.
const (
	qA, qB, qC, qBias, qRow    = 0, 8, 16, 24, 32
	qLda, qLdc, qGroups, qAdd8 = 40, 48, 56, 64
)

func panel8Kernels(w *file) {
	for mr := 1; mr <= 3; mr++ {
		tile8(w, mr)
	}
	for mr := 1; mr <= 4; mr++ {
		tileDot(w, mr)
	}
	bytesOut(w)
}

// tile8 writes the micro-kernel of mr rows by a panel of 16 columns. A vector of B holds four rows
// of four columns. Its bytes are multiplied by four bytes of a row of A. The products fit in 16
// bits and are added in pairs to 32-bit sums, two for each column.
func tile8(w *file, mr int) {
	f := w.begin(fmt.Sprintf("tile%dNEON", mr), "", "p *byte")
	p := f.arg("p")
	a := f.pointers(mr, f.field(p, qA), f.field(p, qLda))
	b, n := f.field(p, qB), f.field(p, qGroups)
	acc := make([][8]V, mr)
	for r := range acc {
		for i := range acc[r] {
			acc[r][i] = f.zero()
		}
	}
	f.repeat(n, 1, append([]string{b}, a...), []int{64, 4, 4, 4}, func(int) {
		var x []V
		for _, r := range a {
			x = append(x, f.op1("uxtl", f.every(r, "S4")))
		}
		for q := range 4 {
			v := f.load(b, 16*q)
			for h, op := range []string{"sxtl", "sxtl2"} {
				wide := f.op1(op, v)
				for r := range acc {
					f.vec("sadalp", acc[r][2*q+h], f.op2("mulh", wide, x[r]), 0, 0)
				}
			}
		}
	})
	f.finish8(p, mr, func(r int) (sum [4]V) {
		for q := range sum {
			sum[q] = f.op2("addp", acc[r][2*q], acc[r][2*q+1])
		}
		return
	})
}

// tileDot writes the same micro-kernel as tile8, but with the dot products of FEAT_DotProd. These
// multiply signed bytes, but the bytes of A are unsigned. The kernel therefore multiplies A minus 128,
// and adds 128 times the sums of B's columns.
func tileDot(w *file, mr int) {
	f := w.begin(fmt.Sprintf("tile%dDot", mr), "", "p *byte")
	p := f.arg("p")
	a := f.pointers(mr, f.field(p, qA), f.field(p, qLda))
	b, n := f.field(p, qB), f.field(p, qGroups)
	f.hoist()
	acc := make([][4]V, mr+1) // acc[mr] holds the sums of B's columns
	for r := range acc {
		for i := range acc[r] {
			acc[r][i] = f.zero()
		}
	}
	steps := func(n int, op string) {
		x := make([]V, mr)
		for r := range a {
			v := f.reg()
			f.memory([]V{v}, nil, "%s.P %d(%s), F{0}", op, 4*n, a[r])
			x[r] = f.op2("eor", v, f.w32(0x80808080))
		}
		for u := range n {
			for q := 0; q < 4; q += 2 {
				v, w := f.load2(b, 64*u+16*q)
				for i, y := range []V{v, w} {
					for r := range x {
						f.vec("sdoti", acc[r][q+i], y, x[r], u)
					}
					f.vec("sdot", acc[mr][q+i], y, f.w32(0x01010101), 0)
				}
			}
		}
		f.line("ADD $%d, %s", 64*n, b)
	}
	f.depth++
	f.fours(n, "done", steps)
	f.depth--
	var more [4]V
	for q := range more {
		more[q] = f.shift("shl", acc[mr][q], 7)
	}
	f.finish8(p, mr, func(r int) (sum [4]V) {
		for q := range sum {
			sum[q] = f.op2("add", acc[r][q], more[q])
		}
		return
	})
}

// finish8 writes the end of a tile. It adds the bias, the row's summand and the earlier contents of C
// to each row's 16 sums, each only if the tile's arguments ask for it. Then it stores the sums and
// returns.
func (f *fn) finish8(p string, mr int, sums func(r int) [4]V) {
	bias, row, add := f.field(p, qBias), f.field(p, qRow), f.field(p, qAdd8)
	c, ldc := f.field(p, qC), f.field(p, qLdc)
	for r := range mr {
		l := func(s string) string { return fmt.Sprintf("%s%d", s, r) }
		sum := sums(r)
		plus := func(x V, q int) { f.vec("add", sum[q], sum[q], x, 0) }
		f.jump("CBZ", bias+", ", l("nobias"))
		for q := range sum {
			plus(f.load(bias, 16*q), q)
		}
		f.label(l("nobias"))
		f.jump("CBZ", row+", ", l("norow"))
		t := f.every(row, "S4")
		for q := range sum {
			plus(t, q)
		}
		f.line("ADD $4, %s", row)
		f.label(l("norow"))
		f.jump("CBZ", add+", ", l("store"))
		for q := range sum {
			plus(f.load(c, 16*q), q)
		}
		f.label(l("store"))
		f.store2(sum[0], sum[1], c, 0)
		f.store2(sum[2], sum[3], c, 32)
		f.line("ADD %s, %s", ldc, c)
	}
	f.ret()
}

// bytesOut writes the functions that process rows of bytes and rows of 32-bit sums.
func bytesOut(w *file) {
	// The sum of the bytes in n vectors; n is below 2^16.
	f := w.begin("sumNEON", "uint64", "src *uint8", "n int")
	src, n := f.arg("src"), f.arg("n")
	acc := f.zero()
	f.repeat(n, 1, []string{src}, []int{16}, func(int) {
		f.vec("uadalp", acc, f.op1("uaddlp", f.load(src, 0)), 0, 0)
	})
	r := f.gp()
	f.memory(nil, []V{f.op1("uaddlv", acc)}, "FMOVD F{0}, %s", r)
	f.line("MOVD %s, ret+%d(FP)", r, f.at("ret"))
	f.ret()

	// dst[i] = src[i] ^ 0x80.
	f = w.begin("flipNEON", "", "dst *uint8", "src *int8", "n int")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	f.hoist()
	f.repeat(n, 4, []string{dst, src}, []int{16, 16}, func(u int) {
		f.store(f.op2("eor", f.load(src, 16*u), f.w32(0x80808080)), dst, 16*u)
	})
	f.ret()

	// dst[i] = min(max(f32(src[i])·scale[i] + bias[i], lo), hi).
	f = w.begin("outF32NEON", "", "dst *float32", "src *int32", "scale *float32", "bias *float32", "n int", "lo float32", "hi float32")
	ps := []string{f.arg("dst"), f.arg("src"), f.arg("scale"), f.arg("bias")}
	n = f.arg("n")
	lo, hi := f.broadcast("lo"), f.broadcast("hi")
	f.repeat(n, 2, ps, []int{16, 16, 16, 16}, func(u int) {
		v := f.fmul(f.op1("scvtf", f.load(ps[1], 16*u)), f.load(ps[2], 16*u))
		v = f.fadd(v, f.load(ps[3], 16*u))
		f.clampInPlace(v, lo, hi)
		f.store(v, ps[0], 16*u)
	})
	f.ret()

	// dst[i] = round(min(max(f32(src[i])·scale[i], lo), hi)) + zero, with halves rounded to even
	// and NaN counted as lo. Four vectors of sums become one vector of bytes.
	f = w.begin("outBytesNEON", "", "dst *uint8", "src *int32", "scale *float32", "n int", "zero float32", "lo float32", "hi float32")
	ps = []string{f.arg("dst"), f.arg("src"), f.arg("scale")}
	n = f.arg("n")
	zero := f.op1("fcvtns", f.broadcast("zero"))
	lo, hi = f.broadcast("lo"), f.broadcast("hi")
	f.repeat(n, 1, ps, []int{16, 64, 64}, func(int) {
		var x [4]V
		for i := range x {
			v := f.fmul(f.op1("scvtf", f.load(ps[1], 16*i)), f.load(ps[2], 16*i))
			v = f.choose(greater, v, lo, v, lo)
			v = f.choose(less, v, hi, v, hi)
			x[i] = f.op2("add", f.op1("fcvtns", v), zero)
		}
		f.store(f.op2("uzp1b", f.op2("uzp1h", x[0], x[1]), f.op2("uzp1h", x[2], x[3])), ps[0], 0)
	})
	f.ret()
}
