// Package fft holds discrete Fourier transforms over the last one to three
// dimensions, of any length, computed in complex128.
package fft

import (
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/graphc/graphc/rt/mem"
)

// Params describes transforms of Batch blocks. A block of the input is In[0] × In[1] × In[2], a
// block of the output Out[0] × Out[1] × Out[2]. The last Rank dimensions are transformed; those
// before them are 1. N are the lengths of the transform.
type Params struct {
	Batch   int
	Rank    int
	In      [3]int
	Out     [3]int
	N       [3]int
	Inverse bool // with 1/length
}

// line transforms sequences of one length.
type line struct {
	call  *mem.Call
	n     int
	sign  float64
	chirp []complex128 // e^(sign·πi·k²/n) for Bluestein's method; nil if n is a power of two
	kern  []complex128 // the transformed chirp
	roots []complex128
	work  []complex128
}

// newLine prepares transforms of length n.
func newLine(call *mem.Call, n int, inverse bool) *line {
	l := &line{call: call, n: n, sign: -1}
	if inverse {
		l.sign = 1
	}
	if n&(n-1) == 0 {
		l.roots = roots(call, n, l.sign)
		return l
	}
	l.chirp = mem.Make[complex128](call, n) // first, because the run's budget then limits n before the shift below
	m := 1 << bits.Len(uint(2*n-2))
	l.kern, l.work = mem.Make[complex128](call, m), mem.Make[complex128](call, m)
	for k := range n {
		call.Work(rectWork)
		l.chirp[k] = cmplx.Rect(1, l.sign*math.Pi*float64(k*k%(2*n))/float64(n))
		l.kern[k] = cmplx.Conj(l.chirp[k])
		if k > 0 {
			l.kern[m-k] = l.kern[k]
		}
	}
	l.roots = roots(call, m, -1)
	radix2(call, l.kern, l.roots)
	return l
}

// rectWork is about how many nanoseconds a cosine and a sine take.
const rectWork = 32

func roots(call *mem.Call, n int, sign float64) []complex128 {
	r := mem.Make[complex128](call, n/2)
	for k := range r {
		call.Work(rectWork)
		r[k] = cmplx.Rect(1, sign*2*math.Pi*float64(k)/float64(n))
	}
	return r
}

// radix2 transforms x, whose length is a power of two, in place.
func radix2(call *mem.Call, x, roots []complex128) {
	n := len(x)
	shift := 64 - bits.Len(uint(n-1))
	if n > 1 {
		for i := range x {
			if i%pace == pace-1 {
				call.Work(pace)
			}
			if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
				x[i], x[j] = x[j], x[i]
			}
		}
	}
	for size := 2; size <= n; size *= 2 {
		half, step := size/2, n/size
		for at := 0; at < n; at += size {
			for lo := 0; lo < half; lo += pace {
				if at%pace == 0 {
					call.Work(pace)
				}
				for k := lo; k < min(half, lo+pace); k++ {
					a, b := x[at+k], x[at+half+k]*roots[k*step]
					x[at+k], x[at+half+k] = a+b, a-b
				}
			}
		}
	}
}

// pace, a power of two, is the number of elements after which the work is counted.
const pace = 1 << 14

// run transforms x in place. It does not apply the factor 1/n of an inverse transform.
func (l *line) run(x []complex128) {
	if l.n < 2 {
		return
	}
	if l.chirp == nil {
		radix2(l.call, x, l.roots)
		return
	}
	w := l.work
	clear(w)
	for k, c := range l.chirp {
		w[k] = x[k] * c
	}
	radix2(l.call, w, l.roots)
	for k := range w {
		w[k] = cmplx.Conj(w[k] * l.kern[k]) // the inverse transform is the conjugate of the conjugate's transform
	}
	radix2(l.call, w, l.roots)
	f := complex(1/float64(len(w)), 0)
	for k, c := range l.chirp {
		x[k] = cmplx.Conj(w[k]) * f * c
	}
}

// block is a volume of complex numbers, which is transformed along one axis after the other.
type block struct {
	dims  [3]int
	x     []complex128
	buf   []complex128
	lines [3]*line
}

func newBlock(call *mem.Call, p *Params) *block {
	b := &block{dims: p.N}
	b.x, b.buf = mem.Make[complex128](call, p.N[:]...), mem.Make[complex128](call, max(p.N[0], p.N[1], p.N[2]))
	for k := 3 - p.Rank; k < 3; k++ {
		if p.N[k] > 0 {
			b.lines[k] = newLine(call, p.N[k], p.Inverse)
		}
	}
	return b
}

func (b *block) axis(k int) {
	l := b.lines[k]
	if l == nil || len(b.x) == 0 {
		return
	}
	n, stride := b.dims[k], 1
	for _, d := range b.dims[k+1:] {
		stride *= d
	}
	buf := b.buf[:n]
	for at := range len(b.x) / n {
		l.call.Work(n)
		base := at/stride*stride*n + at%stride
		for i := range buf {
			buf[i] = b.x[base+i*stride]
		}
		l.run(buf)
		for i, v := range buf {
			b.x[base+i*stride] = v
		}
	}
}

