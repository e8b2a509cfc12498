// Command panel8 writes the int8 micro-kernels of kernels/internal/panel8. With AVX-512 VNNI, tiles
// have mr rows by np panels of 16 columns. With AVX2, tiles have one or two rows by one panel.
// Further kernels turn a row of sums into floats or bytes.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of args in kernels/internal/panel8/asm_amd64.go.
const (
	oA, oB, oC, oBias, oRow = 0, 8, 16, 24, 32
	oLda, oLdc, oPanel      = 40, 48, 56
	oK, oAdd, oMask         = 64, 72, 80
)

type tile struct {
	mr, np int
	ap     Register
}

func (t *tile) field(off int) Mem { return Mem{Base: t.ap, Disp: off} }

func (t *tile) load(off int) GPVirtual {
	r := GP64()
	MOVQ(t.field(off), r)
	return r
}

// rows returns base registers, one for every three rows of A. It also returns a function that gives the
// address of group number u in row r. A group is four bytes.
func (t *tile) rows() ([]GPVirtual, func(r, u int) Mem) {
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
	return base, func(r, u int) Mem {
		m := Mem{Base: base[r/3], Disp: 4 * u}
		if r%3 > 0 {
			m.Index, m.Scale = lda, uint8(r%3)
		}
		return m
	}
}

// loop writes the loop over the groups of four bytes. The loop is unrolled: it processes several groups in
// each iteration (the parameter unroll is their number), and then the remaining single groups. one(u) writes
// the code for a group. advance(n) writes the code that moves the pointers by n groups.
func (t *tile) loop(unroll int, one func(u int), advance func(n int)) {
	k := t.load(oK)
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
	JZ(LabelRef("done"))
	Label("single")
	one(0)
	advance(1)
	DECQ(k)
	JNZ(LabelRef("single"))
	Label("done")
}

