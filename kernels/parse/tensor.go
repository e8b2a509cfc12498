package parse

import (
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// parsed parses src[0], a serialized TensorProto. It returns InvalidArgument if the type is not d
// or the rank is not the given rank. If rank is negative, any rank is allowed.
func parsed(src []string, d tensor.DType, rank int) (tensorproto.Message, error) {
	m, err := tensorproto.Parse(src[0])
	switch {
	case err != nil:
		return m, err
	case m.DType != d:
		return m, tensor.Errorf(tensor.InvalidArgument, "Type mismatch between parsed tensor (%v) and dtype (%v)", m.DType, d)
	case rank >= 0 && len(m.Shape) != rank:
		return m, tensor.Errorf(tensor.InvalidArgument, "the parsed tensor has shape %v; the program was compiled for rank %d", m.Shape, rank)
	}
	return m, nil
}

// TensorDim returns the size of one dimension of the tensor in src[0], a serialized TensorProto. The
// parameter axis is the index of this dimension. TensorDim returns InvalidArgument for bytes that are
// not a TensorProto, and if the tensor does not have the type d and the given rank.
func TensorDim(src []string, d tensor.DType, axis, rank int) (int, error) {
	m, err := parsed(src, d, rank)
	if err != nil {
		return 0, err
	}
	return m.Shape[axis], nil
}

// TensorLen returns the number of elements of the tensor that src[0] holds. It returns
// InvalidArgument in the same cases as TensorDim.
func TensorLen(src []string, d tensor.DType) (int, error) {
	m, err := parsed(src, d, -1)
	return m.Len, err
}

// MaxTensorRank is the largest rank that TensorSizes supports.
const MaxTensorRank = 8

// TensorSizes returns the rank and the dimensions of the tensor that src[0] holds. Dimensions
// beyond the rank are 1. It returns Unimplemented if the rank exceeds MaxTensorRank, and
// InvalidArgument in the same cases as TensorDim.
func TensorSizes(src []string, d tensor.DType) (rank, d0, d1, d2, d3, d4, d5, d6, d7 int, err error) {
	m, err := parsed(src, d, -1)
	if err != nil {
		return
	}
	if rank = len(m.Shape); rank > MaxTensorRank {
		err = tensor.Errorf(tensor.Unimplemented, "the parsed tensor has the rank %d, at most %d is supported if the rank is not known when compiling", rank, MaxTensorRank)
		return
	}
	s := [MaxTensorRank]int{1, 1, 1, 1, 1, 1, 1, 1}
	copy(s[:], m.Shape)
	return rank, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], nil
}

// TensorRaw stores the elements of a tensor in dst, in the layout that they have in memory. src[0]
// is the tensor as a serialized TensorProto. Its elements must have a fixed size. If rank is
// negative, any rank is allowed. TensorRaw returns InvalidArgument in the same cases as TensorDim.
func TensorRaw(dst []byte, src []string, d tensor.DType, rank int) error {
	m, err := parsed(src, d, rank)
	if err != nil {
		return err
	}
	if m.Len*d.Size() != len(dst) {
		return tensor.Errorf(tensor.Internal, "the parsed tensor has %d elements of %d bytes, there is room for %d", m.Len, d.Size(), len(dst))
	}
	m.Raw(dst)
	return nil
}

// TensorStrings is like TensorRaw, but for tensors of strings.
func TensorStrings(dst, src []string, rank int) error {
	m, err := parsed(src, tensor.String, rank)
	if err != nil {
		return err
	}
	if m.Len != len(dst) {
		return tensor.Errorf(tensor.Internal, "the parsed tensor has %d strings, there is room for %d", m.Len, len(dst))
	}
	m.Strings(dst)
	return nil
}

// SerializeRaw stores in dst[0] the TensorProto of a tensor with elements of a fixed
// size. src holds them in their memory layout.
func SerializeRaw(run *mem.Budget, dst []string, src []byte, dims []int, d tensor.DType) {
	t := wire.NewTexts(run)
	defer t.Free()
	dst[0] = t.Make(tensorproto.Room(len(dims), len(src)), func(b []byte) []byte { return tensorproto.Append(b, d, dims, src) })
}

// SerializeStrings is like SerializeRaw, but for tensors of strings.
func SerializeStrings(run *mem.Budget, dst, src []string, dims []int) {
	t := wire.NewTexts(run)
	defer t.Free()
	dst[0] = t.Make(tensorproto.RoomStrings(len(dims), src), func(b []byte) []byte { return tensorproto.AppendStrings(b, dims, src) })
}
