package sparse

import (
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// text returns a serialized TensorProto with elements of a type of fixed size.
func text(t *wire.Texts, d tensor.DType, shape []int, raw []byte) string {
	return t.Make(tensorproto.Room(len(shape), len(raw)), func(b []byte) []byte { return tensorproto.Append(b, d, shape, raw) })
}

// textStr is text for strings.
func textStr(t *wire.Texts, values []string) string {
	shape := []int{len(values)}
	return t.Make(tensorproto.RoomStrings(1, values), func(b []byte) []byte { return tensorproto.AppendStringContent(b, shape, values) })
}

func serialize(run *mem.Budget, dst []string, indices, shape []byte, rows, cols int, values func(t *wire.Texts) string) {
	t := wire.NewTexts(run)
	defer t.Free()
	dst[0] = text(&t, tensor.Int64, []int{rows, cols}, indices)
	dst[1] = values(&t)
	dst[2] = text(&t, tensor.Int64, []int{len(shape) / word}, shape)
}

// SerializeRaw sets the three elements of dst to the parts of a sparse tensor: the indices, of the
// shape [rows, cols], the values, of the type d, and the shape. Each part is a serialized
// TensorProto that holds the elements in the field tensor_content. SerializeRaw does not check that
// the three parts belong together.
func SerializeRaw(run *mem.Budget, dst []string, indices, values, shape []byte, rows, cols int, d tensor.DType) {
	serialize(run, dst, indices, shape, rows, cols, func(t *wire.Texts) string { return text(t, d, []int{len(values) / d.Size()}, values) })
}

// SerializeStr is SerializeRaw for strings.
func SerializeStr(run *mem.Budget, dst []string, indices []byte, values []string, shape []byte, rows, cols int, _ tensor.DType) {
	serialize(run, dst, indices, shape, rows, cols, func(t *wire.Texts) string { return textStr(t, values) })
}

func serializeMany(run *mem.Budget, dst []string, indices, shape []int64, values func(t *wire.Texts, lo, hi int) string) {
	rank := len(shape)
	t := wire.NewTexts(run)
	defer t.Free()
	call := run.Call()
	defer call.Free()
	rest := text(&t, tensor.Int64, []int{rank - 1}, appendWords(nil, shape[1:]))
	none := [2]string{text(&t, tensor.Int64, []int{0, rank - 1}, nil), values(&t, 0, 0)}
	var rows []byte
	batch(&call, indices, rank, len(dst)/3, func(b, lo, hi int) {
		dst[3*b+2] = rest
		if lo == hi {
			copy(dst[3*b:], none[:])
			return
		}
		rows = inner(&call, rows[:0], indices, rank, lo, hi)
		dst[3*b] = text(&t, tensor.Int64, []int{hi - lo, rank - 1}, rows)
		dst[3*b+1] = values(&t, lo, hi)
	})
}

// SerializeManyRaw is SerializeRaw for each element of a batch that Batch has checked.
func SerializeManyRaw(run *mem.Budget, dst []string, indices []int64, values []byte, shape []int64, d tensor.DType) {
	size := d.Size()
	serializeMany(run, dst, indices, shape, func(t *wire.Texts, lo, hi int) string {
		return text(t, d, []int{hi - lo}, values[lo*size:hi*size])
	})
}

// SerializeManyStr is SerializeManyRaw for strings.
func SerializeManyStr(run *mem.Budget, dst []string, indices []int64, values []string, shape []int64, _ tensor.DType) {
	serializeMany(run, dst, indices, shape, func(t *wire.Texts, lo, hi int) string { return textStr(t, values[lo:hi]) })
}
