package main

import (
	"fmt"
	"math"
)

// columns writes a reduction of the rows of a matrix to one row: acc[i] = acc[i] op row[i] for each
// row in turn. The columns i fill n vectors of f32. Row r begins r*stride bytes after src. If
// double is set, the accumulators are doubles.
func columns(w *file, name, op string, double bool) {
	kind, size := "float32", 16
	if double {
		kind, size = "float64", 32
	}
	f := w.begin(name+"NEON", "", "acc *"+kind, "src *float32", "n int", "rows int", "stride int")
	acc, src, n, rows, stride := f.arg("acc"), f.arg("src"), f.arg("n"), f.arg("rows"), f.arg("stride")
	s, r := f.gp(), f.gp()
	for _, g := range []int{4, 1} {
		l := func(s string) string { return fmt.Sprintf("%s%d", s, g) }
		f.line("SUBS $%d, %s, %s", g, n, n)
		f.jump("BLT", "", l("done"))
		f.label(l("group"))
		var a []V
		for v := range g * size / 16 {
			a = append(a, f.load(acc, 16*v))
		}
		f.line("MOVD %s, %s", src, s)
		f.line("MOVD %s, %s", rows, r)
		f.label(l("row"))
		for v := range g {
			x := f.load(s, 16*v)
			if !double {
				f.vec(op, a[v], a[v], x, 0)
				continue
			}
			for i, d := range f.doubles(x) {
				f.vec(op, a[2*v+i], a[2*v+i], d, 0)
			}
		}
		f.line("ADD %s, %s", stride, s)
		f.line("SUBS $1, %s, %s", r, r)
		f.jump("BNE", "", l("row"))
		for v, x := range a {
			f.store(x, acc, 16*v)
		}
		f.line("ADD $%d, %s", g*size, acc)
		f.line("ADD $%d, %s", g*16, src)
		f.line("SUBS $%d, %s, %s", g, n, n)
		f.jump("BGE", "", l("group"))
		f.label(l("done"))
		f.line("ADD $%d, %s", g, n)
	}
	f.ret()
}

// numbers writes a function that returns the largest or smallest element of n vectors. The function
// skips NaN. If all elements are NaN or n is 0, the function's result is the value of the parameter first.
func numbers(w *file, name string, largest bool, first float64) {
	f := w.begin(name+"NEON", "float32", "src *float32", "n int")
	src, n := f.arg("src"), f.arg("n")
	var acc [4]V
	for i := range acc {
		acc[i] = f.copy(f.f32(first))
	}
	take := func(a, x V) {
		if largest {
			f.vec("bit", a, x, f.op2("fcmgt", x, a), 0)
		} else {
			f.vec("bit", a, x, f.op2("fcmgt", a, x), 0)
		}
	}
	f.repeat(n, 4, []string{src}, []int{16}, func(u int) { take(acc[u], f.load(src, 16*u)) })
	for _, x := range acc[1:] {
		take(acc[0], x)
	}
	if largest {
		f.result(f.op1("fmaxv", acc[0]))
	} else {
		f.result(f.op1("fminv", acc[0]))
	}
}

// find writes a function that returns how many of n vectors precede the first vector with an
// element equal to x.
func find(w *file) {
	f := w.begin("findNEON", "int", "src *float32", "n int", "x float32")
	src, n := f.arg("src"), f.arg("n")
	x := f.broadcast("x")
	at, any := f.gp(), f.gp()
	f.line("MOVD $0, %s", at)
	f.jump("CBZ", n+", ", "done")
	f.label("loop")
	v := f.reg()
	f.memory([]V{v}, nil, "FMOVQ.P 16(%s), F{0}", src)
	f.memory(nil, []V{f.op1("umaxv", f.op2("fcmeq", v, x))}, "FMOVS F{0}, %s", any)
	f.jump("CBNZ", any+", ", "done")
	f.line("ADD $1, %s", at)
	f.line("SUBS $1, %s, %s", n, n)
	f.jump("BNE", "", "loop")
	f.label("done")
	f.line("MOVD %s, ret+%d(FP)", at, f.at("ret"))
	f.ret()
}

func columnKernels(w *file) {
	columns(w, "sumColumns", "faddd", true)
	columns(w, "maxColumns", "fmax", false)
	columns(w, "minColumns", "fmin", false)
	numbers(w, "maxNumber", true, math.Inf(-1))
	numbers(w, "minNumber", false, math.Inf(1))
	find(w)

	// dst[i] = src[i] clamped to [lo, hi]. A NaN element stays NaN, and a NaN bound is ignored.
	f := w.begin("clipNEON", "", "dst *float32", "src *float32", "n int", "lo float32", "hi float32")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	lo, hi := f.broadcast("lo"), f.broadcast("hi")
	f.repeat(n, 4, []string{dst, src}, []int{16, 16}, func(u int) {
		x := f.load(src, 16*u)
		f.vec("bit", x, hi, f.op2("fcmgt", x, hi), 0)
		f.vec("bit", x, lo, f.op2("fcmgt", lo, x), 0)
		f.store(x, dst, 16*u)
	})
	f.ret()
}
