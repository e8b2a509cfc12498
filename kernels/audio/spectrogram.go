// Package audio computes spectrograms and mel-frequency cepstral coefficients of sound.
package audio

import (
	"math"
	"math/bits"

	"github.com/graphc/graphc/kernels/fft"
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SpectrogramParams describes the input [Samples, Channels] of Spectrogram, and the frames into which it
// splits the input.
type SpectrogramParams struct {
	Samples, Channels, Frames int
	Window, Stride            int
	Squared                   bool      // magnitudes squared
	Tables                    []float64 // the result of SpectrogramTables; if nil, each call computes it
}

// Length returns the length of the transform of a window: the next power of two.
func Length(window int) int { return 1 << bits.Len(uint(window-1)) }

// MostTables is the longest window for which a compiled program contains the tables and reserves scratch. For
// longer windows, each call of Spectrogram computes the tables and allocates scratch.
const MostTables = 1 << 12

// SpectrogramTables returns the numbers that depend on the window only: the periodic Hann window, the factors
// of the Fourier transform of half the length, and e^(-2πi·k/length) for k up to a quarter of the length.
func SpectrogramTables(window int) []float64 {
	var run *mem.Budget
	call := run.Call()
	return tablesOf(&call, window)
}

// tablesOf returns the result of SpectrogramTables. Its memory and work count for the call.
func tablesOf(call *mem.Call, window int) []float64 {
	n := Length(window)
	t := mem.Make[float64](call, window+fft.RootsLen(n/2)+n/2+2)
	hann, rest := t[:window], t[window:]
	for i := range (window + 2) / 2 {
		call.Work(cosWork)
		hann[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(window))
		if i > 0 {
			hann[window-i] = hann[i]
		}
	}
	rest = rest[copy(rest, fft.Roots(call, n/2)):]
	copy(rest, fft.Circle(call, n)[:min(2*n, n/2+2)])
	return t
}

// cosWork is about how many nanoseconds a cosine takes.
const cosWork = 16

// SpectrogramScratchLen returns the number of floats of scratch that Spectrogram needs on any machine.
func SpectrogramScratchLen(window int) int { return fft.MostLanes * Length(window) }

// Spectrogram writes out[Channels, Frames, Length/2+1], the magnitudes of the Fourier transforms of frames of
// the input, each multiplied by a periodic Hann window. It computes in float64. scratch has
// SpectrogramScratchLen floats, or none: then each call allocates them.
func Spectrogram(run *mem.Budget, out, in []float32, scratch []float64, p SpectrogramParams) {
	if len(out) == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	tables := p.Tables
	if len(tables) == 0 {
		tables = tablesOf(&call, p.Window)
	}
	n := Length(p.Window)
	half, bins, lanes := n/2, n/2+1, fft.Lanes(n/2)
	if len(scratch) == 0 {
		scratch = mem.Make[float64](&call, 2*lanes, half)
	}
	s := spectra{p: &p, x: scratch[:2*lanes*half], lanes: lanes, half: half, hann: tables[:p.Window]}
	roots := tables[p.Window:][:fft.RootsLen(half)]
	s.turns = tables[p.Window+len(roots):]
	for c := range p.Channels {
		for first := 0; first < p.Frames; first += lanes {
			count := min(lanes, p.Frames-first)
			call.Work(4 * n * count)
			s.load(in[c:], first, count)
			fft.Together(&call, s.x, half, lanes, roots)
			s.store(out[(c*p.Frames+first)*bins:], count)
		}
	}
	if !p.Squared && !vmath.Sqrt(out, out) {
		for i, v := range out {
			out[i] = float32(math.Sqrt(float64(v)))
		}
	}
}

// spectra transforms several frames side by side. A frame of n real numbers is transformed as half as many
// complex numbers: the even elements are real parts, the odd ones imaginary parts.
type spectra struct {
	p     *SpectrogramParams
	x     []float64 // as in fft.Together
	lanes int
	half  int // length of the complex transform
	hann  []float64
	turns []float64 // e^(-2πi·k/n) for k up to half/2
}

// load stores the windowed samples of count frames. The parameter first is the number of the first of these
// frames. in[0] is the first sample of the channel.
func (s *spectra) load(in []float32, first, count int) {
	p := s.p
	for j := range s.half {
		at := s.x[2*s.lanes*fft.Place(j, s.half):][:2*s.lanes]
		i := 2 * j
		if i >= p.Window {
			clear(at)
			continue
		}
		re, im := at[:s.lanes], at[s.lanes:]
		from, step := (first*p.Stride+i)*p.Channels, p.Stride*p.Channels
		w, next := s.hann[i], 0.0
		if i+1 < p.Window {
			next = s.hann[i+1]
		}
		for l := range count {
			re[l] = float64(in[from+l*step]) * w
		}
		if i+1 < p.Window {
			for l := range count {
				im[l] = float64(in[from+l*step+p.Channels]) * next
			}
		} else {
			clear(im)
		}
	}
}

// store writes the squared magnitudes of count frames to the beginning of out. Let Z be the transform of the
// complex numbers. Then e = (Z[k] + conj(Z[half-k]))/2 is element k of the transform of the even elements, and
// o = (Z[k] - conj(Z[half-k]))/2i is that of the odd elements. Element k of the frame's transform is e + t·o
// with t = exp(-2πi·k/n), and element half-k is the conjugate of e - t·o.
func (s *spectra) store(out []float32, count int) {
	bins := s.half + 1
	square := func(re, im float64) float32 { return float32(float64(re*re) + float64(im*im)) }
	for l := range count {
		re, im := s.x[l], s.x[s.lanes+l]
		out[l*bins], out[l*bins+s.half] = square(re+im, 0), square(re-im, 0)
	}
	for k := 1; k <= s.half/2; k++ {
		a, b := s.x[2*s.lanes*k:][:2*s.lanes], s.x[2*s.lanes*(s.half-k):][:2*s.lanes]
		tr, ti := s.turns[2*k], s.turns[2*k+1]
		low, high := out[k:], out[s.half-k:]
		for l := range count {
			ar, ai, br, bi := a[l], a[s.lanes+l], b[l], b[s.lanes+l]
			er, ei := (ar+br)*0.5, (ai-bi)*0.5
			or, oi := (ai+bi)*0.5, (br-ar)*0.5
			wr := float64(tr*or) - float64(ti*oi)
			wi := float64(tr*oi) + float64(ti*or)
			low[l*bins], high[l*bins] = square(er+wr, ei+wi), square(er-wr, ei-wi)
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

// MostMfcc is the greatest number of cosines for which a program should contain scratch.
const MostMfcc = 1 << 16

// MfccScratchLen returns the number of floats of scratch that Mfcc needs, without the floats for the bins. Mfcc
// needs one more float for each bin.
func MfccScratchLen(filters, results int) int { return 2*filters + 1 + filters*results }

func mel(f float64) float64 { return 1127 * math.Log1p(f/700) }

// Mfcc writes out[Rows, Results], the mel-frequency cepstral coefficients of squared magnitudes.
// The roots of the squared magnitudes are summed under triangles that are evenly spaced on the mel
// scale; the result is the cosine transform of the sums' logarithms. It returns InvalidArgument for
// limits, counts or a rate that give no filters, and ResourceExhausted for more than 2^24 cosines.
// scratch has MfccScratchLen + p.Bins floats and bands has p.Bins elements, or both have none: then
// each call allocates them.
func Mfcc(run *mem.Budget, out, spectra []float32, rate []int32, scratch []float64, bands []int32, p MfccParams) error {
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
	if len(scratch) == 0 {
		scratch, bands = mem.Make[float64](&call, MfccScratchLen(p.Filters, p.Results)+p.Bins), mem.Make[int32](&call, p.Bins)
	}
	take := func(n int) []float64 {
		s := scratch[:n]
		scratch = scratch[n:]
		return s
	}
	centre := take(p.Filters + 1)
	low := mel(lower)
	space := (mel(upper) - low) / float64(p.Filters+1)
	for i := range centre {
		centre[i] = low + float64(space*float64(i+1))
	}
	hz := 0.5 * float64(rate[0]) / float64(p.Bins-1)
	first, last := int(min(1.5+lower/hz, 1<<30)), int(min(upper/hz, 1<<30))
	weight := take(p.Bins)
	k := 0
	for i := first; i <= min(last, p.Bins-1); i++ {
		m := mel(float64(i) * hz)
		for k < p.Filters && centre[k] < m {
			k++
		}
		bands[i] = int32(k - 1)
		if k > 0 {
			weight[i] = (centre[k] - m) / (centre[k] - centre[k-1])
		} else {
			weight[i] = (centre[0] - m) / (centre[0] - low)
		}
	}
	cosines := take(p.Results * p.Filters)
	norm, arg := math.Sqrt(2/float64(p.Filters)), math.Pi/float64(p.Filters)
	for i := range p.Results {
		call.Work(p.Filters * 32)
		for j := range p.Filters {
			cosines[i*p.Filters+j] = norm * math.Cos(float64(i)*arg*(float64(j)+0.5))
		}
	}
	sums := take(p.Filters)
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
			if b := bands[i]; b >= 0 {
				sums[b] += w
			}
			if b := int(bands[i]) + 1; b < p.Filters {
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
