package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func simple() {
	normalize()
	unary("sqrt", "√x", 2, func(m vec, x V) V { v := m.reg(); VSQRTPS(x, v); return v })
	// 1/√x is computed in doubles and rounded once. With AVX-512, a third-order Newton step
	// improves an estimate that has 14 correct bits. The only error of that step is the rounding of
	// its last sum.
	unary("rsqrt", "1/√x", 1, func(m vec, x V) V {
		if m.wide {
			y := m.reg()
			VRSQRT14PS(x, y)
			h := m.mul(x, y)
			l := m.reg()
			VMOVAPS(h, l)
			VFMSUB231PS(y, x, l) // the rounding error of h
			e := m.nma(h, y, m.load(f32(1)))
			m.nma(l, y, e)
			p := m.load(f32(0.5))
			m.fma(e, f32(0.375), p)
			z := m.fma(m.mul(p, e), y, m.load(y))
			return m.choose(unordered, z, z, y, z)
		}
		return m.inDoubles(x, func(d V) V {
			one := m.load(f64(1))
			VSQRTPD(d, d)
			VDIVPD(d, one, d)
			return d
		})
	})
	unary("reciprocal", "1/x", 2, func(m vec, x V) V { return m.div(m.load(f32(1)), x) })
	// Adding 0 turns -0 into 0.
	unary("relu", "max(x, 0)", 4, func(m vec, x V) V { z := m.zero(); return m.add(m.max(z, x), z) })
	unary("relu6", "min(max(x, 0), 6)", 4, func(m vec, x V) V {
		z := m.zero()
		return m.add(m.min(m.load(f32(6)), m.max(z, x)), z)
	})
	unary("hardSwish", "x·min(max(x+3, 0), 6)/6", 2, func(m vec, x V) V {
		g := m.min(m.load(f32(6)), m.max(m.zero(), m.add(x, f32(3))))
		return m.mul(m.div(g, f32(6)), x)
	})
	unary("square", "x²", 4, func(m vec, x V) V { return m.mul(x, x) })
	unary("neg", "-x", 4, func(m vec, x V) V {
		v := m.reg()
		if m.wide {
			VPXORD(bits(1<<31), x, v)
		} else {
			VXORPS(bits(1<<31), x, v)
		}
		return v
	})
	unary("abs", "|x|", 4, func(m vec, x V) V { return m.abs(x) })
	for _, r := range []struct {
		name, doc string
		mode      uint64
	}{{"floor", "⌊x⌋", 9}, {"ceil", "⌈x⌉", 10}, {"rint", "the integer nearest to x, ties to even", 8}} {
		unary(r.name, r.doc, 4, func(m vec, x V) V {
			v := m.reg()
			if m.wide {
				VRNDSCALEPS(Imm(r.mode), x, v)
			} else {
				VROUNDPS(Imm(r.mode), x, v)
			}
			return v
		})
	}
	each(func(m vec) {
		m.begin("leakyRelu", "func(dst *float32, src *float32, n int, alpha float32)")
		dst, src, n := arg("dst"), arg("src"), arg("n")
		alpha, zero := m.broadcast("alpha"), m.zero()
		m.loop(n, 4, []GPVirtual{dst, src}, func(c access) {
			x := c.get(c.at(1))
			c.put(m.choose(greater, x, zero, x, m.mul(x, alpha)), c.at(0))
		})
		end()
	})
}

// normalize writes dst[i] = (src[i] - mean[i])·k[i] + offset[i], and the same with
// one mean, k and offset for all.
func normalize() {
	each(func(m vec) {
		m.begin("normalize", "func(dst *float32, src *float32, mean *float32, k *float32, offset *float32, n int)")
		ps := []GPVirtual{arg("dst"), arg("src"), arg("mean"), arg("k"), arg("offset")}
		m.loop(arg("n"), 2, ps, func(c access) {
			x := m.mul(m.sub(c.get(c.at(1)), c.get(c.at(2))), c.get(c.at(3)))
			c.put(m.add(x, c.get(c.at(4))), c.at(0))
		})
		end()
	})
	each(func(m vec) {
		m.begin("normalizeBy", "func(dst *float32, src *float32, n int, mean float32, k float32, offset float32)")
		ps := []GPVirtual{arg("dst"), arg("src")}
		n := arg("n")
		mean, k, offset := m.broadcast("mean"), m.broadcast("k"), m.broadcast("offset")
		m.loop(n, 4, ps, func(c access) {
			c.put(m.add(m.mul(m.sub(c.get(c.at(1)), mean), k), offset), c.at(0))
		})
		end()
	})
}

// operands marks the operands of a binary function that are a single element.
type operands struct {
	suffix           string
	scalarA, scalarB bool
}