// scale returns the factor that an inverse transform applies to its results. It is 1 for other
// transforms.
func (p *Params) scale() complex128 {
	n := 1
	for _, d := range p.N {
		n *= d
	}
	if !p.Inverse || n == 0 {
		return 1
	}
	return complex(1/float64(n), 0)
}

func size(d [3]int) int { return d[0] * d[1] * d[2] }

// each calls f for every position that is inside both of two volumes with the dimensions a and b. i
// and j are the position's offsets in the first and the second volume.
func each(a, b [3]int, f func(i, j int)) {
	for z := range min(a[0], b[0]) {
		for y := range min(a[1], b[1]) {
			for x := range min(a[2], b[2]) {
				f((z*a[1]+y)*a[2]+x, (z*b[1]+y)*b[2]+x)
			}
		}
	}
}

func complexes[T any](run *mem.Budget, dst, src []T, p *Params, load func(T) complex128, store func(complex128) T) {
	if len(dst) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	b := newBlock(&call, p)
	f := p.scale()
	for n := range p.Batch {
		in, out := src[n*size(p.In):], dst[n*size(p.Out):]
		each(p.N, p.In, func(i, j int) { b.x[i] = load(in[j]) })
		for k := range 3 {
			b.axis(k)
		}
		each(p.N, p.Out, func(i, j int) { out[j] = store(b.x[i] * f) })
	}
}

// forward transforms real numbers. Along the last dimension, it stores only the first half of the
// results.
func forward[R, C any](run *mem.Budget, dst []C, src []R, p *Params, load func(R) complex128, store func(complex128) C) {
	if len(dst) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	b := newBlock(&call, p)
	for n := range p.Batch {
		in, out := src[n*size(p.In):], dst[n*size(p.Out):]
		each(p.N, p.In, func(i, j int) { b.x[i] = load(in[j]) })
		for k := range 3 {
			b.axis(k)
		}
		each(p.N, p.Out, func(i, j int) { out[j] = store(b.x[i]) })
	}
}

// backward computes the inverse of forward. It sets the second half of the last dimension to the
// mirrored conjugate of the first half. In the last dimension, it ignores the imaginary parts of element
// 0 and, if the length n is even, of element n/2. An empty input gives zeros.
func backward[R, C any](run *mem.Budget, dst []R, src []C, p *Params, load func(C) complex128, store func(float64) R) {
	if len(src) == 0 { // the input is empty
		clear(dst)
		return
	}
	if len(dst) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	b := newBlock(&call, p)
	f := real(p.scale())
	w := p.N[2]
	half := p.N
	half[2] = w/2 + 1
	for n := range p.Batch {
		in, out := src[n*size(p.In):], dst[n*size(p.Out):]
		clear(b.x)
		for z := range p.N[0] {
			for y := range p.N[1] {
				for x := range min(half[2], w) {
					b.x[(z*p.N[1]+y)*w+x] = load(in[(z*p.In[1]+y)*p.In[2]+x])
				}
			}
		}
		for k := range 2 {
			b.axis(k)
		}
		for at := 0; at+w <= len(b.x) && w > 0; at += w {
			row := b.x[at : at+w]
			for x := w/2 + 1; x < w; x++ {
				row[x] = cmplx.Conj(row[w-x])
			}
			row[0] = complex(real(row[0]), 0)
			if w%2 == 0 {
				row[w/2] = complex(real(row[w/2]), 0)
			}
		}
		b.axis(2)
		each(p.N, p.Out, func(i, j int) { out[j] = store(real(b.x[i]) * f) })
	}
}

func w64(v complex64) complex128   { return complex128(v) }
func n64(v complex128) complex64   { return complex64(v) }
func same(v complex128) complex128 { return v }

// C64 transforms complex numbers; the lengths are those of the input.
func C64(run *mem.Budget, dst, src []complex64, p Params) { complexes(run, dst, src, &p, w64, n64) }

// C128 is C64 for c128.
func C128(run *mem.Budget, dst, src []complex128, p Params) { complexes(run, dst, src, &p, same, same) }

// RealC64 transforms real numbers. It crops the input to the lengths N. Along the last dimension,
// it stores N[2]/2+1 elements.
func RealC64(run *mem.Budget, dst []complex64, src []float32, p Params) {
	forward(run, dst, src, &p, func(v float32) complex128 { return complex(float64(v), 0) }, n64)
}

// RealC128 is RealC64 for f64 and c128.
func RealC128(run *mem.Budget, dst []complex128, src []float64, p Params) {
	forward(run, dst, src, &p, func(v float64) complex128 { return complex(v, 0) }, same)
}

// InverseF32 is the inverse of RealC64. p.Inverse must be set.
func InverseF32(run *mem.Budget, dst []float32, src []complex64, p Params) {
	backward(run, dst, src, &p, w64, func(v float64) float32 { return float32(v) })
}

// InverseF64 is InverseF32 for c128 and f64.
func InverseF64(run *mem.Budget, dst []float64, src []complex128, p Params) {
	backward(run, dst, src, &p, same, func(v float64) float64 { return v })
}
