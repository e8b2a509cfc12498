package main

import "fmt"

// Offsets of the fields of args in kernels/internal/narrow/asm_arm64.go.
const (
	nA, nB, nC, nBias, nRes, nScale = 0, 8, 16, 24, 32, 40
	nLda, nLdc, nLdr, nPanel, nK    = 48, 56, 64, 72, 80
	nLo, nHi                        = 88, 92
)

// narrowKind describes a type of weights: its name, and the number of bytes in one row of a panel.
type narrowKind struct {
	name  string
	bytes int
}

var narrowKinds = []narrowKind{{"F16", 32}, {"BF16", 32}, {"I8", 16}}

// row loads the sixteen weights at base+off and widens them to floats. scale holds the scales of I8
// weights.
func (k narrowKind) row(f *fn, base string, off int, scale []V) (x [4]V) {
	if k.name != "I8" {
		op := map[string]string{"F16": "fcvtlh", "BF16": "shllh"}[k.name]
		a, b := f.load2(base, off)
		return [4]V{f.op1(op, a), f.op1(op+"2", a), f.op1(op, b), f.op1(op+"2", b)}
	}
	v := f.load(base, off)
	for h, wide := range []V{f.op1("sxtl", v), f.op1("sxtl2", v)} {
		for q, op := range []string{"sxtlh", "sxtlh2"} {
			i := 2*h + q
			x[i] = f.fmul(f.op1("scvtf", f.op1(op, wide)), scale[i])
		}
	}
	return
}

func narrowKernels(w *file) {
	for _, k := range narrowKinds {
		for mr := 1; mr <= 4; mr++ {
			narrowTile(w, k, mr, 1)
		}
		narrowTile(w, k, 1, 2)
		f := w.begin("expand"+k.name+"NEON", "", "dst *float32", "src *byte", "scale *float32", "rows int")
		dst, src, scale, n := f.arg("dst"), f.arg("src"), f.arg("scale"), f.arg("rows")
		s := k.scales(f, scale, 1)
		f.repeat(n, 1, []string{dst, src}, []int{64, k.bytes}, func(int) {
			x := k.row(f, src, 0, s)
			f.store2(x[0], x[1], dst, 0)
			f.store2(x[2], x[3], dst, 32)
		})
		f.ret()
	}
}

// scales loads the scales of np panels of I8 weights. It returns nil for other types, which have no
// scales.
func (k narrowKind) scales(f *fn, base string, np int) (s []V) {
	for v := 0; k.name == "I8" && v < 4*np; v++ {
		s = append(s, f.load(base, 16*v))
	}
	return
}

// narrowTile writes the micro-kernel of mr rows by np panels for weights of type k. The kernel adds the
// products in the same order as the micro-kernels of package panel.
func narrowTile(w *file, k narrowKind, mr, np int) {
	f := w.begin(fmt.Sprintf("rows%sx%dx%d", k.name, mr, np), "", "p *byte")
	p := f.arg("p")
	a := f.pointers(mr, f.field(p, nA), f.field(p, nLda))
	first, panel, scale := f.field(p, nB), f.field(p, nPanel), f.field(p, nScale)
	b := f.pointers(np, first, panel)
	scales := k.scales(f, scale, np)
	acc := make([][]V, mr)
	for r := range acc {
		for range 4 * np {
			acc[r] = append(acc[r], f.zero())
		}
	}
	count := f.field(p, nK)
	steps := func(n int, op string) {
		left := make([]V, mr)
		for r := range a {
			left[r] = f.reg()
			f.memory([]V{left[r]}, nil, "%s.P %d(%s), F{0}", op, 4*n, a[r])
		}
		for u := range n {
			for j := range b {
				var s []V
				if len(scales) > 0 {
					s = scales[4*j : 4*j+4]
				}
				for v, x := range k.row(f, b[j], u*k.bytes, s) {
					for r := range acc {
						f.vec("fmlai", acc[r][4*j+v], x, left[r], u)
					}
				}
			}
		}
		for _, r := range b {
			f.line("ADD $%d, %s", n*k.bytes, r)
		}
	}
	f.fours(count, "done", steps)
	f.finish(p, acc, epilogue{nBias, nRes, nLdr, nC, nLdc, nLo, nHi})
}
