package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func vector(wide bool) VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

// lanes is a vector width and element type (f32, or f64 if double).
type lanes struct{ wide, double bool }

func (t lanes) suffix() string {
	s := "256"
	if t.wide {
		s = "512"
	}
	if t.double {
		return s + "f64"
	}
	return s
}

func (t lanes) bytes() int {
	if t.wide {
		return 64
	}
	return 32
}

func (t lanes) broadcast(m Mem, v VecVirtual) {
	if t.double {
		VBROADCASTSD(m, v)
	} else {
		VBROADCASTSS(m, v)
	}
}

// elem is the size of an element.
func (t lanes) elem() int {
	if t.double {
		return 8
	}
	return 4
}

// fma adds m times x to acc. A mask register may precede the accumulator in acc.
func (t lanes) fma(m Op, x VecVirtual, acc ...Op) {
	ops := append([]Op{m, x}, acc...)
	if t.double {
		VFMADD231PD(ops...)
	} else {
		VFMADD231PS(ops...)
	}
}

// get writes code that loads a vector; elements that the mask K1 excludes are not read and become zero.
// put writes code that stores only the elements that K1 selects.
func (t lanes) get(m Mem, v VecVirtual) {
	if t.double {
		VMOVUPD_Z(m, K1, v)
	} else {
		VMOVUPS_Z(m, K1, v)
	}
}

func (t lanes) put(v VecVirtual, m Mem) {
	if t.double {
		VMOVUPD(v, K1, m)
	} else {
		VMOVUPS(v, K1, m)
	}
}

// mulRow writes a kernel that computes c[j] += Σ_i a[i] * b[i][j]. The parameter rows is the number of
// rows i. The columns j fill n vectors. The kernel also has arguments for the distance in bytes between
// elements of a and for the distance in bytes between rows of b. With AVX-512, the kernel also computes
// some columns that follow the n vectors; the argument mask has a bit for each of these columns.
func mulRow(t lanes, rows int) {
	bytes, wide := t.bytes(), t.wide
	TEXT(fmt.Sprintf("mulRow%sx%d", t.suffix(), rows), NOSPLIT, "func(c *byte, a *byte, as uintptr, b *byte, ldb uintptr, n uintptr, mask uintptr)")
	Pragma("noescape")
	c, a, as := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("as"), GP64())
	b, ldb, n := Load(Param("b"), GP64()), Load(Param("ldb"), GP64()), Load(Param("n"), GP64())
	mask := Load(Param("mask"), GP64())
	x := make([]VecVirtual, rows)
	for i := range x {
		x[i] = vector(wide)
		t.broadcast(Mem{Base: a}, x[i])
		if i < rows-1 {
			ADDQ(as, a)
		}
	}
	row := func(i int) Mem { return Mem{Base: b} }
	if rows > 1 {
		b3, b5, b7 := GP64(), GP64(), GP64()
		LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, b3)
		LEAQ(Mem{Base: ldb, Index: ldb, Scale: 4}, b5)
		LEAQ(Mem{Base: b3, Index: ldb, Scale: 4}, b7)
		row = func(i int) Mem {
			return [...]Mem{
				{Base: b}, {Base: b, Index: ldb, Scale: 1}, {Base: b, Index: ldb, Scale: 2}, {Base: b, Index: b3, Scale: 1},
				{Base: b, Index: ldb, Scale: 4}, {Base: b, Index: b5, Scale: 1}, {Base: b, Index: b3, Scale: 2}, {Base: b, Index: b7, Scale: 1},
			}[i]
		}
	}
	TESTQ(n, n)
	JZ(LabelRef("rest"))
	Label("loop")
	acc := vector(wide)
	VMOVUPS(Mem{Base: c}, acc)
	for i := range x {
		t.fma(row(i), x[i], acc)
	}
	VMOVUPS(acc, Mem{Base: c})
	ADDQ(Imm(uint64(bytes)), c)
	ADDQ(Imm(uint64(bytes)), b)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("rest")
	if wide {
		TESTQ(mask, mask)
		JZ(LabelRef("done"))
		KMOVW(mask.(GPVirtual).As32(), K1)
		acc := vector(wide)
		t.get(Mem{Base: c}, acc)
		for i := range x {
			t.fma(row(i), x[i], K1, acc)
		}
		t.put(acc, Mem{Base: c})
		Label("done")
	}
	VZEROUPPER()
	RET()
}

