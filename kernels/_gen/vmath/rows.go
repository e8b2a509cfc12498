package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes are four vectors of partial results.
type lanes struct {
	m   vec
	acc [4]V
}

func (m vec) lanesOf(first float64) lanes {
	l := lanes{m: m}
	for i := range l.acc {
		if first == 0 {
			l.acc[i] = m.zero()
		} else {
			l.acc[i] = m.load(f32(first))
		}
	}
	return l
}

// sum returns a vector with the sum of all lanes in its first element.
func (l lanes) sum() V { return l.fold(func(a, b V) { VADDPS(a, b, b) }) }

// largest returns a vector with the largest lane in its first element.
func (l lanes) largest() V { return l.fold(func(a, b V) { VMAXPS(a, b, b) }) }

func (l lanes) fold(op func(a, b V)) V {
	op(l.acc[1], l.acc[0])
	op(l.acc[3], l.acc[2])
	op(l.acc[2], l.acc[0])
	l.m.fold(l.acc[0], 4, op)
	return l.acc[0].AsX().(V)
}

// spread copies the first element of x to every lane.
func (m vec) spread(x V) V {
	v := m.reg()
	VBROADCASTSS(x.AsX(), v)
	return v
}

// rows runs body once for each row of n floats at the pointers ps, which advance by n floats a row.
// fresh returns a new register with the value n.
func (m vec) rows(n GPVirtual, count GPVirtual, ps []GPVirtual, body func(fresh func() GPVirtual)) {
	row := label("row")
	Label(row)
	fresh := func() GPVirtual { c := GP64(); MOVQ(n, c); return c }
	body(fresh)
	for _, p := range ps {
		LEAQ(Mem{Base: p, Index: n, Scale: 4}, p)
	}
	DECQ(count)
	JNZ(LabelRef(row))
}

// walk writes the same loops as the method loop, but with copies of the pointers ps, so that ps stay
// unchanged.
func (m vec) walk(n GPVirtual, unroll int, ps []GPVirtual, body func(c access)) {
	var own []GPVirtual
	for _, p := range ps {
		c := GP64()
		MOVQ(p, c)
		own = append(own, c)
	}
	m.loop(n, unroll, own, body)
}

// inverse returns a vector whose first element is 1/√(sum/count + epsilon).
func inverse(sum, count V, epsilon Mem) V {
	v, one := XMM(), XMM()
	VDIVSS(count, sum, v)
	VADDSS(epsilon, v, v)
	VSQRTSS(v, v, v)
	VMOVSS(f32(1), one)
	VDIVSS(v, one, one)
	return one
}

// layerNorms writes two functions. layerNorm computes rows y = (x - mean)·k·gamma + beta with k =
// 1/√(variance + epsilon). rmsNorm computes rows y = x·gamma/√(mean(x²) + epsilon). If the pointer
// gamma is nil, neither gamma nor beta is used. Sums are accumulated as floats in the lanes of four
// vectors.
func layerNorms() {
	for _, rms := range []bool{false, true} {
		each(func(m vec) {
			if rms {
				m.begin("rmsNorm", "func(dst *float32, src *float32, gamma *float32, n int, rows int, epsilon float32)")
			} else {
				m.begin("layerNorm", "func(dst *float32, src *float32, gamma *float32, beta *float32, n int, rows int, epsilon float32)")
			}
			dst, src, gamma := arg("dst"), arg("src"), arg("gamma")
			var beta GPVirtual
			if !rms {
				beta = arg("beta")
			}
			n, count := arg("n"), arg("rows")
			size := XMM()
			VCVTSI2SSQ(n, f32zero(), size)
			m.rows(n, count, []GPVirtual{dst, src}, func(fresh func() GPVirtual) {
				var mean V
				if !rms {
					s := m.lanesOf(0)
					m.walk(fresh(), 4, []GPVirtual{src}, func(c access) { VADDPS(c.get(c.at(0)), s.acc[c.u], s.acc[c.u]) })
					t := XMM()
					VDIVSS(size, s.sum(), t)
					mean = m.spread(t)
				}
				q := m.lanesOf(0)
				m.walk(fresh(), 4, []GPVirtual{src}, func(c access) {
					d := c.get(c.at(0))
					if !rms {
						d = c.keep(m.sub(d, mean), m.zero())
					}
					m.fma(d, d, q.acc[c.u])
				})
				k := m.spread(inverse(q.sum(), size, param("epsilon")))
				plain, done := label("plain"), label("normal")
				TESTQ(gamma, gamma)
				JZ(LabelRef(plain))
				if rms {
					m.walk(fresh(), 4, []GPVirtual{dst, src, gamma}, func(c access) {
						c.put(m.mul(m.mul(c.get(c.at(1)), k), c.get(c.at(2))), c.at(0))
					})
				} else {
					m.walk(fresh(), 4, []GPVirtual{dst, src, gamma, beta}, func(c access) {
						d := m.mul(m.sub(c.get(c.at(1)), mean), k)
						b := c.get(c.at(3))
						c.put(m.fma(d, c.get(c.at(2)), b), c.at(0))
					})
				}
				JMP(LabelRef(done))
				Label(plain)
				m.walk(fresh(), 4, []GPVirtual{dst, src}, func(c access) {
					x := c.get(c.at(1))
					if !rms {
						x = m.sub(x, mean)
					}
					c.put(m.mul(x, k), c.at(0))
				})
				Label(done)
			})
			end()
		})
	}
}

