package wav

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/graphc/graphc/kernels/internal/wire"

	"github.com/graphc/graphc/rt/mem"
)

// SummaryParams describes sounds [Batch, Samples, Channels]. The field Most is the largest number of
// sounds that are kept.
type SummaryParams struct{ Batch, Samples, Channels, Most int }

// Summary writes the message Summary of the first sounds of a batch. Each sound becomes one value
// of the message. The value's tag is the given tag followed by /audio. If Most is larger than 1, a
// slash and the sound's number follow. Summary returns InvalidArgument for a rate that is not
// positive.
func Summary(run *mem.Budget, dst, tag []string, audio, rate []float32, p SummaryParams) error {
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
		m := binary.LittleEndian.AppendUint32([]byte{1<<3 | wire.Fixed4}, math.Float32bits(rate[0]))
		m = wire.AppendUvarint(append(m, 2<<3|wire.Varint), uint64(p.Channels))
		if p.Samples != 0 {
			m = wire.AppendUvarint(append(m, 3<<3|wire.Varint), uint64(p.Samples))
		}
		m = wire.AppendBytes(m, 4, file)
		m = wire.AppendBytes(m, 5, "audio/wav")
		out = wire.AppendBytes(out, 1, wire.AppendBytes(wire.AppendBytes(nil, 1, name), 6, m))
	}
	run.MustMake(len(out))
	dst[0] = string(out)
	return nil
}
