package reduce

// MaxDims is the largest number of dimensions in Dims. A tensor of eight dimensions needs all 16 if
// the axes are known only at run time. In this case, each dimension of the tensor becomes two
// dimensions of Dims, a kept one and a reduced one, and one of the two has the size 1.
const MaxDims = 16

// MaxColumns is the largest number of accumulators that a kernel uses as scratch.
const MaxColumns = 512

// Dims is the shape of an input. Its N dimensions, the outermost first, are kept and reduced in
// turn: D[0] is kept, D[1] reduced, D[2] kept and so on. If the first dimension is reduced, D[0] is
// 1. The result has an element for each position in the kept dimensions.
type Dims struct {
	N int
	D [MaxDims]int
}

// merged returns an equivalent Dims with as few dimensions as possible. It removes dimensions of
// size 1, and then merges neighbouring dimensions that are both kept or both reduced.
func (d *Dims) merged() Dims {
	m := Dims{N: 1}
	m.D[0] = 1
	for i := range d.N {
		switch {
		case d.D[i] == 1:
		case i%2 == (m.N-1)%2:
			m.D[m.N-1] *= d.D[i]
		default:
			m.D[m.N] = d.D[i]
			m.N++
		}
	}
	return m
}

// count returns the number of elements that are reduced to each element of the result.
func (d *Dims) count() int {
	n := 1
	for i := 1; i < d.N; i += 2 {
		n *= d.D[i]
	}
	return n
}

// odometer iterates over the offsets of the elements at all positions in some of the dimensions of
// a tensor.
type odometer struct {
	n         int
	dim, step [MaxDims]int // innermost first
	idx       [MaxDims]int
}

func (o *odometer) add(dim, step int) {
	o.dim[o.n], o.step[o.n] = dim, step
	o.n++
}

// pop removes the innermost dimension. It returns the size of this dimension and the distance
// between neighbouring elements along it.
func (o *odometer) pop() (dim, step int) {
	dim, step = o.dim[0], o.step[0]
	copy(o.dim[:o.n], o.dim[1:o.n])
	copy(o.step[:o.n], o.step[1:o.n])
	o.n--
	return dim, step
}

// size returns the number of offsets.
func (o *odometer) size() int {
	s := 1
	for _, d := range o.dim[:o.n] {
		s *= d
	}
	return s
}

// next advances to the next position and returns its offset. off is the offset of the current
// position. After the last position, next returns to the first one.
func (o *odometer) next(off int) int {
	for i := range o.n {
		off += o.step[i]
		if o.idx[i]++; o.idx[i] < o.dim[i] {
			return off
		}
		off -= o.step[i] * o.dim[i]
		o.idx[i] = 0
	}
	return off
}

// reducer describes a reduction. Its elements have the type T, its accumulators have the type A,
// and its results have the type R.
type reducer[T, A, R any] struct {
	first  A
	row    func(a A, src []T) A // returns the accumulator a after the elements of a row are combined with it
	column func(a []A, src []T) // combines each src[i] with the accumulator a[i]
	done   func(a A, n int) R   // returns the result for an accumulator with which n elements were combined

	// The functions columns and rows are faster for many rows. Either may be nil. The function
	// columns combines src[r·stride + i] with the accumulator a[i] for all rows r. The function
	// rows sets dst to the results of rows of n elements each, or returns false if it does not
	// support them.
	columns func(a []A, src []T, rows, stride int)
	rows    func(dst []R, src []T, n int) bool
}

// reduce applies the reducer r to src. acc is scratch of 1 to MaxColumns accumulators, used if the
// innermost dimension is kept. dst has an element for each position in the kept dimensions.
func reduce[T, A, R any](dst []R, src []T, d Dims, acc []A, r reducer[T, A, R]) {
	if len(dst) == 0 {
		return
	}
	d = d.merged()
	n := d.count()
	inner := d.D[d.N-1]
	var kept, reduced odometer
	step := inner
	for i := d.N - 2; i >= 0; i-- {
		if i%2 == 0 {
			kept.add(d.D[i], step)
		} else {
			reduced.add(d.D[i], step)
		}
		step *= d.D[i]
	}
	times := reduced.size()
	if d.N%2 == 0 {
		if n == 0 {
			times = 0
		}
		if r.rows != nil && d.N == 2 && n > 0 && r.rows(dst, src, n) {
			return
		}
		base := 0
		for o := range dst {
			a, off := r.first, 0
			for range times {
				a = r.row(a, src[base+off:][:inner])
				off = reduced.next(off)
			}
			dst[o] = r.done(a, n)
			base = kept.next(base)
		}
		return
	}
	stride, group := 0, 1
	if r.columns != nil && reduced.n > 0 {
		group, stride = reduced.pop()
		times = reduced.size()
	}
	base := 0
	for o := 0; o < len(dst); o += inner {
		for c := 0; c < inner; c += len(acc) {
			a := acc[:min(len(acc), inner-c)]
			for i := range a {
				a[i] = r.first
			}
			off := base + c
			for range times {
				switch {
				case stride == 0:
					r.column(a, src[off:][:len(a)])
				case group > 0:
					r.columns(a, src[off:], group, stride)
				}
				off = base + c + reduced.next(off-base-c)
			}
			out := dst[o+c:][:len(a)]
			for i, v := range a {
				out[i] = r.done(v, n)
			}
		}
		base = kept.next(base)
	}
}
