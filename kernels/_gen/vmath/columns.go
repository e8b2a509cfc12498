package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns writes two loops over the columns. An iteration of the first loop processes several vectors (the
// parameter most is their number); an iteration of the second loop processes a single vector. body(k) writes
// the code for k vectors at the current position of every row.
func (m vec) columns(vectors GPVirtual, most int, ps []GPVirtual, bytes []int, body func(k int)) {
	for _, k := range []int{most, 1} {
		l, done := label("by"), label("done")
		SUBQ(Imm(uint64(k)), vectors)
		JB(LabelRef(done))
		Label(l)
		body(k)
		for i, p := range ps {
			ADDQ(U32(uint32(k*bytes[i])), p)
		}
		SUBQ(Imm(uint64(k)), vectors)
		JAE(LabelRef(l))
		Label(done)
		ADDQ(Imm(uint64(k)), vectors)
	}
}

// down writes a loop that runs the code of body for every row, beginning with the row at src. The
// register src is unchanged afterwards.
func (m vec) down(src, rows, stride GPVirtual, body func(at GPVirtual)) {
	at, n, l := GP64(), GP64(), label("down")
	MOVQ(src, at)
	MOVQ(rows, n)
	Label(l)
	body(at)
	ADDQ(stride, at)
	DECQ(n)
	JNZ(LabelRef(l))
}

// columnFolds writes reductions of the rows of a matrix to one row: acc[i] = acc[i] op row[i] for
// each row in turn. The columns i fill whole vectors. Row r begins r·stride bytes after src. Sums
// are in doubles.
func columnFolds() {
	each(func(m vec) {
		m.begin("sumColumns", "func(acc *float64, src *float32, vectors int, rows int, stride int)")
		acc, src := arg("acc"), arg("src")
		vectors, rows, stride := arg("vectors"), arg("rows"), arg("stride")
		m.columns(vectors, m.lanes()/2, []GPVirtual{acc, src}, []int{2 * m.bytes(), m.bytes()}, func(k int) {
			var s []V
			for i := range 2 * k {
				s = append(s, m.load(Mem{Base: acc, Disp: i * m.bytes()}))
			}
			m.down(src, rows, stride, func(at GPVirtual) {
				for i, a := range s {
					d := m.reg()
					VCVTPS2PD(Mem{Base: at, Disp: i * m.bytes() / 2}, d)
					VADDPD(d, a, a)
				}
			})
			for i, a := range s {
				VMOVUPS(a, Mem{Base: acc, Disp: i * m.bytes()})
			}
		})
		end()
	})
	for _, e := range []struct {
		name string
		op   func(m vec, a, b V) V
	}{{"maxColumns", maximum}, {"minColumns", minimum}} {
		each(func(m vec) {
			m.begin(e.name, "func(acc *float32, src *float32, vectors int, rows int, stride int)")
			acc, src := arg("acc"), arg("src")
			vectors, rows, stride := arg("vectors"), arg("rows"), arg("stride")
			m.columns(vectors, m.lanes()/2, []GPVirtual{acc, src}, []int{m.bytes(), m.bytes()}, func(k int) {
				var s []V
				for i := range k {
					s = append(s, m.load(Mem{Base: acc, Disp: i * m.bytes()}))
				}
				m.down(src, rows, stride, func(at GPVirtual) {
					for i, a := range s {
						VMOVAPS(e.op(m, a, m.load(Mem{Base: at, Disp: i * m.bytes()})), a)
					}
				})
				for i, a := range s {
					VMOVUPS(a, Mem{Base: acc, Disp: i * m.bytes()})
				}
			})
			end()
		})
	}
}

// rowFolds writes a function that sets dst[r] to the sum, in doubles, of the n floats of row r,
// divided by div. It also writes functions that return each row's largest or smallest float. The
// result is NaN if a float of the row is NaN.
func rowFolds() {
	each(func(m vec) {
		m.begin("sumRows", "func(dst *float32, src *float32, n int, rows int, div float64)")
		dst, src, n, rows := arg("dst"), arg("src"), arg("n"), arg("rows")
		m.rows(n, rows, []GPVirtual{src}, func(fresh func() GPVirtual) {
			s := m.sums(4)
			m.walk(fresh(), 2, []GPVirtual{src}, func(c access) { s.add(c.u, c.get(c.at(0))) })
			t := XMM()
			VMOVAPS(s.total().AsX(), t)
			VDIVSD(param("div"), t, t)
			VCVTSD2SS(t, t, t)
			VMOVSS(t, Mem{Base: dst})
			ADDQ(Imm(4), dst)
		})
		end()
	})
	for _, e := range []struct {
		name  string
		first float64
		op    func(m vec, acc, x V)
	}{{"maxRows", math.Inf(-1), func(m vec, acc, x V) { VMAXPS(x, acc, acc) }}, {"minRows", math.Inf(1), func(m vec, acc, x V) { VMINPS(x, acc, acc) }}} {
		each(func(m vec) {
			m.begin(e.name, "func(dst *float32, src *float32, n int, rows int)")
			dst, src, n, rows := arg("dst"), arg("src"), arg("n"), arg("rows")
			m.rows(n, rows, []GPVirtual{src}, func(fresh func() GPVirtual) {
				acc := m.lanesOf(e.first)
				bad := m.zero()
				m.walk(fresh(), 4, []GPVirtual{src}, func(c access) {
					x := c.keep(c.get(c.at(0)), m.load(f32(e.first)))
					e.op(m, acc.acc[c.u], x)
					// bad becomes NaN where x is NaN, and then stays NaN.
					VMOVAPS(m.choose(unordered, x, x, x, bad), bad)
				})
				best := acc.fold(func(a, b V) { e.op(m, b, a) })
				any := GP32()
				if m.wide {
					k := K()
					VCMPPS(Imm(unordered), bad, bad, k)
					KMOVW(k, any)
				} else {
					VCMPPS(Imm(unordered), bad, bad, bad)
					VMOVMSKPS(bad, any)
				}
				ordered := label("ordered")
				TESTL(any, any)
				JZ(LabelRef(ordered))
				VMOVUPS(bits(0x7fc00000), best)
				Label(ordered)
				VMOVSS(best, Mem{Base: dst})
				ADDQ(Imm(4), dst)
			})
			end()
		})
	}
}

// finds writes functions that return the largest or the smallest of n floats, ignoring NaN. It also
// writes a function that returns the position of the first float equal to x, or the number of
// floats if none is equal.
func finds() {
	for _, e := range []struct {
		name  string
		first float64
		op    func(acc, x V)
	}{{"maxNumber", math.Inf(-1), func(acc, x V) { VMAXPS(acc, x, acc) }}, {"minNumber", math.Inf(1), func(acc, x V) { VMINPS(acc, x, acc) }}} {
		each(func(m vec) {
			m.begin(e.name, "func(src *float32, n int) float32")
			src, n := arg("src"), arg("n")
			acc := m.lanesOf(e.first)
			m.loop(n, 4, []GPVirtual{src}, func(c access) {
				e.op(acc.acc[c.u], c.keep(c.get(c.at(0)), m.load(f32(e.first))))
			})
			m.result(acc.fold(func(a, b V) { e.op(b, a) }))
		})
	}
	each(func(m vec) {
		m.begin("find", "func(src *float32, vectors int, x float32) int")
		src, n := arg("src"), arg("vectors")
		x, at, hit := m.broadcast("x"), GP64(), GP32()
		XORQ(at, at)
		Label("loop")
		if m.wide {
			k := K()
			VCMPPS(Imm(equal), Mem{Base: src, Index: at, Scale: 4}, x, k)
			KMOVW(k, hit)
		} else {
			k := m.reg()
			VCMPPS(Imm(equal), Mem{Base: src, Index: at, Scale: 4}, x, k)
			VMOVMSKPS(k, hit)
		}
		TESTL(hit, hit)
		JNZ(LabelRef("found"))
		ADDQ(Imm(uint64(m.lanes())), at)
		DECQ(n)
		JNZ(LabelRef("loop"))
		JMP(LabelRef("none"))
		Label("found")
		BSFL(hit, hit)
		ADDQ(hit.As64(), at)
		Label("none")
		VZEROUPPER()
		Store(at, ReturnIndex(0))
		RET()
	})
}
