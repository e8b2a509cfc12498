// Package audio computes spectrograms and mel-frequency cepstral coefficients of sound.
package audio

import (
	"math"
	"math/bits"

	"github.com/graphc/graphc/kernels/fft"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SpectrogramParams describes the input [Samples, Channels] of Spectrogram, and the frames into which it
// splits the input.
type SpectrogramParams struct {
	Samples, Channels, Frames int
	Window, Stride            int
	Squared                   bool // magnitudes squared
}

// Length returns the length of the transform of a window: the next power of two.
func Length(window int) int { return 1 << bits.Len(uint(window-1)) }

// Spectrogram writes out[Channels, Frames, Length/2+1], the magnitudes of the Fourier transforms of
// frames of the input, each multiplied by a periodic Hann window. It computes in float64.
func Spectrogram(run *mem.Budget, out, in []float32, p SpectrogramParams) {
	if len(out) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	const chunk = 64
	n := Length(p.Window)
	bins := n/2 + 1
	hann := mem.Make[float64](&call, p.Window)
	for i := range hann {
		hann[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(p.Window))
	}
	rows := min(chunk, p.Frames)
	x, y := mem.Make[float64](&call, rows, n), mem.Make[complex128](&call, rows, bins)
	for c := range p.Channels {
		for first := 0; first < p.Frames; first += rows {
			k := min(rows, p.Frames-first)
			for f := range k {
				call.Work(4 * n)
				at := (first + f) * p.Stride
				for i, w := range hann {
					x[f*n+i] = float64(in[(at+i)*p.Channels+c]) * w
				}
			}
			fft.RealC128(run, y, x, fft.Params{Batch: k, Rank: 1, In: [3]int{1, 1, n}, Out: [3]int{1, 1, bins}, N: [3]int{1, 1, n}})
			d := out[(c*p.Frames+first)*bins:][:k*bins]
			for i, v := range y[:k*bins] {
				m := float32(float64(real(v)*real(v)) + float64(imag(v)*imag(v)))
				if !p.Squared {
					m = float32(math.Sqrt(float64(m)))
				}
				d[i] = m
			}
		}
	}
}

// MfccParams describes the input [Rows, Bins] of Mfcc and the filters.
type MfccParams struct {
	Rows, Bins       int
	Lower, Upper     float32 // lowest and highest frequency of the filters, in hertz
	Filters, Results int
}

// maxTable is the largest number of elements of the table of cosines, which then takes 128 MiB.
const maxTable = 1 << 24

func mel(f float64) float64 { return 1127 * math.Log1p(f/700) }

// Mfcc writes out[Rows, Results], the mel-frequency cepstral coefficients of squared magnitudes.
// The roots of the squared magnitudes are summed under triangles that are evenly spaced on the mel
// scale; the result is the cosine transform of the sums' logarithms. It returns InvalidArgument for
// limits, counts or a rate that give no filters, and ResourceExhausted for more than 2^24 cosines.
func Mfcc(run *mem.Budget, out, spectra []float32, rate []int32, p MfccParams) error {
	lower, upper := float64(p.Lower), float64(p.Upper)
	switch {
	case p.Filters < 1, rate[0] <= 0, p.Bins < 2, !(lower >= 0), !(upper > lower):
		return tensor.Errorf(tensor.InvalidArgument, "no filters for %d bins at the rate %d from %v to %v Hz: all must be positive, the upper limit above the lower",
			p.Bins, rate[0], lower, upper)
	case p.Results < 1 || p.Results > p.Filters:
		return tensor.Errorf(tensor.InvalidArgument, "dct_coefficient_count is %d, 1 to filterbank_channel_count (%d) is required", p.Results, p.Filters)
	}
	if p.Filters > maxTable || p.Results > maxTable/p.Filters {
		return tensor.Errorf(tensor.ResourceExhausted, "%d filters and %d coefficients need a table of more than %d numbers", p.Filters, p.Results, maxTable)
	}
	if len(out) == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	centre := mem.Make[float64](&call, p.Filters+1)
	low := mel(lower)
	space := (mel(upper) - low) / float64(p.Filters+1)
	for i := range centre {
		centre[i] = low + float64(space*float64(i+1))
	}
	hz := 0.5 * float64(rate[0]) / float64(p.Bins-1)
	first, last := int(min(1.5+lower/hz, 1<<30)), int(min(upper/hz, 1<<30))
	band, weight := mem.Make[int](&call, p.Bins), mem.Make[float64](&call, p.Bins)
	k := 0
	for i := first; i <= min(last, p.Bins-1); i++ {
		m := mel(float64(i) * hz)
		for k < p.Filters && centre[k] < m {
			k++
		}
		band[i] = k - 1
		if k > 0 {
			weight[i] = (centre[k] - m) / (centre[k] - centre[k-1])
		} else {
			weight[i] = (centre[0] - m) / (centre[0] - low)
		}
	}
	cosines := mem.Make[float64](&call, p.Results, p.Filters)
	norm, arg := math.Sqrt(2/float64(p.Filters)), math.Pi/float64(p.Filters)
	for i := range p.Results {
		call.Work(p.Filters * 32)
		for j := range p.Filters {
			cosines[i*p.Filters+j] = norm * math.Cos(float64(i)*arg*(float64(j)+0.5))
		}
	}
	sums := mem.Make[float64](&call, p.Filters)
	n := p.Filters
	if last >= p.Bins { // the spectrum is too short for the filters
		n = 0
	}
	for r := range p.Rows {
		clear(sums)
		x := spectra[r*p.Bins:][:p.Bins]
		for i := first; i <= last && n > 0; i++ {
			v := math.Sqrt(float64(x[i]))
			w := v * weight[i]
			if b := band[i]; b >= 0 {
				sums[b] += w
			}
			if b := band[i] + 1; b < p.Filters {
				sums[b] += v - w
			}
		}
		for i, v := range sums[:n] {
			if v < 1e-12 {
				v = 1e-12
			}
			sums[i] = math.Log(v)
		}
		for i := range p.Results {
			call.Work(n)
			s := 0.0
			for j, v := range sums[:n] {
				s += float64(cosines[i*p.Filters+j] * v)
			}
			out[r*p.Results+i] = float32(s)
		}
	}
	return nil
}
