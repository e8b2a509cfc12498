package conv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAuto checks that AutoF32 chooses the method by the image's size, not by the selected rows.
func TestAuto(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	methods := map[bool]int{}
	for _, p := range []Params{
		{N: 1, H: 5, W: 6, C: 16, OC: 16}, {N: 2, H: 30, W: 29, C: 32, OC: 32}, {N: 1, H: 8, W: 8, C: 96, OC: 48}, {N: 1, H: 40, W: 40, C: 80, OC: 80},
	} {
		p.KH, p.KW, p.OH, p.OW, p.PadTop, p.PadLeft, p.Groups = 3, 3, p.H, p.W, 1, 1, 1
		random := func(n int) []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = r.Float32() - 0.5
			}
			return v
		}
		in, w := random(p.N*p.H*p.W*p.C), random(9*p.C*p.OC)
		filter, wino := make([]float32, PackedLen(3, 3, p.C, p.OC, 1)), make([]float32, WinogradPackedLen(3, 3, p.C, p.OC))
		PackF32(filter, w, 3, 3, p.C, p.OC, 1)
		PackWinogradF32(wino, w, 3, 3, p.C, p.OC)
		scratch := make([]float32, AutoScratchLen(p))
		row := p.OW * p.OC
		got, want := make([]float32, p.N*p.OH*row), make([]float32, p.N*p.OH*row)
		for first := 0; first < p.N*p.OH; {
			q := p
			q.First, q.Rows = first, min(1+r.IntN(7), p.N*p.OH-first)
			AutoF32(got[first*row:(first+q.Rows)*row], in, filter, wino, scratch, q)
			first += q.Rows
		}
		methods[autoWinograd(p)]++
		if autoWinograd(p) {
			WinogradF32(want, in, wino, scratch, p)
		} else {
			F32(want, in, filter, scratch, p)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: parts differ from the whole", p)
		}
	}
	if len(methods) != 2 {
		t.Errorf("only one method was chosen: %v", methods)
	}
}
