package reduce

// MaxDims is the largest number of dimensions in Dims. A tensor of eight dimensions needs them if
// the axes are known only at run time. Each of its dimensions then has a kept and a reduced size,
// one of which is 1.
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

// merged returns d without dimensions of 1 and with neighbours of the same kind merged. Sizes that
// are known only at run time may allow this.
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

// odometer iterates over the offsets of elements in some of the dimensions.
type odometer struct {
	n         int
	dim, step [MaxDims]int // innermost first
	idx       [MaxDims]int
}

func (o *odometer) add(dim, step int) {
	o.dim[o.n], o.step[o.n] = dim, step
	o.n++
}

// pop removes the innermost dimension and returns it.
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

// next returns the offset after off; after the last comes the first again.
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

// reducer reduces elements of type T to an R through an accumulator A.
type reducer[T, A, R any] struct {
	first  A
	row    func(a A, src []T) A // reduces a row into one accumulator
	column func(a []A, src []T) // reduces src[i] into a[i]
	done   func(a A, n int) R   // n is the number of elements reduced

	// columns and rows may be nil. For all rows r, columns reduces src[r·stride + i] into a[i].
	// rows sets dst to the results of rows of n elements each. It returns false if it cannot handle
	// them.
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
