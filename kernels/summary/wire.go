// Package summary makes the serialized Summary messages that TensorBoard shows,
// byte for byte as TensorFlow does, without building the messages.
package summary

import "math"

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

const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireFixed4 = 5
)

func appendVarint(b []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// appendBytes appends a field of bytes.
func appendBytes[T string | []byte](b []byte, num int, v T) []byte {
	b = appendVarint(append(b, byte(num<<3|wireBytes)), uint64(len(v)))
	return append(b, v...)
}

// appendText appends a field of text, nothing where that is "".
func appendText(b []byte, num int, v string) []byte {
	if v == "" {
		return b
	}
	return appendBytes(b, num, v)
}

func appendDouble(b []byte, v float64) []byte {
	u := math.Float64bits(v)
	return append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24), byte(u>>32), byte(u>>40), byte(u>>48), byte(u>>56))
}

// appendNumber appends a field of a double, nothing where that is +0.
func appendNumber(b []byte, num int, v float64) []byte {
	if math.Float64bits(v) == 0 {
		return b
	}
	return appendDouble(append(b, byte(num<<3|wireFixed8)), v)
}

// appendSimple appends a Summary.Value with a number.
func appendSimple(b []byte, tag string, v float32) []byte {
	var own []byte
	own = appendText(own, numTag, tag)
	u := math.Float32bits(v)
	own = append(own, numSimple<<3|wireFixed4, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	return appendBytes(b, numValue, own)
}
