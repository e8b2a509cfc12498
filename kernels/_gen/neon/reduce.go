package main

import "math"

// extremes writes a function that returns the largest or smallest element of n vectors. If n is 0, the
// function's result is the value of the parameter first. If an element is NaN, the result is NaN.
func extremes(w *file, name, op string, first float64) {
	f := w.begin(name+"NEON", "float32", "src *float32", "n int")
	src, n := f.arg("src"), f.arg("n")
	var acc [4]V
	for i := range acc {
		acc[i] = f.copy(f.f32(first))
	}
	f.repeat(n, 4, []string{src}, []int{16}, func(u int) {
		f.vec(op, acc[u], acc[u], f.load(src, 16*u), 0)
	})
	f.result(f.op1(op+"v", f.op2(op, f.op2(op, acc[0], acc[1]), f.op2(op, acc[2], acc[3]))))
}

// sums holds registers that accumulate sums of doubles.
type sums struct {
	f   *fn
	acc []V
}

func (f *fn) sums(n int) sums {
	s := sums{f: f}
	for range n {
		s.acc = append(s.acc, f.zero())
	}
	return s
}

// add adds the floats of x to the u-th pair of accumulators.
func (s sums) add(u int, x V) {
	for i, d := range s.f.doubles(x) {
		a := s.acc[(2*u+i)%len(s.acc)]
		s.f.vec("faddd", a, a, d, 0)
	}
}

// total returns a vector with the sum in both elements.
func (s sums) total() V {
	acc := s.acc
	for len(acc) > 1 {
		var next []V
		for i := range len(acc) / 2 {
			next = append(next, s.f.op2("faddd", acc[i], acc[len(acc)/2+i]))
		}
		acc = next
	}
	return s.f.op2("faddpd", acc[0], acc[0])
}

func reductions(w *file) {
	extremes(w, "max", "fmax", math.Inf(-1))
	extremes(w, "min", "fmin", math.Inf(1))

	f := w.begin("sumNEON", "float64", "src *float32", "n int")
	src, n := f.arg("src"), f.arg("n")
	s := f.sums(8)
	f.repeat(n, 4, []string{src}, []int{16}, func(u int) { s.add(u, f.load(src, 16*u)) })
	f.result(s.total())

	// expSum sets dst[i] = e^(src[i]-max) and returns the sum of these; sumExp only returns the
	// sum.
	for _, store := range []bool{true, false} {
		var dst string
		if store {
			f = w.begin("expSumNEON", "float64", "dst *float32", "src *float32", "n int", "max float32")
			dst = f.arg("dst")
		} else {
			f = w.begin("sumExpNEON", "float64", "src *float32", "n int", "max float32")
		}
		src, n := f.arg("src"), f.arg("n")
		largest := f.broadcast("max")
		t := expTables(f)
		f.hoist()
		s := f.sums(4)
		ps := []string{src}
		if store {
			ps = append(ps, dst)
		}
		f.repeat(n, 2, ps, []int{16, 16}, func(u int) {
			e := t.expBelow(f, f.fsub(f.load(src, 16*u), largest))
			if store {
				f.store(e, dst, 16*u)
			}
			s.add(u, e)
		})
		f.result(s.total())
	}

	// dst[i] = (src[i] - max) - log; the second difference is computed in doubles.
	f = w.begin("subLogNEON", "", "dst *float32", "src *float32", "n int", "max float32", "log float64")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	largest, l := f.broadcast("max"), f.broadcast("log")
	f.repeat(n, 2, []string{dst, src}, []int{16, 16}, func(u int) {
		x := f.fsub(f.load(src, 16*u), largest)
		f.store(f.inDoubles(x, func(d V) V { return f.op2("fsubd", d, l) }), dst, 16*u)
	})
	f.ret()

	// Σ (src[i] - mean)², accumulated in sixteen floats.
	f = w.begin("squaresNEON", "float32", "src *float32", "n int", "mean float32")
	src, n = f.arg("src"), f.arg("n")
	mean := f.broadcast("mean")
	var lane [4]V
	for i := range lane {
		lane[i] = f.zero()
	}
	f.repeat(n, 4, []string{src}, []int{16}, func(u int) {
		d := f.fsub(f.load(src, 16*u), mean)
		f.vec("fmla", lane[u], d, d, 0)
	})
	total := f.fadd(f.fadd(lane[0], lane[1]), f.fadd(lane[2], lane[3]))
	total = f.op2("faddp", total, total)
	f.result(f.op2("faddp", total, total))

	// dst[i] = (src[i] - mean)·k·gamma[i] + beta[i].
	f = w.begin("layerNEON", "", "dst *float32", "src *float32", "gamma *float32", "beta *float32", "n int", "mean float32", "k float32")
	ps := []string{f.arg("dst"), f.arg("src"), f.arg("gamma"), f.arg("beta")}
	n = f.arg("n")
	mean, k := f.broadcast("mean"), f.broadcast("k")
	f.repeat(n, 2, ps, []int{16, 16, 16, 16}, func(u int) {
		d := f.fmul(f.fsub(f.load(ps[1], 16*u), mean), k)
		f.store(f.fma(d, f.load(ps[2], 16*u), f.load(ps[3], 16*u)), ps[0], 16*u)
	})
	f.ret()

	// acc[i] += src[i].
	f = w.begin("addDoublesNEON", "", "acc *float64", "src *float32", "n int")
	acc, src, n := f.arg("acc"), f.arg("src"), f.arg("n")
	f.repeat(n, 2, []string{acc, src}, []int{32, 16}, func(u int) {
		d := f.doubles(f.load(src, 16*u))
		x, y := f.load2(acc, 32*u)
		f.store2(f.op2("faddd", x, d[0]), f.op2("faddd", y, d[1]), acc, 32*u)
	})
	f.ret()
}
