// Command winograd writes the transforms of kernels/conv's Winograd
// convolution F(4×4,3×3) with the points 0, ±√½, ±√2 and ∞, one vector of
// channels at a time, with AVX-512 and AVX2.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of winoArgs in kernels/conv/winograd_call_amd64.go.
const (
	oSrc, oDst, oBias, oRes          = 0, 8, 16, 24
	oSrcOff, oDstOff, oResOff        = 32, 40, 48
	oRow, oCol, oResRow, oResCol     = 56, 64, 72, 80
	oPlane, oVecs, oLo, oHi          = 88, 96, 104, 108
	oTail, oMasks                    = 112, 120
	oHalf, oTwo, oPoint, oFive, oBig = 128, 132, 136, 140, 144
	oFour                            = 148
	// Offsets for the transforms of rows.
	oProducts, oSums, oTop = 152, 164, 176
)

type kernel struct {
	ap    Register
	wide  bool
	edge  bool // whether every pixel has a separate mask
	masks Register
}

func begin(what string, wide, edge bool) *kernel {
	t := &kernel{wide: wide, edge: edge}
	name := what + "256"
	if wide {
		name = what + "512"
	}
	if edge {
		name += "edge"
	}
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	if edge {
		t.masks = t.load(oMasks)
	}
	if wide {
		r := GP32()
		MOVL(U32(0xffff), r)
		KMOVW(r, K1)
	}
	return t
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

func (t *kernel) constant(off int) VecVirtual {
	v := t.vec()
	VBROADCASTSS(t.field(off), v)
	return v
}

func (t *kernel) mov(a VecVirtual) VecVirtual {
	v := t.vec()
	VMOVAPS(a, v)
	return v
}

func (t *kernel) read(m Mem) VecVirtual {
	v := t.vec()
	VMOVUPS(m, v)
	return v
}

// pixel returns the register with the mask for pixel i of the tile.
func (t *kernel) pixel(i int) Register {
	if !t.edge {
		return K1
	}
	KMOVW(Mem{Base: t.masks, Disp: 2 * i}, K2)
	KANDW(K1, K2, K2)
	return K2
}

// place returns m, the address of pixel i of the tile. If the pixel is outside of the image, place returns the
// address of other memory instead, which is readable. The mask of such a pixel excludes all lanes, but even a
// masked access takes hundreds of cycles if the page is unmapped.
func (t *kernel) place(m Mem, i int) Mem {
	if !t.edge {
		return m
	}
	at, mask := GP64(), GP32()
	LEAQ(m, at)
	MOVWLZX(Mem{Base: t.masks, Disp: 2 * i}, mask)
	TESTL(mask, mask)
	CMOVQEQ(t.masks, at)
	return Mem{Base: at}
}

// get loads a pixel's channels. With AVX-512, lanes that the mask excludes are not read and become zero.
func (t *kernel) get(m Mem, pixel int) VecVirtual {
	v := t.vec()
	if t.wide {
		VMOVUPS_Z(t.place(m, pixel), t.pixel(pixel), v)
	} else {
		VMOVUPS(m, v)
	}
	return v
}

// last writes code that restricts the mask K1 to the channels of the last vector when n is 1.
func (t *kernel) last(n Register) {
	if !t.wide {
		return
	}
	CMPQ(n, Imm(1))
	JNE(LabelRef("whole"))
	KMOVW(t.field(oTail), K1)
	Label("whole")
}

// rows holds registers with 1, 3 and 5 times the distance between rows. From these registers, rows.at forms
// the addresses of up to six rows.
type rows struct{ r1, r3, r5 Register }

func rowsOf(r1 Register) rows {
	r := rows{r1, GP64(), GP64()}
	LEAQ(Mem{Base: r1, Index: r1, Scale: 2}, r.r3)
	LEAQ(Mem{Base: r1, Index: r1, Scale: 4}, r.r5)
	return r
}

func (r rows) at(base Register, i int) Mem {
	return [...]Mem{
		{Base: base}, {Base: base, Index: r.r1, Scale: 1}, {Base: base, Index: r.r1, Scale: 2},
		{Base: base, Index: r.r3, Scale: 1}, {Base: base, Index: r.r1, Scale: 4}, {Base: base, Index: r.r5, Scale: 1},
	}[i]
}

// groups returns the parameter wide if the kernel uses AVX-512, and otherwise the parameter narrow. Each
// group lists rows that a transform's first pass computes together.
func (t *kernel) groups(wide, narrow [][]int) [][]int {
	if t.wide {
		return wide
	}
	return narrow
}

func has(s []int, v int) bool {
	for _, w := range s {
		if w == v {
			return true
		}
	}
	return false
}

// in writes the kernel for the transform of the input, V = Bᵀ·d·B. The kernel turns 6×6 pixels into one
// element of each of 36 planes.
func in(wide, edge bool) {
	t := begin("winoIn", wide, edge)
	// The variable point is √½, and the variable big is √2.
	half, two, five := t.constant(oHalf), t.constant(oTwo), t.constant(oFive)
	point, big := t.constant(oPoint), t.constant(oBig)
	src, dst, n := t.load(oSrc), t.load(oDst), t.load(oVecs)
	ADDQ(t.field(oSrcOff), src)
	col, plane := t.load(oCol), t.load(oPlane)
	row := rowsOf(t.load(oRow))
	// line multiplies a column by those rows of Bᵀ whose numbers are in the parameter want. The function
	// d returns an element that is only read. The function own returns a copy of an element that may be
	// overwritten.
	line := func(want []int, d, own func(i int) VecVirtual) map[int]VecVirtual {
		out := map[int]VecVirtual{}
		if has(want, 0) {
			out[0] = own(0)
			VADDPS(d(4), out[0], out[0])
			VFNMADD231PS(five, d(2), out[0])
		}
		pair := func(i, k int, m, z VecVirtual) {
			if !has(want, i) && !has(want, k) {
				return
			}
			u, q := own(4), own(3)
			VFNMADD231PS(m, d(2), u)
			VFNMADD231PS(m, d(1), q)
			if has(want, i) {
				out[i] = u
				if has(want, k) {
					out[i] = t.mov(u)
				}
				VFMADD231PS(z, q, out[i])
			}
			if has(want, k) {
				out[k] = u
				VFNMADD231PS(z, q, u)
			}
		}
		pair(1, 2, two, point)
		pair(3, 4, half, big)
		if has(want, 5) {
			out[5] = own(1)
			VADDPS(d(5), out[5], out[5])
			VFNMADD231PS(five, d(3), out[5])
		}
		return out
	}
	Label("channels")
	t.last(n)
	out := GP64()
	MOVQ(dst, out)
	for _, g := range t.groups([][]int{{0, 1, 2}, {3, 4, 5}}, [][]int{{0}, {1}, {2}, {3}, {4}, {5}}) {
		var w [6]map[int]VecVirtual
		base := GP64()
		MOVQ(src, base)
		for j := range 6 {
			// Each element of a column is read once for all the rows that line computes.
			var seen [6]VecVirtual
			d := func(i int) VecVirtual {
				if seen[i] == nil {
					seen[i] = t.get(row.at(base, i), i*6+j)
				}
				return seen[i]
			}
			w[j] = line(g, d, func(i int) VecVirtual {
				if len(g) == 1 {
					return t.get(row.at(base, i), i*6+j)
				}
				return t.mov(d(i))
			})
			if j < 5 {
				ADDQ(col, base)
			}
		}
		for _, i := range g {
			for _, pass := range [][]int{{0}, {1, 2}, {3, 4}, {5}} {
				r := line(pass, func(j int) VecVirtual { return w[j][i] }, func(j int) VecVirtual { return t.mov(w[j][i]) })
				for _, j := range pass {
					VMOVUPS(r[j], Mem{Base: out})
					if i*6+j < 35 {
						ADDQ(plane, out)
					}
				}
			}
		}
	}
	size := uint64(32)
	if wide {
		size = 64
	}
	ADDQ(Imm(size), src)
	ADDQ(Imm(size), dst)
	DECQ(n)
	JNZ(LabelRef("channels"))
	VZEROUPPER()
	RET()
}

// out writes the transform of the products, Y = Aᵀ·M·A, with bias, residual and clamping. It turns
// one element of each of 36 planes into 4×4 pixels, or into 2×2 pixels for filters of 5×5.
func out(name string, tile int, wide, edge bool) {
	t := begin(name, wide, edge)
	half, two, four, point := t.constant(oHalf), t.constant(oTwo), t.constant(oFour), t.constant(oPoint)
	src, r6 := t.load(oSrc), GP64()
	IMUL3Q(Imm(6), t.field(oPlane), r6)
	row := rowsOf(r6)
	var lo, hi VecVirtual
	if wide {
		lo, hi = t.constant(oLo), t.constant(oHi)
	}
	off := GP64()
	XORQ(off, off)
	// line multiplies a column by those rows of Aᵀ whose numbers are in the parameter want. The function
	// m returns a copy of an element that may be overwritten. The function mem returns the element as an
	// operand.
	line := func(want []int, m func(i int) VecVirtual, mem func(i int) Op) map[int]VecVirtual {
		out := map[int]VecVirtual{}
		if has(want, 0) || has(want, 2) {
			s, u := m(1), m(3)
			VADDPS(mem(2), s, s)
			VADDPS(mem(4), u, u)
			if has(want, 0) {
				y := t.vec()
				VADDPS(s, u, y)
				VADDPS(mem(0), y, y)
				out[0] = y
			}
			if has(want, 2) {
				VMULPS(half, s, s)
				VFMADD231PS(two, u, s)
				out[2] = s
			}
		}
		if has(want, 1) || has(want, 3) {
			s, u := m(1), m(3)
			VSUBPS(mem(2), s, s)
			VSUBPS(mem(4), u, u)
			if has(want, 1) {
				y := t.vec()
				VMOVAPS(s, y)
				VFMADD231PS(two, u, y)
				VMULPS(point, y, y)
				if tile == 2 {
					VADDPS(mem(5), y, y)
				}
				out[1] = y
			}
			if has(want, 3) {
				VMULPS(half, s, s)
				VFMADD231PS(four, u, s)
				VMULPS(point, s, s)
				VADDPS(mem(5), s, s)
				out[3] = s
			}
		}
		return out
	}
	Label("channels")
	t.last(t.load(oVecs))
	groups := t.groups([][]int{{0, 2}, {1, 3}}, [][]int{{0}, {1}, {2}, {3}})
	passes := [][]int{{0, 2}, {1, 3}}
	if tile == 2 {
		groups, passes = t.groups([][]int{{0, 1}}, [][]int{{0}, {1}}), [][]int{{0}, {1}}
	}
	for gi, g := range groups {
		var w [6]map[int]VecVirtual
		base := GP64()
		MOVQ(src, base)
		for j := range 6 {
			at := func(i int) Op { return row.at(base, i) }
			w[j] = line(g, func(i int) VecVirtual { return t.read(row.at(base, i)) }, at)
			if j < 5 {
				ADDQ(t.field(oPlane), base)
			}
		}
		for _, i := range g {
			// The row's pixels.
			d, r := GP64(), GP64()
			IMUL3Q(Imm(uint64(i)), t.field(oRow), d)
			ADDQ(t.field(oDst), d)
			ADDQ(t.field(oDstOff), d)
			ADDQ(off, d)
			IMUL3Q(Imm(uint64(i)), t.field(oResRow), r)
			ADDQ(t.field(oRes), r)
			ADDQ(t.field(oResOff), r)
			ADDQ(off, r)
			x := func(j int) VecVirtual { return w[j][i] }
			y := make([]VecVirtual, tile)
			for _, pass := range passes {
				v := line(pass, func(j int) VecVirtual { return t.mov(x(j)) }, func(j int) Op { return x(j) })
				for _, c := range pass {
					y[c] = v[c]
				}
			}
			no := fmt.Sprintf("nobias%d%d", gi, i)
			b := t.load(oBias)
			TESTQ(b, b)
			JZ(LabelRef(no))
			ADDQ(off, b)
			bias := t.vec()
			if wide {
				VMOVUPS_Z(Mem{Base: b}, K1, bias)
			} else {
				VMOVUPS(Mem{Base: b}, bias)
			}
			for c := range y {
				VADDPS(bias, y[c], y[c])
			}
			Label(no)
			none := fmt.Sprintf("nores%d%d", gi, i)
			CMPQ(t.field(oRes), Imm(0))
			JE(LabelRef(none))
			for c := range y {
				v := t.get(Mem{Base: r}, i*tile+c)
				VADDPS(v, y[c], y[c])
				ADDQ(t.field(oResCol), r)
			}
			Label(none)
			low, high := lo, hi
			if !wide {
				low, high = t.constant(oLo), t.constant(oHi)
			}
			for c := range y {
				// If y[c] is NaN, both instructions return it: it is their second source in Intel's order.
				VMAXPS(y[c], low, y[c])
				VMINPS(y[c], high, y[c])
				if wide {
					VMOVUPS(y[c], t.pixel(i*tile+c), t.place(Mem{Base: d}, i*tile+c))
				} else {
					VMOVUPS(y[c], Mem{Base: d})
				}
				if c < tile-1 {
					ADDQ(t.field(oCol), d)
				}
			}
		}
	}
	size := uint64(32)
	if wide {
		size = 64
	}
	ADDQ(Imm(size), src)
	ADDQ(Imm(size), off)
	DECQ(t.field(oVecs))
	JNZ(LabelRef("channels"))
	VZEROUPPER()
	RET()
}

// rowIn writes the transform of 8 pixels of a row or column, V = Bᵀ·d, for windows of 7, with the
// points 0, ±½, ±1, ±2 and ∞. It writes one element of each of 8 planes.
func rowIn(wide, edge bool) {
	t := begin("winoRowIn", wide, edge)
	src, dst, n := t.load(oSrc), t.load(oDst), t.load(oVecs)
	ADDQ(t.field(oSrcOff), src)
	step, plane := t.load(oCol), t.load(oPlane)
	size := uint64(32)
	if wide {
		size = 64
	}
	Label("channels")
	t.last(n)
	base, out := GP64(), GP64()
	MOVQ(src, base)
	MOVQ(dst, out)
	var d [8]VecVirtual
	for i := range d {
		d[i] = t.get(Mem{Base: base}, i)
		if i < 7 {
			ADDQ(step, base)
		}
	}
	put := func(v VecVirtual, last bool) {
		VMOVUPS(v, Mem{Base: out})
		if !last {
			ADDQ(plane, out)
		}
	}
	// ends is d[i+6] - 5¼·d[i+4] + 5¼·d[i+2] - d[i].
	ends := func(i int) VecVirtual {
		c, v := t.constant(oTop), t.vec()
		VSUBPS(d[i], d[i+6], v)
		VFNMADD231PS(d[i+4], c, v)
		VFMADD231PS(d[i+2], c, v)
		return v
	}
	put(ends(0), false)
	for k, point := range []int{oHalf, 0, oTwo} {
		// For the points ±p and the two other pairs of points ±a and ±b, even and odd are the even and
		// the odd powers of the polynomial x·(x+p)·(x²-a²)·(x²-b²), with d[i] in place of xⁱ.
		sum, product := t.constant(oSums+4*k), t.constant(oProducts+4*k)
		even, odd := t.mov(d[6]), t.mov(d[5])
		VFNMADD231PS(d[4], sum, even)
		VFMADD231PS(d[2], product, even)
		VFNMADD231PS(d[3], sum, odd)
		VFMADD231PS(d[1], product, odd)
		if point != 0 {
			VMULPS(t.constant(point), odd, odd)
		}
		plus := t.vec()
		VADDPS(odd, even, plus)
		put(plus, false)
		VSUBPS(odd, even, even)
		put(even, false)
	}
	put(ends(1), true)
	ADDQ(Imm(size), src)
	ADDQ(Imm(size), dst)
	DECQ(n)
	JNZ(LabelRef("channels"))
	VZEROUPPER()
	RET()
}

// rowOut writes the kernel for the transform of the products in the 8 planes, Y = Aᵀ·m, with bias,
// residual and clamping. The result of the transform is 2 pixels.
func rowOut(wide, edge bool) {
	t := begin("winoRowOut", wide, edge)
	src, n, plane := t.load(oSrc), t.load(oVecs), t.load(oPlane)
	off := GP64()
	XORQ(off, off)
	size := uint64(32)
	if wide {
		size = 64
	}
	Label("channels")
	t.last(n)
	base := GP64()
	MOVQ(src, base)
	var m [8]VecVirtual
	for i := range m {
		m[i] = t.read(Mem{Base: base})
		if i < 7 {
			ADDQ(plane, base)
		}
	}
	y := [2]VecVirtual{m[0], m[7]}
	for k, point := range []int{oHalf, 0, oTwo} {
		a, b := m[1+2*k], m[2+2*k]
		VADDPS(a, y[0], y[0])
		VADDPS(b, y[0], y[0])
		VSUBPS(b, a, a)
		if point == 0 {
			VADDPS(a, y[1], y[1])
		} else {
			VFMADD231PS(t.constant(point), a, y[1])
		}
	}
	b := t.load(oBias)
	TESTQ(b, b)
	JZ(LabelRef("nobias"))
	ADDQ(off, b)
	bias := t.vec()
	if wide {
		VMOVUPS_Z(Mem{Base: b}, K1, bias)
	} else {
		VMOVUPS(Mem{Base: b}, bias)
	}
	for c := range y {
		VADDPS(bias, y[c], y[c])
	}
	Label("nobias")
	r := t.load(oRes)
	TESTQ(r, r)
	JZ(LabelRef("nores"))
	ADDQ(t.field(oResOff), r)
	ADDQ(off, r)
	for c := range y {
		v := t.get(Mem{Base: r}, c)
		VADDPS(v, y[c], y[c])
		ADDQ(t.field(oResCol), r)
	}
	Label("nores")
	d := t.load(oDst)
	ADDQ(t.field(oDstOff), d)
	ADDQ(off, d)
	lo, hi := t.constant(oLo), t.constant(oHi)
	for c := range y {
		// If y[c] is NaN, both instructions return it: it is their second source in Intel's order.
		VMAXPS(y[c], lo, y[c])
		VMINPS(y[c], hi, y[c])
		if wide {
			VMOVUPS(y[c], t.pixel(c), t.place(Mem{Base: d}, c))
		} else {
			VMOVUPS(y[c], Mem{Base: d})
		}
		ADDQ(t.field(oCol), d)
	}
	ADDQ(Imm(size), src)
	ADDQ(Imm(size), off)
	DECQ(n)
	JNZ(LabelRef("channels"))
	VZEROUPPER()
	RET()
}

// Offsets of the fields of winoFilterArgs in kernels/conv/winograd_call_amd64.go.
const (
	fSrc, fDst, fTap, fPlane, fCount                    = 0, 8, 16, 24, 32
	fHalf, fTwo, fThird, fThirdRoot, fSixth, fSixthRoot = 40, 44, 48, 52, 56, 60
)

// filter writes the transform of a filter's panel, U = G·g·Gᵀ, half of its rows at a time.
// For each input channel it turns 3×3 taps into an element of each of 18 planes.
func filter(wide bool, half int) {
	name := fmt.Sprintf("winoFilter256half%d", half)
	size := 32
	if wide {
		name, size = fmt.Sprintf("winoFilter512half%d", half), 64
	}
	t := &kernel{wide: wide}
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	t.ap = Load(Param("p"), GP64())
	consts := map[int]VecVirtual{}
	for _, off := range []int{fHalf, fTwo, fThird, fThirdRoot, fSixth, fSixthRoot} {
		if wide {
			consts[off] = t.constant(off)
		}
	}
	c := func(off int) VecVirtual {
		if wide {
			return consts[off]
		}
		return t.constant(off)
	}
	src, dst, n := t.load(fSrc), t.load(fDst), t.load(fCount)
	tap := rowsOf(t.load(fTap))
	// pair returns x·(v0 + w·v2) + y·v1 and x·(v0 + w·v2) - y·v1. The parameters w, x and y select
	// constants.
	pair := func(v [3]VecVirtual, w, x, y int) (plus, minus VecVirtual) {
		s := t.mov(v[0])
		VFMADD231PS(c(w), v[2], s)
		VMULPS(c(x), s, s)
		r := t.mov(s)
		k := c(y)
		VFMADD231PS(k, v[1], r)
		VFNMADD231PS(k, v[1], s)
		return r, s
	}
	line := func(v [3]VecVirtual, i int) []VecVirtual {
		switch i {
		case 0:
			return []VecVirtual{v[0]}
		case 1:
			a, b := pair(v, fHalf, fThird, fThirdRoot)
			return []VecVirtual{a, b}
		case 3:
			a, b := pair(v, fTwo, fSixth, fSixthRoot)
			return []VecVirtual{a, b}
		}
		return []VecVirtual{v[2]}
	}
	Label("channels")
	for part := range 64 / size {
		out := GP64()
		MOVQ(dst, out)
		groups := [][]int{{0, 1}, {3, 5}}[half : half+1]
		if !wide {
			groups = [][]int{{[]int{0, 3}[half]}, {[]int{1, 5}[half]}}
		}
		first := true
		for _, starts := range groups {
			// rows[i] is a row of G·g.
			var rows [][3]VecVirtual
			for _, start := range starts {
				var cols [3][]VecVirtual
				for d := range 3 {
					var v [3]VecVirtual
					for a := range 3 {
						if start == 0 && a > 0 || start == 5 && a < 2 {
							continue
						}
						base := src
						i := a*3 + d
						if i > 5 {
							base = GP64()
							LEAQ(tap.at(src, 5), base)
							i -= 5
						}
						m := tap.at(base, i)
						m.Disp = part * size
						v[a] = t.read(m)
					}
					cols[d] = line(v, start)
				}
				for i := range cols[0] {
					rows = append(rows, [3]VecVirtual{cols[0][i], cols[1][i], cols[2][i]})
				}
			}
			for _, v := range rows {
				for _, start := range []int{0, 1, 3, 5} {
					for _, r := range line(v, start) {
						if !first {
							ADDQ(t.field(fPlane), out)
						}
						first = false
						VMOVUPS(r, Mem{Base: out, Disp: part * size})
					}
				}
			}
		}
	}
	ADDQ(Imm(64), src)
	ADDQ(Imm(64), dst)
	DECQ(n)
	JNZ(LabelRef("channels"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	for half := range 2 {
		filter(true, half)
		filter(false, half)
	}
	in(true, false)
	in(true, true)
	in(false, false)
	for _, k := range []struct {
		name string
		tile int
	}{{"winoOut", 4}, {"winoFiveOut", 2}} {
		out(k.name, k.tile, true, false)
		out(k.name, k.tile, true, true)
		out(k.name, k.tile, false, false)
	}
	rowIn(true, false)
	rowIn(true, true)
	rowIn(false, false)
	rowOut(true, false)
	rowOut(true, true)
	rowOut(false, false)
	Generate()
}
