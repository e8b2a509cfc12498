package bundle

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Slice is a part of a tensor: start and length in each dimension.
type Slice struct{ Start, Length []int }

// maxSlices bounds the number of slices of one tensor, which are compared pairwise.
const maxSlices = 10_000

// within converts a stored slice of a tensor, given by its extents p, to a Slice. The parameter
// shape is the tensor's shape. The error is DataLoss if the slice is not inside the tensor.
func within(p []extent, shape tensor.Shape) (Slice, error) {
	if len(p) != len(shape) {
		return Slice{}, dataLoss("a slice of rank %d of a tensor of rank %d", len(p), len(shape))
	}
	var s Slice
	for i, x := range p {
		start, length := x.start, x.length
		if !x.given {
			start, length = 0, int64(shape[i])
		}
		if start < 0 || length < 0 || start > int64(shape[i]) || length > int64(shape[i])-start {
			return Slice{}, dataLoss("the slice %d,%d does not lie within the dimension %d", start, length, shape[i])
		}
		s.Start, s.Length = append(s.Start, int(start)), append(s.Length, int(length))
	}
	return s, nil
}

// readSlices assembles a part of a tensor from the tensor's stored slices. The parameter want says
// which part. The stored slices must cover this part completely.
func (r *Reader) readSlices(key string, e *entry, d tensor.DType, shape tensor.Shape, want Slice) (*tensor.Tensor, error) {
	type part struct {
		at, both Slice // a stored slice, and its overlap with the wanted part
		e        *entry
	}
	if len(e.slices) > maxSlices {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "%d slices; at most %d are read", len(e.slices), maxSlices)
	}
	var parts []part
	whole, err := tensor.Shape(want.Length).Len()
	if err != nil {
		return nil, dataLoss("%s", message(err))
	}
	have := 0
	for _, p := range e.slices {
		at, err := within(p, shape)
		if err != nil {
			return nil, err
		}
		both, n := intersect(at, want)
		if n == 0 {
			continue
		}
		se := r.entries[sliceKey(key, p)]
		if se == nil {
			return nil, tensor.Errorf(tensor.NotFound, "the slice at %v, %v has no entry", at.Start, at.Length)
		}
		if len(se.slices) > 0 || baseType(se.dtype) != d {
			return nil, dataLoss("the slice at %v, %v is not a part of a tensor of type %s", at.Start, at.Length, d)
		}
		if s, err := se.wholeShape(); err != nil || !s.Equal(at.Length) {
			return nil, dataLoss("the slice at %v, %v has the shape %v", at.Start, at.Length, s)
		}
		if n > whole-have {
			return nil, dataLoss("the slices hold more than the %d elements of %v", whole, shape)
		}
		have += n
		parts = append(parts, part{at, both, se})
	}
	if have != whole {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the slices hold %d of the %d elements asked for of %v", have, whole, shape)
	}
	for i := range parts {
		for j := range i {
			if overlap(parts[i].both, parts[j].both) {
				return nil, dataLoss("two slices overlap at %v, %v", parts[i].at.Start, parts[i].at.Length)
			}
		}
	}
	// Read every part before the whole is allocated. Reading fails if a part is larger than its
	// file, so wrong entries cannot cause a large allocation.
	var read []*tensor.Tensor
	for _, p := range parts {
		t, err := r.readEntry(p.e, d, p.at.Length)
		if err != nil {
			return nil, err
		}
		if t, err = Cut(t, p.both.from(p.at)); err != nil {
			return nil, err
		}
		read = append(read, t)
	}
	t, err := tensor.New(d, want.Length, 0)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		copyRegion(t, read[i], p.both.from(want), true)
	}
	return t, nil
}

// The method named from returns a copy of slice s whose start is relative to the start of slice o.
func (s Slice) from(o Slice) Slice {
	r := Slice{make([]int, len(s.Start)), s.Length}
	for i := range s.Start {
		r.Start[i] = s.Start[i] - o.Start[i]
	}
	return r
}

// intersect returns the overlap of two slices of one tensor, and its number of elements.
func intersect(a, b Slice) (both Slice, n int) {
	n = 1
	both = Slice{make([]int, len(a.Start)), make([]int, len(a.Start))}
	for i := range a.Start {
		lo := max(a.Start[i], b.Start[i])
		hi := min(a.Start[i]+a.Length[i], b.Start[i]+b.Length[i])
		if hi <= lo {
			return both, 0
		}
		both.Start[i], both.Length[i] = lo, hi-lo
		n *= hi - lo
	}
	return both, n
}

