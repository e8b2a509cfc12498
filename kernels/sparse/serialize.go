package sparse

import (
	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/tensor"
)

// SerializeRaw sets dst to the indices, of so many rows and columns, the values, of
// the type d, and the shape of a sparse tensor, each as a serialized TensorProto with
// tensor_content. That they fit together is not asked here.
func SerializeRaw(dst []string, indices, values, shape []byte, rows, cols int, d tensor.DType) {
	dst[0] = string(tensorproto.Append(nil, tensor.Int64, []int{rows, cols}, indices))
	dst[1] = string(tensorproto.Append(nil, d, []int{len(values) / d.Size()}, values))
	dst[2] = string(tensorproto.Append(nil, tensor.Int64, []int{len(shape) / word}, shape))
}

// SerializeStr is SerializeRaw for strings.
func SerializeStr(dst []string, indices []byte, values []string, shape []byte, rows, cols int, _ tensor.DType) {
	dst[0] = string(tensorproto.Append(nil, tensor.Int64, []int{rows, cols}, indices))
	dst[1] = string(tensorproto.AppendStringContent(nil, []int{len(values)}, values))
	dst[2] = string(tensorproto.Append(nil, tensor.Int64, []int{len(shape) / word}, shape))
}

func serializeMany(dst []string, indices, shape []int64, values func(lo, hi int) []byte) {
	rank := len(shape)
	rest := string(tensorproto.Append(nil, tensor.Int64, []int{rank - 1}, appendWords(nil, shape[1:])))
	none := [2]string{string(tensorproto.Append(nil, tensor.Int64, []int{0, rank - 1}, nil)), string(values(0, 0))}
	batch(indices, rank, len(dst)/3, func(b, lo, hi int) {
		dst[3*b+2] = rest
		if lo == hi {
			copy(dst[3*b:], none[:])
			return
		}
		dst[3*b] = string(tensorproto.Append(nil, tensor.Int64, []int{hi - lo, rank - 1}, inner(indices, rank, lo, hi)))
		dst[3*b+1] = string(values(lo, hi))
	})
}

// SerializeManyRaw is SerializeRaw of each element of a batch that Batch has checked.
func SerializeManyRaw(dst []string, indices []int64, values []byte, shape []int64, d tensor.DType) {
	size := d.Size()
	serializeMany(dst, indices, shape, func(lo, hi int) []byte {
		return tensorproto.Append(nil, d, []int{hi - lo}, values[lo*size:hi*size])
	})
}

// SerializeManyStr is SerializeManyRaw for strings.
func SerializeManyStr(dst []string, indices []int64, values []string, shape []int64, _ tensor.DType) {
	serializeMany(dst, indices, shape, func(lo, hi int) []byte {
		return tensorproto.AppendStringContent(nil, []int{hi - lo}, values[lo:hi])
	})
}
