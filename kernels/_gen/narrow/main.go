// Command narrow writes the micro-kernels of kernels/internal/narrow. They compute products of a
// few f32 rows with packed columns that are stored as f16, bf16 or bytes. The columns are widened
// to f32 in registers. Further kernels widen whole panels in memory.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of args in kernels/internal/narrow/asm_amd64.go.
const (
	oA, oB, oC, oBias, oRes, oScale     = 0, 8, 16, 24, 32, 40
	oLda, oLdc, oLdr, oPanel, oK        = 48, 56, 64, 72, 80
	oMask, oLo, oHi                     = 88, 96, 100
	f16, bf16, i8                   int = 0, 1, 2
)

var names = []string{"F16", "BF16", "I8"}

func size(kind int) int {
	if kind == i8 {
		return 1
	}
	return 2
}

func vector(wide bool) VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

// widen loads a vector from m and converts it to f32. scale is used for bytes only.
func widen(kind int, wide bool, m, scale Mem) VecVirtual {
	x := vector(wide)
	switch kind {
	case f16:
		VCVTPH2PS(m, x)
	case bf16:
		VPMOVZXWD(m, x)
		VPSLLD(Imm(16), x, x)
	default:
		VPMOVSXBD(m, x)
		VCVTDQ2PS(x, x)
		VMULPS(scale, x, x)
	}
	return x
}

