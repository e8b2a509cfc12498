package fft

import (
	"math"
	"math/bits"

	"github.com/graphc/graphc/rt/mem"
)

// Lanes returns how many transforms of length n Together computes at the same speed as one.
func Lanes(n int) int {
	if n > MostTogether {
		return 1
	}
	return lanes()
}

// MostLanes is the greatest number that Lanes returns.
const MostLanes = 8

// MostTogether is the greatest length of transforms that Together computes with vector instructions in one
// call. The limit keeps a call short: a goroutine cannot be preempted in assembly.
const MostTogether = 1 << 13

// Place returns the position at which Together expects element j of a sequence of length n, a power of two.
// The digits of j to the base 4 are reversed. If n is an odd power of two, the first digit is a single bit.
func Place(j, n int) int {
	b := bits.Len(uint(n)) - 1
	if b == 0 {
		return 0
	}
	r := bits.Reverse64(uint64(j)) >> (64 - b)
	odd := b % 2
	q := r >> odd
	q = q&0x5555555555555555<<1 | q>>1&0x5555555555555555
	return int(q<<odd | r&uint64(odd))
}

// firstPass returns the length of the transforms after the first pass of Together.
func firstPass(n int) int {
	if bits.Len(uint(n))%2 == 0 { // n is an odd power of two
		return 2
	}
	return 4
}

// RootsLen returns the number of floats of Roots.
func RootsLen(n int) int {
	total := 0
	for h := firstPass(n); h < n; h *= 4 {
		total += 6 * (h - 1)
	}
	return total
}

// Roots returns the factors of transforms of length n, a power of two. A pass that combines four transforms of
// length h uses the factors w, w² and w³ for each k from 1 to h-1, with w = e^(-2πi·k/4h).
func Roots(call *mem.Call, n int) []float64 {
	r := mem.Make[float64](call, RootsLen(n))
	circle := Circle(call, n)
	at := 0
	for h := firstPass(n); h < n; h *= 4 {
		for k := 1; k < h; k++ {
			for e := 1; e <= 3; e++ {
				copy(r[at:at+2], circle[2*(e*k*(n/4/h)):])
				at += 2
			}
		}
		call.Work(3 * h)
	}
	return r
}

// Circle returns the real and imaginary parts of e^(-2πi·k/n) for k from 0 to n-1; n is a power of two.
func Circle(call *mem.Call, n int) []float64 {
	c := mem.Make[float64](call, 2, n)
	// Sines and cosines are computed for an eighth of the circle; the rest is mirrored.
	set := func(k int, re, im float64) { c[2*k], c[2*k+1] = re, im }
	for k := 0; k <= n/8 || k == 0; k++ {
		call.Work(rectWork)
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		set(k, cos, -sin)
		if n >= 4 {
			set(n/4-k, sin, -cos)
		}
	}
	for k := 1; k <= n/4; k++ {
		re, im := c[2*k], c[2*k+1]
		set(n/2-k, -re, im)
	}
	if n >= 2 {
		set(n/2, -1, 0)
	}
	for k := 1; k < n/2; k++ {
		set(n-k, c[2*k], -c[2*k+1])
	}
	return c
}

// Together transforms as many sequences of length n, a power of two, as there are lanes. Element e of the
// sequences is at x[2·lanes·e:]: first the real parts of all sequences, then their imaginary parts. The input
// is ordered by Place, the result is in order. roots are those of Roots. It computes
//
//	X[k] = Σ_j x[j]·e^(-2πi·jk/n)
//
// by passes of radix 4 (decimation in time).
func Together(call *mem.Call, x []float64, n, lanes int, roots []float64) {
	if n < 2 {
		return
	}
	if lanes > 1 && n <= MostTogether && togetherSIMD(x, n, lanes, roots) {
		call.Work(n)
		return
	}
	h := firstPass(n)
	for l := range lanes {
		passes(call, x[l:], n, lanes, h, roots)
	}
}

// passes transforms one sequence. The real part of element e is x[2·lanes·e]. The imaginary part is
// x[2·lanes·e + lanes].
func passes(call *mem.Call, x []float64, n, lanes, h int, roots []float64) {
	step := 2 * lanes
	if h == 2 {
		for e := 0; e < n; e += 2 {
			pause(call, e, n)
			a, b := x[e*step:], x[(e+1)*step:]
			ar, ai, br, bi := a[0], a[lanes], b[0], b[lanes]
			a[0], a[lanes], b[0], b[lanes] = ar+br, ai+bi, ar-br, ai-bi
		}
	} else {
		for e := 0; e < n; e += 4 {
			pause(call, e, n)
			butterfly(x[e*step:], step, lanes, &one)
		}
	}
	for ; h < n; h *= 4 {
		for e := 0; e < n; e += 4 * h {
			pause(call, e, n)
			butterfly(x[e*step:], h*step, lanes, &one)
			w := roots
			for k := 1; k < h; k++ {
				pause(call, 4*k, n)
				butterfly(x[(e+k)*step:], h*step, lanes, (*[6]float64)(w))
				w = w[6:]
			}
		}
		roots = roots[6*(h-1):]
	}
}

// one holds three complex factors, all of which are 1.
var one = [6]float64{1, 0, 1, 0, 1, 0}

// butterfly transforms four elements that are step floats apart. The elements 1 to 3 are multiplied by w first.
func butterfly(x []float64, step, im int, w *[6]float64) {
	x0, x1, x2, x3 := x[:im+1], x[step:][:im+1], x[2*step:][:im+1], x[3*step:][:im+1]
	ar, ai := x0[0], x0[im]
	br := float64(x1[0]*w[0]) - float64(x1[im]*w[1])
	bi := float64(x1[0]*w[1]) + float64(x1[im]*w[0])
	cr := float64(x2[0]*w[2]) - float64(x2[im]*w[3])
	ci := float64(x2[0]*w[3]) + float64(x2[im]*w[2])
	dr := float64(x3[0]*w[4]) - float64(x3[im]*w[5])
	di := float64(x3[0]*w[5]) + float64(x3[im]*w[4])
	ar, ai, cr, ci = ar+cr, ai+ci, ar-cr, ai-ci
	br, bi, dr, di = br+dr, bi+di, br-dr, bi-di
	x0[0], x0[im] = ar+br, ai+bi
	x1[0], x1[im] = cr+di, ci-dr
	x2[0], x2[im] = ar-br, ai-bi
	x3[0], x3[im] = cr-di, ci+dr
}

// pace, a power of two, is the number of elements after which the work of a pass is counted.
const pace = 1 << 14

// pause counts the work of a pass over n elements from time to time; e is the number of elements done.
func pause(call *mem.Call, e, n int) {
	if e%pace == 0 {
		call.Work(min(n, pace))
	}
}
