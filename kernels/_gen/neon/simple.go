package main

func simple(w *file) {
	normalize(w)
	unary(w, "sqrt", "√x", 2, func(f *fn, x V) V { return f.op1("fsqrt", x) })
	// 1/√x is computed in doubles and rounded once.
	unary(w, "rsqrt", "1/√x", 1, func(f *fn, x V) V {
		return f.inDoubles(x, func(d V) V { return f.op2("fdivd", f.f64(1), f.op1("fsqrtd", d)) })
	})
	unary(w, "reciprocal", "1/x", 2, func(f *fn, x V) V { return f.fdiv(f.f32(1), x) })
	unary(w, "relu", "max(x, 0)", 4, func(f *fn, x V) V { return f.fmax(x, f.f32(0)) })
	unary(w, "relu6", "min(max(x, 0), 6)", 4, func(f *fn, x V) V { return f.fmin(f.f32(6), f.fmax(x, f.f32(0))) })
	unary(w, "hardSwish", "x·min(max(x+3, 0), 6)/6", 2, func(f *fn, x V) V {
		g := f.fmin(f.f32(6), f.fmax(f.f32(0), f.fadd(x, f.f32(3))))
		return f.fmul(f.fdiv(g, f.f32(6)), x)
	})
	unary(w, "square", "x²", 4, func(f *fn, x V) V { return f.fmul(x, x) })
	unary(w, "neg", "-x", 4, func(f *fn, x V) V { return f.op1("fneg", x) })
	unary(w, "abs", "|x|", 4, func(f *fn, x V) V { return f.op1("fabs", x) })
	unary(w, "floor", "⌊x⌋", 4, func(f *fn, x V) V { return f.op1("frintm", x) })
	unary(w, "ceil", "⌈x⌉", 4, func(f *fn, x V) V { return f.op1("frintp", x) })
	unary(w, "rint", "the integer nearest to x, ties to even", 4, func(f *fn, x V) V { return f.op1("frintn", x) })

	f := w.begin("leakyReluNEON", "", "dst *float32", "src *float32", "n int", "alpha float32")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	alpha := f.broadcast("alpha")
	f.hoist()
	f.repeat(n, 4, []string{dst, src}, []int{16, 16}, func(u int) {
		x := f.load(src, 16*u)
		f.store(f.choose(greater, x, f.f32(0), x, f.fmul(x, alpha)), dst, 16*u)
	})
	f.ret()
}

// normalize writes dst[i] = (src[i] - mean[i])·k[i] + offset[i], and the same with
// one mean, k and offset for all.
func normalize(w *file) {
	f := w.begin("normalizeNEON", "", "dst *float32", "src *float32", "mean *float32", "k *float32", "offset *float32", "n int")
	ps := []string{f.arg("dst"), f.arg("src"), f.arg("mean"), f.arg("k"), f.arg("offset")}
	f.repeat(f.arg("n"), 2, ps, []int{16, 16, 16, 16, 16}, func(u int) {
		at := 16 * u
		x := f.fmul(f.fsub(f.load(ps[1], at), f.load(ps[2], at)), f.load(ps[3], at))
		f.store(f.fadd(x, f.load(ps[4], at)), ps[0], at)
	})
	f.ret()
	f = w.begin("normalizeByNEON", "", "dst *float32", "src *float32", "n int", "mean float32", "k float32", "offset float32")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	mean, k, offset := f.broadcast("mean"), f.broadcast("k"), f.broadcast("offset")
	f.repeat(n, 4, []string{dst, src}, []int{16, 16}, func(u int) {
		f.store(f.fadd(f.fmul(f.fsub(f.load(src, 16*u), mean), k), offset), dst, 16*u)
	})
	f.ret()
}