func f32zero() V {
	x := XMM()
	VXORPS(x, x, x)
	return x
}

// softmaxes writes functions that compute rows of n floats. Three of them compute e^(t-m) / Σ
// e^(t-m), where m is the largest t of the row. In softmax t is x, in softmaxScaled x·scale, and in
// softmaxMasked x·scale + mask. The pointer mask advances by maskStep bytes a row. logSoftmax
// computes (x-m) - log Σ e^(x-m).
func softmaxes() {
	for _, kind := range []string{"softmax", "softmaxScaled", "softmaxMasked", "logSoftmax"} {
		each(func(m vec) {
			args := "func(dst *float32, src *float32, n int, rows int)"
			switch kind {
			case "softmaxScaled":
				args = "func(dst *float32, src *float32, n int, rows int, scale float32)"
			case "softmaxMasked":
				args = "func(dst *float32, src *float32, mask *float32, n int, rows int, maskStep int, scale float32)"
			}
			m.begin(kind, args)
			dst, src := arg("dst"), arg("src")
			var mask, maskStep GPVirtual
			if kind == "softmaxMasked" {
				mask, maskStep = arg("mask"), arg("maskStep")
			}
			n, count := arg("n"), arg("rows")
			var scale V
			if kind == "softmaxScaled" || kind == "softmaxMasked" {
				scale = m.broadcast("scale")
			}
			m.rows(n, count, []GPVirtual{dst, src}, func(fresh func() GPVirtual) {
				// The maximum may be a number although the row has a NaN, but the sum is then NaN.
				least := math.Inf(-1)
				top := m.lanesOf(least)
				from := src
				switch kind {
				case "softmaxScaled", "softmaxMasked":
					from = dst
					walked := []GPVirtual{dst, src}
					if mask != nil {
						walked = append(walked, mask)
					}
					m.walk(fresh(), 4, walked, func(c access) {
						x := m.mul(c.get(c.at(1)), scale)
						if mask != nil {
							x = m.add(x, c.get(c.at(2)))
						}
						c.put(x, c.at(0))
						VMAXPS(c.keep(x, m.load(f32(least))), top.acc[c.u], top.acc[c.u])
					})
				default:
					m.walk(fresh(), 4, []GPVirtual{src}, func(c access) {
						VMAXPS(c.keep(c.get(c.at(0)), m.load(f32(least))), top.acc[c.u], top.acc[c.u])
					})
				}
				largest := m.spread(top.largest())
				total := m.sums(4)
				if kind == "logSoftmax" {
					m.walk(fresh(), 2, []GPVirtual{src}, func(c access) { m.expAndSum(c, largest, &total, false) })
					sum := total.total()
					l := m.reg()
					VBROADCASTSD(sum.AsX(), l)
					// log64's integer arithmetic may turn a NaN into a number. Adding 0 times the
					// sum restores the NaN.
					bad := m.reg()
					VMULPD(f64(0), l, bad)
					l = m.log64(l)
					VADDPD(bad, l, l)
					m.walk(fresh(), 2, []GPVirtual{dst, src}, func(c access) {
						c.put(m.inDoubles(m.sub(c.get(c.at(1)), largest), func(d V) V { VSUBPD(l, d, d); return d }), c.at(0))
					})
					return
				}
				m.walk(fresh(), 2, []GPVirtual{from, dst}, func(c access) { m.expAndSum(c, largest, &total, true) })
				t := total.total().AsX().(V)
				one := XMM()
				VMOVSD(f64(1), one)
				VDIVSD(t, one, one)
				VCVTSD2SS(one, one, one)
				k := m.spread(one)
				m.walk(fresh(), 4, []GPVirtual{dst}, func(c access) { c.put(m.mul(k, c.get(c.at(0))), c.at(0)) })
				if mask != nil {
					ADDQ(maskStep, mask)
				}
			})
			end()
		})
	}
}