// binary writes functions for rows of n results dst[i] = f(a[i], b[i]); doc is the formula. The
// rows of a are stepA bytes apart, those of b stepB bytes. Further forms take a single element for
// b or, if f does not commute, for a.
func binary(name, doc string, unroll int, commutes bool, f func(m vec, a, b V) V) {
	binaryCalls = append(binaryCalls, call{name, doc, commutes, onlyHere})
	kinds := []operands{{"", false, false}, {"Scalar", false, true}}
	if !commutes {
		kinds = append(kinds, operands{"From", true, false})
	}
	for _, o := range kinds {
		each(func(m vec) {
			m.begin(name+o.suffix, "func(dst *float32, a *float32, b *float32, n int, rows int, stepA int, stepB int)")
			dst, a, b, n := arg("dst"), arg("a"), arg("b"), arg("n")
			rows, stepA, stepB := arg("rows"), arg("stepA"), arg("stepB")
			Label("row")
			ps := []GPVirtual{dst}
			var sa, sb V
			ia, ib := 0, 0
			if o.scalarA {
				sa = m.reg()
				VBROADCASTSS(Mem{Base: a}, sa)
			} else {
				ia = len(ps)
				ps = append(ps, a)
			}
			if o.scalarB {
				sb = m.reg()
				VBROADCASTSS(Mem{Base: b}, sb)
			} else {
				ib = len(ps)
				ps = append(ps, b)
			}
			count := GP64()
			MOVQ(n, count)
			m.walk(count, unroll, ps, func(c access) {
				x, y := sa, sb
				if ia > 0 {
					x = c.get(c.at(ia))
				}
				if ib > 0 {
					y = c.get(c.at(ib))
				}
				c.put(f(m, x, y), c.at(0))
			})
			LEAQ(Mem{Base: dst, Index: n, Scale: 4}, dst)
			ADDQ(stepA, a)
			ADDQ(stepB, b)
			DECQ(rows)
			JNZ(LabelRef("row"))
			end()
		})
	}
}

func binaries() {
	binary("add", "a + b", 4, true, func(m vec, a, b V) V { return m.add(a, b) })
	binary("sub", "a - b", 4, false, func(m vec, a, b V) V { return m.sub(a, b) })
	binary("mul", "a·b", 4, true, func(m vec, a, b V) V { return m.mul(a, b) })
	// A quotient below the normal numbers is 0.
	binary("div", "a/b, 0 where that is below the normal numbers", 2, false, func(m vec, a, b V) V {
		q := m.div(a, b)
		return m.choose(less, m.abs(q), f32(0x1p-126), m.zero(), q)
	})
	binary("maximum", "max(a, b), NaN where one is", 2, true, maximum)
	binary("minimum", "min(a, b), NaN where one is", 2, true, minimum)
	binary("prelu", "max(a, 0) + b·max(-a, 0)", 4, false, func(m vec, a, b V) V {
		z := m.zero()
		return m.add(m.add(m.max(z, a), z), m.mul(m.add(m.max(z, m.sub(z, a)), z), b))
	})
	binary("gatedTanh", "tanh(a)·sigmoid(b)", 1, false, gatedTanh)
	binary("squaredDifference", "(a - b)²", 4, true, func(m vec, a, b V) V { d := m.sub(a, b); return m.mul(d, d) })
}

// maximum returns NaN if an operand is NaN. The maximum of two zeros is -0 only if both are -0.
func maximum(m vec, a, b V) V {
	z := m.choose(equal, a, b, m.and(a, b), m.max(a, b))
	return m.choose(unordered, a, a, a, z)
}

// minimum returns NaN if an operand is NaN. The minimum of two zeros is -0 if one of them is -0.
func minimum(m vec, a, b V) V {
	z := m.choose(equal, a, b, m.or(a, b), m.min(a, b))
	return m.choose(unordered, a, a, a, z)
}

func others() {
	unary("softsign", "x/(1 + |x|)", 2, func(m vec, x V) V { return m.div(x, m.add(m.abs(x), f32(1))) })
	unary("sign", "-1, 0 or 1; NaN stays", 4, func(m vec, x V) V {
		y := m.copySign(m.load(f32(1)), x)
		y = m.choose(equal, x, m.zero(), m.zero(), y)
		return m.choose(unordered, x, x, x, y)
	})
	binary("divNoNan", "a/b, 0 where that is below the normal numbers or b is 0", 2, false, func(m vec, a, b V) V {
		q := m.div(a, b)
		q = m.choose(less, m.abs(q), f32(0x1p-126), m.zero(), q)
		return m.choose(equal, b, m.zero(), m.zero(), q)
	})
	unary("selu", "scale·x where x ≥ 0, else scale·alpha·(e^x - 1)", 1, func(m vec, x V) V {
		return m.choose(less, x, f32(0), m.mul(expm1(m, x), f32(1.7580993408473768599402175208123)), m.mul(x, f32(1.0507009873554804934193349852946)))
	})
}