// dots writes a kernel that computes c[j] = Σ_i a[i] * b[j][i] for 4*fours rows j of b, which are ldb
// bytes apart. The elements i fill n vectors. With AVX-512, the kernel also adds some elements that
// follow the n vectors; the argument mask has a bit for each of these elements.
func dots(t lanes) {
	bytes, wide := t.bytes(), t.wide
	TEXT("dots"+t.suffix(), NOSPLIT, "func(c *byte, a *byte, b *byte, ldb uintptr, n uintptr, mask uintptr, fours uintptr)")
	Pragma("noescape")
	c, first, four := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	ldb, count, mask := Load(Param("ldb"), GP64()), Load(Param("n"), GP64()), Load(Param("mask"), GP64())
	fours := Load(Param("fours"), GP64())
	b3 := GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, b3)
	if wide {
		KMOVW(mask.(GPVirtual).As32(), K1)
	}
	a, b, n := GP64(), GP64(), GP64()
	Label("four")
	MOVQ(first, a)
	MOVQ(four, b)
	MOVQ(count, n)
	LEAQ(Mem{Base: four, Index: ldb, Scale: 4}, four)
	rows := []Mem{{Base: b}, {Base: b, Index: ldb, Scale: 1}, {Base: b, Index: ldb, Scale: 2}, {Base: b, Index: b3, Scale: 1}}
	acc := make([]VecVirtual, 4)
	for i := range acc {
		acc[i] = vector(wide)
		if wide {
			VPXORQ(acc[i], acc[i], acc[i])
		} else {
			VXORPS(acc[i], acc[i], acc[i])
		}
	}
	TESTQ(n, n)
	JZ(LabelRef("rest"))
	Label("loop")
	x := vector(wide)
	VMOVUPS(Mem{Base: a}, x)
	for i := range acc {
		t.fma(rows[i], x, acc[i])
	}
	ADDQ(Imm(uint64(bytes)), a)
	ADDQ(Imm(uint64(bytes)), b)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("rest")
	half := make([]VecVirtual, 4)
	if wide {
		TESTQ(mask, mask)
		JZ(LabelRef("sum"))
		x := vector(wide)
		t.get(Mem{Base: a}, x)
		for i := range acc {
			t.fma(rows[i], x, K1, acc[i])
		}
		Label("sum")
		for i := range acc {
			half[i] = YMM()
			VEXTRACTF64X4(Imm(1), acc[i], half[i])
			if t.double {
				VADDPD(acc[i].AsY(), half[i], half[i])
			} else {
				VADDPS(acc[i].AsY(), half[i], half[i])
			}
		}
	} else {
		half = acc
	}
	if t.double {
		VHADDPD(half[1], half[0], half[0])
		VHADDPD(half[3], half[2], half[2])
		low, high := YMM(), YMM()
		VPERM2F128(Imm(0x20), half[2], half[0], low)
		VPERM2F128(Imm(0x31), half[2], half[0], high)
		VADDPD(low, high, high)
		VMOVUPD(high, Mem{Base: c})
	} else {
		VHADDPS(half[1], half[0], half[0])
		VHADDPS(half[3], half[2], half[2])
		VHADDPS(half[2], half[0], half[0])
		high := XMM()
		VEXTRACTF128(Imm(1), half[0], high)
		VADDPS(high, half[0].AsX(), high)
		VMOVUPS(high, Mem{Base: c})
	}
	ADDQ(Imm(uint64(4*t.elem())), c)
	DECQ(fours)
	JNZ(LabelRef("four"))
	VZEROUPPER()
	RET()
}

// copyPanel writes dst[i*16+j] = src[i][j] for n rows i and 16 columns j. The rows of src are lds
// bytes apart.
func copyPanel() {
	TEXT("copy16", NOSPLIT, "func(dst *byte, src *byte, lds uintptr, n uintptr)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	lds, n := Load(Param("lds"), GP64()), Load(Param("n"), GP64())
	Label("loop")
	lo, hi := YMM(), YMM()
	VMOVUPS(Mem{Base: src}, lo)
	VMOVUPS(Mem{Base: src, Disp: 32}, hi)
	VMOVUPS(lo, Mem{Base: dst})
	VMOVUPS(hi, Mem{Base: dst, Disp: 32})
	ADDQ(lds, src)
	ADDQ(Imm(64), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// turnPanel writes dst[i*16+j] = src[j][i] for 16*n rows i and 16 columns j of dst. The rows of src
// are lds bytes apart.
func turnPanel() {
	TEXT("turn16", NOSPLIT, "func(dst *byte, src *byte, lds uintptr, n uintptr)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	lds, n := Load(Param("lds"), GP64()), Load(Param("n"), GP64())
	lds3 := GP64()
	LEAQ(Mem{Base: lds, Index: lds, Scale: 2}, lds3)
	rows := []Register{src}
	for range 3 {
		r := GP64()
		LEAQ(Mem{Base: rows[len(rows)-1], Index: lds, Scale: 4}, r)
		rows = append(rows, r)
	}
	Label("loop")
	for c := range 4 {
		// The 128-bit lane l of vector in[i] holds four elements of row 4*l+i.
		var in, mid [4]VecVirtual
		for i := range in {
			in[i] = ZMM()
			for l, r := range rows {
				m := Mem{Base: r, Disp: 16 * c}
				switch {
				case i == 3:
					m.Index, m.Scale = lds3, 1
				case i > 0:
					m.Index, m.Scale = lds, uint8(i)
				}
				if l == 0 {
					VMOVUPS(m, in[i].AsX())
				} else {
					VINSERTF32X4(Imm(uint64(l)), m, in[i], in[i])
				}
			}
		}
		for i := range mid {
			mid[i] = ZMM()
		}
		VUNPCKLPS(in[1], in[0], mid[0])
		VUNPCKHPS(in[1], in[0], mid[1])
		VUNPCKLPS(in[3], in[2], mid[2])
		VUNPCKHPS(in[3], in[2], mid[3])
		for q := range 4 {
			z := ZMM()
			if q%2 == 0 {
				VUNPCKLPD(mid[2+q/2], mid[q/2], z)
			} else {
				VUNPCKHPD(mid[2+q/2], mid[q/2], z)
			}
			VMOVUPS(z, Mem{Base: dst, Disp: 64 * (4*c + q)})
		}
	}
	for _, r := range rows {
		ADDQ(Imm(64), r)
	}
	ADDQ(U32(1024), dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
