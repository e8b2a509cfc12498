package main

import "fmt"

// Offsets of the fields of args in kernels/internal/panel/asm_arm64.go.
const (
	oA, oB, oC, oBias, oRes                  = 0, 8, 16, 24, 32
	oLda, oLdc, oLdr, oPanel                 = 40, 48, 56, 64
	oK, oSegs, oSegStep, oPlanes, oPlaneStep = 72, 80, 88, 96, 104
	oLo, oHi                                 = 112, 116
)

func panelKernels(w *file) {
	for mr := 1; mr <= 6; mr++ {
		tile(w, mr, 1)
	}
	for mr := 1; mr <= 3; mr++ {
		tile(w, mr, 2)
	}
	tile(w, 1, 4)
	for _, double := range []bool{false, true} {
		mulRow(w, double, 8)
		mulRow(w, double, 1)
		dots(w, double)
	}
	transpose(w)
	copyPanel(w)
	add(w)
}

// field reads a field of the struct at p.
func (f *fn) field(p string, off int) string {
	r := f.gp()
	f.line("MOVD %d(%s), %s", off, p, r)
	return r
}

// everyField loads a float of the struct at p into all lanes.
func (f *fn) everyField(p string, off int) V {
	r := f.gp()
	f.line("ADD $%d, %s, %s", off, p, r)
	f.gps = append(f.gps, r)
	return f.every(r, "S4")
}

// tile writes the micro-kernel of mr rows by np panels of 16 columns. In every tile, a sum is one chain
// of fused multiply-adds in the order of k, so that results do not depend on how rows are split into
// tiles. mr*np is at most 6, because a tile of six rows and one panel already uses all 32 registers: 24
// for the sums (four for each row), six for elements of A (four elements of each row in one register),
// and two for a panel's row.
func tile(w *file, mr, np int) {
	f := w.begin(fmt.Sprintf("tile%dx%d", mr, np), "", "p *byte")
	p := f.arg("p")
	nv := 4 * np
	row, column := f.field(p, oA), f.field(p, oB)
	lda, panel := f.field(p, oLda), f.field(p, oPanel)
	a, b := f.pointers(mr, row, lda), f.pointers(np, column, panel)
	acc := make([][]V, mr)
	for r := range acc {
		for range nv {
			acc[r] = append(acc[r], f.zero())
		}
	}
	// steps writes n steps of the loop over k; left holds n elements of every row of A.
	steps := func(n int, left []V) {
		for u := range n {
			for v := 0; v < nv; v += 2 {
				x, y := f.load2(b[v/4], u*64+v%4*16)
				for r := range acc {
					f.vec("fmlai", acc[r][v], x, left[r], u)
					f.vec("fmlai", acc[r][v+1], y, left[r], u)
				}
			}
		}
		for _, r := range b {
			f.line("ADD $%d, %s", 64*n, r)
		}
	}
	rows := func(op string, bytes int) (left []V) {
		for _, r := range a {
			d := f.reg()
			f.memory([]V{d}, nil, "%s.P %d(%s), F{0}", op, bytes, r)
			left = append(left, d)
		}
		return
	}
	planes, segs, k := f.field(p, oPlanes), f.gp(), f.gp()
	f.label("plane")
	f.line("MOVD %d(%s), %s", oSegs, p, segs)
	f.label("segment")
	f.line("MOVD %d(%s), %s", oK, p, k)
	f.fours(k, "next", func(n int, op string) { steps(n, rows(op, 4*n)) })
	move := func(left string, by int, to, otherwise string) {
		f.line("SUBS $1, %s, %s", left, left)
		f.jump("BEQ", "", otherwise)
		f.line("MOVD %d(%s), %s", by, p, k)
		for _, r := range a {
			f.line("ADD %s, %s", k, r)
		}
		f.jump("B", "", to)
	}
	move(segs, oSegStep, "segment", "nextplane")
	f.label("nextplane")
	move(planes, oPlaneStep, "plane", "done")
	f.label("done")

	f.finish(p, acc, epilogue{oBias, oRes, oLdr, oC, oLdc, oLo, oHi})
}

