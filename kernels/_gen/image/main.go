// Command image writes the f32 kernels of kernels/image: a row of linear
// interpolation between four pixels, with AVX-512 and AVX2.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of args in kernels/image/asm_amd64.go.
const (
	oDst, oTop, oBottom     = 0, 8, 16
	oLeft, oRight, oWeight  = 24, 32, 40
	oPixels, oBlocks, oRest = 48, 56, 64
	oMask, oTab, oDown      = 72, 80, 88
)

func write(wide bool) {
	name, bytes := "bilinear256", 32
	vec := func() VecVirtual { return YMM() }
	if wide {
		name, bytes = "bilinear512", 64
		vec = func() VecVirtual { return ZMM() }
	}
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	ap := Load(Param("p"), GP64())
	field := func(off int) Mem { return Mem{Base: ap, Disp: off} }
	mask := vec()
	if wide {
		KMOVW(field(oMask), K1)
	} else {
		tab := GP64()
		MOVQ(field(oTab), tab)
		VMOVUPS(Mem{Base: tab}, mask)
	}
	load := func(off int) Register {
		r := GP64()
		MOVQ(field(off), r)
		return r
	}
	dst, top, bottom := load(oDst), load(oTop), load(oBottom)
	left, right, weight, pixels := load(oLeft), load(oRight), load(oWeight), load(oPixels)
	wy, wx := vec(), vec()
	VBROADCASTSS(field(oDown), wy)
	l, r, n := GP64(), GP64(), GP64()
	block := func(masked bool) {
		read := func(m Mem) VecVirtual {
			x := vec()
			switch {
			case masked && wide:
				VMOVUPS_Z(m, K1, x)
			case masked:
				VMASKMOVPS(m, mask, x)
			default:
				VMOVUPS(m, x)
			}
			return x
		}
		lerp := func(a, b, w VecVirtual) {
			VSUBPS(a, b, b)
			VMULPS(w, b, b)
			VADDPS(b, a, a)
		}
		tl, tr := read(Mem{Base: top, Index: l, Scale: 4}), read(Mem{Base: top, Index: r, Scale: 4})
		bl, br := read(Mem{Base: bottom, Index: l, Scale: 4}), read(Mem{Base: bottom, Index: r, Scale: 4})
		lerp(tl, tr, wx)
		lerp(bl, br, wx)
		lerp(tl, bl, wy)
		m := Mem{Base: dst}
		switch {
		case masked && wide:
			VMOVUPS(tl, K1, m)
		case masked:
			VMASKMOVPS(tl, mask, m)
		default:
			VMOVUPS(tl, m)
		}
	}
	Label("pixel")
	MOVLQSX(Mem{Base: left}, l)
	MOVLQSX(Mem{Base: right}, r)
	VBROADCASTSS(Mem{Base: weight}, wx)
	MOVQ(field(oBlocks), n)
	TESTQ(n, n)
	JZ(LabelRef("rest"))
	Label("one")
	block(false)
	ADDQ(Imm(uint64(bytes)), dst)
	ADDQ(Imm(uint64(bytes/4)), l)
	ADDQ(Imm(uint64(bytes/4)), r)
	DECQ(n)
	JNZ(LabelRef("one"))
	Label("rest")
	MOVQ(field(oRest), n)
	TESTQ(n, n)
	JZ(LabelRef("next"))
	block(true)
	LEAQ(Mem{Base: dst, Index: n, Scale: 4}, dst)
	Label("next")
	ADDQ(Imm(4), left)
	ADDQ(Imm(4), right)
	ADDQ(Imm(4), weight)
	DECQ(pixels)
	JNZ(LabelRef("pixel"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	write(true)
	write(false)
	Generate()
}
