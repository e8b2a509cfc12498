package resource

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// Data is elements of one type: B holds those of plain types as raw bytes, S
// strings, H handles.
type Data struct {
	B []byte
	S []string
	H []tensor.Handle
}

// makeData returns n zeroed elements.
func makeData(d tensor.DType, n int) Data {
	switch {
	case d == tensor.String:
		return Data{S: make([]string, n)}
	case d.Opaque():
		return Data{H: make([]tensor.Handle, n)}
	}
	return Data{B: make([]byte, n*d.Size())}
}

// Window returns the n elements from lo on.
func (x Data) Window(d tensor.DType, lo, n int) Data {
	switch {
	case d == tensor.String:
		return Data{S: x.S[lo : lo+n]}
	case d.Opaque():
		return Data{H: x.H[lo : lo+n]}
	}
	size := d.Size()
	return Data{B: x.B[lo*size : (lo+n)*size]}
}

// copyFrom copies as many elements as both have.
func (x Data) copyFrom(y Data) {
	copy(x.B, y.B)
	copy(x.S, y.S)
	copy(x.H, y.H)
}

// clear zeroes all elements.
func (x Data) clear() {
	clear(x.B)
	clear(x.S)
	clear(x.H)
}

// add adds y to x element by element, as AddV2 does; Unimplemented for types that are not added.
func (x Data) add(d tensor.DType, y Data) error {
	switch d {
	case tensor.Float32:
		addTo[float32](x.B, y.B)
	case tensor.Float64:
		addTo[float64](x.B, y.B)
	case tensor.Int8, tensor.QInt8:
		addTo[int8](x.B, y.B)
	case tensor.Int16, tensor.QInt16:
		addTo[int16](x.B, y.B)
	case tensor.Int32, tensor.QInt32:
		addTo[int32](x.B, y.B)
	case tensor.Int64:
		addTo[int64](x.B, y.B)
	case tensor.Uint8, tensor.QUint8:
		addTo[uint8](x.B, y.B)
	case tensor.Uint16, tensor.QUint16:
		addTo[uint16](x.B, y.B)
	case tensor.Uint32:
		addTo[uint32](x.B, y.B)
	case tensor.Uint64:
		addTo[uint64](x.B, y.B)
	case tensor.Complex64:
		addTo[complex64](x.B, y.B)
	case tensor.Complex128:
		addTo[complex128](x.B, y.B)
	case tensor.Half:
		a, b := as[tensor.F16](x.B), as[tensor.F16](y.B)
		for i, v := range b {
			a[i] = tensor.ToF16(a[i].Float32() + v.Float32())
		}
	case tensor.BFloat16:
		a, b := as[tensor.BF16](x.B), as[tensor.BF16](y.B)
		for i, v := range b {
			a[i] = tensor.ToBF16(a[i].Float32() + v.Float32())
		}
	case tensor.String:
		for i, v := range y.S {
			x.S[i] += v
		}
	case tensor.Variant:
		for i, v := range y.H {
			sum, err := AddVariants(x.H[i], v)
			if err != nil {
				return err
			}
			x.H[i] = sum
		}
	default:
		return tensor.Errorf(tensor.Unimplemented, "elements of type %v cannot be added", d)
	}
	return nil
}