// epilogue holds the offsets of the fields that the last part of a tile reads from its argument
// struct.
type epilogue struct{ bias, res, ldr, c, ldc, lo, hi int }

// finish writes the end of a tile: it adds bias and residual to the sums, clamps and stores them,
// and returns.
func (f *fn) finish(p string, acc [][]V, e epilogue) {
	mr, nv := len(acc), len(acc[0])
	bias := f.field(p, e.bias)
	f.jump("CBZ", bias+", ", "nobias")
	for v := 0; v < nv; v += 2 {
		x, y := f.load2(bias, 16*v)
		for r := range acc {
			f.vec("fadd", acc[r][v], acc[r][v], x, 0)
			f.vec("fadd", acc[r][v+1], acc[r][v+1], y, 0)
		}
	}
	f.label("nobias")
	res, ldr := f.field(p, e.res), f.field(p, e.ldr)
	f.jump("CBZ", res+", ", "nores")
	for r := range acc {
		for v := 0; v < nv; v += 2 {
			x, y := f.load2(res, 16*v)
			f.vec("fadd", acc[r][v], acc[r][v], x, 0)
			f.vec("fadd", acc[r][v+1], acc[r][v+1], y, 0)
		}
		if r < mr-1 {
			f.line("ADD %s, %s", ldr, res)
		}
	}
	f.label("nores")
	lo, hi := f.everyField(p, e.lo), f.everyField(p, e.hi)
	c, ldc := f.field(p, e.c), f.field(p, e.ldc)
	for r := range acc {
		for v, x := range acc[r] {
			// A NaN stays.
			f.vec("fmax", x, x, lo, 0)
			f.vec("fmin", x, x, hi, 0)
			if v%2 == 1 {
				f.store2(acc[r][v-1], x, c, 16*(v-1))
			}
		}
		if r < mr-1 {
			f.line("ADD %s, %s", ldc, c)
		}
	}
	f.ret()
}

func suffix(double bool) (name, lanes, end string) {
	if double {
		return "F64", "D2", "d"
	}
	return "", "S4", ""
}

// mulRow writes a kernel that computes c[j] += Σ_i a[i] * b[i][j]. The parameter rows is the number of
// rows i. The columns j fill n vectors. The kernel also has arguments for the distance in bytes between
// elements of a and for the distance in bytes between rows of b.
func mulRow(w *file, double bool, rows int) {
	name, lanes, end := suffix(double)
	f := w.begin(fmt.Sprintf("mulRow%dx%s", rows, name), "", "c *byte", "a *byte", "as uintptr", "b *byte", "ldb uintptr", "n uintptr")
	c, a, as, b, ldb, n := f.arg("c"), f.arg("a"), f.arg("as"), f.arg("b"), f.arg("ldb"), f.arg("n")
	ps := []string{c, b}
	var x []V
	for i := range rows {
		x = append(x, f.every(a, lanes))
		if i < rows-1 {
			f.line("ADD %s, %s", as, a)
			r := f.gp()
			f.line("ADD %s, %s, %s", ldb, ps[len(ps)-1], r)
			ps = append(ps, r)
		}
	}
	by := make([]int, len(ps))
	for i := range by {
		by[i] = 16
	}
	f.repeat(n, 2, ps, by, func(u int) {
		s := f.load(c, 16*u)
		for i := range x {
			f.vec("fmla"+end, s, f.load(ps[1+i], 16*u), x[i], 0)
		}
		f.store(s, c, 16*u)
	})
	f.ret()
}

