// Command panel writes the f32 micro-kernels of kernels/internal/panel for AVX-512 and AVX2. They
// compute tiles of mr rows by np panels of 16 columns, and products of one row with an unpacked
// matrix. Others transpose, copy and add. For benchmarks, it also writes loops that measure the
// machine's limits.
package main

import (
	"flag"
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
	oNext, oNextStep, oNextTile                  = 152, 160, 168
	oTiles, oClamp                               = 176, 184
)

// tile writes one micro-kernel for mr rows and np panels. The field wide selects AVX-512, where a panel
// is one vector. With AVX2, a panel is two vectors (vpp), and if half is set, the tile uses only the
// first vector of its last panel. The tile uses nv vectors in all. A panel of doubles has half the
// columns, and its tiles neither add a bias nor clamp.
type tile struct {
	mr, np, nv, vpp int
	half            bool
	lanes
	ap  Register
	acc [][]VecVirtual
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

// vmem returns the memory operand for vector v of a row of floats that begins at base.
func (t *tile) vmem(base Register, v int) Mem { return Mem{Base: base, Disp: v * 64 / t.vpp} }

func write(mr, np int, l lanes) { (&tile{mr: mr, np: np, lanes: l}).write() }

func (t *tile) write() {
	mr, wide := t.mr, t.wide
	t.vpp = 1
	if !wide {
		t.vpp = 2
	}
	name := fmt.Sprintf("tile%sx%dx%d", t.suffix(), mr, t.np)
	t.nv = t.np * t.vpp
	if t.half {
		name += "half"
		t.nv--
	}
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	if wide {
		KMOVW(t.field(oMask), K1)
	}
	Label("tile")
	t.sums()
	t.epilogue()
	if wide {
		t.store(false)
	} else {
		tab := t.load(oTab)
		TESTQ(tab, tab)
		JNZ(LabelRef("masked"))
		t.store(false)
		JMP(LabelRef("stored"))
		Label("masked")
		t.store(true)
		Label("stored")
	}
	// The next tile begins mr rows below.
	DECQ(t.field(oTiles))
	JZ(LabelRef("end"))
	down := func(off, ld int) {
		p, step := t.load(off), t.load(ld)
		if off == oRes {
			TESTQ(p, p)
			JZ(LabelRef("nomoreres"))
		}
		IMUL3Q(Imm(uint64(mr)), step, step)
		ADDQ(step, p)
		MOVQ(p, t.field(off))
	}
	down(oA, oLda)
	down(oC, oLdc)
	down(oRes, oLdr)
	Label("nomoreres")
	next := t.load(oNextTile)
	ADDQ(next, t.field(oNext))
	JMP(LabelRef("tile"))
	Label("end")
	VZEROUPPER()
	RET()
}

// mask returns the AVX2 mask of the last panel.
func (t *tile) mask() []VecVirtual {
	var mask []VecVirtual
	tab := t.load(oTab)
	for v := range t.vpp {
		mask = append(mask, YMM())
		VMOVUPS(t.vmem(tab, v), mask[v])
	}
	return mask
}

func (t *tile) last(v int) bool { return v/t.vpp == t.np-1 }

// sums writes the code that computes the tile's sums in acc.
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
	step := t.load(oPanel)
	// pairs returns pointers to every second panel, beginning at base. The function panel addresses
	// any panel relative to these pointers.
	pairs := func(base GPVirtual) []GPVirtual {
		ps := []GPVirtual{base}
		for len(ps)*2 < t.np {
			p := GP64()
			LEAQ(Mem{Base: ps[len(ps)-1], Index: step, Scale: 2}, p)
			ps = append(ps, p)
		}
		return ps
	}
	panel := func(ps []GPVirtual, p, disp int) Mem {
		m := Mem{Base: ps[p/2], Disp: disp}
		if p%2 == 1 {
			m.Index, m.Scale = step, 1
		}
		return m
	}
	bs := pairs(t.load(oB))
	next := pairs(t.load(oNext))
	nextStep := t.load(oNextStep)
	bmem := func(v, u int) Mem { return panel(bs, v/t.vpp, u*64+v%t.vpp*32) }
	amem := func(r, u int) Mem {
		m := Mem{Base: base[r/3], Disp: u * t.elem()}
		if r%3 > 0 {
			m.Index, m.Scale = lda, uint8(r%3)
		}
		return m
	}
	t.fetch()
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
	regs := 16
	if t.wide {
		regs = 32
	}
	free := regs - t.mr*t.nv
	one := func(u int, ask bool) {
		for p := range t.np {
			if ask {
				PREFETCHT0(panel(next, p, u*64))
			}
		}
		if t.mr < t.nv && t.mr < free {
			// With few rows, the elements of A are kept in registers, and B is read from memory.
			x := make([]VecVirtual, t.mr)
			for r := range x {
				x[r] = t.vec()
				t.broadcast(amem(r, u), x[r])
			}
			for v := range t.nv {
				if t.mr == 1 {
					t.fma(bmem(v, u), x[0], t.acc[0][v])
					continue
				}
				b := t.vec()
				VMOVUPS(bmem(v, u), b)
				for r := range x {
					t.fma(b, x[r], t.acc[r][v])
				}
			}
			return
		}
		b := make([]VecVirtual, t.nv)
		for v := range b {
			b[v] = t.vec()
			VMOVUPS(bmem(v, u), b[v])
		}
		for r := range t.mr {
			x := t.vec()
			t.broadcast(amem(r, u), x)
			for v := range t.nv {
				t.fma(b[v], x, t.acc[r][v])
			}
		}
	}
	advance := func(n int, ask bool) {
		for _, r := range base {
			ADDQ(U32(uint32(t.elem()*n)), r)
		}
		for _, r := range bs {
			ADDQ(U32(uint32(64*n)), r)
		}
		for range n / 2 {
			for _, r := range next {
				if ask {
					ADDQ(nextStep, r)
				}
			}
		}
	}
	unroll := 2
	if t.mr*t.nv <= 8 {
		// Small tiles need more steps in an iteration, to hide the loop's own instructions.
		unroll = 4
	}
	k := GP64()
	MOVQ(t.field(oPlanes), k)
	MOVQ(k, t.field(oPlanesLeft))
	Label("plane")
	MOVQ(t.field(oSegs), k)
	MOVQ(k, t.field(oSegLeft))
	Label("segment")
	MOVQ(t.field(oK), k)
	SUBQ(Imm(uint64(unroll)), k)
	JB(LabelRef("tail"))
	TESTQ(nextStep, nextStep)
	JZ(LabelRef("unrolled"))
	for _, ask := range []bool{true, false} {
		loop := "unrolled"
		if ask {
			loop = "asking"
		}
		Label(loop)
		for u := range unroll {
			one(u, ask)
		}
		advance(unroll, ask)
		SUBQ(Imm(uint64(unroll)), k)
		JAE(LabelRef(loop))
		if ask {
			JMP(LabelRef("tail"))
		}
	}
	Label("tail")
	ADDQ(Imm(uint64(unroll)), k)
	JZ(LabelRef("next"))
	Label("single")
	one(0, false)
	advance(1, false)
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

// fetch writes prefetches of the part of res that the tile will add. With AVX2, it also writes
// prefetches of the part of c that the tile will write.
func (t *tile) fetch() {
	rows := func(at, step int, none string) {
		p, ld := t.load(at), t.load(step)
		if none != "" {
			TESTQ(p, p)
			JZ(LabelRef(none))
		}
		for r := range t.mr {
			for v := range t.np {
				PREFETCHT0(Mem{Base: p, Disp: 64 * v})
			}
			if r < t.mr-1 {
				ADDQ(ld, p)
			}
		}
	}
	if !t.wide {
		rows(oC, oLdc, "")
	}
	rows(oRes, oLdr, "fetched")
	Label("fetched")
}

// add adds vector v of the row at base to the sums of row r, or of every row if r is negative.
func (t *tile) add(base Register, v, r int, mask []VecVirtual) {
	x := t.vec()
	switch m := t.vmem(base, v); {
	case t.wide && t.last(v):
		t.get(m, x)
	case mask != nil && t.last(v):
		VMASKMOVPS(m, mask[v%t.vpp], x)
	default:
		VMOVUPS(m, x)
	}
	for i, acc := range t.acc {
		if r >= 0 && r != i {
			continue
		}
		if t.double {
			VADDPD(x, acc[v], acc[v])
		} else {
			VADDPS(x, acc[v], acc[v])
		}
	}
}

// epilogue writes code that adds the bias and the residual to the sums, and then clamps the sums.
func (t *tile) epilogue() {
	// With AVX2, only tiles that end in a partial panel use masks to read.
	either := func(name string, f func(mask []VecVirtual)) {
		if t.wide {
			f(nil)
			return
		}
		tab := t.load(oTab)
		TESTQ(tab, tab)
		JNZ(LabelRef(name + "masked"))
		f(nil)
		JMP(LabelRef(name + "done"))
		Label(name + "masked")
		f(t.mask())
		Label(name + "done")
	}
	if !t.double {
		bias := t.load(oBias)
		TESTQ(bias, bias)
		JZ(LabelRef("nobias"))
		either("bias", func(mask []VecVirtual) {
			for v := range t.nv {
				t.add(bias, v, -1, mask)
			}
		})
		Label("nobias")
	}
	res := t.load(oRes)
	TESTQ(res, res)
	JZ(LabelRef("nores"))
	ldr := t.load(oLdr)
	either("res", func(mask []VecVirtual) {
		for r := range t.acc {
			for v := range t.nv {
				t.add(res, v, r, mask)
			}
			if r < t.mr-1 {
				ADDQ(ldr, res)
			}
		}
	})
	Label("nores")
	if t.double {
		return
	}
	// If x is NaN, VMAXPS and VMINPS return it: x is their second source in Intel's order.
	flags := GP32()
	MOVL(t.field(oClamp), flags)
	TESTL(flags, flags)
	JZ(LabelRef("unclamped"))
	lo, hi := t.vec(), t.vec()
	VBROADCASTSS(t.field(oLo), lo)
	for _, row := range t.acc {
		for _, x := range row {
			VMAXPS(x, lo, x)
		}
	}
	CMPL(flags, Imm(1))
	JE(LabelRef("unclamped"))
	VBROADCASTSS(t.field(oHi), hi)
	for _, row := range t.acc {
		for _, x := range row {
			VMINPS(x, hi, x)
		}
	}
	Label("unclamped")
}

// store writes code that stores the sums in C.
func (t *tile) store(masked bool) {
	var mask []VecVirtual
	if masked {
		mask = t.mask()
	}
	c, ldc := t.load(oC), t.load(oLdc)
	for r, row := range t.acc {
		for v, x := range row {
			switch m := t.vmem(c, v); {
			case t.wide && t.last(v):
				t.put(x, m)
			case masked && t.last(v):
				VMASKMOVPS(x, mask[v%t.vpp], m)
			default:
				VMOVUPS(x, m)
			}
		}
		if r < t.mr-1 {
			ADDQ(ldc, c)
		}
	}
}

// transpose writes dst[j][i] = src[i][j] for 8 rows i and 8*n columns j of src. The rows of dst are
// ldd bytes apart, those of src lds bytes.
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
	double := flag.Bool("f64", false, "write the tiles of f64 products")
	flag.Parse()
	ConstraintExpr("amd64,!noasm")
	for mr := 1; mr <= 14; mr++ {
		wide := lanes{wide: true, double: *double}
		write(mr, 2, wide)
		write(mr, 1, wide)
		if mr <= 6 {
			write(mr, 4, wide)
		}
		if mr <= 3 && !*double {
			write(mr, 8, wide)
		}
	}
	narrow := lanes{double: *double}
	for mr := 1; mr <= 6; mr++ {
		write(mr, 1, narrow)
	}
	if *double {
		Generate()
		return
	}
	write(1, 4, narrow)
	write(2, 2, narrow)
	write(3, 2, narrow)
	for mr := 1; mr <= 12; mr++ {
		(&tile{mr: mr, np: 1, half: true, lanes: narrow}).write()
	}
	for mr := 2; mr <= 4; mr++ {
		(&tile{mr: mr, np: 2, half: true, lanes: narrow}).write()
	}
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
	turnPanel()
	add()
	peak(true)
	peak(false)
	read()
	Generate()
}
