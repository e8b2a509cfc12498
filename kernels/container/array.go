package container

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// NewArray sets dst to a new TensorArray of size[0] unwritten tensors, and sets flow to 0.
func NewArray(run *mem.Budget, dst []tensor.Handle, flow []float32, size []int32, name string, d tensor.DType, elem []int, known bool, f resource.ArrayFlags) error {
	clear(flow)
	a, err := resource.NewArray(name, d, resource.Partial{Known: known, Dims: elem}, int(size[0]), f)
	if err == nil {
		dst[0].V, err = a, a.Charge(run)
	}
	return err
}

// GradArray sets dst to the array that holds the gradients of the array src for the given source:
// see resource.Array.Grad.
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

func arrayWrite(flow []float32, array []tensor.Handle, index []int32, value resource.Data, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Write(int(index[0]), shape, value)
}

// ArrayDim returns dimension k of the tensor at index.
func ArrayDim(array []tensor.Handle, index []int32, d tensor.DType, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.ShapeAt(int(index[0]))
	return dim(s, k, err)
}

func arrayRead(dst resource.Data, array []tensor.Handle, index []int32, shape []int, d tensor.DType) error {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Read(int(index[0]), shape, dst)
}

// ArrayGatherDim returns dimension k of the common shape of the tensors at the given indices.
func ArrayGatherDim(array []tensor.Handle, index []int32, d tensor.DType, ask []int, known bool, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.GatherShape(index, resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

func arrayGather(dst resource.Data, array []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Gather(index, shape, resource.Partial{Known: known, Dims: ask}, dst)
}

// ArrayRows returns the number of tensors to be packed or joined.
func ArrayRows(array []tensor.Handle, d tensor.DType) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	return a.JoinedLen()
}

// ArrayPackDim returns dimension k of the common shape of the first n tensors.
func ArrayPackDim(array []tensor.Handle, n int, d tensor.DType, ask []int, known bool, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.PackShape(n, resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

func arrayPack(dst resource.Data, array []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool) error {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Pack(n, shape, resource.Partial{Known: known, Dims: ask}, dst)
}

func arrayScatter(flow []float32, array []tensor.Handle, index []int32, rows resource.Data, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Scatter(index, shape, rows)
}

func arrayUnpack(flow []float32, array []tensor.Handle, rows resource.Data, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Unpack(shape, rows)
}

func arraySplit(flow []float32, array []tensor.Handle, rows resource.Data, lengths []int64, in []float32, shape []int, d tensor.DType) error {
	copy(flow, in)
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return err
	}
	return a.Split(lengths, shape, rows)
}

// ArrayConcatDim returns dimension k of all tensors joined along their first axis. ask holds the
// expected dimensions other than the first.
func ArrayConcatDim(array []tensor.Handle, d tensor.DType, ask []int, known bool, k int) (int, error) {
	a, err := resource.ArrayOf(array, d)
	if err != nil {
		return 0, err
	}
	s, err := a.ConcatShape(resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
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
