package summary

import (
	"math"
	"slices"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/tensor"
)

// Scalars stores in dst[0] a Summary with each value under its tag.
func Scalars(dst, tags []string, values []float32) {
	var b []byte
	for i, tag := range tags {
		b = appendSimple(b, tag, values[i])
	}
	dst[0] = string(b)
}

// limits returns the upper bounds of a histogram's buckets: a tenth larger one
// after the other, of both signs.
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

// Histogram stores in dst[0] a Summary with the histogram of the values under
// tag[0]: their least and largest, number, sum, sum of squares, and how many lie in each bucket. Buckets
// that are empty are one with those before it. InvalidArgument for NaN and infinity.
func Histogram(dst, tag []string, values []float64, node string) error {
	histo, err := histogram(values, node)
	if err != nil {
		return err
	}
	own := appendText(nil, numTag, tag[0])
	own = wire.AppendBytes(own, numHisto, histo)
	dst[0] = string(wire.AppendBytes(nil, numValue, own))
	return nil
}

// histogram returns a HistogramProto.
func histogram(values []float64, node string) ([]byte, error) {
	bounds := limits()
	counts := make([]float64, len(bounds))
	least, largest, sum, squares := math.MaxFloat64, -math.MaxFloat64, 0.0, 0.0
	for _, v := range values {
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

// Raw stores in dst[0] a Summary with a tensor of elements of a fixed size, which
// src holds as they lie in memory, with the name of the node that made it.
func Raw(dst []string, src []byte, dims []int, d tensor.DType, node string) {
	own := appendText(nil, numNode, node)
	own = wire.AppendBytes(own, numTensor, tensorproto.Append(nil, d, dims, src))
	dst[0] = string(wire.AppendBytes(nil, numValue, own))
}

// Strings is Raw of strings.
func Strings(dst, src []string, dims []int, node string) {
	own := appendText(nil, numNode, node)
	own = wire.AppendBytes(own, numTensor, tensorproto.AppendStrings(nil, dims, src))
	dst[0] = string(wire.AppendBytes(nil, numValue, own))
}

// TaggedRaw stores in dst[0] a Summary with a tensor under tag[0], with what the
// serialized SummaryMetadata metadata[0] says, nothing where that is none.
func TaggedRaw(dst, tag []string, src []byte, metadata []string, dims []int, d tensor.DType) {
	dst[0] = tagged(tag[0], tensorproto.Append(nil, d, dims, src), metadata[0])
}

// TaggedStrings is TaggedRaw of strings.
func TaggedStrings(dst, tag, src, metadata []string, dims []int) {
	dst[0] = tagged(tag[0], tensorproto.AppendStrings(nil, dims, src), metadata[0])
}

func tagged(tag string, t []byte, metadata string) string {
	own := appendText(nil, numTag, tag)
	own = wire.AppendBytes(own, numTensor, t)
	own = wire.AppendBytes(own, numMetadata, normal(metadataMessage, metadata))
	return string(wire.AppendBytes(nil, numValue, own))
}
