// Command conv writes the kernels of kernels/conv for depthwise convolutions in f32, with AVX-512 and
// AVX2. A call of such a kernel computes one vector of channels for the pixels of output rows.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of dwArgs and dwSegment in kernels/conv/asm_amd64.go.
const (
	oDst, oSrc, oW, oBias                        = 0, 8, 16, 24
	oDstStep, oSrcStep, oRow, oCol, oWRow, oWCol = 32, 40, 48, 56, 64, 72
	oRows, oLines, oDstLine, oSrcLine            = 80, 88, 96, 104
	oLo, oHi, oMask, oSegs, oCount               = 112, 116, 120, 128, 136
	oRowsLeft, oSegsLeft, oDstAt, oSrcAt         = 144, 152, 160, 168
	oWidth, oRunsLeft                            = 176, 184

	gPixels, gCols, gSrc, gW, gDst, gSize = 0, 8, 16, 24, 32, 40
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

// get loads a vector. With AVX-512, lanes that the mask K1 excludes are not read and become zero.
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

// fma adds the product of a pixel in memory and a weight to the sum acc. With AVX-512, lanes that the mask
// K1 excludes are not read.
func (t *kernel) fma(pixel Mem, weight, acc VecVirtual) {
	if t.wide {
		VFMADD231PS(pixel, weight, K1, acc)
	} else {
		VFMADD231PS(pixel, weight, acc)
	}
}

// addBias adds the bias, if there is one, to the sums acc of one vector of channels. The vector begins
// channel bytes after the first channel of the call; nil stands for 0.
func (t *kernel) addBias(acc []VecVirtual, none string, channel Register) {
	bias := t.load(oBias)
	TESTQ(bias, bias)
	JZ(LabelRef(none))
	b := t.vec()
	m := Mem{Base: bias}
	if channel != nil {
		m.Index, m.Scale = channel, 1
	}
	t.get(m, b)
	for _, a := range acc {
		VADDPS(b, a, a)
	}
	Label(none)
}

// bounds returns vectors of the lowest and the highest allowed result.
func (t *kernel) bounds() (lo, hi VecVirtual) {
	lo, hi = t.vec(), t.vec()
	VBROADCASTSS(t.field(oLo), lo)
	VBROADCASTSS(t.field(oHi), hi)
	return lo, hi
}

// store writes code that clamps the sums acc to the bounds and stores them. Each sum belongs to one
// pixel. The first pixel is at dst, and the distance between pixels is step bytes.
func (t *kernel) store(acc []VecVirtual, lo, hi VecVirtual, dst Register, step Op) {
	for _, a := range acc {
		t.clamped(a, lo, hi, Mem{Base: dst})
		ADDQ(step, dst)
	}
}

// clamped writes code that clamps the sum a to the bounds and stores it in m.
func (t *kernel) clamped(a, lo, hi VecVirtual, m Mem) {
	// If a is NaN, both instructions return it: a is their second source in Intel's order.
	VMAXPS(a, lo, a)
	VMINPS(a, hi, a)
	t.put(a, m)
}

// taps writes the kernel that computes lines of output. Each line is split into segments of pixels
// whose windows have the same taps. A segment is computed in groups of 8, 4 and 1 pixels.
func taps(wide bool) {
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
	var src, dst, seg, n Register
	group := func(px int) {
		l := func(s string) string { return fmt.Sprintf("%s%d", s, px) }
		acc := make([]VecVirtual, px)
		for i := range acc {
			acc[i] = t.vec()
			t.zero(acc[i])
		}
		row, w, i := GP64(), t.load(oW), t.load(oRows)
		ADDQ(Mem{Base: seg, Disp: gW}, w)
		MOVQ(i, t.field(oRowsLeft))
		MOVQ(src, row)
		Label(l("row"))
		s, wp, j := GP64(), GP64(), GP64()
		MOVQ(Mem{Base: seg, Disp: gCols}, j)
		MOVQ(row, s)
		MOVQ(w, wp)
		Label(l("tap"))
		wv := t.vec()
		t.get(Mem{Base: wp}, wv)
		for i := range acc {
			t.fma(at(s, i), wv, acc[i])
		}
		ADDQ(t.field(oCol), s)
		ADDQ(t.field(oWCol), wp)
		DECQ(j)
		JNZ(LabelRef(l("tap")))
		ADDQ(t.field(oRow), row)
		ADDQ(t.field(oWRow), w)
		DECQ(t.field(oRowsLeft))
		JNZ(LabelRef(l("row")))
		t.addBias(acc, l("nobias"), nil)
		lo, hi := t.bounds()
		t.store(acc, lo, hi, dst, t.load(oDstStep))
		if px == 1 {
			ADDQ(s1, src)
		} else {
			LEAQ(Mem{Base: src, Index: s1, Scale: uint8(px)}, src)
		}
	}
	Label("line")
	seg = t.load(oSegs)
	MOVQ(t.load(oCount), t.field(oSegsLeft))
	Label("segment")
	src, dst, n = t.load(oSrc), t.load(oDst), GP64()
	ADDQ(t.field(oSrcAt), src)
	ADDQ(t.field(oDstAt), dst)
	ADDQ(Mem{Base: seg, Disp: gSrc}, src)
	ADDQ(Mem{Base: seg, Disp: gDst}, dst)
	MOVQ(Mem{Base: seg, Disp: gPixels}, n)
	SUBQ(Imm(8), n)
	JB(LabelRef("four"))
	Label("eights")
	group(8)
	SUBQ(Imm(8), n)
	JAE(LabelRef("eights"))
	Label("four")
	ADDQ(Imm(4), n)
	JS(LabelRef("rest"))
	group(4)
	SUBQ(Imm(4), n)
	Label("rest")
	ADDQ(Imm(4), n)
	JZ(LabelRef("done"))
	Label("singles")
	group(1)
	DECQ(n)
	JNZ(LabelRef("singles"))
	Label("done")
	ADDQ(Imm(gSize), seg)
	DECQ(t.field(oSegsLeft))
	JNZ(LabelRef("segment"))
	for _, f := range [][2]int{{oSrcLine, oSrcAt}, {oDstLine, oDstAt}} {
		ADDQ(t.load(f[0]), t.field(f[1]))
	}
	DECQ(t.field(oLines))
	JNZ(LabelRef("line"))
	VZEROUPPER()
	RET()
}

// Offsets of the fields of dwGroup and of dwEdge.
const (
	hCount, hSrc, hDst, hEdge, hSize = 0, 8, 16, 24, 32
	eAt, eMasks                      = 0, 32
)

// held chooses which pixels of a group stay in registers while a row of k taps is computed. The taps
// are computed one after the other, each for all px windows. At tap j, window q uses pixel q·st+j.
// The pixels that are used most often are chosen first. At each tap, at most regs of the chosen pixels
// are in registers.
func held(k, st, px, regs int) []bool {
	pixels := st*(px-1) + k
	uses := make([][]int, pixels) // the taps that use a pixel
	for j := range k {
		for q := range px {
			uses[q*st+j] = append(uses[q*st+j], j)
		}
	}
	chosen, live := make([]bool, pixels), make([]int, k)
	for n := k; n > 1; n-- {
		for x, u := range uses {
			if len(u) != n {
				continue
			}
			fits := true
			for j := u[0]; j <= u[n-1]; j++ {
				fits = fits && live[j] < regs
			}
			if chosen[x] = fits; fits {
				for j := u[0]; j <= u[n-1]; j++ {
					live[j]++
				}
			}
		}
	}
	return chosen
}

// groups writes the kernel for windows that are k pixels wide and begin st pixels apart.
// The kernel computes lines of output, split into groups of px pixels that share loads. Pixels outside
// the image count as zero: the kernel reads a pixel inside the image in their place, and masks all of
// its lanes. A masked read from an unmapped page would take hundreds of cycles.
func groups(wide bool, k, st, px int) {
	t := &kernel{wide: wide}
	TEXT(fmt.Sprintf("depthwise%sk%ds%dx%d", map[bool]string{true: "512", false: "256"}[wide], k, st, px), NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	if wide {
		KMOVW(t.field(oMask), K1)
	}
	c1, c3, c5, c7 := t.load(oCol), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: c1, Index: c1, Scale: 2}, c3)
	LEAQ(Mem{Base: c1, Index: c1, Scale: 4}, c5)
	LEAQ(Mem{Base: c3, Index: c1, Scale: 4}, c7)
	var seg, src, dst Register
	// group computes px pixels, one vector of channels after the other.
	group := func(edge bool) {
		l := func(s string) string { return map[bool]string{true: "edge", false: "mid"}[edge] + s }
		channel := GP64() // the offset in bytes of the vector of channels
		XORQ(channel, channel)
		Label(l("vector"))
		acc := make([]VecVirtual, px)
		for i := range acc {
			acc[i] = t.vec()
			t.zero(acc[i])
		}
		row, far, w, i := GP64(), GP64(), t.load(oW), t.load(oRows)
		ADDQ(channel, w)
		LEAQ(Mem{Base: src, Index: channel, Scale: 1}, row)
		// step returns the address of the pixel that is x pixels after the pixel at base; x is at most 8.
		// It is also used for the weights in a row of the filter, because adjacent weights are as far
		// apart as adjacent pixels.
		step := func(base Register, x int) Mem {
			return [...]Mem{
				{Base: base}, {Base: base, Index: c1, Scale: 1}, {Base: base, Index: c1, Scale: 2}, {Base: base, Index: c3, Scale: 1},
				{Base: base, Index: c1, Scale: 4}, {Base: base, Index: c5, Scale: 1}, {Base: base, Index: c3, Scale: 2}, {Base: base, Index: c7, Scale: 1},
				{Base: base, Index: c1, Scale: 8},
			}[x]
		}
		at := func(x int) Mem {
			if x > 8 {
				return step(far, x-8)
			}
			return step(row, x)
		}
		// Only the first and the last k/2 of the pixels that a group reads may be outside the
		// image.
		pixels := st*(px-1) + k
		outside := func(x int) bool { return edge && (x < k/2 || x >= pixels-k/2) }
		// place returns the index of pixel x in the arrays of dwEdge.
		place := func(x int) int {
			if x < k/2 {
				return x
			}
			return x - (pixels - k/2) + k/2
		}
		masks := map[int]Register{}
		for x := range pixels {
			if outside(x) && wide {
				masks[x] = []Register{K2, K3, K4, K5}[len(masks)]
				edge := GP64()
				MOVQ(Mem{Base: seg, Disp: hEdge}, edge)
				KMOVW(Mem{Base: edge, Disp: eMasks + 4*place(x)}, masks[x])
				KANDW(K1, masks[x], masks[x])
			}
		}
		// read loads pixel x.
		read := func(x int) VecVirtual {
			in := t.vec()
			if !outside(x) {
				t.get(at(x), in)
				return in
			}
			edge, from := GP64(), GP64()
			MOVQ(Mem{Base: seg, Disp: hEdge}, edge)
			MOVQ(Mem{Base: edge, Disp: eAt + 8*place(x)}, from)
			pixel := Mem{Base: row, Index: from, Scale: 1}
			if wide {
				VMOVUPS_Z(pixel, masks[x], in)
			} else {
				VBROADCASTSS(Mem{Base: edge, Disp: eMasks + 4*place(x)}, in)
				VANDPS(pixel, in, in)
			}
			return in
		}
		Label(l("row"))
		LEAQ(Mem{Base: row, Index: c1, Scale: 8}, far)
		// Two registers are for a weight and for a pixel that is not held.
		regs := 16
		if wide {
			regs = 32
		}
		hold := held(k, st, px, regs-px-2)
		in := make([]VecVirtual, pixels)
		for j := range k {
			weight := t.vec()
			t.get(step(w, j), weight)
			// A sum is used again px products later, when it is ready.
			for q := range px {
				x := q*st + j
				if in[x] == nil && hold[x] {
					in[x] = read(x)
				}
				switch {
				case hold[x]:
					VFMADD231PS(in[x], weight, acc[q])
				case outside(x):
					VFMADD231PS(read(x), weight, acc[q])
				default:
					t.fma(at(x), weight, acc[q])
				}
			}
		}
		ADDQ(t.field(oRow), row)
		ADDQ(t.field(oWRow), w)
		DECQ(i)
		JNZ(LabelRef(l("row")))
		t.addBias(acc, l("nobias"), channel)
		lo, hi := t.bounds()
		to := GP64()
		LEAQ(Mem{Base: dst, Index: channel, Scale: 1}, to)
		for q, a := range acc {
			// Output pixels are as far apart as input pixels: both have the same channels.
			t.clamped(a, lo, hi, step(to, q))
		}
		ADDQ(Imm(uint64(map[bool]int{true: 64, false: 32}[wide])), channel)
		CMPQ(channel, t.field(oWidth))
		JB(LabelRef(l("vector")))
	}
	Label("line")
	seg = t.load(oSegs)
	MOVQ(t.load(oCount), t.field(oSegsLeft))
	Label("segment")
	src, dst = t.load(oSrc), t.load(oDst)
	ADDQ(t.field(oSrcAt), src)
	ADDQ(t.field(oDstAt), dst)
	ADDQ(Mem{Base: seg, Disp: hSrc}, src)
	ADDQ(Mem{Base: seg, Disp: hDst}, dst)
	n := GP64()
	MOVQ(Mem{Base: seg, Disp: hCount}, n)
	MOVQ(n, t.field(oRunsLeft))
	CMPQ(Mem{Base: seg, Disp: hEdge}, Imm(0))
	JNE(LabelRef("edge"))
	Label("mid")
	group(false)
	for _, f := range []struct {
		step int
		at   Register
	}{{oSrcStep, src}, {oDstStep, dst}} {
		step := GP64()
		IMUL3Q(Imm(uint64(px)), t.field(f.step), step)
		ADDQ(step, f.at)
	}
	DECQ(t.field(oRunsLeft))
	JNZ(LabelRef("mid"))
	JMP(LabelRef("done"))
	Label("edge")
	group(true)
	Label("done")
	ADDQ(Imm(hSize), seg)
	DECQ(t.field(oSegsLeft))
	JNZ(LabelRef("segment"))
	for _, f := range [][2]int{{oSrcLine, oSrcAt}, {oDstLine, oDstAt}} {
		ADDQ(t.load(f[0]), t.field(f[1]))
	}
	DECQ(t.field(oLines))
	JNZ(LabelRef("line"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	taps(true)
	taps(false)
	for _, k := range []int{3, 5} {
		for _, st := range []int{1, 2} {
			for _, px := range []int{7, 5, 3} {
				groups(true, k, st, px)
				groups(false, k, st, px)
			}
		}
	}
	Generate()
}
