package main

// The operations below allocate a register for their result.

func (f *fn) fadd(a, b V) V { return f.op2("fadd", a, b) }
func (f *fn) fsub(a, b V) V { return f.op2("fsub", a, b) }
func (f *fn) fmul(a, b V) V { return f.op2("fmul", a, b) }
func (f *fn) fdiv(a, b V) V { return f.op2("fdiv", a, b) }
func (f *fn) and(a, b V) V  { return f.op2("and", a, b) }
func (f *fn) orr(a, b V) V  { return f.op2("orr", a, b) }

// fmax and fmin return NaN if an operand is NaN.
func (f *fn) fmax(a, b V) V { return f.op2("fmax", a, b) }
func (f *fn) fmin(a, b V) V { return f.op2("fmin", a, b) }

// clamp limits x to [lo, hi]; a NaN stays NaN.
func (f *fn) clamp(x V, lo, hi float64) V {
	return f.fmax(f.f32(lo), f.fmin(f.f32(hi), x))
}

// fma returns a·b + c. nma returns c - a·b.
func (f *fn) fma(a, b, c V) V { d := f.copy(c); f.vec("fmla", d, a, b, 0); return d }
func (f *fn) nma(a, b, c V) V { d := f.copy(c); f.vec("fmls", d, a, b, 0); return d }

// copySign returns y with x's sign. y must not be negative.
func (f *fn) copySign(y, x V) V { return f.orr(y, f.and(x, f.w32(1<<31))) }

// poly returns c[0] + c[1]·x + ….
func (f *fn) poly(x V, c []float64) V {
	p := f.f32(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		p = f.fma(p, x, f.f32(c[i]))
	}
	return p
}

// Predicates of comparisons.
const (
	equal = iota
	less
	greater
	notGE
)

// choose returns a vector of lanes. Where the comparison a op b is true, the lane is taken from the
// vector yes, and elsewhere from the vector no.
func (f *fn) choose(op int, a, b, yes, no V) V {
	var k V
	switch op {
	case equal:
		k = f.op2("fcmeq", a, b)
	case less:
		k = f.op2("fcmgt", b, a)
	case greater:
		k = f.op2("fcmgt", a, b)
	case notGE:
		k = f.op2("fcmge", a, b)
		yes, no = no, yes
	}
	f.vec("bsl", k, yes, no, 0)
	return k
}

// chooseNegative returns a vector of lanes. Where the sign bit of x is set, the lane is taken from the
// vector yes, and elsewhere from the vector no.
func (f *fn) chooseNegative(x, yes, no V) V {
	k := f.shift("sshr", x, 31)
	f.vec("bsl", k, yes, no, 0)
	return k
}

// doubles converts the lower and the upper floats of x to doubles.
func (f *fn) doubles(x V) [2]V { return [2]V{f.op1("fcvtl", x), f.op1("fcvtl2", x)} }

// floats rounds the doubles d to floats and joins them in one register.
func (f *fn) floats(d [2]V) V {
	v := f.op1("fcvtn", d[0])
	f.vec("fcvtn2", v, d[1], 0, 0)
	return v
}

// inDoubles returns by(x) for the floats x. It converts each half of x to doubles, computes by(x) for
// these doubles, and rounds the results to floats.
func (f *fn) inDoubles(x V, by func(V) V) V {
	d := f.doubles(x)
	return f.floats([2]V{by(d[0]), by(d[1])})
}

// call describes the assembly functions for one formula. callsText writes the exported Go function that
// calls these assembly functions.
type call struct {
	name, doc string
	commutes  bool
}

var unaries, binaryCalls []call

// unary writes dst[i] = by(src[i]) for n vectors; doc is the formula.
func unary(w *file, name, doc string, unroll int, by func(f *fn, x V) V) {
	prepared(w, name, doc, unroll, func(*fn) {}, by)
}

// prepared does the same as unary, but the function that it writes has additional code in front of the
// loop. The call before(f) writes that code.
func prepared(w *file, name, doc string, unroll int, before func(f *fn), by func(f *fn, x V) V) {
	f := w.begin(name+"NEON", "", "dst *float32", "src *float32", "n int")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	before(f)
	f.hoist()
	f.repeat(n, unroll, []string{dst, src}, []int{16, 16}, func(u int) {
		f.store(by(f, f.load(src, 16*u)), dst, 16*u)
	})
	f.ret()
	unaries = append(unaries, call{name, doc, false})
}

func vmathKernels(w *file) {
	exponentials(w)
	logarithms(w)
	simple(w)
	binaries(w)
	trigonometry(w)
	powers(w)
	others(w)
	inverses(w)
	reductions(w)
	columnKernels(w)
	halves(w)
}
