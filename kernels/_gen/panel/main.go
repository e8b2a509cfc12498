// Command panel writes the f32 micro-kernels of kernels/internal/panel: tiles
// of mr rows by np panels of 16 columns, for AVX-512 and AVX2, an products of one row
// with an unpacked matrix, an 8×8 transposition, a copy and a vector addition.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of args in kernels/internal/panel/asm_amd64.go.
const (
	oA, oB, oC, oBias, oRes                      = 0, 8, 16, 24, 32
	oLda, oLdc, oLdr, oPanel                     = 40, 48, 56, 64
	oK, oSegs, oSegStep, oPlanes, oPlaneStep     = 72, 80, 88, 96, 104
	oSegLeft, oPlanesLeft, oLo, oHi, oMask, oTab = 112, 120, 128, 132, 136, 144
)

// tile writes one micro-kernel. wide is AVX-512, where a panel is one vector;
// with AVX2 it is two.
type tile struct {
	mr, np, nv, vpp int
	wide            bool
	ap              Register
	acc             [][]VecVirtual
}

func (t *tile) vec() VecVirtual {
	if t.wide {
		return ZMM()
	}
	return YMM()
}

func (t *tile) field(off int) Mem { return Mem{Base: t.ap, Disp: off} }

func (t *tile) load(off int) GPVirtual {
	r := GP64()
	MOVQ(t.field(off), r)
	return r
}

// vmem is vector v of a row of floats at base.
func (t *tile) vmem(base Register, v int) Mem { return Mem{Base: base, Disp: v * 64 / t.vpp} }

func write(mr, np int, wide bool) {
	t := &tile{mr: mr, np: np, vpp: 1, wide: wide}
	name := fmt.Sprintf("tile512x%dx%d", mr, np)
	if !wide {
		t.vpp = 2
		name = fmt.Sprintf("tile256x%dx%d", mr, np)
	}
	t.nv = np * t.vpp
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	t.sums()
	if wide {
		KMOVW(t.field(oMask), K1)
		t.epilogue(false)
	} else {
		tab := t.load(oTab)
		TESTQ(tab, tab)
		JNZ(LabelRef("masked"))
		t.epilogue(false)
		Label("masked")
		t.epilogue(true)
	}
}

