package resource

import (
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// Data holds elements of one type: in B the bytes of numbers and booleans, in S strings, in H
// handles. Only the field for the type is used.
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

// Window returns the n elements from lo on, without a copy.
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

// count returns the number of elements.
func (x Data) count(d tensor.DType) int {
	return len(x.B)/d.Size() + len(x.S) + len(x.H)
}

// copyFrom copies elements from y to x. If x and y have different lengths, it copies as many elements
// as the shorter one has.
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

// add adds y to x element by element, like AddV2. The error is Unimplemented for types that cannot
// be added.
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

// as converts a slice of bytes to a slice of elements of type T, which shares the memory of b.
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
