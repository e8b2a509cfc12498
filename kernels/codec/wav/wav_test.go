package wav

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func decodeAll(data string, samples, channels int) (string, error) {
	in := []string{data}
	s, c, err := Size(in, samples, channels)
	if err != nil {
		return "", err
	}
	if s*c > 1<<20 {
		return "", nil
	}
	dst, rate := make([]float32, s*c), make([]int32, 1)
	err = Decode(dst, rate, in, s, c)
	return fmt.Sprint(s, c, rate[0], dst), err
}

func TestRoundTrip(t *testing.T) {
	nan := float32(math.NaN())
	var dst [1]string
	if err := Encode(nil, dst[:], []float32{0, .5, -1, 1, 2, nan}, []int32{8000}, 3, 2); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		samples, channels int
		want              string
	}{
		{-1, -1, "3 2 8000 [0 0.5 -1 0.9999695 0.9999695 -1]"},
		{4, 1, "4 1 8000 [0 -1 0.9999695 0]"},
		{1, 3, "1 3 8000 [0 0.5 0.5]"},
		{0, -1, "0 2 8000 []"},
	} {
		if got, err := decodeAll(dst[0], c.samples, c.channels); got != c.want || err != nil {
			t.Errorf("got %s %v, want %s", got, err, c.want)
		}
	}
	for _, c := range [][3]int{{0, 1, 1}, {-1, 1, 1}, {1, 1, 0}, {1, 1, 1 << 16}, {1, 1 << 31, 1}} {
		if err := Check(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	if err := Encode(nil, dst[:], nil, []int32{0}, 0, 1); err == nil {
		t.Error("the rate 0 was taken")
	}
}

func TestRefuses(t *testing.T) {
	good := string(Append(nil, []float32{0, 1}, 8000, 1))
	at := func(i int, s string) string { return good[:i] + s + good[i+len(s):] }
	if _, err := decodeAll(good[:12]+"JUNK\x02\x00\x00\x00ab"+good[12:36]+"LIST\x02\x00\x00\x00ab"+good[36:], -1, -1); err != nil {
		t.Error(err)
	}
	if _, err := decodeAll(good[:16]+"\x12"+good[17:36]+"ab"+good[36:], -1, -1); err != nil {
		t.Error(err)
	}
	for name, data := range map[string]string{
		"empty": "", "no RIFF": at(0, "X"), "cut size": good[:6], "no WAVE": at(8, "X"), "cut form": good[:10], "cut chunk": good[:14],
		"unknown chunk": at(12, "XXXX"), "cut junk size": good[:12] + "JUNK\x02", "cut junk": good[:12] + "JUNK\x7f\x00\x00\x00ab",
		"format of 17": at(16, "\x11"), "cut format": good[:21], "no PCM": at(20, "\x02"), "no channels": at(22, "\x00"), "nothing a sample": good[:22] + "\x00\x00" + good[24:28] + "\x00\x00\x00\x00\x00\x00" + good[34:], "bytes a second": at(28, "\x00"),
		"bytes a sample": at(32, "\x04"), "8 bits": at(34, "\x08"), "no data": good[:36], "cut data's name": good[:38], "cut data's size": good[:42],
		"cut data": good[:45], "data twice": good + good[36:], "large chunk": good + "abcd\xff\xff\xff\xff", "skipped data": good[:36] + "abcd\xff\xff\xff\x7f",
	} {
		if got, err := decodeAll(data, -1, -1); err == nil {
			t.Errorf("%s: %s", name, got)
		}
		if err := Decode(nil, []int32{0}, []string{data}, 0, 0); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func TestSummary(t *testing.T) {
	var dst [1]string
	if err := Summary(nil, dst[:], []string{"a"}, make([]float32, 6), []float32{0.2}, SummaryParams{Batch: 3, Samples: 2, Channels: 1, Most: 2}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(dst[0], "a/audio/") != 2 || strings.Count(dst[0], "audio/wav") != 2 || !strings.Contains(dst[0], "\x0d\xcd\xcc\x4c\x3e\x10\x01\x18\x02") {
		t.Errorf("%q", dst[0])
	}
	for _, c := range []struct {
		rate float32
		p    SummaryParams
	}{{0, SummaryParams{}}, {float32(math.NaN()), SummaryParams{}}, {1e20, SummaryParams{Batch: 1, Channels: 1, Most: 1}}, {1, SummaryParams{Batch: 1, Most: 1}}} {
		if err := Summary(nil, dst[:], []string{"a"}, nil, []float32{c.rate}, c.p); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(string(Append(nil, []float32{0, 1}, 8000, 1)), -1, -1)
	f.Add(string(Append(nil, []float32{0, 1, 2, 3}, 8000, 2)), 5, 3)
	f.Fuzz(func(t *testing.T, data string, samples, channels int) {
		_, _ = decodeAll(data, min(samples, 1<<12), min(channels, 16))
	})
}
