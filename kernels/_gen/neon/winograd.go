package main

import "math"

// Offsets of the fields of winoArgs in kernels/conv/winograd_arm64.go.
const (
	wSrc, wDst, wBias, wRes, wTmp = 0, 8, 16, 24, 32
	wRow, wCol, wResRow, wResCol  = 40, 48, 56, 64
	wPlane, wVecs                 = 72, 80
	wLo, wHi                      = 88, 92
	side, edge                    = 6, 4 // the sides of an input tile and of an output tile
)

// scratch returns functions that load and store the vectors at tmp.
func (f *fn) scratch(tmp string) (load func(i int) V, store func(v V, i int)) {
	return func(i int) V { return f.load(tmp, 16*i) }, func(v V, i int) { f.store(v, tmp, 16*i) }
}

// winoInLine returns Bᵀ·d of Winograd's algorithm for the interpolation points 0, ±√½ and ±√2.
func (f *fn) winoInLine(d [side]V) [side]V {
	root := f.f32(math.Sqrt(0.5))
	big := f.f32(2 * float64(float32(math.Sqrt(0.5))))
	u, p := f.nma(d[2], f.f32(2), d[4]), f.nma(d[1], f.f32(2), d[3])
	w, q := f.nma(d[2], f.f32(0.5), d[4]), f.nma(d[1], f.f32(0.5), d[3])
	return [side]V{
		f.nma(d[2], f.f32(2.5), f.fadd(d[0], d[4])),
		f.fma(p, root, u), f.nma(p, root, u), f.fma(q, big, w), f.nma(q, big, w),
		f.nma(d[3], f.f32(2.5), f.fadd(d[1], d[5])),
	}
}

// winoOutLine returns Aᵀ·m.
func (f *fn) winoOutLine(m [side]V) [edge]V {
	root := f.f32(math.Sqrt(0.5))
	s, d := f.fadd(m[1], m[2]), f.fsub(m[1], m[2])
	t, e := f.fadd(m[3], m[4]), f.fsub(m[3], m[4])
	return [edge]V{
		f.fadd(m[0], f.fadd(s, t)),
		f.fmul(f.fma(e, f.f32(2), d), root),
		f.fma(t, f.f32(2), f.fmul(s, f.f32(0.5))),
		f.fma(f.fma(e, f.f32(4), f.fmul(d, f.f32(0.5))), root, m[5]),
	}
}

