package image

import (
	"math"
	"testing"
)

// TestAdjusted checks that the results equal TensorFlow 2.21's bit for bit. There are pixels for each
// order of the channels by size, a grey pixel, a pixel with a NaN, and a pixel with channels outside the
// range from 0 to 1.
func TestAdjusted(t *testing.T) {
	nan := float32(math.NaN())
	pixels := []float32{
		0x1.617cd2p-1, 0x1.7d4688p-1, 0x1.1e839ep-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p+0, 0, 0, 0x1p-2, 0x1p-2, 0x1.8p-1, nan, 0x1p+0, 0,
		0x1p+1, -0x1p+0, 0x1p-1, 0x1.d1cf5ep-2, 0x1.b6a74ep-2, 0x1.b43d26p-1, 0x1.1a325cp-3, 0x1.3bdee2p-1, 0x1.a7ae1ep-2, 0x1.0e77eep-1,
		0x1.ff652cp-2, 0x1.12b244p-3, 0x1.0626e2p-1, 0x1.b965e4p-1, 0x1.5eb01p-3, 0x1.77d00ap-7, 0x1.14bf5ap-4, 0x1.d6d4bp-2,
		0x1.f2eb62p-1, 0x1.6a638p-5, 0x1.fb5b1cp-1,
	}
	for _, c := range []struct {
		name string
		f    func(dst, src, by []float32, n int)
		by   float32
		want []float32
	}{
		{"Hue", Hue, 0.3, []float32{
			0x1.1e839ep-1, 0x1.74709ap-1, 0x1.7d4688p-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1.99998p-3, 0x1p+0, 0, 0x1.8p-1, 0x1p-2, 0x1.66666p-2, nan,
			0, nan, 0x1.19999p+0, 0x1p+1, -0x1p+0, 0x1.b43d26p-1, 0x1.b6a74ep-2, 0x1.f2430ap-2, 0x1.458d3p-2, 0x1.1a325cp-3, 0x1.3bdee2p-1,
			0x1.12b244p-3, 0x1.0e77eep-1, 0x1.aead6ep-2, 0x1.5eb01p-3, 0x1.4ce5a6p-1, 0x1.b965e4p-1, 0x1.d6d4bp-2, 0x1.77d00ap-7,
			0x1.42021ep-3, 0x1.fb5b1cp-1, 0x1.91fa74p-1, 0x1.6a638p-5,
		}},
		{"Hue", Hue, -7.75, []float32{
			0x1.1e839ep-1, 0x1.7d4688p-1, 0x1.69aecp-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p+0, 0, 0x1.8p-1, 0x1p-2, 0x1p-1, nan, 0, nan,
			0x1p+1, 0x1p+1, -0x1p+0, 0x1.b43d26p-1, 0x1.b6a74ep-2, 0x1.3a344cp-1, 0x1.64b7fp-3, 0x1.1a325cp-3, 0x1.3bdee2p-1, 0x1.12b244p-3,
			0x1.0e77eep-1, 0x1.3599fp-2, 0x1.5eb01p-3, 0x1.b703dap-1, 0x1.b965e4p-1, 0x1.d6d4bp-2, 0x1.77d00ap-7, 0x1.2abab6p-2, 0x1.fb5b1cp-1,
			0x1.0090c8p-1, 0x1.6a638p-5,
		}},
		{"Hue", Hue, 40.125, []float32{
			0x1.1e839ep-1, 0x1.7d4688p-1, 0x1.229ca8p-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p+0, 0x1.8p-1, 0, 0x1.4p-1, 0x1p-2, 0x1.8p-1, nan, 0, nan,
			0x1p+1, -0x1p-2, -0x1p+0, 0x1.8b9674p-1, 0x1.b6a74ep-2, 0x1.b43d26p-1, 0x1.1a325cp-3, 0x1.d7d1d4p-2, 0x1.3bdee2p-1, 0x1.0bc96p-2,
			0x1.0e77eep-1, 0x1.12b244p-3, 0x1.5eb01p-3, 0x1.b965e4p-1, 0x1.64fa6ep-2, 0x1.2a9e06p-2, 0x1.77d00ap-7, 0x1.d6d4bp-2,
			0x1.fb5b1cp-1, 0x1.6a638p-5, 0x1.308796p-2,
		}},
		{"Saturation", Saturation, 0.3, []float32{
			0x1.74f06cp-1, 0x1.7d4688p-1, 0x1.60d8dcp-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p+0, 0x1.666666p-1, 0x1.666666p-1, 0x1.333334p-1,
			0x1.333334p-1, 0x1.8p-1, nan, nan, nan, 0x1p+1, 0x1.199998p+0, 0x1.8cccccp+0, 0x1.773d1ap-1, 0x1.732a4cp-1, 0x1.b43d26p-1,
			0x1.e48c64p-2, 0x1.3bdee2p-1, 0x1.1ca956p-1, 0x1.0e77eep-1, 0x1.0a0986p-1, 0x1.a3dc3ep-2, 0x1.839fcap-1, 0x1.b965e4p-1,
			0x1.4f47bap-1, 0x1.4d1ad4p-2, 0x1.5e566ep-2, 0x1.d6d4bp-2, 0x1.f8d332p-1, 0x1.69f1a4p-1, 0x1.fb5b1cp-1,
		}},
		{"Saturation", Saturation, 1.75, []float32{
			0x1.4ca58ap-1, 0x1.7d4688p-1, 0x1.aee2dep-2, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p+0, 0, 0, 0, 0, 0x1.8p-1, nan, nan, nan, 0x1p+1, 0,
			0x1p+0, 0x1.419e46p-3, 0x1.c5244p-4, 0x1.b43d26p-1, 0, 0x1.3bdee2p-1, 0x1.6bd8ap-2, 0x1.0e77eep-1, 0x1.f55772p-2, 0, 0x1.b3735cp-2,
			0x1.b965e4p-1, 0, 0, 0x1.d74c3cp-5, 0x1.d6d4bp-2, 0x1.f2867ep-1, 0, 0x1.fb5b1cp-1,
		}},
		{"Saturation", Saturation, -2, []float32{
			0x1.7d4688p-1, 0x1.7d4688p-1, 0x1.7d4688p-1, 0x1p-1, 0x1p-1, 0x1p-1, 0x1p+0, 0x1p+0, 0x1p+0, 0x1.8p-1, 0x1.8p-1, 0x1.8p-1, nan,
			nan, nan, 0x1p+1, 0x1p+1, 0x1p+1, 0x1.b43d26p-1, 0x1.b43d26p-1, 0x1.b43d26p-1, 0x1.3bdee2p-1, 0x1.3bdee2p-1, 0x1.3bdee2p-1,
			0x1.0e77eep-1, 0x1.0e77eep-1, 0x1.0e77eep-1, 0x1.b965e4p-1, 0x1.b965e4p-1, 0x1.b965e4p-1, 0x1.d6d4bp-2, 0x1.d6d4bp-2, 0x1.d6d4bp-2,
			0x1.fb5b1cp-1, 0x1.fb5b1cp-1, 0x1.fb5b1cp-1,
		}},
	} {
		got := append([]float32(nil), pixels...)
		c.f(got, got, []float32{c.by}, len(got)/3)
		for i, w := range c.want {
			if math.Float32bits(got[i]) != math.Float32bits(w) && (got[i] == got[i] || w == w) {
				t.Errorf("%s by %v: pixel %d, channel %d of %v is %v, want %v", c.name, c.by, i/3, i%3, pixels[i/3*3:i/3*3+3], got[i], w)
			}
		}
	}
	// For these deltas TensorFlow's kernel loops forever; Hue must end.
	got := make([]float32, len(pixels))
	Hue(got, pixels, []float32{float32(math.Inf(1))}, len(pixels)/3)
	Hue(got, pixels, []float32{1e30}, len(pixels)/3)
	for i := range 6 {
		if got[i] < 0 || got[i] > 1 {
			t.Errorf("element %d is %v", i, got[i])
		}
	}
}
