package gemm

import (
	"math"
	"testing"
)

func TestSkipZeros(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	a, b := []float32{0, 1, 2, 0, 0, 3}, []float32{inf, 1, 1, 1, 1, nan} // [2,3] · [3,2]
	at, bt := []float32{0, 0, 1, 0, 2, 3}, []float32{inf, 1, 1, 1, 1, nan}
	bt[1], bt[2], bt[3], bt[4] = b[2], b[4], b[1], b[3]
	for _, c := range []struct {
		a, b []float32
		p    SkipParams
	}{{a, b, SkipParams{Left: true}}, {at, b, SkipParams{Left: true, TransA: true}}, {a, bt, SkipParams{Left: true, TransB: true}}} {
		c.p.M, c.p.N, c.p.K = 2, 2, 3
		got := []float32{nan, nan, nan, nan}
		SkipZeros(nil, got, c.a, c.b, c.p)
		if got[0] != 3 || got[1] == got[1] || got[2] != 3 || got[3] == got[3] {
			t.Errorf("%+v: got %v, want [3 NaN 3 NaN]", c.p, got)
		}
	}
	got := []float32{nan, 7, nan, nan} // finite elements stay
	SkipZeros(nil, got, []float32{nan, 1, 2, inf, 0, 3}, []float32{0, 0, 0, 1, 1, 0}, SkipParams{M: 2, N: 2, K: 3})
	if got[0] != 2 || got[1] != 7 || got[2] != 3 || got[3] != 0 {
		t.Errorf("got %v, want [2 7 3 0]", got)
	}
}
