package csr

import (
	"math"
	"math/bits"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Form says whether an operand or a result is transposed, and whether it is conjugated.
type Form struct{ Transpose, Conj bool }

// Product describes a product of a sparse matrix A and a dense one B.
type Product struct {
	A, B, Out    Form
	BRows, BCols int // size of B before it is transposed
}

func same[T field](v T) T { return v }

func conj64(v complex64) complex64 { return complex(real(v), -imag(v)) }

func conj128(v complex128) complex128 { return complex(real(v), -imag(v)) }

func conjIf[T field](on bool, conj func(T) T) func(T) T {
	if on {
		return conj
	}
	return same[T]
}

// product sets dst to A·B for each matrix of the batch. The fields of p say which of A, B and the
// result are transposed or conjugated.
func product[T field](run *mem.Budget, dst []T, h []tensor.Handle, b []T, p Product, conj func(T) T) error {
	m, values, err := typed[T](h)
	if err != nil {
		return err
	}
	rows, inner, below, cols := m.Rows, m.Cols, p.BRows, p.BCols
	if p.A.Transpose {
		rows, inner = inner, rows
	}
	if p.B.Transpose {
		below, cols = cols, below
	}
	if inner != below || len(b) != m.Batch*p.BRows*p.BCols || len(dst) != m.Batch*rows*cols {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of the shape %v does not fit %d dense ones of [%d,%d]", tensor.Shape(m.dims()), m.Batch, p.BRows, p.BCols)
	}
	clear(dst)
	call := run.Call()
	conjA, conjB := conjIf(p.A.Conj, conj), conjIf(p.B.Conj, conj)
	for at := range m.Batch {
		ptr, col, lo, _ := m.rows(at)
		x, out := b[at*p.BRows*p.BCols:(at+1)*p.BRows*p.BCols], dst[at*rows*cols:(at+1)*rows*cols]
		for r := range m.Rows {
			for k := ptr[r]; k < ptr[r+1]; k++ {
				i, j := r, int(col[k])
				if p.A.Transpose {
					i, j = j, i
				}
				call.Work(4 * cols)
				v := conjA(values[lo+int(k)])
				for n := range cols {
					u := j*p.BCols + n
					if p.B.Transpose {
						u = n*p.BCols + j
					}
					w := i*cols + n
					if p.Out.Transpose {
						w = n*rows + i
					}
					out[w] += T(v * conjB(x[u]))
				}
			}
		}
	}
	if p.Out.Conj {
		for i, v := range dst {
			dst[i] = conj(v)
		}
	}
	return nil
}

// turned returns the matrix m and its values, transposed and conjugated as f says.
func turned[T field](m *Matrix, values []T, f Form, conj func(T) T) (*Matrix, []T) {
	if f.Conj {
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = conj(v)
		}
	}
	if !f.Transpose {
		c := *m
		c.Values = values
		return &c, values
	}
	t := &Matrix{DType: m.DType, Batched: m.Batched, Batch: m.Batch, Rows: m.Cols, Cols: m.Rows, Starts: slices.Clone(m.Starts),
		RowPtr: make([]int32, m.Batch*(m.Cols+1)), Col: make([]int32, len(m.Col))}
	out := make([]T, len(values))
	for b := range m.Batch {
		ptr, col, lo, _ := m.rows(b)
		to := t.RowPtr[b*(t.Rows+1) : (b+1)*(t.Rows+1)]
		for _, c := range col {
			to[c+1]++
		}
		for r := range t.Rows {
			to[r+1] += to[r]
		}
		// The loop moves each row pointer forward to the beginning of the next row. Afterwards,
		// copy restores the pointers by shifting them by one position.
		for r := range m.Rows {
			for k := ptr[r]; k < ptr[r+1]; k++ {
				at := lo + int(to[col[k]])
				to[col[k]]++
				t.Col[at], out[at] = int32(r), values[lo+int(k)]
			}
		}
		copy(to[1:], to[:t.Rows])
		to[0] = 0
	}
	t.Values = out
	return t, out
}

