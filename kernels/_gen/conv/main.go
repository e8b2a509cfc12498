// Command conv writes the f32 depthwise kernels of kernels/conv: one vector of
// channels of adjacent output pixels of a row, with AVX-512 and AVX2.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of dwArgs in kernels/conv/asm_amd64.go.
const (
	oDst, oSrc, oW, oBias                        = 0, 8, 16, 24
	oDstStep, oSrcStep, oRow, oCol, oWRow, oWCol = 32, 40, 48, 56, 64, 72
	oRows, oCols, oPixels, oLo, oHi, oMask       = 80, 88, 96, 104, 108, 112
)

type kernel struct {
	ap   Register
	wide bool
}

func (t *kernel) vec() VecVirtual {
	if t.wide {
		return ZMM()
	}
	return YMM()
}

func (t *kernel) field(off int) Mem { return Mem{Base: t.ap, Disp: off} }

func (t *kernel) load(off int) GPVirtual {
	r := GP64()
	MOVQ(t.field(off), r)
	return r
}

// get loads a vector, only the masked lanes with AVX-512; the others are zero.
func (t *kernel) get(m Mem, v VecVirtual) {
	if t.wide {
		VMOVUPS_Z(m, K1, v)
	} else {
		VMOVUPS(m, v)
	}
}

func (t *kernel) put(v VecVirtual, m Mem) {
	if t.wide {
		VMOVUPS(v, K1, m)
	} else {
		VMOVUPS(v, m)
	}
}