// as returns bytes as elements of type T, of which they are a whole number.
func as[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

func addTo[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128](x, y []byte) {
	a, b := as[T](x), as[T](y)
	for i, v := range b {
		a[i] += v
	}
}

// Partial is a shape of which not all is known: without Known not even the rank,
// a dimension of -1 is any.
type Partial struct {
	Known bool
	Dims  []int
}

// String formats as [2,?], or <unknown>.
func (p Partial) String() string {
	if !p.Known {
		return "<unknown>"
	}
	return strings.ReplaceAll(tensor.Shape(p.Dims).String(), "-1", "?")
}

func (p Partial) clone() Partial { return Partial{p.Known, slices.Clone(p.Dims)} }

// full reports that all dimensions are known.
func (p Partial) full() bool {
	return p.Known && !slices.ContainsFunc(p.Dims, func(d int) bool { return d < 0 })
}

// fits reports that shape is one of those p stands for.
func (p Partial) fits(shape []int) bool {
	if !p.Known {
		return true
	}
	if len(p.Dims) != len(shape) {
		return false
	}
	for i, d := range p.Dims {
		if d >= 0 && d != shape[i] {
			return false
		}
	}
	return true
}

// merge returns what both say; false where they contradict each other.
func (p Partial) merge(q Partial) (Partial, bool) {
	switch {
	case !p.Known:
		return q.clone(), true
	case !q.Known:
		return p.clone(), true
	case len(p.Dims) != len(q.Dims):
		return p, false
	}
	r := p.clone()
	for i, d := range q.Dims {
		switch {
		case r.Dims[i] < 0:
			r.Dims[i] = d
		case d >= 0 && d != r.Dims[i]:
			return p, false
		}
	}
	return r, true
}

// cells keeps tensors of one element type by number. Those with the shape of the
// first that was put in have their places in one block, in order, so that all of
// them are copied at once; others are pieces of their own.
type cells struct {
	dtype tensor.DType
	shape []int // of the tensors in the block, once per is known
	known bool
	per   int // elements of each
	block Data
	room  int // places in the block
	c     []cell
}

// cell is a numbered place: empty, in the block, or a piece.
type cell struct {
	in bool
	p  *piece
}

type piece struct {
	shape []int
	data  Data
}

func (c cell) set() bool { return c.in || c.p != nil }

const (
	maxCells   = 1 << 26 // of a container
	firstBytes = 1 << 24 // the most a block takes before as much is in it
)

// at returns cell k, an empty one beyond the last.
func (s *cells) at(k int) cell {
	if k < len(s.c) {
		return s.c[k]
	}
	return cell{}
}

// extend makes cells up to n; ResourceExhausted where there would be too many.
func (s *cells) extend(n int) error {
	if n > maxCells {
		return tensor.Errorf(tensor.ResourceExhausted, "a container of %d tensors is larger than %d", n, maxCells)
	}
	if n > cap(s.c) {
		s.c = slices.Grow(s.c, n-len(s.c))
	}
	if m := len(s.c); n > m {
		s.c = s.c[:n]
		clear(s.c[m:])
	}
	return nil
}

// place returns block's place k for a tensor of that shape; want is how many
// tensors there will be. ok is false where it has none.
func (s *cells) place(k, want int, shape []int) (at Data, ok bool) {
	if !s.known {
		s.known, s.shape, s.per = true, slices.Clone(shape), 1
		for _, d := range shape {
			s.per *= d
		}
	} else if !slices.Equal(s.shape, shape) {
		return Data{}, false
	}
	if k >= s.room {
		room := max(s.per*s.dtype.Size(), 1)
		most := max(firstBytes/room, 2*s.room, 4)
		if k >= most {
			return Data{}, false
		}
		n := min(max(want, 2*s.room, 4, k+1), most)
		b := makeData(s.dtype, n*s.per)
		b.copyFrom(s.block)
		s.block, s.room = b, n
	}
	return s.block.Window(s.dtype, k*s.per, s.per), true
}

// put copies a tensor into cell k. A block's place is written again only with over.
func (s *cells) put(k, want int, shape []int, data Data, over bool) error {
	if err := s.extend(k + 1); err != nil {
		return err
	}
	c := &s.c[k]
	if !c.set() || c.in && over {
		if at, ok := s.place(k, want, shape); ok {
			at.copyFrom(data)
			*c = cell{in: true}
			return nil
		}
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	p := &piece{slices.Clone(shape), makeData(s.dtype, n)}
	p.data.copyFrom(data)
	*c = cell{p: p}
	return nil
}

// shapeOf returns the shape of the tensor in c, which is not empty.
func (s *cells) shapeOf(c cell) []int {
	if c.p != nil {
		return c.p.shape
	}
	return s.shape
}

// dataOf returns the elements of cell c, whose number is k.
func (s *cells) dataOf(c cell, k int) Data {
	if c.p != nil {
		return c.p.data
	}
	return s.block.Window(s.dtype, k*s.per, s.per)
}