// sums leaves the tile's sums in acc.
func (t *tile) sums() {
	base := make([]GPVirtual, (t.mr+2)/3)
	lda := t.load(oLda)
	for i := range base {
		if i == 0 {
			base[i] = t.load(oA)
			continue
		}
		base[i] = GP64()
		LEAQ(Mem{Base: base[i-1], Index: lda, Scale: 2}, base[i])
		ADDQ(lda, base[i])
	}
	b, step := t.load(oB), t.load(oPanel)
	bs := []GPVirtual{b}
	if t.np > 2 {
		bs = append(bs, GP64())
		LEAQ(Mem{Base: b, Index: step, Scale: 2}, bs[1])
	}
	bmem := func(v, u int) Mem {
		p := v / t.vpp
		m := Mem{Base: bs[p/2], Disp: u*64 + v%t.vpp*32}
		if p%2 == 1 {
			m.Index, m.Scale = step, 1
		}
		return m
	}
	amem := func(r, u int) Mem {
		m := Mem{Base: base[r/3], Disp: u * 4}
		if r%3 > 0 {
			m.Index, m.Scale = lda, uint8(r%3)
		}
		return m
	}
	t.acc = make([][]VecVirtual, t.mr)
	for r := range t.acc {
		for range t.nv {
			v := t.vec()
			t.acc[r] = append(t.acc[r], v)
			if t.wide {
				VPXORQ(v, v, v)
			} else {
				VXORPS(v, v, v)
			}
		}
	}
	// With few registers to spare the left operand is broadcast from memory.
	embed := t.wide && t.mr*t.nv+t.nv+1 > 32
	one := func(u int) {
		var bv []VecVirtual
		if t.mr > 1 {
			for v := range t.nv {
				bv = append(bv, t.vec())
				VMOVUPS(bmem(v, u), bv[v])
			}
		}
		for r := range t.mr {
			if embed {
				for v := range t.nv {
					VFMADD231PS_BCST(amem(r, u), bv[v], t.acc[r][v])
				}
				continue
			}
			x := t.vec()
			VBROADCASTSS(amem(r, u), x)
			for v := range t.nv {
				if t.mr == 1 {
					VFMADD231PS(bmem(v, u), x, t.acc[r][v])
				} else {
					VFMADD231PS(bv[v], x, t.acc[r][v])
				}
			}
		}
	}
	advance := func(n int) {
		for _, r := range base {
			ADDQ(U32(uint32(4*n)), r)
		}
		for _, r := range bs {
			ADDQ(U32(uint32(64*n)), r)
		}
	}
	// Small tiles need more steps a round to hide the loop's own instructions.
	unroll := 2
	if t.mr*t.nv <= 8 {
		unroll = 4
	}
	k := GP64()
	Label("plane")
	MOVQ(t.field(oSegs), k)
	MOVQ(k, t.field(oSegLeft))
	Label("segment")
	MOVQ(t.field(oK), k)
	SUBQ(Imm(uint64(unroll)), k)
	JB(LabelRef("tail"))
	Label("unrolled")
	for u := range unroll {
		one(u)
	}
	advance(unroll)
	SUBQ(Imm(uint64(unroll)), k)
	JAE(LabelRef("unrolled"))
	Label("tail")
	ADDQ(Imm(uint64(unroll)), k)
	JZ(LabelRef("next"))
	Label("single")
	one(0)
	advance(1)
	DECQ(k)
	JNZ(LabelRef("single"))
	Label("next")
	move := func(left, by int, to, otherwise string) {
		DECQ(t.field(left))
		JZ(LabelRef(otherwise))
		MOVQ(t.field(by), k)
		for _, r := range base {
			ADDQ(k, r)
		}
		JMP(LabelRef(to))
	}
	move(oSegLeft, oSegStep, "segment", "nextplane")
	Label("nextplane")
	move(oPlanesLeft, oPlaneStep, "plane", "done")
	Label("done")
}

