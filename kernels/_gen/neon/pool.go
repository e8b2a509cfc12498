package main

import "fmt"

// Offsets of the fields of args in kernels/pool/asm_arm64.go.
const (
	pDst, pSrc, pDstStep, pStep = 0, 8, 16, 24
	pRow, pCol, pRows, pCols    = 32, 40, 48, 56
	pPixels, pBlocks            = 64, 72
	pInit, pCount               = 80, 84
)

func poolKernels(w *file) {
	for _, avg := range []bool{false, true} {
		pool1(w, avg)
	}
}

// pool1 writes one kernel. It computes adjacent output pixels whose windows have the same size. For
// each pixel it computes four vectors of channels at a time, then single vectors.
func pool1(w *file, avg bool) {
	name := "maxNEON"
	if avg {
		name = "avgNEON"
	}
	f := w.begin(name, "", "p *byte")
	p := f.arg("p")
	src, dst, pixels := f.field(p, pSrc), f.field(p, pDst), f.field(p, pPixels)
	rowStep, colStep := f.field(p, pRow), f.field(p, pCol)
	dstStep, step := f.field(p, pDstStep), f.field(p, pStep)
	rows, cols := f.field(p, pRows), f.field(p, pCols)
	first, count := f.everyField(p, pInit), f.everyField(p, pCount)
	s, d, left, row, i, q, j := f.gp(), f.gp(), f.gp(), f.gp(), f.gp(), f.gp(), f.gp()
	block := func(n int) {
		l := func(x string) string { return fmt.Sprintf("%s%d", x, n) }
		acc := make([]V, n)
		for i := range acc {
			acc[i] = f.copy(first)
		}
		f.line("MOVD %s, %s", s, row)
		f.line("MOVD %s, %s", rows, i)
		f.label(l("row"))
		f.line("MOVD %s, %s", row, q)
		f.line("MOVD %s, %s", cols, j)
		f.label(l("col"))
		for v, a := range acc {
			x := f.load(q, 16*v)
			if avg {
				f.vec("fadd", a, a, x, 0)
			} else {
				// If a or x is NaN, or both are equal, a keeps its value.
				f.vec("bit", a, x, f.op2("fcmgt", x, a), 0)
			}
		}
		f.line("ADD %s, %s", colStep, q)
		f.line("SUBS $1, %s, %s", j, j)
		f.jump("BNE", "", l("col"))
		f.line("ADD %s, %s", rowStep, row)
		f.line("SUBS $1, %s, %s", i, i)
		f.jump("BNE", "", l("row"))
		for v, a := range acc {
			if avg {
				a = f.fdiv(a, count)
			}
			f.store(a, d, 16*v)
		}
		f.line("ADD $%d, %s", 16*n, s)
		f.line("ADD $%d, %s", 16*n, d)
	}
	f.label("pixel")
	f.line("MOVD %s, %s", src, s)
	f.line("MOVD %s, %s", dst, d)
	f.line("MOVD %d(%s), %s", pBlocks, p, left)
	f.line("SUBS $4, %s, %s", left, left)
	f.jump("BLT", "", "few")
	f.label("four")
	block(4)
	f.line("SUBS $4, %s, %s", left, left)
	f.jump("BGE", "", "four")
	f.label("few")
	f.line("ADDS $4, %s, %s", left, left)
	f.jump("BEQ", "", "next")
	f.label("one")
	block(1)
	f.line("SUBS $1, %s, %s", left, left)
	f.jump("BNE", "", "one")
	f.label("next")
	f.line("ADD %s, %s", step, src)
	f.line("ADD %s, %s", dstStep, dst)
	f.line("SUBS $1, %s, %s", pixels, pixels)
	f.jump("BNE", "", "pixel")
	f.ret()
}