func (t *kernel) zero(v VecVirtual) {
	if t.wide {
		VPXORQ(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// taps writes the kernel for any window: groups of px pixels, then single ones.
func taps(wide bool, px int) {
	t := &kernel{wide: wide}
	TEXT(map[bool]string{true: "depthwise512", false: "depthwise256"}[wide], NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	if wide {
		KMOVW(t.field(oMask), K1)
	}
	s1, s3, s5, s7 := t.load(oSrcStep), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: s1, Index: s1, Scale: 2}, s3)
	LEAQ(Mem{Base: s1, Index: s1, Scale: 4}, s5)
	LEAQ(Mem{Base: s3, Index: s1, Scale: 4}, s7)
	at := func(base Register, i int) Mem {
		return [...]Mem{
			{Base: base}, {Base: base, Index: s1, Scale: 1}, {Base: base, Index: s1, Scale: 2}, {Base: base, Index: s3, Scale: 1},
			{Base: base, Index: s1, Scale: 4}, {Base: base, Index: s5, Scale: 1}, {Base: base, Index: s3, Scale: 2}, {Base: base, Index: s7, Scale: 1},
		}[i]
	}
	src, dst, n := t.load(oSrc), t.load(oDst), t.load(oPixels)
	group := func(px int) {
		l := func(s string) string { return fmt.Sprintf("%s%d", s, px) }
		acc := make([]VecVirtual, px)
		for i := range acc {
			acc[i] = t.vec()
			t.zero(acc[i])
		}
		row, w, i := GP64(), t.load(oW), t.load(oRows)
		MOVQ(src, row)
		Label(l("row"))
		s, wp, j := GP64(), GP64(), t.load(oCols)
		MOVQ(row, s)
		MOVQ(w, wp)
		Label(l("tap"))
		wv := t.vec()
		t.get(Mem{Base: wp}, wv)
		for i := range acc {
			if t.wide {
				// A lane beyond the channels must not be read.
				VFMADD231PS(at(s, i), wv, K1, acc[i])
			} else {
				VFMADD231PS(at(s, i), wv, acc[i])
			}
		}
		ADDQ(t.field(oCol), s)
		ADDQ(t.field(oWCol), wp)
		DECQ(j)
		JNZ(LabelRef(l("tap")))
		ADDQ(t.field(oRow), row)
		ADDQ(t.field(oWRow), w)
		DECQ(i)
		JNZ(LabelRef(l("row")))
		bias := t.load(oBias)
		TESTQ(bias, bias)
		JZ(LabelRef(l("nobias")))
		b := t.vec()
		t.get(Mem{Base: bias}, b)
		for _, a := range acc {
			VADDPS(b, a, a)
		}
		Label(l("nobias"))
		lo, hi := t.vec(), t.vec()
		VBROADCASTSS(t.field(oLo), lo)
		VBROADCASTSS(t.field(oHi), hi)
		step := t.load(oDstStep)
		for _, a := range acc {
			// A NaN in the second source is the result.
			VMAXPS(a, lo, a)
			VMINPS(a, hi, a)
			t.put(a, Mem{Base: dst})
			ADDQ(step, dst)
		}
		if px == 8 {
			LEAQ(Mem{Base: src, Index: s1, Scale: 8}, src)
		} else {
			ADDQ(s1, src)
		}
	}
	SUBQ(Imm(uint64(px)), n)
	JB(LabelRef("rest"))
	Label("groups")
	group(px)
	SUBQ(Imm(uint64(px)), n)
	JAE(LabelRef("groups"))
	Label("rest")
	ADDQ(Imm(uint64(px)), n)
	JZ(LabelRef("done"))
	Label("singles")
	group(1)
	DECQ(n)
	JNZ(LabelRef("singles"))
	Label("done")
	VZEROUPPER()
	RET()
}

// three writes the kernel for 3×3 windows with adjacent taps and horizontal
// stride st: the weights stay in registers and pixels share what they read. It
// makes px pixels a round; the count is a multiple of px.
func three(st, px int) {
	t := &kernel{wide: true}
	TEXT(fmt.Sprintf("depthwise512k3s%d", st), NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	KMOVW(t.field(oMask), K1)
	var w [9]VecVirtual
	wp, wcol := t.load(oW), t.load(oWCol)
	for i := range w {
		w[i] = t.vec()
		t.get(Mem{Base: wp}, w[i])
		ADDQ(wcol, wp)
	}
	bias, b := t.load(oBias), t.vec()
	t.zero(b)
	TESTQ(bias, bias)
	JZ(LabelRef("nobias"))
	t.get(Mem{Base: bias}, b)
	Label("nobias")
	lo, hi := t.vec(), t.vec()
	VBROADCASTSS(t.field(oLo), lo)
	VBROADCASTSS(t.field(oHi), hi)
	c1, c3, c5, c7 := t.load(oCol), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: c1, Index: c1, Scale: 2}, c3)
	LEAQ(Mem{Base: c1, Index: c1, Scale: 4}, c5)
	LEAQ(Mem{Base: c3, Index: c1, Scale: 4}, c7)
	at := func(base Register, i int) Mem {
		return [...]Mem{
			{Base: base}, {Base: base, Index: c1, Scale: 1}, {Base: base, Index: c1, Scale: 2}, {Base: base, Index: c3, Scale: 1},
			{Base: base, Index: c1, Scale: 4}, {Base: base, Index: c5, Scale: 1}, {Base: base, Index: c3, Scale: 2}, {Base: base, Index: c7, Scale: 1},
			{Base: base, Index: c1, Scale: 8},
		}[i]
	}
	src, dst, step, n := t.load(oSrc), t.load(oDst), t.load(oDstStep), t.load(oPixels)
	Label("pixels")
	acc := make([]VecVirtual, px)
	row := GP64()
	MOVQ(src, row)
	for i := range 3 {
		in := make([]VecVirtual, st*(px-1)+3)
		for x := range in {
			in[x] = t.vec()
			t.get(at(row, x), in[x])
		}
		for j := range 3 {
			for x := range acc {
				if i == 0 && j == 0 {
					acc[x] = t.vec()
					VMULPS(in[x*st], w[0], acc[x])
					continue
				}
				VFMADD231PS(in[x*st+j], w[i*3+j], acc[x])
			}
		}
		if i < 2 {
			ADDQ(t.field(oRow), row)
		}
	}
	for _, a := range acc {
		VADDPS(b, a, a)
		VMAXPS(a, lo, a)
		VMINPS(a, hi, a)
		t.put(a, Mem{Base: dst})
		ADDQ(step, dst)
	}
	if st*px == 8 {
		LEAQ(Mem{Base: src, Index: c1, Scale: 8}, src)
	} else {
		LEAQ(Mem{Base: src, Index: c1, Scale: 4}, src)
	}
	SUBQ(Imm(uint64(px)), n)
	JA(LabelRef("pixels"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	taps(true, 8)
	taps(false, 8)
	three(1, 4)
	three(2, 4)
	Generate()
}
