package fft

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// Flags that are passed to the kernels. They can be combined.
const (
	inverse = 1 << iota
	realsIn
	halfIn
	realsOut
)

// kernels are the kernels of a type of complex numbers.
type kernels struct {
	size int // size in bytes of a complex number
	// limit is the length of the longest line that fits in shared memory.
	limit                                  int
	lines, gather, scatter, chirps, filter *device.Kernel
}

// lines locates a set of lines in the input and the output. The set has the dimensions dims, at most
// four. The slices in and out hold the strides of these dimensions. The fields is and os are the
// strides between neighbouring elements of a line, in the input and in the output.
type lines struct {
	dims, in, out []int
	is, os        int
}

func (l *lines) count() int {
	n := 1
	for _, d := range l.dims {
		n *= d
	}
	return n
}

// and(n, in, out, is, os) returns a copy of l with one more dimension, whose size is n. The stride
// of this dimension is `in` for the input and `out` for the output. The stride between neighbouring
// elements of the new lines is `is` for the input and `os` for the output.
func (l *lines) and(n, in, out, is, os int) lines {
	add := func(s []int, v int) []int { return append(append([]int{}, s...), v) }
	return lines{add(l.dims, n), add(l.in, in), add(l.out, out), is, os}
}

// dense returns the strides that l's dimensions have when lines of n elements are stored without
// gaps.
func (l *lines) dense(n int) []int {
	s := make([]int, len(l.dims))
	for k := len(s) - 1; k >= 0; k-- {
		s[k] = n
		n *= l.dims[k]
	}
	return s
}

// args returns the dimensions and strides as arguments of a kernel.
func (l *lines) args() []uint64 {
	var dims, in, out [4]int
	for k := range dims {
		dims[k] = 1
	}
	at := 4 - len(l.dims)
	copy(dims[at:], l.dims)
	copy(in[at:], l.in)
	copy(out[at:], l.out)
	a := make([]uint64, 0, 24)
	for _, v := range [...]int{dims[1], dims[2], dims[3], in[0], in[1], in[2], in[3], l.is, out[0], out[1], out[2], out[3], l.os} {
		a = append(a, uint64(v))
	}
	return a
}

// last is the largest prime radix of a pass.
const last = 61

// factors returns the radices of n, packed in six bits each. It prefers the radix 4 to two radices 2.
// rest is the product of those prime factors of n that exceed the constant last.
func factors(n int) (packed uint64, rest int) {
	at := 0
	take := func(f int) {
		for n%f == 0 {
			packed |= uint64(f) << at
			at += 6
			n /= f
		}
	}
	if n < 1 {
		return 0, 1
	}
	take(4)
	for f := 2; f <= last && n > 1; f++ {
		take(f)
	}
	return packed, n
}

// smooth reports whether n has no prime factor that exceeds the constant last. n is at least 1.
func smooth(n int) bool {
	for f := 2; f <= last; f++ {
		for n%f == 0 {
			n /= f
		}
	}
	return n == 1
}

// split returns a factor of n that is at most limit. This is a product of prime factors of n. split
// goes through the prime factors from the largest to the smallest, and leaves out each one that would
// make the product greater than limit. limit must be at least the largest prime radix, the constant
// `last`.
func split(n, limit int) int {
	var primes []int
	for f := 2; n > 1; f++ {
		for ; n%f == 0; n /= f {
			primes = append(primes, f)
		}
	}
	m := 1
	for i := len(primes) - 1; i >= 0; i-- {
		if m*primes[i] <= limit {
			m *= primes[i]
		}
	}
	return m
}

// each(q, k, n, args...) launches the kernel k with threads that loop over n elements.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

// once transforms lines that fit in shared memory, with a single launch of the kernel "lines". The
// comment of this kernel in fft.cu explains the arguments.
func (k *kernels) once(q *device.Queue, dst, src device.Ptr, n, whole int, l *lines, flags uint64, keep int, scale float64) {
	count := l.count()
	if count == 0 || keep == 0 {
		return
	}
	packed, _ := factors(n)
	side := max(1, min(128, k.limit/n, (count+2*q.Processors()-1)/(2*q.Processors())))
	args := append([]uint64{uint64(dst), uint64(src), uint64(n), packed, uint64(count), uint64(side)}, l.args()...)
	args = append(args, uint64(whole), flags, uint64(keep), math.Float64bits(scale))
	q.Launch(k.lines, device.Line(device.Blocks(count, side, 8*q.Processors())), device.Line(min(256, max(32, (side*n/4+31)/32*32, (side+31)/32*32))), (n/2+1+2*side*n)*k.size, args...)
}

