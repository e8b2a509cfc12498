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
	power int          // the power of two that is transformed: n, or the length of kern
	roots []float64    // the roots that Together needs for the length in the field power
	work  []float64    // sequences for Together
	back  []float64    // with chirp: the sequence that is transformed back
	lanes int          // the number of sequences in work
}

// newLine prepares transforms of count sequences of length n.
func newLine(call *mem.Call, n, count int, inverse bool) *line {
	l := &line{call: call, n: n, sign: -1, power: n, lanes: 1}
	if inverse {
		l.sign = 1
	}
	if n&(n-1) == 0 {
		if lanes := Lanes(n); count >= lanes {
			l.lanes = lanes
		}
		l.roots, l.work = Roots(call, n), mem.Make[float64](call, 2*l.lanes, n)
		return l
	}
	// The slice for n numbers is allocated first. This ends the run if n is too large for the run's budget, so
	// the shift below cannot overflow.
	l.chirp = mem.Make[complex128](call, n)
	m := 1 << bits.Len(uint(2*n-2))
	l.kern, l.work, l.back = mem.Make[complex128](call, m), mem.Make[float64](call, 2, m), mem.Make[float64](call, 2, m)
	for k := range n {
		call.Work(rectWork)
		l.chirp[k] = cmplx.Rect(1, l.sign*math.Pi*float64(k*k%(2*n))/float64(n))
		l.kern[k] = cmplx.Conj(l.chirp[k])
		if k > 0 {
			l.kern[m-k] = l.kern[k]
		}
	}
	l.power, l.roots = m, Roots(call, m)
	for k, v := range l.kern {
		put(l.work, Place(k, m), v)
	}
	Together(call, l.work, m, 1, l.roots)
	for k := range l.kern {
		l.kern[k] = complex(l.work[2*k], l.work[2*k+1])
	}
	return l
}

// rectWork is about how many nanoseconds a cosine and a sine take.
const rectWork = 32

// put stores v as an element of a single sequence. The second argument is the element's index.
func put(x []float64, at int, v complex128) { x[2*at], x[2*at+1] = real(v), imag(v) }

// chirped transforms the elements first, first+step, … of x in place, by Bluestein's method. It does not apply
// the factor 1/n of an inverse transform.
func (l *line) chirped(x []complex128, first, step int) {
	m := l.power
	clear(l.work)
	for k, c := range l.chirp {
		put(l.work, Place(k, m), x[first+k*step]*c)
	}
	Together(l.call, l.work, m, 1, l.roots)
	// The inverse transform is the conjugate of the conjugate's transform.
	for k, c := range l.kern {
		put(l.back, Place(k, m), cmplx.Conj(complex(l.work[2*k], l.work[2*k+1])*c))
	}
	Together(l.call, l.back, m, 1, l.roots)
	f := complex(1/float64(m), 0)
	for k, c := range l.chirp {
		x[first+k*step] = complex(l.back[2*k], -l.back[2*k+1]) * f * c
	}
}

// together transforms sequences whose length is a power of two in place. Each begins at one of the given
// indices of x; its elements are step apart. There are at most l.lanes sequences. It does not apply the factor
// 1/n of an inverse transform, which is computed as the conjugate of the conjugate's transform.
func (l *line) together(x []complex128, first []int, step int) {
	lanes := l.lanes
	if len(first) < lanes {
		lanes = 1
	}
	for len(first) > 0 {
		if lanes == 1 && l.n >= 16 && Lanes(l.n/4) > 1 {
			l.quarters(x, first[0], step)
			first = first[1:]
			continue
		}
		w := l.work[:2*lanes*l.n]
		for k := range l.n {
			at := w[2*lanes*Place(k, l.n):][:2*lanes]
			for i, f := range first[:lanes] {
				v := x[f+k*step]
				at[i], at[lanes+i] = real(v), -l.sign*imag(v)
			}
		}
		Together(l.call, w, l.n, lanes, l.roots)
		for k := range l.n {
			at := w[2*lanes*k:][:2*lanes]
			for i, f := range first[:lanes] {
				x[f+k*step] = complex(at[i], -l.sign*at[lanes+i])
			}
		}
		first = first[lanes:]
	}
}

