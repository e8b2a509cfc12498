// Package summary makes the serialized Summary messages that TensorBoard shows, byte for byte as
// TensorFlow does. It writes the bytes directly, without message objects.
package summary

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/wire"
)

// The fields of Summary, of Summary.Value and of HistogramProto.
const (
	numValue = 1

	numTag      = 1
	numSimple   = 2
	numHisto    = 5
	numNode     = 7
	numTensor   = 8
	numMetadata = 9
)

// appendText appends a text field, unless v is "".
func appendText(b []byte, num int, v string) []byte {
	if v == "" {
		return b
	}
	return wire.AppendBytes(b, num, v)
}

func appendDouble(b []byte, v float64) []byte {
	u := math.Float64bits(v)
	return append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24), byte(u>>32), byte(u>>40), byte(u>>48), byte(u>>56))
}

// appendNumber appends a double field, unless v is +0.
func appendNumber(b []byte, num int, v float64) []byte {
	if math.Float64bits(v) == 0 {
		return b
	}
	return appendDouble(append(b, byte(num<<3|wire.Fixed8)), v)
}

// appendSimple appends a Summary.Value with a number.
func appendSimple(b []byte, tag string, v float32) []byte {
	var own []byte
	own = appendText(own, numTag, tag)
	u := math.Float32bits(v)
	own = append(own, numSimple<<3|wire.Fixed4, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	return wire.AppendBytes(b, numValue, own)
}
