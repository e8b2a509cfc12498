// Command roofline writes the loops that measure a processor's limits for internal/roofline: the
// rates of multiply-adds in registers and of loads.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func vector(wide bool) VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

func suffix(wide bool) string {
	if wide {
		return "512"
	}
	return "256"
}

func zero(wide bool, v VecVirtual) {
	if wide {
		VPXORQ(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
}

// fma writes a loop of n iterations of 48 multiply-adds. The 12 independent sums are enough to hide
// their latency.
func fma(wide bool) {
	TEXT("fma"+suffix(wide), NOSPLIT, "func(n uintptr)")
	n := Load(Param("n"), GP64())
	x := vector(wide)
	zero(wide, x)
	sums := make([]VecVirtual, 12)
	for i := range sums {
		sums[i] = vector(wide)
		zero(wide, sums[i])
	}
	Label("loop")
	for range 4 {
		for _, s := range sums {
			VFMADD231PS(x, x, s)
		}
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// dot writes a loop of n iterations of 48 instructions, each of which adds four products of bytes
// in every lane.
func dot() {
	TEXT("dot512", NOSPLIT, "func(n uintptr)")
	n := Load(Param("n"), GP64())
	x := ZMM()
	zero(true, x)
	sums := make([]VecVirtual, 12)
	for i := range sums {
		sums[i] = ZMM()
		zero(true, sums[i])
	}
	Label("loop")
	for range 4 {
		for _, s := range sums {
			VPDPBUSD(x, x, s)
		}
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// read writes a loop of n iterations, each of which loads the next 512 bytes.
func read(wide bool) {
	TEXT("read"+suffix(wide), NOSPLIT, "func(src *byte, n uintptr)")
	Pragma("noescape")
	src, n := Load(Param("src"), GP64()), Load(Param("n"), GP64())
	size := 32
	if wide {
		size = 64
	}
	v := []VecVirtual{vector(wide), vector(wide), vector(wide), vector(wide)}
	Label("loop")
	for i := range 512 / size {
		VMOVUPS(Mem{Base: src, Disp: i * size}, v[i%len(v)])
	}
	ADDQ(U32(512), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, wide := range []bool{false, true} {
		fma(wide)
		read(wide)
	}
	dot()
	Generate()
}
