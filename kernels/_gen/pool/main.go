// Command pool writes the f32 pooling kernels of kernels/pool, with AVX-512 and AVX2. A call of
// such a kernel computes all channels of adjacent output pixels whose windows have the same size.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of args in kernels/pool/asm_amd64.go.
const (
	oDst, oSrc, oStep, oRow, oCol     = 0, 8, 16, 24, 32
	oRows, oCols, oPixels             = 40, 48, 56
	oChannels, oInit, oCount, oBlocks = 64, 72, 76, 80
	oMask, oTab                       = 88, 96
)

type kernel struct {
	ap        Register
	wide, avg bool
	mask      VecVirtual
}

func (t *kernel) vec() VecVirtual {
	if t.wide {
		return ZMM()
	}
	return YMM()
}

func (t *kernel) field(off int) Mem { return Mem{Base: t.ap, Disp: off} }

// write emits one kernel. Channels are processed in groups of four vectors, then in single vectors,
// then in one masked vector.
func write(wide, avg bool) {
	t := &kernel{wide: wide, avg: avg}
	name, bytes := "max", 32
	if avg {
		name = "avg"
	}
	if wide {
		name, bytes = name+"512", 64
	} else {
		name += "256"
	}
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	if wide {
		KMOVW(t.field(oMask), K1)
	} else {
		t.mask = YMM()
		tab := GP64()
		MOVQ(t.field(oTab), tab)
		VMOVUPS(Mem{Base: tab}, t.mask)
	}
	src, dst, left := GP64(), GP64(), GP64()
	MOVQ(t.field(oSrc), src)
	MOVQ(t.field(oDst), dst)
	colStep, rowStep := GP64(), GP64()
	MOVQ(t.field(oCol), colStep)
	MOVQ(t.field(oRow), rowStep)
	init, count := t.vec(), t.vec()
	VBROADCASTSS(t.field(oInit), init)
	VBROADCASTSS(t.field(oCount), count)
	s := GP64()
	block := func(n int, masked bool) {
		l := func(x string) string { return fmt.Sprintf("%s%d%v", x, n, masked) }
		acc := make([]VecVirtual, n)
		for i := range acc {
			acc[i] = t.vec()
			VMOVAPS(init, acc[i])
		}
		row, i := GP64(), GP64()
		MOVQ(s, row)
		MOVQ(t.field(oRows), i)
		Label(l("row"))
		p, j := GP64(), GP64()
		MOVQ(row, p)
		MOVQ(t.field(oCols), j)
		Label(l("col"))
		for v := range acc {
			x, m := t.vec(), Mem{Base: p, Disp: v * bytes}
			switch {
			case masked && wide:
				VMOVUPS_Z(m, K1, x)
			case masked:
				VMASKMOVPS(m, t.mask, x)
			default:
				VMOVUPS(m, x)
			}
			if avg {
				VADDPS(x, acc[v], acc[v])
			} else {
				// If a source is NaN, or both are equal, VMAXPS returns acc[v]: it is the second
				// source in Intel's order.
				VMAXPS(acc[v], x, acc[v])
			}
		}
		ADDQ(colStep, p)
		DECQ(j)
		JNZ(LabelRef(l("col")))
		ADDQ(rowStep, row)
		DECQ(i)
		JNZ(LabelRef(l("row")))
		for v := range acc {
			m := Mem{Base: dst, Disp: v * bytes}
			if avg {
				VDIVPS(count, acc[v], acc[v])
			}
			switch {
			case masked && wide:
				VMOVUPS(acc[v], K1, m)
			case masked:
				VMASKMOVPS(acc[v], t.mask, m)
			default:
				VMOVUPS(acc[v], m)
			}
		}
	}
	Label("pixel")
	MOVQ(src, s)
	MOVQ(t.field(oBlocks), left)
	SUBQ(Imm(4), left)
	JB(LabelRef("few"))
	Label("four")
	block(4, false)
	ADDQ(U32(uint32(4*bytes)), s)
	ADDQ(U32(uint32(4*bytes)), dst)
	SUBQ(Imm(4), left)
	JAE(LabelRef("four"))
	Label("few")
	ADDQ(Imm(4), left)
	JZ(LabelRef("rest"))
	Label("one")
	block(1, false)
	ADDQ(U32(uint32(bytes)), s)
	ADDQ(U32(uint32(bytes)), dst)
	DECQ(left)
	JNZ(LabelRef("one"))
	Label("rest")
	MOVQ(t.field(oChannels), left)
	TESTQ(left, left)
	JZ(LabelRef("next"))
	block(1, true)
	LEAQ(Mem{Base: dst, Index: left, Scale: 4}, dst)
	Label("next")
	ADDQ(t.field(oStep), src)
	DECQ(t.field(oPixels))
	JNZ(LabelRef("pixel"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, wide := range []bool{true, false} {
		write(wide, false)
		write(wide, true)
	}
	Generate()
}
