package wav

import (
	"encoding/binary"
	"math"
	"strconv"
)

// SummaryParams describes sound [Batch, Samples, Channels], of which Most are kept.
type SummaryParams struct{ Batch, Samples, Channels, Most int }

// Summary writes the message Summary of the first sounds of a batch, each a value
// of the tag followed by /audio, and by its number where several may be.
// InvalidArgument for a rate that is not positive.
func Summary(dst, tag []string, audio, rate []float32, p SummaryParams) error {
	if !(rate[0] > 0) {
		return bad("the sample rate must be > 0, it is %v", rate[0])
	}
	whole := 0 // refused by Check
	if rate[0] < 1<<32 && float64(rate[0]) < math.MaxInt {
		whole = max(1, int(math.RoundToEven(float64(rate[0]))))
	}
	var out []byte
	for i := range min(p.Batch, p.Most) {
		if err := Check(whole, p.Samples, p.Channels); err != nil {
			return err
		}
		name := tag[0] + "/audio"
		if p.Most > 1 {
			name += "/" + strconv.Itoa(i)
		}
		n := p.Samples * p.Channels
		file := Append(nil, audio[i*n:][:n], whole, p.Channels)
		m := binary.LittleEndian.AppendUint32([]byte{1<<3 | 5}, math.Float32bits(rate[0]))
		m = binary.AppendUvarint(append(m, 2<<3), uint64(p.Channels))
		if p.Samples != 0 {
			m = binary.AppendUvarint(append(m, 3<<3), uint64(p.Samples))
		}
		m = field(m, 4, string(file))
		m = field(m, 5, "audio/wav")
		out = field(out, 1, string(field(field(nil, 1, name), 6, string(m))))
	}
	dst[0] = string(out)
	return nil
}

// field appends field n of a message, bytes.
func field(dst []byte, n int, s string) []byte {
	dst = binary.AppendUvarint(append(dst, byte(n<<3|2)), uint64(len(s)))
	return append(dst, s...)
}
