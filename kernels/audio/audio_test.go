package audio

import (
	"math"
	"slices"
	"testing"
)

func near(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-4*(1+math.Abs(float64(b))) }

// TestSpectrogram compares results with sums computed by the transform's definition.
func TestSpectrogram(t *testing.T) {
	for _, c := range []struct {
		samples, channels, window, stride int
		squared                           bool
	}{{200, 1, 2, 1, false}, {50, 2, 5, 3, true}, {40, 1, 8, 8, false}, {8, 1, 8, 3, true}, {3, 1, 8, 1, true}, {900, 1, 100, 40, false}, {700, 2, 64, 30, true}} {
		in := make([]float32, c.samples*c.channels)
		for i := range in {
			in[i] = float32(math.Sin(float64(i*i) / 7))
		}
		frames := 0
		if c.samples >= c.window {
			frames = 1 + (c.samples-c.window)/c.stride
		}
		n := Length(c.window)
		bins := n/2 + 1
		out := make([]float32, c.channels*frames*bins)
		again := make([]float32, len(out))
		Spectrogram(nil, again, in, make([]float64, SpectrogramScratchLen(c.window)), SpectrogramParams{Samples: c.samples, Channels: c.channels, Frames: frames, Window: c.window, Stride: c.stride, Squared: c.squared,
			Tables: SpectrogramTables(c.window)})
		Spectrogram(nil, out, in, nil, SpectrogramParams{Samples: c.samples, Channels: c.channels, Frames: frames, Window: c.window, Stride: c.stride, Squared: c.squared})
		if !slices.Equal(out, again) {
			t.Errorf("%+v: other results with tables and scratch", c)
		}
		for ch := range c.channels {
			for f := range frames {
				for k := range bins {
					var re, im float64
					for i := range c.window {
						h := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(c.window))
						v := float64(in[(f*c.stride+i)*c.channels+ch]) * h
						s, co := math.Sincos(2 * math.Pi * float64(k*i) / float64(n))
						re, im = re+v*co, im-v*s
					}
					want := re*re + im*im
					if !c.squared {
						want = math.Sqrt(want)
					}
					if got := out[(ch*frames+f)*bins+k]; math.Abs(float64(got)-want) > 1e-4*(1+want) {
						t.Fatalf("%+v: channel %d, frame %d, bin %d: %v, want %v", c, ch, f, k, got, want)
					}
				}
			}
		}
	}
	if n := [4]int{Length(2), Length(3), Length(8), Length(9)}; n != [4]int{2, 4, 8, 16} {
		t.Error(n)
	}
}

// TestMfcc compares results with TensorFlow's.
func TestMfcc(t *testing.T) {
	spectra := make([]float32, 2*65)
	for i := range spectra {
		spectra[i] = float32(i%17) / 4
	}
	for _, c := range mfccCases {
		p := c.p
		p.Rows, p.Bins = 2, 65
		out := make([]float32, 2*p.Results)
		if err := Mfcc(nil, out, spectra, []int32{c.rate}, nil, nil, p); err != nil {
			t.Fatal(err)
		}
		again := make([]float32, len(out))
		scratch, bands := make([]float64, MfccScratchLen(p.Filters, p.Results)+p.Bins), make([]int32, p.Bins)
		for i := range scratch {
			scratch[i] = math.NaN()
		}
		if err := Mfcc(nil, again, spectra, []int32{c.rate}, scratch, bands, p); err != nil || !slices.Equal(out, again) {
			t.Errorf("%+v with scratch: %v, %v, want %v", c.p, again, err, out)
		}
		for i, v := range out {
			if !near(v, c.want[i]) {
				t.Errorf("%+v at %d: %v, want %v", c.p, c.rate, out, c.want)
				break
			}
		}
	}
	for _, c := range []struct {
		p    MfccParams
		rate int32
	}{
		{MfccParams{Bins: 9, Upper: 400, Filters: 0, Results: 1}, 8000},
		{MfccParams{Bins: 9, Upper: 400, Filters: 3, Results: 1}, 0},
		{MfccParams{Bins: 1, Upper: 400, Filters: 3, Results: 1}, 8000},
		{MfccParams{Bins: 9, Upper: 400, Lower: -1, Filters: 3, Results: 1}, 8000},
		{MfccParams{Bins: 9, Upper: 400, Lower: 400, Filters: 3, Results: 1}, 8000},
		{MfccParams{Bins: 9, Upper: 400, Filters: 3, Results: 4}, 8000},
		{MfccParams{Bins: 9, Upper: 400, Filters: 3, Results: 0}, 8000},
	} {
		if err := Mfcc(nil, nil, nil, []int32{c.rate}, nil, nil, c.p); err == nil {
			t.Errorf("%+v at %d: no error", c.p, c.rate)
		}
	}
}

var mfccCases = []struct {
	p    MfccParams
	rate int32
	want []float32
}{
	{MfccParams{Lower: 20, Upper: 4000, Filters: 10, Results: 3}, 16000, []float32{4.6549835205078125, -2.1628708839416504, -0.7007140517234802, 4.639394760131836, -1.8557296991348267, 0.04703628644347191}},
	{MfccParams{Lower: 0, Upper: 4000, Filters: 3, Results: 3}, 8000, []float32{7.143621921539307, -0.6479634046554565, 0.017037002369761467, 7.0333685874938965, -0.7809506058692932, -0.09762785583734512}},
	{MfccParams{Lower: 500, Upper: 7000, Filters: 4, Results: 1}, 16000, []float32{7.122330665588379, 7.019347667694092}},
	{MfccParams{Lower: 20, Upper: 8000, Filters: 3, Results: 2}, 8000, []float32{0.0, 0.0, 0.0, 0.0}},
}