// TransposedRoom returns the number of row pointers of a transposed matrix, or
// InvalidArgument for more than an int32 can count.
func TransposedRoom(h []tensor.Handle) (int, error) {
	m, err := of(h)
	if err != nil {
		return 0, err
	}
	return RoomOf([]int64{int64(m.Batch), int64(m.Cols), 1}, 0)
}

// transpose stores a matrix in dst, transposed and conjugated as f says.
func transpose[T field](dst, h []tensor.Handle, f Form, conj func(T) T) error {
	m, values, err := typed[T](h)
	if err != nil {
		return err
	}
	t, _ := turned(m, values, f, conj)
	dst[0] = tensor.Handle{V: t}
	return nil
}

// factors are the two matrices of a product, already transposed.
type factors struct {
	a, b *Matrix
	// cols holds the distinct columns of b's values, sorted. For each value of b, place holds the
	// position of the value's column in cols.
	place []int32
	cols  []int32
}

// fit returns InvalidArgument unless a and b can be multiplied after the transpositions in fa and fb.
func fit(a, b *Matrix, fa, fb Form) error {
	if a.DType != b.DType || a.Batched != b.Batched || a.Batch != b.Batch {
		return tensor.Errorf(tensor.InvalidArgument, "types and batch sizes of A and B do not agree: they are %v%v and %v%v", a.DType, tensor.Shape(a.dims()), b.DType, tensor.Shape(b.dims()))
	}
	inner, below := a.Cols, b.Rows
	if fa.Transpose {
		inner = a.Rows
	}
	if fb.Transpose {
		below = b.Cols
	}
	if inner != below {
		return tensor.Errorf(tensor.InvalidArgument, "inner product dimensions of A and B do not agree: %d and %d", inner, below)
	}
	return nil
}

func newFactors(call *mem.Call, a, b *Matrix) *factors {
	call.Need(mem.Mul(len(b.Col), 8))
	call.Work(len(b.Col))
	f := &factors{a: a, b: b, cols: slices.Clone(b.Col), place: make([]int32, len(b.Col))}
	sortInts(call, f.cols)
	f.cols = slices.Compact(f.cols)
	for i, c := range b.Col {
		call.Work(2 * bits.Len(uint(len(f.cols))))
		at, _ := slices.BinarySearch(f.cols, c)
		f.place[i] = int32(at)
	}
	return f
}

// each visits all pairs of values that are multiplied. For value i of f.a and value j of f.b, it
// calls meet(place, i, j), where place is the position in f.cols of the column to which the product
// belongs. After the last pair of a row of the result, it calls row(), and stops if this call
// returns false.
func (f *factors) each(call *mem.Call, meet func(place int32, i, j int), row func() bool) {
	for at := range f.a.Batch {
		pa, ca, la, _ := f.a.rows(at)
		pb, _, lb, _ := f.b.rows(at)
		for r := range f.a.Rows {
			for k := pa[r]; k < pa[r+1]; k++ {
				i := ca[k]
				call.Work(4 * (1 + int(pb[i+1]-pb[i])))
				for l := pb[i]; l < pb[i+1]; l++ {
					meet(f.place[lb+int(l)], la+int(k), lb+int(l))
				}
			}
			if !row() {
				return
			}
		}
	}
}

// least returns a lower bound for the number of values of the product of f.a and f.b. A row of the
// product has at least as many values as the longest row of f.b that contributes to it.
func (f *factors) least() int {
	n := 0
	for at := range f.a.Batch {
		pa, ca, _, _ := f.a.rows(at)
		pb, _, _, _ := f.b.rows(at)
		for r := range f.a.Rows {
			most := int32(0)
			for _, i := range ca[pa[r]:pa[r+1]] {
				most = max(most, pb[i+1]-pb[i])
			}
			n += int(most)
		}
	}
	return n
}

