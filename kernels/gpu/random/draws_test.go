package random

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/rt/device"
)

func TestGamma(t *testing.T) {
	for _, samples := range []int{0, 1, 200} {
		alpha := []float64{0.3, 1, 2.5, 40}
		want := make([]float64, len(alpha)*samples)
		cpu.Gamma(nil, want, alpha, stream, cpu.Draws{Params: len(alpha), Samples: samples})
		r := gputest.New(t)
		out, a, s := gputest.Room[float64](r, len(want)), gputest.Put(r, alpha), gputest.Put(r, stream)
		r.Do(func(q *device.Queue) { Gamma(q, out, a, s, Draws{Params: len(alpha), Samples: samples}) })
		gputest.Close(t, fmt.Sprint("gamma ", samples), gputest.Get[float64](r, out, len(want)), want, 1e-13, 1)
	}
	r := gputest.New(t)
	out, a, s := gputest.Room[float64](r, 2), gputest.Put(r, []float64{math.NaN(), -1}), gputest.Put(r, stream)
	r.Do(func(q *device.Queue) { Gamma(q, out, a, s, Draws{Params: 2, Samples: 1}) })
	for i, v := range gputest.Get[float64](r, out, 2) {
		if v == v {
			t.Errorf("shape %d gives %v, want NaN", i, v)
		}
	}
}

func TestMultinomial(t *testing.T) {
	for _, p := range []Classes{{3, 5, 40}, {2, 700, 301}, {1, 1, 3}, {0, 4, 2}, {2, 3, 0}} {
		logits := gputest.Floats[float32](3, p.Rows*p.N)
		for i := range logits {
			if i%11 == 3 {
				logits[i] = float32(math.Inf(1))
			}
		}
		want := make([]int64, p.Rows*p.Samples)
		cpu.Multinomial(nil, want, logits, make([]float64, p.N), stream, cpu.MultinomialParams{Rows: p.Rows, Classes: p.N, Samples: p.Samples})
		narrow := make([]int32, len(want))
		cpu.NarrowI64(narrow, want)
		r := gputest.New(t)
		l, sum, s := gputest.Put(r, logits), gputest.Room[float64](r, len(logits)), gputest.Put(r, stream)
		o32, o64 := gputest.Room[int32](r, len(want)), gputest.Room[int64](r, len(want))
		r.Do(func(q *device.Queue) { Multinomial32(q, o32, l, sum, s, p); Multinomial64(q, o64, l, sum, s, p) })
		if got := gputest.Get[int32](r, o32, len(want)); !slices.Equal(got, narrow) {
			t.Errorf("%+v: %v, want %v", p, got, narrow)
		}
		if got := gputest.Get[int64](r, o64, len(want)); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", p, got, want)
		}
	}
}