// quarters does the work of the method together for a single sequence. Four sequences, each of every fourth
// element, are transformed side by side. The last pass combines them.
func (l *line) quarters(x []complex128, first, step int) {
	h := l.n / 4
	w := l.work[:2*l.n]
	for j := range h {
		at := w[8*Place(j, h):][:8]
		for c := range 4 {
			v := x[first+(4*j+c)*step]
			at[c], at[4+c] = real(v), -l.sign*imag(v)
		}
	}
	roots := l.roots[RootsLen(h):]
	Together(l.call, w, h, 4, l.roots[:RootsLen(h)])
	factors := &one
	for k := range h {
		at := w[8*k:][:8]
		butterfly(at, 1, 4, factors)
		for c := range 4 {
			x[first+(k+c*h)*step] = complex(at[c], -l.sign*at[4+c])
		}
		if k+1 < h {
			factors = (*[6]float64)(roots[6*k:])
		}
	}
}

// block holds volumes of complex numbers, which are transformed along one axis after the other.
type block struct {
	dims  [3]int
	count int // volumes
	x     []complex128
	lines [3]*line
}

// mostElements bounds the elements of a block of several volumes, so that they stay in a cache.
const mostElements = 1 << 14

func newBlock(call *mem.Call, p *Params) *block {
	b := &block{dims: p.N, count: 1}
	// Several small volumes are transformed side by side.
	if n := mem.Len(p.N[:]...); n > 0 {
		b.count = max(min(Lanes(n), p.Batch, mostElements/n), 1)
	}
	b.x = mem.Make[complex128](call, b.count, p.N[0], p.N[1], p.N[2])
	for k := 3 - p.Rank; k < 3; k++ {
		if p.N[k] > 0 {
			b.lines[k] = newLine(call, p.N[k], len(b.x)/p.N[k], p.Inverse)
		}
	}
	return b
}

// volume returns volume v.
func (b *block) volume(v int) []complex128 {
	n := len(b.x) / b.count
	return b.x[v*n : (v+1)*n]
}

// axis transforms the first count volumes along axis k.
func (b *block) axis(k, count int) {
	l := b.lines[k]
	if l == nil || len(b.x) == 0 || l.n < 2 {
		return
	}
	n, stride := b.dims[k], 1
	for _, d := range b.dims[k+1:] {
		stride *= d
	}
	var first [MostLanes]int
	some := 0
	for at := range count * (len(b.x) / b.count) / n {
		l.call.Work(n)
		base := at/stride*stride*n + at%stride
		if l.chirp != nil {
			l.chirped(b.x, base, stride)
			continue
		}
		first[some] = base
		if some++; some == l.lanes {
			l.together(b.x, first[:some], stride)
			some = 0
		}
	}
	l.together(b.x, first[:some], stride)
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

// transform transforms all volumes along all axes.
func transform[D, S any](call *mem.Call, dst []D, src []S, p *Params, load func(S) complex128, store func(complex128) D) {
	b := newBlock(call, p)
	for n := 0; n < p.Batch; n += b.count {
		count := min(b.count, p.Batch-n)
		for v := range count {
			x, in := b.volume(v), src[(n+v)*size(p.In):]
			each(p.N, p.In, func(i, j int) { x[i] = load(in[j]) })
		}
		for k := range 3 {
			b.axis(k, count)
		}
		for v := range count {
			x, out := b.volume(v), dst[(n+v)*size(p.Out):]
			each(p.N, p.Out, func(i, j int) { out[j] = store(x[i]) })
		}
	}
}

func complexes[T any](run *mem.Budget, dst, src []T, p *Params, load func(T) complex128, store func(complex128) T) {
	if len(dst) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	f := p.scale()
	transform(&call, dst, src, p, load, func(v complex128) T { return store(v * f) })
}

// forward transforms real numbers. Along the last dimension, it stores only the first half of the
// results.
func forward[R, C any](run *mem.Budget, dst []C, src []R, p *Params, load func(R) complex128, store func(complex128) C) {
	if len(dst) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	transform(&call, dst, src, p, load, store)
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
	for n := 0; n < p.Batch; n += b.count {
		count := min(b.count, p.Batch-n)
		clear(b.x)
		for v := range count {
			vol, in := b.volume(v), src[(n+v)*size(p.In):]
			for z := range p.N[0] {
				for y := range p.N[1] {
					for x := range min(half[2], w) {
						vol[(z*p.N[1]+y)*w+x] = load(in[(z*p.In[1]+y)*p.In[2]+x])
					}
				}
			}
		}
		for k := range 2 {
			b.axis(k, count)
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
		b.axis(2, count)
		for v := range count {
			x, out := b.volume(v), dst[(n+v)*size(p.Out):]
			each(p.N, p.Out, func(i, j int) { out[j] = store(real(x[i]) * f) })
		}
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