// transform transforms lines of any length n that has no prime factors above the constant last.
// Lines that do not fit in shared memory are treated as matrices of n1 rows and n2 columns: first
// the columns are transformed and multiplied by twiddle factors, then the rows are transformed. t
// and u are scratch. Each has as many elements as all lines together.
func (k *kernels) transform(q *device.Queue, dst, src, t, u device.Ptr, n int, l lines, flags uint64) {
	if n <= k.limit {
		k.once(q, dst, src, n, 0, &l, flags, n, 1)
		return
	}
	n1 := split(n, k.limit)
	n2 := n / n1
	dense := l
	dense.out = l.dense(n)
	columns := dense.and(n2, l.is, 1, l.is*n2, n2)
	k.once(q, t, src, n1, n, &columns, flags, n1, 1)
	rows := lines{l.dims, dense.out, l.out, 0, 0}
	k.transform(q, dst, t, u, t, n2, rows.and(n1, n2, l.os, 1, l.os*n1), flags)
}

// chunk is the largest number of elements that are processed together, for lines that do not fit in
// shared memory. A single line may be longer.
const chunk = 1 << 20

// room computes how much scratch memory the transform of count lines of n elements needs. The lines
// are processed in groups of `per` lines. In scratch memory, each line occupies m elements: n, or
// more for Bluestein's method. The size of the scratch memory is returned last, as a number of
// elements. It is 4·per·m, plus n+m for the chirps of Bluestein's method. All results are 0 if the
// lines need no scratch memory.
func (k *kernels) room(n, count int) (m, per, elements int) {
	if count == 0 || n == 0 || n <= k.limit && smooth(n) {
		return 0, 0, 0
	}
	m = n
	more := 0
	if !smooth(n) {
		for m = 1; m < 2*n-1; {
			m *= 2
		}
		more = n + m
	}
	per = max(1, min(count, chunk/m))
	return m, per, 4*per*m + more
}

// axis transforms lines of any length. A length that has prime factors above the constant last is
// handled with Bluestein's method (1970): the line is convolved with a chirp, by transforms whose
// length is a power of two.
func (k *kernels) axis(q *device.Queue, dst, src, scratch device.Ptr, n int, l lines, flags uint64, keep int, scale float64) {
	count := l.count()
	m, per, _ := k.room(n, count)
	if m == 0 {
		if n > 0 {
			k.once(q, dst, src, n, 0, &l, flags, keep, scale)
		}
		return
	}
	next := func(elements int) device.Ptr {
		p := scratch
		scratch += device.Ptr(elements * k.size)
		return p
	}
	a, b, t, u := next(per*m), next(per*m), next(per*m), next(per*m)
	whole := func(lines_ int) lines { return lines{[]int{lines_}, []int{m}, []int{m}, 1, 1} }
	var chirp, kern device.Ptr
	if m != n {
		chirp, kern = next(n), next(m)
		each(q, k.chirps, m, uint64(chirp), uint64(a), uint64(n), uint64(m), flags)
		k.transform(q, kern, a, t, u, m, whole(1), 0)
		scale /= float64(m)
	}
	for first := 0; first < count; first += per {
		now := min(per, count-first)
		args := append([]uint64{uint64(a), uint64(src), uint64(chirp), uint64(n), uint64(m), uint64(first), uint64(now)}, l.args()...)
		each(q, k.gather, now*m, append(args, flags)...)
		result := b
		if m == n {
			k.transform(q, b, a, t, u, m, whole(now), flags&inverse)
		} else {
			// The inverse transform is the conjugate of the forward transform of the conjugate.
			k.transform(q, b, a, t, u, m, whole(now), 0)
			each(q, k.filter, now*m, uint64(b), uint64(kern), uint64(m), uint64(now))
			k.transform(q, a, b, t, u, m, whole(now), 0)
			result = a
		}
		args = append([]uint64{uint64(dst), uint64(result), uint64(chirp), uint64(keep), uint64(m), uint64(first), uint64(now)}, l.args()...)
		each(q, k.scatter, now*keep, append(args, flags, math.Float64bits(scale))...)
	}
}
