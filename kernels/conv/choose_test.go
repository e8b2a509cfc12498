package conv

import (
	"fmt"
	"testing"
)

func TestPrefersWinograd(t *testing.T) {
	for _, c := range []struct {
		h, w, c, oc int
		want        bool
	}{
		{56, 56, 64, 64, true}, {28, 28, 128, 128, true}, {14, 14, 256, 256, true}, {35, 35, 64, 96, true}, {147, 147, 32, 64, true},
		{17, 17, 192, 192, true}, {14, 14, 512, 512, true}, {8, 8, 448, 384, false}, {0, 0, 64, 64, true}, {0, 0, 128, 128, true}, {0, 56, 64, 64, true},
		{7, 7, 512, 512, false}, {1, 1, 512, 512, false}, {4, 4, 64, 64, false}, {0, 0, 512, 512, false}, {224, 224, 3, 16, false}, {1, 1000, 64, 64, false},
	} {
		p := Params{N: 1, H: c.h, W: c.w, C: c.c, KH: 3, KW: 3, OH: c.h, OW: c.w, OC: c.oc, PadTop: 1, PadLeft: 1}
		d, w := Cost(p)
		what := fmt.Sprintf("%dx%dx%d_%d: direct %.0f, Winograd %.0f cycles", c.h, c.w, c.c, c.oc, d, w)
		if got := PrefersWinograd(p); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
		t.Log(what)
	}
	for _, k := range [][3]int{{1, 7, 128}, {7, 1, 160}, {7, 1, 192}, {5, 5, 64}} {
		p := Params{N: 1, H: 17, W: 17, C: k[2], KH: k[0], KW: k[1], OH: 17, OW: 17, OC: k[2], PadTop: k[0] / 2, PadLeft: k[1] / 2}
		if !PrefersWinograd(p) {
			d, w := Cost(p)
			t.Errorf("%+v: direct %.0f, Winograd %.0f cycles", p, d, w)
		}
	}
	for _, p := range []Params{
		{H: 56, W: 56, C: 64, KH: 3, KW: 3, OH: 28, OW: 28, OC: 64, StrideH: 2, StrideW: 2}, {H: 56, W: 56, C: 64, KH: 1, KW: 1, OH: 56, OW: 56, OC: 64},
		{H: 56, W: 56, C: 64, KH: 3, KW: 3, OH: 56, OW: 56, OC: 64, DilH: 2, DilW: 2}, {H: 56, W: 56, C: 64, KH: 3, KW: 3, OH: 56, OW: 56, OC: 64, Groups: 2},
		{H: 56, W: 56, C: 64, KH: 4, KW: 4, OH: 56, OW: 56, OC: 64},
		{H: 17, W: 17, C: 64, KH: 7, KW: 7, OH: 17, OW: 17, OC: 64}, {H: 17, W: 17, C: 64, KH: 1, KW: 3, OH: 17, OW: 17, OC: 64}, {},
	} {
		if PrefersWinograd(p) {
			t.Errorf("%+v: Winograd's method does not do this", p)
		}
	}
}