// vnni writes tile512x<mr>x<np>.
func vnni(mr, np int) {
	TEXT(fmt.Sprintf("tile512x%dx%d", mr, np), NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t := &tile{mr: mr, np: np}
	t.ap = Load(Param("p"), GP64())
	base, amem := t.rows()
	b, step := t.load(oB), t.load(oPanel)
	bs := []GPVirtual{b}
	if np > 2 {
		bs = append(bs, GP64())
		LEAQ(Mem{Base: b, Index: step, Scale: 2}, bs[1])
	}
	bmem := func(v, u int) Mem {
		m := Mem{Base: bs[v/2], Disp: 64 * u}
		if v%2 == 1 {
			m.Index, m.Scale = step, 1
		}
		return m
	}
	// A tile of one row has two sets of sums, so that consecutive groups do not wait for each
	// other.
	sets := 1
	if mr == 1 {
		sets = 2
	}
	acc := make([][][]VecVirtual, sets)
	for s := range acc {
		acc[s] = make([][]VecVirtual, mr)
		for r := range acc[s] {
			for range np {
				x := ZMM()
				VPXORD(x, x, x)
				acc[s][r] = append(acc[s][r], x)
			}
		}
	}
	one := func(u int) {
		var bv []VecVirtual
		if mr > 1 {
			for v := range np {
				bv = append(bv, ZMM())
				VMOVDQU32(bmem(v, u), bv[v])
			}
		}
		for r := range mr {
			x := ZMM()
			VPBROADCASTD(amem(r, u), x)
			for v := range np {
				if mr == 1 {
					VPDPBUSD(bmem(v, u), x, acc[u%sets][r][v])
				} else {
					VPDPBUSD(bv[v], x, acc[0][r][v])
				}
			}
		}
	}
	unroll := 2
	if mr*np <= 8 {
		unroll = 4
	}
	t.loop(unroll, one, func(n int) {
		for _, r := range base {
			ADDQ(U32(uint32(4*n)), r)
		}
		for _, r := range bs {
			ADDQ(U32(uint32(64*n)), r)
		}
	})
	sums := acc[0]
	for _, more := range acc[1:] {
		for v := range np {
			VPADDD(more[0][v], sums[0][v], sums[0][v])
		}
	}
	KMOVW(t.field(oMask), K1)
	get := func(base Register, v int, x VecVirtual) {
		if m := (Mem{Base: base, Disp: 64 * v}); v == np-1 {
			VMOVDQU32_Z(m, K1, x)
		} else {
			VMOVDQU32(m, x)
		}
	}
	bias := t.load(oBias)
	TESTQ(bias, bias)
	JZ(LabelRef("nobias"))
	for v := range np {
		x := ZMM()
		get(bias, v, x)
		for r := range sums {
			VPADDD(x, sums[r][v], sums[r][v])
		}
	}
	Label("nobias")
	row := t.load(oRow)
	TESTQ(row, row)
	JZ(LabelRef("norow"))
	for r := range sums {
		for v := range np {
			VPADDD_BCST(Mem{Base: row, Disp: 4 * r}, sums[r][v], sums[r][v])
		}
	}
	Label("norow")
	c, ldc, add := t.load(oC), t.load(oLdc), t.load(oAdd)
	TESTQ(add, add)
	JZ(LabelRef("store"))
	prev := GP64()
	MOVQ(c, prev)
	for r := range sums {
		for v := range np {
			x := ZMM()
			get(prev, v, x)
			VPADDD(x, sums[r][v], sums[r][v])
		}
		if r < mr-1 {
			ADDQ(ldc, prev)
		}
	}
	Label("store")
	for r := range sums {
		for v, x := range sums[r] {
			if m := (Mem{Base: c, Disp: 64 * v}); v == np-1 {
				VMOVDQU32(x, K1, m)
			} else {
				VMOVDQU32(x, m)
			}
		}
		if r < mr-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// avx2 writes tile256x<mr>. Products of 16-bit numbers are added in pairs, which cannot
// overflow 32 bits. The two sums of a column are added at the end. The result always has
// 16 columns.
func avx2(mr int) {
	TEXT(fmt.Sprintf("tile256x%d", mr), NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t := &tile{mr: mr, np: 1}
	t.ap = Load(Param("p"), GP64())
	base, amem := t.rows()
	b := t.load(oB)
	acc := make([][4]VecVirtual, mr)
	for r := range acc {
		for v := range acc[r] {
			acc[r][v] = YMM()
			VPXOR(acc[r][v], acc[r][v], acc[r][v])
		}
	}
	t.loop(2, func(u int) {
		as := make([]VecVirtual, mr)
		for r := range as {
			x := XMM()
			VPBROADCASTD(amem(r, u), x)
			as[r] = YMM()
			VPMOVZXBW(x, as[r])
		}
		for v := range 4 {
			w := YMM()
			VPMOVSXBW(Mem{Base: b, Disp: 64*u + 16*v}, w)
			for r := range as {
				d := YMM()
				VPMADDWD(w, as[r], d)
				VPADDD(d, acc[r][v], acc[r][v])
			}
		}
	}, func(n int) {
		for _, r := range base {
			ADDQ(U32(uint32(4*n)), r)
		}
		ADDQ(U32(uint32(64*n)), b)
	})
	bias, row, c, ldc, add := t.load(oBias), t.load(oRow), t.load(oC), t.load(oLdc), t.load(oAdd)
	for r := range acc {
		for h := range 2 {
			// VPHADDD gives the columns in the order 0 1 4 5 | 2 3 6 7. VPERMQ swaps the two middle
			// pairs.
			y := YMM()
			VPHADDD(acc[r][2*h+1], acc[r][2*h], y)
			VPERMQ(Imm(0xd8), y, y)
			acc[r][h] = y
		}
	}
	TESTQ(bias, bias)
	JZ(LabelRef("nobias"))
	for r := range acc {
		for h := range 2 {
			VPADDD(Mem{Base: bias, Disp: 32 * h}, acc[r][h], acc[r][h])
		}
	}
	Label("nobias")
	TESTQ(row, row)
	JZ(LabelRef("norow"))
	for r := range acc {
		x := YMM()
		VPBROADCASTD(Mem{Base: row, Disp: 4 * r}, x)
		for h := range 2 {
			VPADDD(x, acc[r][h], acc[r][h])
		}
	}
	Label("norow")
	TESTQ(add, add)
	JZ(LabelRef("store"))
	prev := GP64()
	MOVQ(c, prev)
	for r := range acc {
		for h := range 2 {
			VPADDD(Mem{Base: prev, Disp: 32 * h}, acc[r][h], acc[r][h])
		}
		if r < mr-1 {
			ADDQ(ldc, prev)
		}
	}
	Label("store")
	for r := range acc {
		for h := range 2 {
			VMOVDQU(acc[r][h], Mem{Base: c, Disp: 32 * h})
		}
		if r < mr-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// rowSum writes a function that returns the sum of the bytes in n groups of 32.
func rowSum() {
	TEXT("sum32", NOSPLIT, "func(a *byte, n uintptr) uint64")
	Pragma("noescape")
	a, n := Load(Param("a"), GP64()), Load(Param("n"), GP64())
	s, zero := YMM(), YMM()
	VPXOR(s, s, s)
	VPXOR(zero, zero, zero)
	Label("loop")
	x := YMM()
	VPSADBW(Mem{Base: a}, zero, x)
	VPADDQ(x, s, s)
	ADDQ(Imm(32), a)
	DECQ(n)
	JNZ(LabelRef("loop"))
	h := XMM()
	VEXTRACTI128(Imm(1), s, h)
	VPADDQ(h, s.AsX(), h)
	l := XMM()
	VPSRLDQ(Imm(8), h, l)
	VPADDQ(l, h, h)
	r := GP64()
	VMOVQ(h, r)
	Store(r, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// flip writes dst[i] = src[i] ^ 0x80 for n groups of 32 bytes.
func flip() {
	TEXT("flip32", NOSPLIT, "func(dst *byte, src *byte, n uintptr)")
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	m := YMM()
	VPCMPEQB(m, m, m)
	VPSLLW(Imm(15), m, m)
	lo := YMM()
	VPSRLW(Imm(8), m, lo)
	VPOR(lo, m, m)
	Label("loop")
	x := YMM()
	VPXOR(Mem{Base: src}, m, x)
	VMOVDQU(x, Mem{Base: dst})
	ADDQ(Imm(32), dst)
	ADDQ(Imm(32), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// outF32 writes dst[i] = min(max(f32(src[i])*scale[i] + bias[i], lo), hi) for n groups of 8. First
// the product is rounded, then the sum.
func outF32() {
	TEXT("outF32x8", NOSPLIT, "func(dst *byte, src *byte, scale *byte, bias *byte, n uintptr, lo float32, hi float32)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	scale, bias, n := Load(Param("scale"), GP64()), Load(Param("bias"), GP64()), Load(Param("n"), GP64())
	lo, hi := YMM(), YMM()
	l, h := Load(Param("lo"), XMM()), Load(Param("hi"), XMM())
	VBROADCASTSS(l, lo)
	VBROADCASTSS(h, hi)
	Label("loop")
	x := YMM()
	VCVTDQ2PS(Mem{Base: src}, x)
	VMULPS(Mem{Base: scale}, x, x)
	VADDPS(Mem{Base: bias}, x, x)
	VMAXPS(x, lo, x)
	VMINPS(x, hi, x)
	VMOVUPS(x, Mem{Base: dst})
	for _, r := range []Register{dst, src, scale, bias} {
		ADDQ(Imm(32), r.(GPVirtual))
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// outBytes writes dst[i] = min(max(round(f32(src[i])*scale[i]) + zero, lo), hi) for n groups of 8,
// to signed or unsigned bytes. Halves are rounded to even.
func outBytes() {
	TEXT("outBytesx8", NOSPLIT, "func(dst *byte, src *byte, scale *byte, n uintptr, zero int32, lo int32, hi int32)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	scale, n := Load(Param("scale"), GP64()), Load(Param("n"), GP64())
	all := func(name string) VecVirtual {
		x, y := XMM(), YMM()
		r := Load(Param(name), GP32())
		VMOVD(r, x)
		VPBROADCASTD(x, y)
		return y
	}
	zero, lo, hi := all("zero"), all("lo"), all("hi")
	// The clamping happens before the rounding and before the addition of the zero point, so the bounds
	// are lo - zero and hi - zero.
	flo, fhi := YMM(), YMM()
	VPSUBD(zero, lo, flo)
	VCVTDQ2PS(flo, flo)
	VPSUBD(zero, hi, fhi)
	VCVTDQ2PS(fhi, fhi)
	Label("loop")
	x := YMM()
	VCVTDQ2PS(Mem{Base: src}, x)
	VMULPS(Mem{Base: scale}, x, x)
	VMAXPS(flo, x, x)
	VMINPS(fhi, x, x)
	VCVTPS2DQ(x, x)
	VPADDD(zero, x, x)
	// The numbers are between lo and hi, so their low bytes are the result.
	u := XMM()
	VEXTRACTI128(Imm(1), x, u)
	VPSLLD(Imm(24), x, x)
	VPSRLD(Imm(24), x, x)
	VPSLLD(Imm(24), u, u)
	VPSRLD(Imm(24), u, u)
	VPACKUSDW(u, x.AsX(), u)
	VPACKUSWB(u, u, u)
	VMOVQ(u, Mem{Base: dst})
	ADDQ(Imm(8), dst)
	ADDQ(Imm(32), src)
	ADDQ(Imm(32), scale)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// peak writes a loop of n iterations of 24 independent VPDPBUSD instructions on registers. The loop
// runs at the machine's limit.
func peak() {
	TEXT("peak512", NOSPLIT, "func(n uintptr)")
	Pragma("noescape")
	n := Load(Param("n"), GP64())
	a, b := ZMM(), ZMM()
	VPXORD(a, a, a)
	VPXORD(b, b, b)
	acc := make([]VecVirtual, 24)
	for i := range acc {
		acc[i] = ZMM()
		VPXORD(acc[i], acc[i], acc[i])
	}
	Label("loop")
	for _, x := range acc {
		VPDPBUSD(a, b, x)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	for mr := 1; mr <= 14; mr++ {
		vnni(mr, 2)
		vnni(mr, 1)
		if mr <= 6 {
			vnni(mr, 4)
		}
	}
	avx2(1)
	avx2(2)
	rowSum()
	flip()
	outF32()
	outBytes()
	peak()
	Generate()
}
