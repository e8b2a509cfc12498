package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// fold reduces v to one element of the given size in bytes. It combines the upper half of the vector
// with the lower half by op, and repeats this until one element is left.
func (m vec) fold(v V, size int, op func(a, b V)) {
	if m.wide {
		t := YMM()
		VEXTRACTF64X4(Imm(1), v, t)
		op(t, v.AsY().(V))
	}
	t := XMM()
	if m.wide {
		VEXTRACTF32X4(Imm(1), v.AsY(), t)
	} else {
		VEXTRACTF128(Imm(1), v.AsY(), t)
	}
	x := v.AsX().(V)
	op(t, x)
	t = XMM()
	VPSHUFD(Imm(0x4e), x, t)
	op(t, x)
	if size == 4 {
		t = XMM()
		VPSHUFD(Imm(0xb1), x, t)
		op(t, x)
	}
}

// extremes writes a function that returns the largest or smallest of n floats. If n is 0, the function's
// result is the value of the parameter first. If one of the floats is NaN, the result is NaN.
func extremes(name string, first float64, op func(m vec, acc, x V)) {
	each(func(m vec) {
		m.begin(name, "func(src *float32, n int) float32")
		src, n := arg("src"), arg("n")
		var acc [4]V
		for i := range acc {
			acc[i] = m.load(f32(first))
		}
		bad, mask := m.zero(), K()
		if m.wide {
			KXORW(mask, mask, mask)
		}
		m.loop(n, 4, []GPVirtual{src}, func(c access) {
			x := c.keep(c.get(c.at(0)), m.load(f32(first)))
			op(m, acc[c.u], x)
			if m.wide {
				k := K()
				VCMPPS(Imm(unordered), x, x, k)
				KORW(k, mask, mask)
				return
			}
			k := m.reg()
			VCMPPS(Imm(unordered), x, x, k)
			VORPS(k, bad, bad)
		})
		op(m, acc[0], acc[1])
		op(m, acc[2], acc[3])
		op(m, acc[0], acc[2])
		m.fold(acc[0], 4, func(a, b V) { op(m, b, a) })
		any := GP32()
		if m.wide {
			KMOVW(mask, any)
		} else {
			VMOVMSKPS(bad, any)
		}
		TESTL(any, any)
		JZ(LabelRef("ordered"))
		VMOVUPS(bits(0x7fc00000), acc[0].AsX())
		Label("ordered")
		m.result(acc[0])
	})
}

// result writes code that makes the function return the first element of v.
func (m vec) result(v V) {
	x := XMM()
	VMOVAPS(v.AsX(), x)
	VZEROUPPER()
	Store(x, ReturnIndex(0))
	RET()
}

// sums holds registers that accumulate sums of doubles.
type sums struct {
	m   vec
	acc []V
}

func (m vec) sums(n int) sums {
	s := sums{m: m}
	for range n {
		s.acc = append(s.acc, m.zero())
	}
	return s
}

// add adds the floats of x to the u-th pair of accumulators.
func (s sums) add(u int, x V) {
	d := s.m.doubles(x)
	for i := range d {
		a := s.acc[(2*u+i)%len(s.acc)]
		VADDPD(d[i], a, a)
	}
}

func (s sums) result() { s.m.result(s.total()) }

// total returns a vector with the sum in its first element.
func (s sums) total() V {
	add := func(a, b V) { VADDPD(a, b, b) }
	for len(s.acc) > 1 {
		h := len(s.acc) / 2
		for i := range h {
			add(s.acc[h+i], s.acc[i])
		}
		s.acc = s.acc[:h]
	}
	s.m.fold(s.acc[0], 8, add)
	return s.acc[0]
}

// expAndSum adds e^(x-largest) to s for the floats x of the first pointer. If store is set, it also
// stores e^(x-largest) at the second pointer.
func (m vec) expAndSum(c access, largest V, s *sums, store bool) {
	e := m.expBelow(m.sub(c.get(c.at(0)), largest))
	if store {
		c.put(e, c.at(1))
	}
	s.add(c.u, c.keep(e, m.zero()))
}

func reductions() {
	extremes("max", math.Inf(-1), func(m vec, acc, x V) { VMAXPS(x, acc, acc) })
	extremes("min", math.Inf(1), func(m vec, acc, x V) { VMINPS(x, acc, acc) })
	each(func(m vec) {
		m.begin("sum", "func(src *float32, n int) float64")
		src, n := arg("src"), arg("n")
		s := m.sums(8)
		m.loop(n, 4, []GPVirtual{src}, func(c access) { s.add(c.u, c.get(c.at(0))) })
		s.result()
	})
	// expSum sets dst[i] = e^(src[i]-max) and returns the sum of these; sumExp only returns the
	// sum.
	for _, store := range []bool{true, false} {
		each(func(m vec) {
			var dst GPVirtual
			if store {
				m.begin("expSum", "func(dst *float32, src *float32, n int, max float32) float64")
				dst = arg("dst")
			} else {
				m.begin("sumExp", "func(src *float32, n int, max float32) float64")
			}
			ps := []GPVirtual{arg("src")}
			n := arg("n")
			if store {
				ps = append(ps, dst)
			}
			largest := m.broadcast("max")
			s := m.sums(4)
			m.loop(n, 2, ps, func(c access) { m.expAndSum(c, largest, &s, store) })
			s.result()
		})
	}
	// dst[i] = (src[i] - max) - log; the second difference is computed in doubles.
	each(func(m vec) {
		m.begin("subLog", "func(dst *float32, src *float32, n int, max float32, log float64)")
		dst, src, n, largest := arg("dst"), arg("src"), arg("n"), m.broadcast("max")
		l := m.reg()
		VBROADCASTSD(param("log"), l)
		m.loop(n, 1, []GPVirtual{dst, src}, func(c access) {
			c.put(m.inDoubles(m.sub(c.get(c.at(1)), largest), func(d V) V { VSUBPD(l, d, d); return d }), c.at(0))
		})
		end()
	})
	// acc[i] += src[i] for vectors of floats.
	each(func(m vec) {
		m.begin("addDoubles", "func(acc *float64, src *float32, vectors int)")
		acc, src, n := arg("acc"), arg("src"), arg("vectors")
		Label("loop")
		for i := range 2 {
			d := m.reg()
			VCVTPS2PD(Mem{Base: src, Disp: i * m.bytes() / 2}, d)
			VADDPD(Mem{Base: acc, Disp: i * m.bytes()}, d, d)
			VMOVUPD(d, Mem{Base: acc, Disp: i * m.bytes()})
		}
		ADDQ(U32(uint32(m.bytes())), src)
		ADDQ(U32(uint32(2*m.bytes())), acc)
		DECQ(n)
		JNZ(LabelRef("loop"))
		end()
	})
}
