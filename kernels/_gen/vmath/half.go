package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// halves writes the conversions of vectors of 16-bit floats.
func halves() {
	widen := func(name string, f func(m vec, at Mem) V) {
		each(func(m vec) {
			m.begin(name, "func(dst *float32, src *uint16, vectors int)")
			m.stream(m.bytes(), m.bytes()/2, func(dst, src Mem) { VMOVUPS(f(m, src), dst) })
		})
	}
	narrow := func(name string, f func(m vec, x V, at Mem)) {
		each(func(m vec) {
			m.begin(name, "func(dst *uint16, src *float32, vectors int)")
			m.stream(m.bytes()/2, m.bytes(), func(dst, src Mem) { f(m, m.load(src), dst) })
		})
	}
	widen("loadF16", func(m vec, at Mem) V { v := m.reg(); VCVTPH2PS(at, v); return v })
	narrow("storeF16", func(m vec, x V, at Mem) { VCVTPS2PH(Imm(0), x, at) })
	widen("loadBF16", func(m vec, at Mem) V {
		v := m.reg()
		VPMOVZXWD(at, v)
		VPSLLD(Imm(16), v, v)
		return v
	})
	narrow("storeBF16", func(m vec, x V, at Mem) {
		// Round to nearest, ties to even: add 0x7fff, and 1 more if the last remaining bit is 1.
		odd, quiet := m.reg(), m.reg()
		VPSRLD(Imm(16), x, odd)
		quiet = m.or(x, bits(0x400000))
		odd = m.and(odd, bits(1))
		VPADDD(bits(0x7fff), odd, odd)
		VPADDD(x, odd, odd)
		y := m.choose(unordered, x, x, quiet, odd)
		VPSRLD(Imm(16), y, y)
		if m.wide {
			VPMOVDW(y, at)
			return
		}
		VPACKUSDW(y, y, y)
		VPERMQ(Imm(8), y, y)
		VMOVDQU(y.AsX(), at)
	})
}

// stream writes a loop over vectors. In each iteration, body converts srcBytes at src to dstBytes
// at dst.
func (m vec) stream(dstBytes, srcBytes int, body func(dst, src Mem)) {
	dst, src, n := arg("dst"), arg("src"), arg("vectors")
	Label("loop")
	body(Mem{Base: dst}, Mem{Base: src})
	ADDQ(U32(uint32(dstBytes)), dst)
	ADDQ(U32(uint32(srcBytes)), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	end()
}
