package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gathered writes dst[c] = Σ row_i[c] for n columns c, where row_i begins indices[i]·step bytes
// after data. The sums are computed in floats, in the order of the indices. There must be at least
// one index.
func gathered() {
	for _, long := range []bool{false, true} {
		each(func(m vec) {
			size, name, typ := uint8(4), "sumGathered", "int32"
			if long {
				size, name, typ = 8, "sumGatheredLong", "int64"
			}
			m.begin(name, "func(dst *float32, data *float32, indices *"+typ+", count int, step int, n int)")
			dst, data, indices := arg("dst"), arg("data"), arg("indices")
			count, step, n := arg("count"), arg("step"), arg("n")
			sums := func(k int, get func(Mem) V, put func(V, Mem)) {
				var acc []V
				for range k {
					acc = append(acc, m.zero())
				}
				i, at, l := GP64(), GP64(), label("index")
				XORQ(i, i)
				Label(l)
				if long {
					MOVQ(Mem{Base: indices, Index: i, Scale: size}, at)
				} else {
					MOVLQSX(Mem{Base: indices, Index: i, Scale: size}, at)
				}
				IMULQ(step, at)
				ADDQ(data, at)
				for j, a := range acc {
					from := Mem{Base: at, Disp: j * m.bytes()}
					if get == nil {
						VADDPS(from, a, a)
					} else {
						VADDPS(get(from), a, a)
					}
				}
				INCQ(i)
				CMPQ(i, count)
				JNE(LabelRef(l))
				for j, a := range acc {
					to := Mem{Base: dst, Disp: j * m.bytes()}
					if put == nil {
						VMOVUPS(a, to)
					} else {
						put(a, to)
					}
				}
			}
			for _, k := range []int{4, 1} {
				by := uint64(k * m.lanes())
				l, done := label("by"), label("done")
				SUBQ(Imm(by), n)
				JB(LabelRef(done))
				Label(l)
				sums(k, nil, nil)
				ADDQ(U32(uint32(k*m.bytes())), dst)
				ADDQ(U32(uint32(k*m.bytes())), data)
				SUBQ(Imm(by), n)
				JAE(LabelRef(l))
				Label(done)
				ADDQ(Imm(by), n)
			}
			TESTQ(n, n)
			JZ(LabelRef("end"))
			c := m.tail(n)
			sums(1, c.get, c.put)
			Label("end")
			end()
		})
	}
}

// copies writes a function that copies rows of n words. The rows of dst are dstStep bytes apart,
// those of src srcStep bytes.
func copies() {
	each(func(m vec) {
		m.begin("copyRows", "func(dst *float32, src *float32, n int, rows int, dstStep int, srcStep int)")
		dst, src, n, rows := arg("dst"), arg("src"), arg("n"), arg("rows")
		dstStep, srcStep := arg("dstStep"), arg("srcStep")
		Label("row")
		count := GP64()
		MOVQ(n, count)
		m.walk(count, 4, []GPVirtual{dst, src}, func(c access) { c.put(c.get(c.at(1)), c.at(0)) })
		ADDQ(dstStep, dst)
		ADDQ(srcStep, src)
		DECQ(rows)
		JNZ(LabelRef("row"))
		end()
	})
}
