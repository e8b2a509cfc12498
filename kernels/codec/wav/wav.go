// Package wav reads and writes sound in WAV files of 16 bits a sample.
package wav

import (
	"encoding/binary"
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func bad(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, "WAV: "+format, args...)
}

// file is a parsed WAV file.
type file struct {
	channels, rate, samples int
	data                    string // the samples
}

// text is a string that is read from front to back.
type text struct {
	s   string
	pos int
}

func (t *text) take(n int) (string, error) {
	if t.pos > len(t.s) || len(t.s)-t.pos < n {
		return "", bad("the data are too short")
	}
	t.pos += n
	return t.s[t.pos-n : t.pos], nil
}

func (t *text) number(n int) (int, error) {
	s, err := t.take(n)
	v := 0
	for i := range len(s) {
		v |= int(s[i]) << (8 * i)
	}
	return v, err
}

func (t *text) expect(want string) error {
	s, err := t.take(len(want))
	if err == nil && s != want {
		err = bad("header mismatch: %q was expected, %q found", want, s)
	}
	return err
}

// before reports whether a chunk may precede the format chunk.
func before(id string) bool {
	switch id {
	case "JUNK", "bext", "iXML", "qlty", "mext", "levl", "link", "axml":
		return true
	}
	return false
}

func parse(s string) (f file, err error) {
	t := &text{s: s}
	if err := t.expect("RIFF"); err != nil {
		return f, err
	}
	if _, err := t.take(4); err != nil {
		return f, err
	}
	if err := t.expect("WAVE"); err != nil {
		return f, err
	}
	for {
		id, err := t.take(4)
		if err != nil {
			return f, err
		}
		if id == "fmt " {
			break
		}
		if !before(id) {
			return f, bad("unexpected field %q", id)
		}
		n, err := t.number(4)
		if err != nil {
			return f, err
		}
		if _, err := t.take(n); err != nil {
			return f, err
		}
	}
	size, frame, err := f.format(t)
	if err != nil {
		return f, err
	}
	if size == 18 {
		t.pos += 2
	}
	found := false
	for t.pos < len(s) {
		id, err := t.take(4)
		if err != nil {
			return f, err
		}
		n, err := t.number(4)
		switch {
		case err != nil:
			return f, err
		case n > math.MaxInt32:
			return f, bad("the chunk %q has %d bytes, too many", id, n)
		case id != "data":
			t.pos += n
			if t.pos > math.MaxInt32 {
				return f, bad("the chunk %q has %d bytes, too many", id, n)
			}
			continue
		case found:
			return f, bad("there is more than one data chunk")
		}
		found = true
		f.samples = n / frame
		if f.data, err = t.take(2 * f.samples * f.channels); err != nil {
			return f, err
		}
	}
	if !found {
		return f, bad("there is no data chunk")
	}
	return f, nil
}

// format reads the format chunk. It returns the size of the chunk, and the size of a frame: one
// sample of every channel.
func (f *file) format(t *text) (size, frame int, err error) {
	var v [7]int // size, coding, channels, rate, bytes a second, bytes a frame, bits a sample
	for i, n := range [7]int{4, 2, 2, 4, 4, 2, 2} {
		if v[i], err = t.number(n); err != nil {
			return 0, 0, err
		}
		switch {
		case i == 0 && v[0] != 16 && v[0] != 18:
			return 0, 0, bad("bad size %d of the format chunk, 16 and 18 are supported", v[0])
		case i == 1 && v[1] != 1:
			return 0, 0, bad("bad audio format %d, 1 (PCM) is supported", v[1])
		case i == 2 && v[2] < 1:
			return 0, 0, bad("at least 1 channel is required")
		}
	}
	f.channels, f.rate = v[2], v[3]
	switch want := 2 * f.channels; {
	case v[6] != 16:
		return 0, 0, bad("%d bits a sample, 16 are supported", v[6])
	case v[5] != want:
		return 0, 0, bad("bad bytes a sample: %d, not %d", v[5], want)
	case v[4] != int(uint32(v[5]*f.rate)):
		return 0, 0, bad("bad bytes a second: %d at the rate %d", v[4], f.rate)
	}
	return v[0], v[5], nil
}

// Size returns the number of samples and of channels in a file. If the parameter samples or
// channels is not negative, it replaces the file's number. Size returns InvalidArgument for an
// invalid file.
func Size(contents []string, samples, channels int) (s, c int, err error) {
	f, err := parse(contents[0])
	if err != nil {
		return 0, 0, err
	}
	if samples >= 0 {
		f.samples = samples
	}
	if channels >= 0 {
		f.channels = channels
	}
	return f.samples, f.channels, nil
}

// Decode writes the sample rate to rate[0], and the samples, as numbers in [-1, 1), to
// dst[samples, channels]. Missing samples are 0. Missing channels repeat the file's last one.
func Decode(dst []float32, rate []int32, contents []string, samples, channels int) error {
	f, err := parse(contents[0])
	if err != nil {
		return err
	}
	rate[0] = int32(uint32(f.rate))
	for i := range samples {
		for c := range channels {
			v := float32(0)
			if i < f.samples {
				at := 2 * (i*f.channels + min(c, f.channels-1))
				v = float32(int16(uint16(f.data[at])|uint16(f.data[at+1])<<8)) / 32768
			}
			dst[i*channels+c] = v
		}
	}
	return nil
}

// Append appends audio[samples, channels] to dst as a file.
func Append(dst []byte, audio []float32, rate, channels int) []byte {
	le := binary.LittleEndian
	n := 2 * len(audio)
	dst = append(dst, "RIFF"...)
	dst = le.AppendUint32(dst, uint32(36+n))
	dst = append(dst, "WAVEfmt "...)
	dst = le.AppendUint32(dst, 16)
	dst = le.AppendUint16(dst, 1)
	dst = le.AppendUint16(dst, uint16(channels))
	dst = le.AppendUint32(dst, uint32(rate))
	dst = le.AppendUint32(dst, uint32(rate*channels*2))
	dst = le.AppendUint16(dst, uint16(channels*2))
	dst = le.AppendUint16(dst, 16)
	dst = append(dst, "data"...)
	dst = le.AppendUint32(dst, uint32(n))
	for _, v := range audio {
		dst = le.AppendUint16(dst, uint16(sample(v)))
	}
	return dst
}

// sample converts a number to a sample: it rounds halves away from zero, and clips.
func sample(v float32) int16 {
	x := math.Round(float64(v * 32768))
	if x != x {
		return math.MinInt16
	}
	return int16(max(math.MinInt16, min(math.MaxInt16, x)))
}

// Check rejects sound that does not fit a file.
func Check(rate, samples, channels int) error {
	switch {
	case rate <= 0 || int64(rate) > math.MaxUint32:
		return bad("the sample rate must be in (0, 2^32), it is %d", rate)
	case channels <= 0 || channels > math.MaxUint16:
		return bad("the number of channels must be in (0, 2^16), it is %d", channels)
	case int64(samples) > (math.MaxUint32-44)/2/int64(channels):
		return bad("%d samples of %d channels are too many for a file", samples, channels)
	}
	return nil
}

// Encode writes audio[samples, channels], numbers in [-1, 1], as a file.
func Encode(run *mem.Budget, dst []string, audio []float32, rate []int32, samples, channels int) error {
	if err := Check(int(rate[0]), samples, channels); err != nil {
		return err
	}
	n := 44 + 2*len(audio)
	run.MustMake(n)
	call := run.Call()
	defer call.Free()
	dst[0] = string(Append(mem.Make[byte](&call, n)[:0], audio, int(rate[0]), channels))
	return nil
}
