// Command fft writes the kernels of kernels/fft that compute several Fourier transforms of the same length side
// by side, in the lanes of vectors of float64: 8 with AVX-512, 4 with AVX2.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

type kernel struct{ wide bool }

func (t kernel) vec() VecVirtual {
	if t.wide {
		return ZMM()
	}
	return YMM()
}

// bytes is the size of a vector. An element has two vectors: its real parts and its imaginary parts.
func (t kernel) bytes() int {
	if t.wide {
		return 64
	}
	return 32
}

// number is a vector of complex numbers.
type number struct{ re, im VecVirtual }

func (t kernel) number() number { return number{t.vec(), t.vec()} }

// im returns the address of the imaginary parts of the element at m.
func (t kernel) im(m Mem) Mem {
	m.Disp += t.bytes()
	return m
}

func (t kernel) load(m Mem) number {
	v := t.number()
	VMOVUPD(m, v.re)
	VMOVUPD(t.im(m), v.im)
	return v
}

func (t kernel) store(v number, m Mem) {
	VMOVUPD(v.re, m)
	VMOVUPD(v.im, t.im(m))
}

// times loads the element at m and multiplies it by w.
func (t kernel) times(m Mem, w number) number {
	x, y := t.vec(), t.number()
	VMOVUPD(m, x)
	VMULPD(w.re, x, y.re)
	VMULPD(w.im, x, y.im)
	VMOVUPD(t.im(m), x)
	VFNMADD231PD(w.im, x, y.re)
	VFMADD231PD(w.re, x, y.im)
	return y
}

// sumAndDifference returns a + b and a - b.
func (t kernel) sumAndDifference(a, b number) (s, d number) {
	s, d = t.number(), t.number()
	VADDPD(b.re, a.re, s.re)
	VSUBPD(b.re, a.re, d.re)
	VADDPD(b.im, a.im, s.im)
	VSUBPD(b.im, a.im, d.im)
	return s, d
}

// butterfly transforms four elements in place; at[i] is the address of element i. Unless w is nil, the elements
// 1, 2 and 3 are first multiplied by w[0], w[1] and w[2].
func (t kernel) butterfly(at [4]Mem, w []number) {
	var x [4]number
	x[0] = t.load(at[0])
	for i := 1; i < 4; i++ {
		if w == nil {
			x[i] = t.load(at[i])
		} else {
			x[i] = t.times(at[i], w[i-1])
		}
	}
	s02, d02 := t.sumAndDifference(x[0], x[2])
	s13, d13 := t.sumAndDifference(x[1], x[3])
	y0, y2 := t.sumAndDifference(s02, s13)
	t.store(y0, at[0])
	t.store(y2, at[2])
	// y1 = d02 - i·d13 and y3 = d02 + i·d13.
	y1, y3 := t.number(), t.number()
	VADDPD(d13.im, d02.re, y1.re)
	VSUBPD(d13.re, d02.im, y1.im)
	VSUBPD(d13.im, d02.re, y3.re)
	VADDPD(d13.re, d02.im, y3.im)
	t.store(y1, at[1])
	t.store(y3, at[3])
}

// write writes the kernel. The kernel's argument x has n elements, in the order of digit-reversed indices. If n
// is an odd power of two, the first pass combines pairs; all other passes combine four transforms. The argument
// roots holds the factors of the passes after the first.
func (t kernel) write(name string) {
	TEXT(name, NOSPLIT, "func(x *float64, n int, roots *float64)")
	Pragma("noescape")
	x, n, roots := Load(Param("x"), GP64()), Load(Param("n"), GP64()), Load(Param("roots"), GP64())
	element := 2 * t.bytes()
	end, h, h3, p := GP64(), GP64(), GP64(), GP64()
	MOVQ(n, end)
	IMUL3Q(U32(uint32(element)), end, end)
	ADDQ(x, end)
	MOVQ(x, p)
	// n is an odd power of two if its only bit is at an odd position.
	odd := GP64()
	MOVQ(U64(0xaaaaaaaaaaaaaaaa), odd)
	TESTQ(odd, n)
	JZ(LabelRef("fours"))

	MOVQ(U64(uint64(2*element)), h)
	Label("pair")
	a, b := Mem{Base: p}, Mem{Base: p, Disp: element}
	s, d := t.sumAndDifference(t.load(a), t.load(b))
	t.store(s, a)
	t.store(d, b)
	ADDQ(U32(uint32(2*element)), p)
	CMPQ(p, end)
	JB(LabelRef("pair"))
	JMP(LabelRef("passes"))

	Label("fours")
	CMPQ(n, Imm(4))
	JB(LabelRef("done"))
	MOVQ(U64(uint64(4*element)), h)
	Label("four")
	t.butterfly([4]Mem{{Base: p}, {Base: p, Disp: element}, {Base: p, Disp: 2 * element}, {Base: p, Disp: 3 * element}}, nil)
	ADDQ(U32(uint32(4*element)), p)
	CMPQ(p, end)
	JB(LabelRef("four"))

	// A pass combines four transforms of h bytes each.
	Label("passes")
	left := GP64()
	MOVQ(end, left)
	SUBQ(x, left)
	CMPQ(h, left)
	JAE(LabelRef("done"))
	LEAQ(Mem{Base: h, Index: h, Scale: 2}, h3)
	at := [4]Mem{{Base: p}, {Base: p, Index: h, Scale: 1}, {Base: p, Index: h, Scale: 2}, {Base: p, Index: h3, Scale: 1}}
	MOVQ(x, p)
	Label("first")
	t.butterfly(at, nil)
	LEAQ(Mem{Base: p, Index: h, Scale: 4}, p)
	CMPQ(p, end)
	JB(LabelRef("first"))
	k, last := GP64(), GP64()
	MOVQ(x, k)
	LEAQ(Mem{Base: x, Index: h, Scale: 1}, last)
	Label("k")
	ADDQ(U32(uint32(element)), k)
	CMPQ(k, last)
	JAE(LabelRef("next"))
	w := []number{t.number(), t.number(), t.number()}
	for i, v := range w {
		VBROADCASTSD(Mem{Base: roots, Disp: 16 * i}, v.re)
		VBROADCASTSD(Mem{Base: roots, Disp: 16*i + 8}, v.im)
	}
	ADDQ(Imm(48), roots)
	MOVQ(k, p)
	Label("block")
	t.butterfly(at, w)
	LEAQ(Mem{Base: p, Index: h, Scale: 4}, p)
	CMPQ(p, end)
	JB(LabelRef("block"))
	JMP(LabelRef("k"))
	Label("next")
	SHLQ(Imm(2), h)
	JMP(LabelRef("passes"))
	Label("done")
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!noasm")
	kernel{true}.write("together512")
	kernel{false}.write("together256")
	Generate()
}