// epilogue adds bias and residual, clamps and stores.
func (t *tile) epilogue(masked bool) {
	l := func(s string) string {
		if masked {
			return s + "m"
		}
		return s
	}
	var mask []VecVirtual
	if masked {
		tab := t.load(oTab)
		for v := range t.vpp {
			mask = append(mask, YMM())
			VMOVUPS(t.vmem(tab, v), mask[v])
		}
	}
	last := func(v int) bool { return v/t.vpp == t.np-1 }
	get := func(base Register, v int, x VecVirtual) {
		switch m := t.vmem(base, v); {
		case t.wide && last(v):
			VMOVUPS_Z(m, K1, x)
		case masked && last(v):
			VMASKMOVPS(m, mask[v%t.vpp], x)
		default:
			VMOVUPS(m, x)
		}
	}
	bias := t.load(oBias)
	TESTQ(bias, bias)
	JZ(LabelRef(l("nobias")))
	for v := range t.nv {
		x := t.vec()
		get(bias, v, x)
		for r := range t.acc {
			VADDPS(x, t.acc[r][v], t.acc[r][v])
		}
	}
	Label(l("nobias"))
	res := t.load(oRes)
	TESTQ(res, res)
	JZ(LabelRef(l("nores")))
	ldr := t.load(oLdr)
	for r := range t.acc {
		for v := range t.nv {
			x := t.vec()
			get(res, v, x)
			VADDPS(x, t.acc[r][v], t.acc[r][v])
		}
		if r < t.mr-1 {
			ADDQ(ldr, res)
		}
	}
	Label(l("nores"))
	lo, hi := t.vec(), t.vec()
	VBROADCASTSS(t.field(oLo), lo)
	VBROADCASTSS(t.field(oHi), hi)
	c, ldc := t.load(oC), t.load(oLdc)
	for r := range t.acc {
		for v, x := range t.acc[r] {
			// A NaN in the second source is the result.
			VMAXPS(x, lo, x)
			VMINPS(x, hi, x)
			switch m := t.vmem(c, v); {
			case t.wide && last(v):
				VMOVUPS(x, K1, m)
			case masked && last(v):
				VMASKMOVPS(x, mask[v%t.vpp], m)
			default:
				VMOVUPS(x, m)
			}
		}
		if r < t.mr-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// transpose writes dst[j*ldd+i] = src[i*lds+j] for 8 rows i and 8*n columns j.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(dst *byte, ldd uintptr, src *byte, lds uintptr, n uintptr)")
	Pragma("noescape")
	dst, ldd := Load(Param("dst"), GP64()), Load(Param("ldd"), GP64())
	src, lds := Load(Param("src"), GP64()), Load(Param("lds"), GP64())
	n := Load(Param("n"), GP64())
	row := func(base, base3, base5, base7, ld Register, i int) Mem {
		return [...]Mem{
			{Base: base}, {Base: base, Index: ld, Scale: 1}, {Base: base, Index: ld, Scale: 2}, {Base: base, Index: base3, Scale: 1},
			{Base: base, Index: ld, Scale: 4}, {Base: base, Index: base5, Scale: 1}, {Base: base, Index: base3, Scale: 2}, {Base: base, Index: base7, Scale: 1},
		}[i]
	}
	odd := func(ld Register) (a, b, c GPVirtual) {
		a, b, c = GP64(), GP64(), GP64()
		LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, a)
		LEAQ(Mem{Base: ld, Index: ld, Scale: 4}, b)
		LEAQ(Mem{Base: a, Index: ld, Scale: 4}, c)
		return
	}
	s3, s5, s7 := odd(lds)
	d3, d5, d7 := odd(ldd)
	Label("block")
	var in, mid, quad [8]VecVirtual
	for i := range in {
		in[i] = YMM()
		VMOVUPS(row(src, s3, s5, s7, lds, i), in[i])
	}
	for i := range 4 {
		mid[2*i], mid[2*i+1] = YMM(), YMM()
		VUNPCKLPS(in[2*i+1], in[2*i], mid[2*i])
		VUNPCKHPS(in[2*i+1], in[2*i], mid[2*i+1])
	}
	for h := range 2 {
		m := mid[4*h : 4*h+4]
		for i := range 4 {
			quad[4*h+i] = YMM()
		}
		VSHUFPS(Imm(0x44), m[2], m[0], quad[4*h])
		VSHUFPS(Imm(0xee), m[2], m[0], quad[4*h+1])
		VSHUFPS(Imm(0x44), m[3], m[1], quad[4*h+2])
		VSHUFPS(Imm(0xee), m[3], m[1], quad[4*h+3])
	}
	for i := range 8 {
		y := YMM()
		sel := 0x20
		if i >= 4 {
			sel = 0x31
		}
		VPERM2F128(Imm(uint64(sel)), quad[4+i%4], quad[i%4], y)
		VMOVUPS(y, row(dst, d3, d5, d7, ldd, i))
	}
	ADDQ(Imm(32), src)
	LEAQ(Mem{Base: dst, Index: ldd, Scale: 8}, dst)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// add writes dst[i] += src[i] for 8*n floats.
func add() {
	TEXT("add8", NOSPLIT, "func(dst *byte, src *byte, n uintptr)")
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	Label("loop")
	y := YMM()
	VMOVUPS(Mem{Base: dst}, y)
	VADDPS(Mem{Base: src}, y, y)
	VMOVUPS(y, Mem{Base: dst})
	ADDQ(Imm(32), dst)
	ADDQ(Imm(32), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	for mr := 1; mr <= 14; mr++ {
		write(mr, 2, true)
		write(mr, 1, true)
		if mr <= 7 {
			write(mr, 4, true)
		}
	}
	for mr := 1; mr <= 6; mr++ {
		write(mr, 1, false)
	}
	write(1, 4, false)
	write(2, 2, false)
	for _, wide := range []bool{true, false} {
		for _, double := range []bool{false, true} {
			t := lanes{wide, double}
			mulRow(t, 8)
			mulRow(t, 1)
			dots(t)
		}
	}
	transpose()
	copyPanel()
	add()
	Generate()
}