func overlap(a, b Slice) bool {
	for i := range a.Start {
		if a.Start[i] >= b.Start[i]+b.Length[i] || b.Start[i] >= a.Start[i]+a.Length[i] {
			return false
		}
	}
	return true
}

// copyRegion copies elements between a whole tensor and a part of that tensor, whose position is s.
// If the parameter in is true, it copies from the part into the whole. Otherwise it copies from the
// whole into the part.
func copyRegion(whole, part *tensor.Tensor, s Slice, in bool) {
	w, p := reflect.ValueOf(whole.Data), reflect.ValueOf(part.Data)
	if p.Len() == 0 {
		return
	}
	// The variable row is the number of elements along the last dimension of the part, which are
	// copied together. It is 1 for a scalar.
	row := 1
	outer := len(s.Start)
	if outer > 0 {
		outer--
		row = s.Length[outer]
	}
	idx := make([]int, outer)
	for at := 0; at < p.Len(); at += row {
		off := 0
		for i := range outer {
			off = (off + s.Start[i] + idx[i]) * whole.Shape[i+1]
		}
		if len(s.Start) > 0 {
			off += s.Start[outer]
		}
		a, b := w.Slice(off, off+row), p.Slice(at, at+row)
		if in {
			reflect.Copy(a, b)
		} else {
			reflect.Copy(b, a)
		}
		for i := outer - 1; i >= 0; i-- {
			if idx[i]++; idx[i] < s.Length[i] {
				break
			}
			idx[i] = 0
		}
	}
}

// Cut returns a copy of the part s of t. The error is InvalidArgument if s is not inside t.
func Cut(t *tensor.Tensor, s Slice) (*tensor.Tensor, error) {
	if len(s.Start) != len(t.Shape) || len(s.Length) != len(t.Shape) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a slice of rank %d of %v", len(s.Start), t)
	}
	for i, d := range t.Shape {
		if s.Start[i] < 0 || s.Length[i] < 0 || s.Start[i] > d || s.Length[i] > d-s.Start[i] {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the slice at %v, %v does not lie within %v", s.Start, s.Length, t)
		}
	}
	part, err := tensor.New(t.DType, s.Length, 0)
	if err != nil {
		return nil, err
	}
	copyRegion(t, part, s, false)
	return part, nil
}

// sliceKey returns the key under which the index holds the entry of a slice. The key consists of
// the number 0, the name, the rank, and the start and length of each dimension. For a whole
// dimension, the start is 0 and the length is -1. The parts are encoded so that keys are sorted by
// name, then by rank, and so on.
func sliceKey(name string, p []extent) string {
	var b strings.Builder
	orderedUint(&b, 0)
	orderedString(&b, name)
	orderedUint(&b, uint64(len(p)))
	for _, x := range p {
		start, length := x.start, x.length
		if !x.given {
			start, length = 0, -1
		}
		orderedInt(&b, start)
		orderedInt(&b, length)
	}
	return b.String()
}

// orderedUint writes an encoding of v. The encodings of two numbers compare in the same way as the
// numbers. An encoding consists of a byte with the number of bytes that v needs, and then of these
// bytes in big-endian order.
func orderedUint(b *strings.Builder, v uint64) {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], v)
	n := (bits.Len64(v) + 7) / 8
	b.WriteByte(byte(n))
	b.Write(buf[8-n:])
}

// orderedString writes an encoding of s. The encodings of two strings compare in the same way as the
// strings. The bytes 00 and ff of s are escaped, and 00 01 ends the encoding.
func orderedString(b *strings.Builder, s string) {
	for i := range len(s) {
		b.WriteByte(s[i])
		switch s[i] {
		case 0x00:
			b.WriteByte(0xff)
		case 0xff:
			b.WriteByte(0x00)
		}
	}
	b.WriteString("\x00\x01")
}

// orderedInt writes an encoding of v. The encodings of two numbers compare in the same way as the
// numbers. The leading bits tell the sign and the number of bytes. An encoding of n bytes has 7n-1
// bits for the magnitude of v.
func orderedInt(b *strings.Builder, v int64) {
	x := uint64(v)
	if v < 0 {
		x = ^x
	}
	n := bits.Len64(x)/7 + 1
	var buf [10]byte
	if v < 0 {
		buf[0], buf[1] = 0xff, 0xff
	}
	binary.BigEndian.PutUint64(buf[2:], uint64(v))
	out := buf[10-n:]
	switch {
	case n <= 8:
		out[0] ^= byte(uint16(0xff00) >> n)
	default:
		out[0] ^= 0xff
		out[1] ^= byte(uint16(0xff00) >> (n - 8))
	}
	b.Write(out)
}
