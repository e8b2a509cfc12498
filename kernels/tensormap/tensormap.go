// Package tensormap holds the kernels of TensorMaps and of variants composed of
// several tensors. Kernels that move elements come in three forms: Raw for the bytes
// of plain elements, Str for strings, Hnd for handles.
package tensormap

import (
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Empty makes a map without tensors.
func Empty(dst []tensor.Handle) { dst[0].V = resource.NewMap() }

func key(dst []tensor.Handle, d tensor.DType, shape []int, data resource.Data) error {
	k, err := resource.NewKey(d, shape, data)
	if err == nil {
		dst[0].V = k
	}
	return err
}

// KeyRaw makes a key from a tensor of the given shape.
func KeyRaw(dst []tensor.Handle, src []byte, d tensor.DType, shape []int) error {
	return key(dst, d, shape, resource.Data{B: src})
}

// KeyStr is KeyRaw for strings.
func KeyStr(dst []tensor.Handle, src []string, d tensor.DType, shape []int) error {
	return key(dst, d, shape, resource.Data{S: src})
}

// KeyHnd returns Unimplemented, since handles cannot be keys.
func KeyHnd(dst, src []tensor.Handle, d tensor.DType, shape []int) error {
	return key(dst, d, shape, resource.Data{H: src})
}

func keyOf(h []tensor.Handle) *resource.Key { return h[0].V.(*resource.Key) }

func insert(dst, src, key []tensor.Handle, d tensor.DType, shape []int, data resource.Data) error {
	m, err := resource.MapOf(src)
	if err != nil {
		return err
	}
	v := resource.NewPart(d, shape, data)
	dst[0].V = m.Set(keyOf(key), &v)
	return nil
}

// InsertRaw makes a map that holds the tensors of the map in src and, at a key, one more tensor. The
// parameter shape is the shape of that tensor. dst may be src. InsertRaw returns InvalidArgument if
// src does not hold a map.
func InsertRaw(dst, src, key []tensor.Handle, value []byte, d tensor.DType, shape []int) error {
	return insert(dst, src, key, d, shape, resource.Data{B: value})
}

// InsertStr is InsertRaw for strings.
func InsertStr(dst, src, key []tensor.Handle, value []string, d tensor.DType, shape []int) error {
	return insert(dst, src, key, d, shape, resource.Data{S: value})
}

// InsertHnd is InsertRaw for handles.
func InsertHnd(dst, src, key, value []tensor.Handle, d tensor.DType, shape []int) error {
	return insert(dst, src, key, d, shape, resource.Data{H: value})
}

// Erase makes a map that holds the tensors of the map in src, except the one at a key. dst may be
// src. Erase returns InvalidArgument if there is no tensor at the key.
func Erase(dst, src, key []tensor.Handle) error {
	m, err := resource.MapOf(src)
	if err != nil {
		return err
	}
	if m.Get(keyOf(key)) == nil {
		return tensor.Errorf(tensor.InvalidArgument, "Trying to erase non-existent item.")
	}
	dst[0].V = m.Set(keyOf(key), nil)
	return nil
}

// Has stores whether there is a tensor at a key.
func Has(dst []bool, src, key []tensor.Handle) error {
	m, err := resource.MapOf(src)
	if err == nil {
		dst[0] = m.Get(keyOf(key)) != nil
	}
	return err
}

// Len returns the number of tensors.
func Len(src []tensor.Handle) (int, error) {
	m, err := resource.MapOf(src)
	if err != nil {
		return 0, err
	}
	return m.Len(), nil
}

// Size stores the number of tensors.
func Size(dst []int32, src []tensor.Handle) error {
	n, err := Len(src)
	dst[0] = int32(n)
	return err
}

// Lookup finds the tensor at a key of the map in src, and stores it in dst. It returns
// InvalidArgument if the map has no tensor at the key, or if the tensor's type is not d.
func Lookup(dst, src, key []tensor.Handle, d tensor.DType) error {
	m, err := resource.MapOf(src)
	if err != nil {
		return err
	}
	v := m.Get(keyOf(key))
	switch {
	case v == nil:
		return tensor.Errorf(tensor.InvalidArgument, "Trying to lookup non-existent key.")
	case v.DType != d:
		return tensor.Errorf(tensor.InvalidArgument, "the value is %v, %v is required", v.DType, d)
	}
	dst[0].V = v
	return nil
}

// Dim returns dimension k of the tensor in src, or InvalidArgument unless the tensor has the given
// rank.
func Dim(src []tensor.Handle, k, rank int) (int, error) {
	return src[0].V.(*resource.Part).Dim(k, rank)
}

func read(dst resource.Data, src []tensor.Handle, shape []int) error {
	p := src[0].V.(*resource.Part)
	if !slices.Equal(p.Shape, shape) {
		return tensor.Errorf(tensor.InvalidArgument, "the tensor has the shape %v, not %v", tensor.Shape(slices.Clone(p.Shape)), tensor.Shape(slices.Clone(shape)))
	}
	return p.CopyTo(dst)
}

// ReadRaw copies the tensor in src. It returns InvalidArgument unless the tensor has the given shape.
func ReadRaw(dst []byte, src []tensor.Handle, shape []int) error {
	return read(resource.Data{B: dst}, src, shape)
}

// ReadStr is ReadRaw for strings.
func ReadStr(dst []string, src []tensor.Handle, shape []int) error {
	return read(resource.Data{S: dst}, src, shape)
}

// ReadHnd is ReadRaw for handles.
func ReadHnd(dst, src []tensor.Handle, shape []int) error {
	return read(resource.Data{H: dst}, src, shape)
}

// KeyDim returns dimension k of the first key of a map. It returns InvalidArgument if the map has
// no keys, or if the first key does not have the given rank.
func KeyDim(src []tensor.Handle, k, rank int) (int, error) {
	m, err := resource.MapOf(src)
	if err != nil {
		return 0, err
	}
	keys := m.Keys()
	if len(keys) == 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "TensorMapStackKeys cannot be called on empty map.")
	}
	return keys[0].Dim(k, rank)
}

func stack(dst resource.Data, src []tensor.Handle, d tensor.DType, shape []int) error {
	m, err := resource.MapOf(src)
	if err != nil {
		return err
	}
	keys := m.Keys()
	if len(keys) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "TensorMapStackKeys cannot be called on empty map.")
	}
	n := 1
	for _, s := range shape {
		n *= s
	}
	for i, k := range keys {
		switch {
		case k.DType != d:
			return tensor.Errorf(tensor.InvalidArgument, "Key does not match requested dtype.")
		case !slices.Equal(k.Shape, shape):
			return tensor.Errorf(tensor.InvalidArgument, "Keys must all have the same shape.")
		}
		if err := k.CopyTo(dst.Window(d, i*n, n)); err != nil {
			return err
		}
	}
	return nil
}

// StackRaw copies all keys of a map one after the other, in the order of insertion. It returns
// InvalidArgument if the map has no keys, and if a key does not have the given type and shape.
func StackRaw(dst []byte, src []tensor.Handle, d tensor.DType, shape []int) error {
	return stack(resource.Data{B: dst}, src, d, shape)
}

// StackStr is StackRaw for strings.
func StackStr(dst []string, src []tensor.Handle, d tensor.DType, shape []int) error {
	return stack(resource.Data{S: dst}, src, d, shape)
}