// binary writes dst[i] = by(a[i], b[i]) for n vectors; doc is the formula. In the variant Scalar, b
// is one element. In the variant From, a is one element.
func binary(w *file, name, doc string, unroll int, commutes bool, by func(f *fn, a, b V) V) {
	binaryCalls = append(binaryCalls, call{name, doc, commutes})
	kinds := []string{"", "Scalar"}
	if !commutes {
		kinds = append(kinds, "From")
	}
	for _, kind := range kinds {
		f := w.begin(name+kind+"NEON", "", "dst *float32", "a *float32", "b *float32", "n int")
		dst, a, b, n := f.arg("dst"), f.arg("a"), f.arg("b"), f.arg("n")
		ps := []string{dst}
		var sa, sb V
		if kind == "From" {
			sa = f.every(a, "S4")
		} else {
			ps = append(ps, a)
		}
		if kind == "Scalar" {
			sb = f.every(b, "S4")
		} else {
			ps = append(ps, b)
		}
		f.hoist()
		f.repeat(n, unroll, ps, []int{16, 16, 16}, func(u int) {
			x, y := sa, sb
			if kind != "From" {
				x = f.load(a, 16*u)
			}
			if kind != "Scalar" {
				y = f.load(b, 16*u)
			}
			f.store(by(f, x, y), dst, 16*u)
		})
		f.ret()
	}
}

func binaries(w *file) {
	binary(w, "add", "a + b", 4, true, func(f *fn, a, b V) V { return f.fadd(a, b) })
	binary(w, "sub", "a - b", 4, false, func(f *fn, a, b V) V { return f.fsub(a, b) })
	binary(w, "mul", "a·b", 4, true, func(f *fn, a, b V) V { return f.fmul(a, b) })
	// A quotient below the normal numbers is 0.
	binary(w, "div", "a/b, 0 where that is below the normal numbers", 2, false, func(f *fn, a, b V) V {
		q := f.fdiv(a, b)
		return f.choose(less, f.op1("fabs", q), f.f32(0x1p-126), f.f32(0), q)
	})
	// For 0 and -0, FMAX returns 0 and FMIN returns -0. Both return NaN if an operand is NaN.
	binary(w, "maximum", "max(a, b), NaN where one is", 4, true, func(f *fn, a, b V) V { return f.fmax(a, b) })
	binary(w, "minimum", "min(a, b), NaN where one is", 4, true, func(f *fn, a, b V) V { return f.fmin(a, b) })
	binary(w, "prelu", "max(a, 0) + b·max(-a, 0)", 4, false, func(f *fn, a, b V) V {
		z := f.f32(0)
		return f.fadd(f.fmax(a, z), f.fmul(f.fmax(f.op1("fneg", a), z), b))
	})
	binary(w, "gatedTanh", "tanh(a)·sigmoid(b)", 1, false, func(f *fn, a, b V) V { return f.gatedTanh(a, b) })
	binary(w, "squaredDifference", "(a - b)²", 4, true, func(f *fn, a, b V) V { d := f.fsub(a, b); return f.fmul(d, d) })
}

// halves writes the conversions of vectors of 16-bit floats.
func halves(w *file) {
	widen := func(name string, by func(f *fn, x V) V) {
		f := w.begin(name+"NEON", "", "dst *float32", "src *uint16", "n int")
		dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
		f.repeat(n, 2, []string{dst, src}, []int{16, 8}, func(u int) {
			x := f.reg()
			f.memory([]V{x}, nil, "FMOVD %d(%s), F{0}", 8*u, src)
			f.store(by(f, x), dst, 16*u)
		})
		f.ret()
	}
	narrow := func(name string, by func(f *fn, x V) V) {
		f := w.begin(name+"NEON", "", "dst *uint16", "src *float32", "n int")
		dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
		f.hoist()
		f.repeat(n, 2, []string{dst, src}, []int{8, 16}, func(u int) {
			f.memory(nil, []V{by(f, f.load(src, 16*u))}, "FMOVD F{0}, %d(%s)", 8*u, dst)
		})
		f.ret()
	}
	widen("loadF16", func(f *fn, x V) V { return f.op1("fcvtlh", x) })
	narrow("storeF16", func(f *fn, x V) V { return f.op1("fcvtnh", x) })
	widen("loadBF16", func(f *fn, x V) V { return f.op1("shllh", x) })
	narrow("storeBF16", func(f *fn, x V) V {
		// Round to nearest, ties to even: add 0x7fff, and 1 more if the last remaining bit is 1.
		odd := f.and(f.shift("ushr", x, 16), f.w32(1))
		up := f.op2("add", f.op2("add", odd, f.w32(0x7fff)), x)
		return f.shift("shrnh", f.choose(equal, x, x, up, f.orr(x, f.w32(0x400000))), 16)
	})
}