// winograd writes the input and output transforms of Winograd's F(4,3) for vectors of channels.
// Each transforms the columns of a tile first and then the rows. Scratch memory keeps the results
// for the columns.
func winograd(w *file) {
	f := w.begin("winoInNEON", "", "p *byte")
	p := f.arg("p")
	src, dst, tmp, n := f.field(p, wSrc), f.field(p, wDst), f.field(p, wTmp), f.field(p, wVecs)
	row, col, plane := f.field(p, wRow), f.field(p, wCol), f.field(p, wPlane)
	c, q := f.gp(), f.gp()
	load, store := f.scratch(tmp)
	f.hoist()
	f.repeat(n, 1, []string{src, dst}, []int{16, 16}, func(int) {
		f.line("MOVD %s, %s", src, c)
		for j := range side {
			f.line("MOVD %s, %s", c, q)
			var d [side]V
			for i := range d {
				d[i] = f.walk(q, row)
			}
			for i, v := range f.winoInLine(d) {
				store(v, i*side+j)
			}
			f.line("ADD %s, %s", col, c)
		}
		f.line("MOVD %s, %s", dst, q)
		for i := range side {
			var d [side]V
			for j := range d {
				d[j] = load(i*side + j)
			}
			for _, v := range f.winoInLine(d) {
				f.put(v, q, plane)
			}
		}
	})
	f.ret()

	f = w.begin("winoOutNEON", "", "p *byte")
	p = f.arg("p")
	src, dst, tmp, n = f.field(p, wSrc), f.field(p, wDst), f.field(p, wTmp), f.field(p, wVecs)
	row, col, plane = f.field(p, wRow), f.field(p, wCol), f.field(p, wPlane)
	bias, res, resRow, resCol := f.field(p, wBias), f.field(p, wRes), f.field(p, wResRow), f.field(p, wResCol)
	lo, hi := f.everyField(p, wLo), f.everyField(p, wHi)
	c, q, sixth, r, rq := f.gp(), f.gp(), f.gp(), f.gp(), f.gp()
	load, store = f.scratch(tmp)
	f.hoist()
	f.line("MOVD $%d, %s", side, sixth)
	f.line("MUL %s, %s, %s", plane, sixth, sixth)
	f.repeat(n, 1, []string{src, dst}, []int{16, 16}, func(int) {
		f.line("MOVD %s, %s", src, c)
		for j := range side {
			f.line("MOVD %s, %s", c, q)
			var m [side]V
			for i := range m {
				m[i] = f.walk(q, sixth)
			}
			for i, v := range f.winoOutLine(m) {
				store(v, i*side+j)
			}
			f.line("ADD %s, %s", plane, c)
		}
		b := f.zero()
		plain := f.name1("nobias")
		f.jump("CBZ", bias+", ", plain)
		f.memory([]V{b}, nil, "FMOVQ.P 16(%s), F{0}", bias)
		f.label(plain)
		f.line("MOVD %s, %s", dst, c)
		f.line("MOVD %s, %s", res, r)
		for i := range edge {
			f.line("MOVD %s, %s", c, q)
			var m [side]V
			for j := range m {
				m[j] = load(i*side + j)
			}
			y := f.winoOutLine(m)
			for j := range y {
				y[j] = f.fadd(y[j], b)
			}
			alone := f.name1("nores")
			f.jump("CBZ", res+", ", alone)
			f.line("MOVD %s, %s", r, rq)
			for _, v := range y {
				f.vec("fadd", v, v, f.walk(rq, resCol), 0)
			}
			f.line("ADD %s, %s", resRow, r)
			f.label(alone)
			for _, v := range y {
				// As in the kernel in Go, a bound of zero leaves a zero of either sign unchanged.
				f.vec("bit", v, lo, f.op2("fcmgt", lo, v), 0)
				f.vec("bit", v, hi, f.op2("fcmgt", v, hi), 0)
				f.put(v, q, col)
			}
			f.line("ADD %s, %s", row, c)
		}
		done := f.name1("nores")
		f.jump("CBZ", res+", ", done)
		f.line("ADD $16, %s", res)
		f.label(done)
	})
	f.ret()
}

// Offsets of the fields of winoFilterArgs in kernels/conv/winograd_arm64.go.
const gSrc, gDst, gTap, gPlane, gVecs = 0, 8, 16, 24, 32

// winoFilterLine is G·g.
func (f *fn) winoFilterLine(g [3]V) [side]V {
	third := 2. / 3
	s := f.fmul(f.fma(g[2], f.f32(0.5), g[0]), f.f32(-third))
	u := f.fmul(f.fma(g[2], f.f32(2), g[0]), f.f32(1./6))
	t, v := f.f32(-math.Sqrt2/3), f.f32(math.Sqrt2/6)
	return [side]V{g[0], f.fma(g[1], t, s), f.nma(g[1], t, s), f.fma(g[1], v, u), f.nma(g[1], v, u), g[2]}
}

// winoFilter writes a half of the transform U = G·g·Gᵀ of a filter's panel: rows 0 to 2 of U, or
// rows 3 to 5 if half is 1. The function turns vectors of 3×3 taps into one element of each of 18
// planes.
func winoFilter(w *file, half int) {
	f := w.begin([]string{"winoFilterTop", "winoFilterBottom"}[half]+"NEON", "", "p *byte")
	p := f.arg("p")
	src, dst, n := f.field(p, gSrc), f.field(p, gDst), f.field(p, gVecs)
	tap, plane := f.field(p, gTap), f.field(p, gPlane)
	q, row := f.gp(), f.gp()
	f.line("ADD %s<<1, %s, %s", tap, tap, row)
	f.hoist()
	f.repeat(n, 1, []string{src, dst}, []int{16, 16}, func(int) {
		var rows [3][3]V // the needed rows of G·g
		c := f.gp()
		f.line("MOVD %s, %s", src, c)
		for j := range 3 {
			f.line("MOVD %s, %s", c, q)
			var g [3]V
			for i := range g {
				g[i] = f.walk(q, row)
			}
			for i, v := range f.winoFilterLine(g) {
				if i/3 == half {
					rows[i%3][j] = v
				}
			}
			f.line("ADD %s, %s", tap, c)
		}
		f.line("MOVD %s, %s", dst, q)
		for _, g := range rows {
			for _, v := range f.winoFilterLine(g) {
				f.put(v, q, plane)
			}
		}
	})
	f.ret()
}
