package ragged

import (
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// variantBytes is the approximate memory of a variant without its elements.
const variantBytes = 256

// toVariant is ToVariantRaw for elements of any kind.
func toVariant(run *mem.Budget, dst []tensor.Handle, values resource.Data, splits []int64, lens, dims []int, p VariantParams) error {
	if len(lens) > 0 {
		if err := Strict(splits, lens, dims[0]); err != nil {
			return err
		}
	}
	d, st := tensor.DType(p.Values), tensor.DType(p.Splits)
	run.MustMake(mem.Add(mem.Mul(len(dst), variantBytes), mem.Add(len(values.B)+16*len(values.S), mem.Mul(len(splits), 8))))
	row := 1
	for _, n := range dims[min(1, len(dims)):] {
		row *= n
	}
	if !p.Batched {
		r := &resource.Ragged{Splits: st, Values: resource.NewPart(d, dims, values)}
		for k := range lens {
			r.Nested = append(r.Nested, slices.Clone(part(splits, lens, k)))
		}
		dst[0].V = r
		return nil
	}
	if len(lens) == 0 {
		for i := range dst {
			dst[i].V = &resource.Ragged{Splits: st, Values: resource.NewPart(d, dims[1:], values.Window(d, i*row, row))}
		}
		return nil
	}
	for i := range dst {
		r := &resource.Ragged{Splits: st}
		lo, hi := splits[i], splits[i+1]
		for k := 1; k < len(lens); k++ {
			s := slices.Clone(part(splits, lens, k)[lo : hi+1])
			lo, hi = s[0], s[len(s)-1]
			for j := range s {
				s[j] -= lo
			}
			r.Nested = append(r.Nested, s)
		}
		shape := append([]int{int(hi - lo)}, dims[1:]...)
		r.Values = resource.NewPart(d, shape, values.Window(d, int(lo)*row, int(hi-lo)*row))
		dst[i].V = r
	}
	return nil
}

// VariantParams describes a ragged tensor that is stored in variants. Values and Splits are the
// types of its values and row splits. With Batched, each row is in a separate variant. Depth is the
// number of row partitions in a variant.
type VariantParams struct {
	Values, Splits int
	Batched        bool
	Depth          int
}

// ToVariantRaw stores a ragged tensor in dst: as one variant, or with Batched as a variant for each
// row. dims are the dimensions of the values. It returns InvalidArgument unless the row splits
// satisfy Strict.
func ToVariantRaw(run *mem.Budget, dst []tensor.Handle, values []byte, splits []int64, lens, dims []int, p VariantParams) error {
	return toVariant(run, dst, resource.Data{B: values}, splits, lens, dims, p)
}

// ToVariantStr is ToVariantRaw for strings.
func ToVariantStr(run *mem.Budget, dst []tensor.Handle, values []string, splits []int64, lens, dims []int, p VariantParams) error {
	return toVariant(run, dst, resource.Data{S: values}, splits, lens, dims, p)
}

// of(h, i, p) returns the ragged tensor that h holds. h is element i of a tensor of variants. The
// function returns InvalidArgument if h holds no ragged tensor, or if the types of the ragged tensor
// differ from those in p.
func of(h tensor.Handle, i int, p VariantParams) (*resource.Ragged, error) {
	r, ok := h.V.(*resource.Ragged)
	switch {
	case !ok:
		return nil, tensor.Errorf(tensor.InvalidArgument, "Input Variant element at index %d doesn't hold a RaggedTensorVariant: %T", i, h.V)
	case r.Values.DType != tensor.DType(p.Values):
		return nil, tensor.Errorf(tensor.InvalidArgument, "Expected values Tensor dtype: %v, found: %v", tensor.DType(p.Values), r.Values.DType)
	case len(r.Nested) > 0 && r.Splits != tensor.DType(p.Splits):
		return nil, tensor.Errorf(tensor.InvalidArgument, "Expected row_splits Tensor dtype: %v, found: %v", tensor.DType(p.Splits), r.Splits)
	}
	return r, nil
}

// Decode checks the variants src, whose ragged tensors will be stacked. The parameter shape is the
// shape of the tensor of variants. Decode returns InvalidArgument unless each ragged tensor has
// p.Depth row partitions. Unless shape is that of a scalar, the values of all ragged tensors must
// also have equal dimensions, except for the first dimension.
func Decode(src []tensor.Handle, shape []int, p VariantParams) error {
	var first *resource.Ragged
	for i, h := range src {
		r, err := of(h, i, p)
		if err != nil {
			return err
		}
		if len(r.Nested) != p.Depth {
			return tensor.Errorf(tensor.InvalidArgument, "Encoded input RaggedTensorVariant has ragged_rank=%d.  Expected ragged_rank=%d.", len(r.Nested), p.Depth)
		}
		if len(shape) > 0 && len(r.Values.Shape) < 1 {
			return tensor.Errorf(tensor.InvalidArgument, "Ragged values must have rank >= 1; encoded scalar element at index %d has %v", i, tensor.Shape(slices.Clone(r.Values.Shape)))
		}
		if first == nil {
			first = r
		}
		if a, b := first.Values.Shape, r.Values.Shape; len(shape) > 0 && !slices.Equal(a[1:], b[1:]) {
			return tensor.Errorf(tensor.InvalidArgument, "All flat_values must have compatible shapes. Shape at index 0: %v. Shape at index %d: %v.",
				tensor.Shape(slices.Clone(a)), i, tensor.Shape(slices.Clone(b)))
		}
	}
	return nil
}

// SplitsLen returns the number of row splits that Splits writes for one partition. The parameter level
// is the number of this partition.
func SplitsLen(src []tensor.Handle, level int) int {
	n := 1
	for _, h := range src {
		n += len(h.V.(*resource.Ragged).Nested[level]) - 1
	}
	return n
}

// RowLengths writes the row splits of the outermost partition after stacking, in which each variant
// is a row. The length of the row is the number of rows of the variant, or its number of values if
// it has no row partition.
func RowLengths(dst []int64, src []tensor.Handle) {
	dst[0] = 0
	for i, h := range src {
		r := h.V.(*resource.Ragged)
		n := r.Values.Shape[0]
		if len(r.Nested) > 0 {
			n = len(r.Nested[0]) - 1
		}
		dst[i+1] = dst[i] + int64(n)
	}
}

// Splits writes the row splits of one partition of the stacked tensor. This partition consists of
// one partition from each variant, in the order of the variants. The parameter level is its number
// in the variant.
func Splits(dst []int64, src []tensor.Handle, level int) {
	dst[0] = 0
	at := 0
	for _, h := range src {
		base := dst[at]
		for _, v := range h.V.(*resource.Ragged).Nested[level][1:] {
			at++
			dst[at] = base + v
		}
	}
}

// ValuesDim returns dimension k of the tensor that consists of the values of all variants, one
// variant after the other. Dimension 0 of this tensor is the sum of the first dimensions of all
// variants. If there are no variants, the result is 0. ValuesDim returns InvalidArgument unless the
// values have the given rank.
func ValuesDim(src []tensor.Handle, k, rank int) (int, error) {
	n := 0
	for _, h := range src {
		d, err := h.V.(*resource.Ragged).Values.Dim(k, rank)
		if err != nil {
			return 0, err
		}
		if n += d; k > 0 {
			return d, nil
		}
	}
	return n, nil
}

// values copies the values of all variants to dst, one after the other. dst has at least as many
// elements.
func values(dst resource.Data, d tensor.DType, src []tensor.Handle) error {
	at := 0
	for _, h := range src {
		v := &h.V.(*resource.Ragged).Values
		n := 1
		for _, k := range v.Shape {
			n *= k
		}
		if err := v.CopyTo(dst.Window(d, at, n)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// ValuesRaw copies the values of all variants to dst, one after the other. Decode must have
// accepted the variants.
func ValuesRaw(dst []byte, d int, src []tensor.Handle) error {
	return values(resource.Data{B: dst}, tensor.DType(d), src)
}

// ValuesStr is ValuesRaw for strings.
func ValuesStr(dst []string, d int, src []tensor.Handle) error {
	return values(resource.Data{S: dst}, tensor.DType(d), src)
}

// pieces calls the function f for each variant of the gradient of a batched ragged tensor. The
// arguments of this function are the values of the variant, the position of these values among the
// n elements of the result, and the number of values. For an empty variant, the first argument is
// nil, which means zeros. Their number is the number of rows that the row splits give, multiplied
// by inner, the number of elements of a row. pieces returns InvalidArgument if there are more than
// n values, or too few splits.
func pieces(src []tensor.Handle, splits []int64, inner, n int, p VariantParams, f func(v *resource.Part, at, count int) error) error {
	if len(splits) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Invalid ragged splits: ragged splits must have at least one splits, but is empty")
	}
	at := 0
	for i, h := range src {
		var v *resource.Part
		k := 1
		if h.V != nil {
			r, err := of(h, i, p)
			if err != nil {
				return err
			}
			v = &r.Values
			for _, d := range v.Shape {
				k *= d
			}
		} else {
			if i+1 >= len(splits) || splits[i+1] < splits[i] || splits[i+1]-splits[i] > int64(n) {
				return tensor.Errorf(tensor.InvalidArgument, "the row splits do not give the number of values of variant %d", i)
			}
			k = int(splits[i+1]-splits[i]) * inner
		}
		if k > n-at {
			return tensor.Errorf(tensor.InvalidArgument, "the gradients have more values than the %d elements of dense_values_shape", n)
		}
		if err := f(v, at, k); err != nil {
			return err
		}
		at += k
	}
	return nil
}

func grad(dst resource.Data, n int, src []tensor.Handle, splits []int64, inner int, p VariantParams) error {
	d := tensor.DType(p.Values)
	return pieces(src, splits, inner, n, p, func(v *resource.Part, at, count int) error {
		if v == nil {
			return nil
		}
		return v.CopyTo(dst.Window(d, at, count))
	})
}

// GradRaw writes the values of the gradient of a batched ragged tensor to dst, one variant after
// the other. An empty variant means zeros. Their number is the number of rows that splits gives for
// this variant, multiplied by inner, the number of elements of a row. n is the number of elements
// of dst, and the elements after the last value are set to zero. GradRaw returns InvalidArgument if
// there are more than n values, if a variant has another type of values or splits than p says, and
// if there are too few splits.
func GradRaw(dst []byte, n int, src []tensor.Handle, splits []int64, inner int, p VariantParams) error {
	clear(dst)
	return grad(resource.Data{B: dst}, n, src, splits, inner, p)
}

// GradStr is GradRaw for strings.
func GradStr(dst []string, n int, src []tensor.Handle, splits []int64, inner int, p VariantParams) error {
	clear(dst)
	return grad(resource.Data{S: dst}, n, src, splits, inner, p)
}