// softmaxShort writes softmax for rows of at most one vector. The mask of a row's lanes is computed
// once for all rows.
func softmaxShort() {
	each(func(m vec) {
		m.begin("softmaxShort", "func(dst *float32, src *float32, n int, rows int)")
		dst, src, n, count := arg("dst"), arg("src"), arg("n"), arg("rows")
		left := GP64()
		MOVQ(n, left)
		c := m.tail(left)
		one := XMM()
		VMOVSD(f64(1), one)
		m.rows(n, count, []GPVirtual{dst, src}, func(func() GPVirtual) {
			x := c.get(Mem{Base: src})
			top := c.keep(x, m.load(f32(math.Inf(-1))))
			m.fold(top, 4, func(a, b V) { VMAXPS(a, b, b) })
			e := c.keep(m.expBelow(m.sub(x, m.spread(top))), m.zero())
			d := m.doubles(e)
			VADDPD(d[1], d[0], d[0])
			m.fold(d[0], 8, func(a, b V) { VADDPD(a, b, b) })
			k := XMM()
			VDIVSD(d[0].AsX(), one, k)
			VCVTSD2SS(k, k, k)
			c.put(m.mul(e, m.spread(k)), Mem{Base: dst})
		})
		end()
	})
}

// softmaxGroups writes softmax for rows of 2, 4 or 8 floats, of which a vector holds several. n is
// the number of floats in all rows.
func softmaxGroups() {
	for _, size := range []int{2, 4, 8} {
		each(func(m vec) {
			m.begin("softmax"+string(rune('0'+size))+"x", "func(dst *float32, src *float32, n int)")
			dst, src, n := arg("dst"), arg("src"), arg("n")
			// across returns a vector whose lane i is lane i^by of x, where ^ is the exclusive or.
			across := func(x V, by int) V {
				v := m.reg()
				switch by {
				case 1:
					VPSHUFD(Imm(0xb1), x, v)
				case 2:
					VPSHUFD(Imm(0x4e), x, v)
				default:
					if m.wide {
						VSHUFF32X4(Imm(0xb1), x, x, v)
					} else {
						VPERM2F128(Imm(1), x, x, v)
					}
				}
				return v
			}
			across64 := func(x V, by int) V {
				v := m.reg()
				switch {
				case by == 1 && m.wide:
					VPERMILPD(Imm(0x55), x, v)
				case by == 1:
					VPERMILPD(Imm(5), x, v)
				case by == 2:
					VPERMPD(Imm(0x4e), x, v)
				default:
					VSHUFF64X2(Imm(0x4e), x, x, v)
				}
				return v
			}
			m.loop(n, 1, []GPVirtual{dst, src}, func(c access) {
				x := c.get(c.at(1))
				top := x
				for by := 1; by < size; by *= 2 {
					other := across(top, by)
					t := m.reg()
					VMAXPS(other, top, t)
					top = t
				}
				e := m.expBelow(m.sub(x, top))
				d := m.doubles(e)
				for by := 1; by < size; by *= 2 {
					if by == 4 && !m.wide {
						VADDPD(d[1], d[0], d[0])
						VMOVAPD(d[0], d[1])
						continue
					}
					for i := range d {
						VADDPD(across64(d[i], by), d[i], d[i])
					}
				}
				c.put(m.div(e, m.floats(d)), c.at(0))
			})
			end()
		})
	}
}