// dots writes c[j] = Σ_i a[i] * b[j][i] for four rows j of b, which are ldb bytes apart. The
// elements i fill n vectors.
func dots(w *file, double bool) {
	name, _, end := suffix(double)
	f := w.begin("dots4"+name, "", "c *byte", "a *byte", "b *byte", "ldb uintptr", "n uintptr")
	c, a, b, ldb, n := f.arg("c"), f.arg("a"), f.arg("b"), f.arg("ldb"), f.arg("n")
	ps := []string{a, b}
	for range 3 {
		r := f.gp()
		f.line("ADD %s, %s, %s", ldb, ps[len(ps)-1], r)
		ps = append(ps, r)
	}
	var acc [8]V // for each row, the sums of its even and of its odd vectors
	for i := range acc {
		acc[i] = f.zero()
	}
	f.repeat(n, 2, ps, []int{16, 16, 16, 16, 16}, func(u int) {
		x := f.load(a, 16*u)
		for r := range 4 {
			f.vec("fmla"+end, acc[2*r+u], f.load(ps[1+r], 16*u), x, 0)
		}
	})
	var s [4]V
	for r := range s {
		s[r] = f.op2("fadd"+end, acc[2*r], acc[2*r+1])
	}
	if double {
		f.store2(f.op2("faddpd", s[0], s[1]), f.op2("faddpd", s[2], s[3]), c, 0)
	} else {
		f.store(f.op2("faddp", f.op2("faddp", s[0], s[1]), f.op2("faddp", s[2], s[3])), c, 0)
	}
	f.ret()
}

// transpose writes dst[j][i] = src[i][j] for 8 rows i and 4*n columns j of src. The rows of dst are
// ldd bytes apart, those of src lds bytes.
func transpose(w *file) {
	f := w.begin("transpose8x4", "", "dst *byte", "ldd uintptr", "src *byte", "lds uintptr", "n uintptr")
	dst, ldd, src, lds, n := f.arg("dst"), f.arg("ldd"), f.arg("src"), f.arg("lds"), f.arg("n")
	rows, by := []string{src}, []int{16}
	for range 7 {
		r := f.gp()
		f.line("ADD %s, %s, %s", lds, rows[len(rows)-1], r)
		rows, by = append(rows, r), append(by, 16)
	}
	f.repeat(n, 1, rows, by, func(int) {
		var cols [4][2]V
		for h := range 2 {
			var in [4]V
			for i := range in {
				in[i] = f.load(rows[4*h+i], 0)
			}
			a, b := f.op2("trn1", in[0], in[1]), f.op2("trn2", in[0], in[1])
			c, d := f.op2("trn1", in[2], in[3]), f.op2("trn2", in[2], in[3])
			cols[0][h], cols[1][h] = f.op2("trn1d", a, c), f.op2("trn1d", b, d)
			cols[2][h], cols[3][h] = f.op2("trn2d", a, c), f.op2("trn2d", b, d)
		}
		for _, c := range cols {
			f.store2(c[0], c[1], dst, 0)
			f.line("ADD %s, %s", ldd, dst)
		}
	})
	f.ret()
}

// copyPanel writes dst[i*16+j] = src[i][j] for n rows i and 16 columns j. The rows of src are lds
// bytes apart.
func copyPanel(w *file) {
	f := w.begin("copy16", "", "dst *byte", "src *byte", "lds uintptr", "n uintptr")
	dst, src, lds, n := f.arg("dst"), f.arg("src"), f.arg("lds"), f.arg("n")
	f.repeat(n, 1, []string{dst}, []int{64}, func(int) {
		for i := 0; i < 64; i += 32 {
			x, y := f.load2(src, i)
			f.store2(x, y, dst, i)
		}
		f.line("ADD %s, %s", lds, src)
	})
	f.ret()
}

// add writes dst[i] += src[i] for n vectors.
func add(w *file) {
	f := w.begin("addVectors", "", "dst *byte", "src *byte", "n uintptr")
	dst, src, n := f.arg("dst"), f.arg("src"), f.arg("n")
	f.repeat(n, 2, []string{dst, src}, []int{16, 16}, func(u int) {
		f.store(f.op2("fadd", f.load(dst, 16*u), f.load(src, 16*u)), dst, 16*u)
	})
	f.ret()
}
