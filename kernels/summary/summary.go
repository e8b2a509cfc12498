package summary

import (
	"math"
	"slices"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Scalars stores in dst[0] a Summary with each value under its tag.
func Scalars(run *mem.Budget, dst, tags []string, values []float32) {
	n := 0
	for _, tag := range tags {
		n = mem.Add(n, len(tag)+fieldBytes)
	}
	t := wire.NewTexts(run)
	defer t.Free()
	dst[0] = t.Make(n, func(b []byte) []byte {
		for i, tag := range tags {
			b = appendSimple(b, tag, values[i])
		}
		return b
	})
}

// fieldBytes is an upper bound for the bytes that a text and a number need besides the text itself:
// tags, lengths and the number.
const fieldBytes = 64

// limits returns the upper bounds of a histogram's buckets: 0, and numbers of both signs whose
// magnitudes grow from 1e-12 to 1e20 by a factor of 1.1 and end with math.MaxFloat64.
func limits() []float64 {
	var up []float64
	for v := 1e-12; v < 1e20; v *= 1.1 {
		up = append(up, v)
	}
	up = append(up, math.MaxFloat64)
	all := make([]float64, 0, 2*len(up)+1)
	for _, v := range slices.Backward(up) {
		all = append(all, -v)
	}
	return append(append(all, 0), up...)
}

// Histogram stores in dst[0] a Summary with the histogram of the values under tag[0]: the smallest
// and largest value, the number of values, the sum, the sum of squares, and the number of values in
// each bucket. Successive empty buckets are merged into one. Histogram returns InvalidArgument for
// NaN and infinity.
func Histogram(run *mem.Budget, dst, tag []string, values []float64, node string) error {
	call := run.Call()
	histo, err := histogram(&call, values, node)
	if err != nil {
		return err
	}
	dst[0] = value(run, len(tag[0])+len(histo), func() []byte {
		return wire.AppendBytes(appendText(nil, numTag, tag[0]), numHisto, histo)
	})
	return nil
}

// value returns a serialized Summary with one Value. The last argument is a function that returns
// the content of this Value, which has about n bytes.
func value(run *mem.Budget, n int, own func() []byte) string {
	n = mem.Add(n, 4*fieldBytes)
	call := run.Call()
	defer call.Free()
	call.Need(mem.Mul(3, n)) // for the Value's content, the Value, and the Summary
	call.Work(n)
	b := wire.AppendBytes(nil, numValue, own())
	run.MustMake(len(b))
	return string(b)
}

// histogram returns a HistogramProto.
func histogram(call *mem.Call, values []float64, node string) ([]byte, error) {
	bounds := limits()
	counts := make([]float64, len(bounds))
	least, largest, sum, squares := math.MaxFloat64, -math.MaxFloat64, 0.0, 0.0
	for _, v := range values {
		call.Work(64)
		switch {
		case math.IsNaN(v):
			return nil, tensor.Errorf(tensor.InvalidArgument, "Nan in summary histogram for: %s", node)
		case math.IsInf(v, 0):
			return nil, tensor.Errorf(tensor.InvalidArgument, "Infinity in Histogram for: %s", node)
		}
		k, equal := slices.BinarySearch(bounds, v)
		if equal {
			k++
		}
		counts[min(k, len(counts)-1)]++
		if least > v {
			least = v
		}
		if largest < v {
			largest = v
		}
		sum += v
		squares += float64(v * v)
	}
	b := appendNumber(nil, 1, least)
	b = appendNumber(b, 2, largest)
	b = appendNumber(b, 3, float64(len(values)))
	b = appendNumber(b, 4, sum)
	b = appendNumber(b, 5, squares)
	var ends, filled []byte
	for i := 0; i < len(bounds); {
		at := i
		if i++; counts[at] <= 0 {
			for ; i < len(bounds) && counts[i] <= 0; i++ {
				at = i
			}
		}
		ends, filled = appendDouble(ends, bounds[at]), appendDouble(filled, counts[at])
	}
	return wire.AppendBytes(wire.AppendBytes(b, 6, ends), 7, filled), nil
}

// Raw stores in dst[0] a Summary with a tensor of elements of a fixed size and the
// name of the node that made it. src holds the elements in their memory layout.
func Raw(run *mem.Budget, dst []string, src []byte, dims []int, d tensor.DType, node string) {
	dst[0] = value(run, tensorproto.Room(len(dims), mem.Add(len(src), len(node))), func() []byte {
		return wire.AppendBytes(appendText(nil, numNode, node), numTensor, tensorproto.Append(nil, d, dims, src))
	})
}

// Strings is Raw of strings.
func Strings(run *mem.Budget, dst, src []string, dims []int, node string) {
	dst[0] = value(run, mem.Add(tensorproto.RoomStrings(len(dims), src), len(node)), func() []byte {
		return wire.AppendBytes(appendText(nil, numNode, node), numTensor, tensorproto.AppendStrings(nil, dims, src))
	})
}

// TaggedRaw stores in dst[0] a Summary with a tensor under tag[0]. The string metadata[0] is a
// serialized SummaryMetadata, which becomes part of the Summary. If this string cannot be parsed,
// it is left out.
func TaggedRaw(run *mem.Budget, dst, tag []string, src []byte, metadata []string, dims []int, d tensor.DType) {
	dst[0] = tagged(run, tag[0], tensorproto.Room(len(dims), len(src)), metadata[0], func() []byte { return tensorproto.Append(nil, d, dims, src) })
}

// TaggedStrings is TaggedRaw of strings.
func TaggedStrings(run *mem.Budget, dst, tag, src, metadata []string, dims []int) {
	dst[0] = tagged(run, tag[0], tensorproto.RoomStrings(len(dims), src), metadata[0], func() []byte { return tensorproto.AppendStrings(nil, dims, src) })
}

// tagged returns a Summary with a tensor under a tag. The function t returns the serialized tensor,
// which has about n bytes.
func tagged(run *mem.Budget, tag string, n int, metadata string, t func() []byte) string {
	data := normal(run, metadataMessage, metadata)
	return value(run, mem.Add(n, len(tag)+len(data)), func() []byte {
		own := wire.AppendBytes(appendText(nil, numTag, tag), numTensor, t())
		return wire.AppendBytes(own, numMetadata, data)
	})
}
