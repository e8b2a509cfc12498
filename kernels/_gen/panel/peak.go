package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// peak writes a loop of n iterations of independent multiply-adds in registers. There are enough of
// them to hide their latency, so the loop runs at the machine's limit.
func peak(wide bool) {
	t := lanes{wide: wide}
	TEXT("peak"+t.suffix(), NOSPLIT, "func(n uintptr)")
	n := Load(Param("n"), GP64())
	acc := make([]VecVirtual, 12)
	for i := range acc {
		acc[i] = vector(wide)
		if wide {
			VPXORQ(acc[i], acc[i], acc[i])
		} else {
			VXORPS(acc[i], acc[i], acc[i])
		}
	}
	x := vector(wide)
	if wide {
		VPXORQ(x, x, x)
	} else {
		VXORPS(x, x, x)
	}
	Label("loop")
	for range 4 {
		for _, a := range acc {
			VFMADD231PS(x, x, a)
		}
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// read writes a loop of n iterations. Each iteration loads 256 bytes: 64 from each of four streams.
// Neighbouring streams begin step bytes apart.
func read() {
	TEXT("read256", NOSPLIT, "func(src *byte, step uintptr, n uintptr)")
	Pragma("noescape")
	src, step, n := Load(Param("src"), GP64()), Load(Param("step"), GP64()), Load(Param("n"), GP64())
	step3 := GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	y := []VecVirtual{YMM(), YMM()}
	Label("loop")
	for _, m := range []Mem{{Base: src}, {Base: src, Index: step, Scale: 1}, {Base: src, Index: step, Scale: 2}, {Base: src, Index: step3, Scale: 1}} {
		for i := range y {
			m.Disp = i * 32
			VMOVUPS(m, y[i])
		}
	}
	ADDQ(Imm(64), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