// countable limits the work of sparseRoom. If factors.least returns more than countable, sparseRoom
// does not count the values of the product, but returns this lower bound. Such a product is
// unlikely to fit into memory, and counting takes longer than computing the bound.
const countable = 1 << 29

func tooMany() error {
	return tensor.Errorf(tensor.ResourceExhausted, "a product of sparse matrices has more values than an int32 counts")
}

// sparseRoom returns the number of values of the product of two matrices. If a lower bound for it
// is above countable, sparseRoom returns that bound instead.
func sparseRoom[T field](run *mem.Budget, ha, hb []tensor.Handle, fa, fb Form) (int, error) {
	a, x, err := typed[T](ha)
	if err != nil {
		return 0, err
	}
	b, y, err := typed[T](hb)
	if err != nil {
		return 0, err
	}
	if err := fit(a, b, fa, fb); err != nil {
		return 0, err
	}
	call := run.Call()
	defer call.Free()
	a, _ = turned(a, x, Form{Transpose: fa.Transpose}, same[T])
	b, _ = turned(b, y, Form{Transpose: fb.Transpose}, same[T])
	f := newFactors(&call, a, b)
	if n := f.least(); n > math.MaxInt32 {
		return 0, tooMany()
	} else if n > countable {
		return n, nil
	}
	seen, n, mark := mem.Make[int](&call, len(f.cols)), 0, 1
	f.each(&call, func(c int32, _, _ int) {
		if seen[c] != mark {
			seen[c] = mark
			n++
		}
	}, func() bool {
		mark++
		return n <= math.MaxInt32
	})
	if n > math.MaxInt32 {
		return 0, tooMany()
	}
	return n, nil
}

// sparseProduct makes the product of two matrices. room is sparseRoom's result. The product
// has a value wherever two values are multiplied, even if the sum is 0.
func sparseProduct[T field](run *mem.Budget, dst, ha, hb []tensor.Handle, fa, fb Form, room int, conj func(T) T) error {
	a, x, err := typed[T](ha)
	if err != nil {
		return err
	}
	b, y, err := typed[T](hb)
	if err != nil {
		return err
	}
	if err := fit(a, b, fa, fb); err != nil {
		return err
	}
	call := run.Call()
	defer call.Free()
	a, x = turned(a, x, fa, conj)
	b, y = turned(b, y, fb, conj)
	f := newFactors(&call, a, b)
	m := &Matrix{DType: a.DType, Batched: a.Batched, Batch: a.Batch, Rows: a.Rows, Cols: b.Cols,
		Starts: make([]int32, a.Batch+1), RowPtr: make([]int32, a.Batch*(a.Rows+1)), Col: make([]int32, 0, room)}
	values := make([]T, 0, room)
	seen, sums, mark := mem.Make[int](&call, len(f.cols)), mem.Make[T](&call, len(f.cols)), 1
	places := mem.Make[int32](&call, len(f.cols))[:0]
	f.each(&call, func(c int32, i, j int) {
		if seen[c] != mark {
			seen[c], sums[c] = mark, 0
			places = append(places, c)
		}
		sums[c] += T(x[i] * y[j])
	}, func() bool {
		sortInts(&call, places)
		for _, c := range places {
			m.Col, values = append(m.Col, f.cols[c]), append(values, sums[c])
		}
		at, r := (mark-1)/a.Rows, (mark-1)%a.Rows
		m.RowPtr[at*(a.Rows+1)+r+1] = int32(len(places))
		m.Starts[at+1] += int32(len(places))
		places = places[:0]
		mark++
		return len(m.Col) <= math.MaxInt32
	})
	if len(m.Col) > math.MaxInt32 {
		return tooMany()
	}
	m.sum()
	m.Values = values
	dst[0] = tensor.Handle{V: m}
	return nil
}