// rows writes a kernel of mr rows by np panels. Without AVX-512, a panel is two vectors, and the
// kernel can write only whole panels.
func rows(kind int, wide bool, mr, np int) {
	level, vpp := "512", 1
	if !wide {
		level, vpp = "256", 2
	}
	TEXT(fmt.Sprintf("rows%s%sx%dx%d", names[kind], level, mr, np), NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	ap := Load(Param("p"), GP64())
	field := func(off int) Mem { return Mem{Base: ap, Disp: off} }
	load := func(off int) GPVirtual {
		r := GP64()
		MOVQ(field(off), r)
		return r
	}
	base := make([]GPVirtual, (mr+2)/3)
	lda := load(oLda)
	for i := range base {
		if i == 0 {
			base[i] = load(oA)
			continue
		}
		base[i] = GP64()
		LEAQ(Mem{Base: base[i-1], Index: lda, Scale: 2}, base[i])
		ADDQ(lda, base[i])
	}
	amem := func(r, u int) Mem {
		m := Mem{Base: base[r/3], Disp: 4 * u}
		if r%3 > 0 {
			m.Index, m.Scale = lda, uint8(r%3)
		}
		return m
	}
	b, step := load(oB), load(oPanel)
	bs := make([]GPVirtual, (np+1)/2)
	for i := range bs {
		bs[i] = b
		if i > 0 {
			bs[i] = GP64()
			LEAQ(Mem{Base: bs[i-1], Index: step, Scale: 2}, bs[i])
		}
	}
	nv, width := np*vpp, 16*size(kind)
	bmem := func(v, u int) Mem {
		p := v / vpp
		m := Mem{Base: bs[p/2], Disp: u*width + v%vpp*width/2}
		if p%2 == 1 {
			m.Index, m.Scale = step, 1
		}
		return m
	}
	vmem := func(r Register, v int) Mem { return Mem{Base: r, Disp: v * 64 / vpp} }
	scale := load(oScale)
	acc := make([][]VecVirtual, mr)
	for r := range acc {
		for range nv {
			x := vector(wide)
			if wide {
				VPXORQ(x, x, x)
			} else {
				VXORPS(x, x, x)
			}
			acc[r] = append(acc[r], x)
		}
	}
	one := func(u int) {
		if wide && mr > 1 {
			for v := range nv {
				w := widen(kind, wide, bmem(v, u), vmem(scale, v))
				for r := range mr {
					VFMADD231PS_BCST(amem(r, u), w, acc[r][v])
				}
			}
			return
		}
		as := make([]VecVirtual, mr)
		for r := range as {
			as[r] = vector(wide)
			VBROADCASTSS(amem(r, u), as[r])
		}
		for v := range nv {
			w := widen(kind, wide, bmem(v, u), vmem(scale, v))
			for r := range mr {
				VFMADD231PS(w, as[r], acc[r][v])
			}
		}
	}
	advance := func(n int) {
		for _, r := range base {
			ADDQ(U32(uint32(4*n)), r)
		}
		for _, r := range bs {
			ADDQ(U32(uint32(width*n)), r)
		}
	}
	const unroll = 2
	k := load(oK)
	SUBQ(Imm(unroll), k)
	JB(LabelRef("tail"))
	Label("unrolled")
	for u := range unroll {
		one(u)
	}
	advance(unroll)
	SUBQ(Imm(unroll), k)
	JAE(LabelRef("unrolled"))
	Label("tail")
	ADDQ(Imm(unroll), k)
	JZ(LabelRef("done"))
	one(0)
	Label("done")
	if wide {
		KMOVW(field(oMask), K1)
	}
	get := func(r Register, v int) VecVirtual {
		x := vector(wide)
		if wide && v == nv-1 {
			VMOVUPS_Z(vmem(r, v), K1, x)
		} else {
			VMOVUPS(vmem(r, v), x)
		}
		return x
	}
	bias := load(oBias)
	TESTQ(bias, bias)
	JZ(LabelRef("nobias"))
	for v := range nv {
		x := get(bias, v)
		for r := range acc {
			VADDPS(x, acc[r][v], acc[r][v])
		}
	}
	Label("nobias")
	res := load(oRes)
	TESTQ(res, res)
	JZ(LabelRef("nores"))
	ldr := load(oLdr)
	for r := range acc {
		for v := range nv {
			VADDPS(get(res, v), acc[r][v], acc[r][v])
		}
		if r < mr-1 {
			ADDQ(ldr, res)
		}
	}
	Label("nores")
	lo, hi := vector(wide), vector(wide)
	VBROADCASTSS(field(oLo), lo)
	VBROADCASTSS(field(oHi), hi)
	c, ldc := load(oC), load(oLdc)
	for r := range acc {
		for v, x := range acc[r] {
			// If x is NaN, both instructions return it: x is their second source in Intel's order.
			VMAXPS(x, lo, x)
			VMINPS(x, hi, x)
			if wide && v == nv-1 {
				VMOVUPS(x, K1, vmem(c, v))
			} else {
				VMOVUPS(x, vmem(c, v))
			}
		}
		if r < mr-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// expand writes a kernel that widens 16*n weights to floats. If the weights are bytes, the kernel's
// argument scale points to 16 scales.
func expand(kind int) {
	TEXT("expand"+names[kind], NOSPLIT, "func(dst *byte, src *byte, scale *byte, n uintptr)")
	Pragma("noescape")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	scale, n := Load(Param("scale"), GP64()), Load(Param("n"), GP64())
	width := 16 * size(kind)
	Label("loop")
	for v := range 2 {
		x := widen(kind, false, Mem{Base: src, Disp: v * width / 2}, Mem{Base: scale, Disp: 32 * v})
		VMOVUPS(x, Mem{Base: dst, Disp: 32 * v})
	}
	ADDQ(Imm(64), dst)
	ADDQ(Imm(uint64(width)), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// tile is a micro-kernel of mr rows and np panels.
type tile struct{ mr, np int }

// tiles returns the micro-kernels for AVX-512 (wide) or AVX2, in the order of the assembly.
func tiles(wide bool) (list []tile) {
	if !wide {
		return []tile{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 4}}
	}
	for mr := 1; mr <= 14; mr++ {
		list = append(list, tile{mr, 1}, tile{mr, 2})
		if mr <= 6 {
			list = append(list, tile{mr, 4})
		}
	}
	return append(list, tile{1, 8})
}

// calls returns the Go code of one function for each element kind. Each function calls the
// micro-kernel of a given tile.
func calls() string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "// call%[1]s calls the micro-kernel of the tile, 16 times its panels and its rows.\nfunc call%[1]s(p *byte, wide bool, tile int) {\n", name)
		for _, wide := range []bool{false, true} {
			bits := map[bool]int{false: 256, true: 512}[wide]
			if !wide {
				b.WriteString("if !wide {\n")
			}
			b.WriteString("switch tile {\n")
			list := tiles(wide)
			slices.SortStableFunc(list, func(a, b tile) int { return cmp.Or(a.np-b.np, a.mr-b.mr) })
			for _, t := range list {
				fmt.Fprintf(&b, "case %d*16 + %d:\nrows%s%dx%dx%d(p)\n", t.np, t.mr, name, bits, t.mr, t.np)
			}
			b.WriteString("default:\npanic(\"narrow: no such tile\")\n}\n")
			if !wide {
				b.WriteString("return\n}\n")
			}
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func main() {
	out := flag.String("calls", "", "file of the functions that call the micro-kernels")
	ConstraintExpr("amd64,!noasm")
	for kind := range names {
		for _, wide := range []bool{true, false} {
			for _, t := range tiles(wide) {
				rows(kind, wide, t.mr, t.np)
			}
		}
		expand(kind)
	}
	Generate() // parses the flags
	gen.Save(*out, "// Code generated by kernels/_gen/narrow. DO NOT EDIT.\n\n//go:build amd64 && !noasm\n\npackage narrow\n\n"+calls())
}
