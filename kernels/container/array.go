package container

import (
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// NewArray makes a TensorArray of size tensors that are not written yet, and a flow of 0.
func NewArray(dst []tensor.Handle, flow []float32, size []int32, name string, d tensor.DType, elem []int, known bool, f resource.ArrayFlags) error {
	clear(flow)
	a, err := resource.NewArray(name, d, resource.Partial{Known: known, Dims: elem}, int(size[0]), f)
	if err == nil {
		dst[0].V = a
	}
	return err
}

// GradArray hands on an array's array of gradients for source; see resource.Array.Grad.
func GradArray(dst []tensor.Handle, flow []float32, src []tensor.Handle, in []float32, source string, prepend []int) error {
	copy(flow, in)
	a, err := resource.ArrayOf(src, tensor.Invalid)
	if err != nil {
		return err
	}
	g, err := a.Grad(source, prepend)
	if err == nil {
		dst[0].V = g
	}
	return err
}

// ArrayWriteRaw writes a value of that shape to place index; see resource.Array.Write.
func ArrayWriteRaw(flow []float32, array []tensor.Handle, index []int32, value []byte, in []float32, shape []int, d tensor.DType) error {
	return arrayWrite(flow, array, index, resource.Data{B: value}, in, shape, d)
}

// ArrayWriteStr is ArrayWriteRaw for strings.
func ArrayWriteStr(flow []float32, array []tensor.Handle, index []int32, value []string, in []float32, shape []int, d tensor.DType) error {
	return arrayWrite(flow, array, index, resource.Data{S: value}, in, shape, d)
}

// ArrayWriteHnd is ArrayWriteRaw for handles.
func ArrayWriteHnd(flow []float32, array []tensor.Handle, index []int32, value []tensor.Handle, in []float32, shape []int, d tensor.DType) error {
	return arrayWrite(flow, array, index, resource.Data{H: value}, in, shape, d)
}

func arrayWrite(flow []float32, array []tensor.Handle, index []int32, value resource.Data, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Write(int(index[0]), shape, value)
}

// ArrayDim returns dimension k of the tensor at place index.
func ArrayDim(array []tensor.Handle, index []int32, d tensor.DType, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.ShapeAt(int(index[0]))
	return dim(s, k, err)
}

// ArrayReadRaw reads the tensor at place index, which must have that shape; see resource.Array.Read.
func ArrayReadRaw(dst []byte, array []tensor.Handle, index []int32, shape []int, d tensor.DType) error {
	return arrayRead(resource.Data{B: dst}, array, index, shape, d)
}

// ArrayReadStr is ArrayReadRaw for strings.
func ArrayReadStr(dst []string, array []tensor.Handle, index []int32, shape []int, d tensor.DType) error {
	return arrayRead(resource.Data{S: dst}, array, index, shape, d)
}

// ArrayReadHnd is ArrayReadRaw for handles.
func ArrayReadHnd(dst []tensor.Handle, array []tensor.Handle, index []int32, shape []int, d tensor.DType) error {
	return arrayRead(resource.Data{H: dst}, array, index, shape, d)
}

func arrayRead(dst resource.Data, array []tensor.Handle, index []int32, shape []int, d tensor.DType) error {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Read(int(index[0]), shape, dst)
}

// ArrayGatherDim returns dimension k of the tensors at those places.
func ArrayGatherDim(array []tensor.Handle, index []int32, d tensor.DType, ask []int, known bool, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.GatherShape(index, resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

// ArrayGatherRaw reads the tensors at those places, all of that shape, one after the other.
func ArrayGatherRaw(dst []byte, array []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayGather(resource.Data{B: dst}, array, index, shape, d, ask, known)
}

// ArrayGatherStr is ArrayGatherRaw for strings.
func ArrayGatherStr(dst []string, array []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayGather(resource.Data{S: dst}, array, index, shape, d, ask, known)
}

// ArrayGatherHnd is ArrayGatherRaw for handles.
func ArrayGatherHnd(dst []tensor.Handle, array []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayGather(resource.Data{H: dst}, array, index, shape, d, ask, known)
}

func arrayGather(dst resource.Data, array []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Gather(index, shape, resource.Partial{Known: known, Dims: ask}, dst)
}

// ArrayRows returns the number of tensors that are packed or joined.
func ArrayRows(array []tensor.Handle, d tensor.DType) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	return a.JoinedLen()
}

// ArrayPackRaw reads the first n tensors, all of that shape, one after the other.
func ArrayPackRaw(dst []byte, array []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayGather(resource.Data{B: dst}, array, upTo(n), shape, d, ask, known)
}

// ArrayPackStr is ArrayPackRaw for strings.
func ArrayPackStr(dst []string, array []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayGather(resource.Data{S: dst}, array, upTo(n), shape, d, ask, known)
}

// ArrayPackHnd is ArrayPackRaw for handles.
func ArrayPackHnd(dst []tensor.Handle, array []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayGather(resource.Data{H: dst}, array, upTo(n), shape, d, ask, known)
}

// ArrayPackDim returns dimension k of the first n tensors.
func ArrayPackDim(array []tensor.Handle, n int, d tensor.DType, ask []int, known bool, k int) (int, error) {
	return ArrayGatherDim(array, upTo(min(n, 1)), d, ask, known, k)
}

func upTo(n int) []int32 {
	r := make([]int32, n)
	for i := range r {
		r[i] = int32(i)
	}
	return r
}

// ArrayScatterRaw writes row i of a tensor of that shape to place index[i].
func ArrayScatterRaw(flow []float32, array []tensor.Handle, index []int32, rows []byte, in []float32, shape []int, d tensor.DType) error {
	return arrayScatter(flow, array, index, resource.Data{B: rows}, in, shape, d)
}

// ArrayScatterStr is ArrayScatterRaw for strings.
func ArrayScatterStr(flow []float32, array []tensor.Handle, index []int32, rows []string, in []float32, shape []int, d tensor.DType) error {
	return arrayScatter(flow, array, index, resource.Data{S: rows}, in, shape, d)
}

// ArrayScatterHnd is ArrayScatterRaw for handles.
func ArrayScatterHnd(flow []float32, array []tensor.Handle, index []int32, rows []tensor.Handle, in []float32, shape []int, d tensor.DType) error {
	return arrayScatter(flow, array, index, resource.Data{H: rows}, in, shape, d)
}

func arrayScatter(flow []float32, array []tensor.Handle, index []int32, rows resource.Data, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Scatter(index, shape, rows)
}

// ArrayUnpackRaw writes the rows of a tensor of that shape to the places from the first on.
func ArrayUnpackRaw(flow []float32, array []tensor.Handle, rows []byte, in []float32, shape []int, d tensor.DType) error {
	return arrayUnpack(flow, array, resource.Data{B: rows}, in, shape, d)
}

// ArrayUnpackStr is ArrayUnpackRaw for strings.
func ArrayUnpackStr(flow []float32, array []tensor.Handle, rows []string, in []float32, shape []int, d tensor.DType) error {
	return arrayUnpack(flow, array, resource.Data{S: rows}, in, shape, d)
}

// ArrayUnpackHnd is ArrayUnpackRaw for handles.
func ArrayUnpackHnd(flow []float32, array []tensor.Handle, rows []tensor.Handle, in []float32, shape []int, d tensor.DType) error {
	return arrayUnpack(flow, array, resource.Data{H: rows}, in, shape, d)
}

func arrayUnpack(flow []float32, array []tensor.Handle, rows resource.Data, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Unpack(shape, rows)
}

// ArraySplitRaw writes the next lengths[i] rows of a tensor of that shape to place i.
func ArraySplitRaw(flow []float32, array []tensor.Handle, rows []byte, lengths []int64, in []float32, shape []int, d tensor.DType) error {
	return arraySplit(flow, array, resource.Data{B: rows}, lengths, in, shape, d)
}

// ArraySplitStr is ArraySplitRaw for strings.
func ArraySplitStr(flow []float32, array []tensor.Handle, rows []string, lengths []int64, in []float32, shape []int, d tensor.DType) error {
	return arraySplit(flow, array, resource.Data{S: rows}, lengths, in, shape, d)
}

// ArraySplitHnd is ArraySplitRaw for handles.
func ArraySplitHnd(flow []float32, array []tensor.Handle, rows []tensor.Handle, lengths []int64, in []float32, shape []int, d tensor.DType) error {
	return arraySplit(flow, array, resource.Data{H: rows}, lengths, in, shape, d)
}

func arraySplit(flow []float32, array []tensor.Handle, rows resource.Data, lengths []int64, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Split(lengths, shape, rows)
}

// ArrayConcatDim returns dimension k of all tensors joined along their first
// axis; ask is what is expected of the others.
func ArrayConcatDim(array []tensor.Handle, d tensor.DType, ask []int, known bool, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.ConcatShape(resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

// ArrayConcatRaw reads all tensors joined along their first axis, which then have that shape, and their rows.
func ArrayConcatRaw(dst []byte, lengths []int64, array []tensor.Handle, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayConcat(resource.Data{B: dst}, lengths, array, shape, d, ask, known)
}

// ArrayConcatStr is ArrayConcatRaw for strings.
func ArrayConcatStr(dst []string, lengths []int64, array []tensor.Handle, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayConcat(resource.Data{S: dst}, lengths, array, shape, d, ask, known)
}

// ArrayConcatHnd is ArrayConcatRaw for handles.
func ArrayConcatHnd(dst []tensor.Handle, lengths []int64, array []tensor.Handle, shape []int, d tensor.DType, ask []int, known bool) error {
	return arrayConcat(resource.Data{H: dst}, lengths, array, shape, d, ask, known)
}

func arrayConcat(dst resource.Data, lengths []int64, array []tensor.Handle, shape []int, d tensor.DType, ask []int, known bool) error {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Concat(resource.Partial{Known: known, Dims: ask}, shape, dst, lengths)
}

// ArraySize stores the number of tensors.
func ArraySize(dst []int32, array []tensor.Handle) error {
	a, err := resource.ArrayOf(array, tensor.Invalid)
	if err != nil {
		return err
	}
	n, err := a.Len()
	dst[0] = int32(n)
	return err
}

// ArrayClose closes an array.
func ArrayClose(array []tensor.Handle) error {
	a, err := resource.ArrayOf(array, tensor.Invalid)
	if err == nil {
		a.Close()
	}
	return err
}
