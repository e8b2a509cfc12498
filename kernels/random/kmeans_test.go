package random

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestKMeansPlusPlus(t *testing.T) {
	points := []float32{0, 0, 0, 1, 9, 9, 9, 8, -9, 9, 4, 4}
	for _, retries := range []int64{-1, 0, 3} {
		for n := 1; n <= 6; n++ {
			got := make([]float32, 2*n)
			p := KMeansParams{Points: 6, Dims: 2, Samples: n}
			if err := KMeansPlusPlus(nil, got, points, []int64{int64(n)}, []int64{retries}, make([]float32, 30), make([]bool, 6), p); err != nil {
				t.Fatal(err)
			}
			seen := map[[2]float32]bool{}
			for i := range n {
				at := [2]float32{got[2*i], got[2*i+1]}
				found := false
				for j := range 6 {
					found = found || at == [2]float32{points[2*j], points[2*j+1]}
				}
				if !found || seen[at] {
					t.Errorf("retries %d: %v is no point, or chosen twice: %v", retries, at, got)
				}
				seen[at] = true
			}
		}
	}
	// All distances between equal points are 0. Such points are drawn with the same probability.
	got := make([]float32, 3)
	if err := KMeansPlusPlus(nil, got, []float32{2, 2, 2}, []int64{1}, []int64{0}, make([]float32, 15), make([]bool, 3), KMeansParams{Points: 3, Dims: 1, Samples: 3}); err != nil || got[2] != 2 {
		t.Error(got, err)
	}
	for _, retries := range []int64{math.MaxInt32, math.MaxInt64} {
		err := KMeansPlusPlus(nil, got, []float32{2, 2, 2}, []int64{1}, []int64{retries}, make([]float32, 15), make([]bool, 3), KMeansParams{Points: 3, Dims: 1, Samples: 1})
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(retries, err)
		}
	}
	// Point 0 has been chosen, but the running sums say that only its distance is positive. So each
	// draw gives point 0, until the method draw gives up.
	k := &kmeans{n: 2, sum: []float32{1, 1}, chosen: []bool{true, false}}
	if _, err := k.draw(false); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	for n, ok := range map[int64]bool{0: false, -1: false, 1: true, 3: true, 4: false} {
		if _, err := Samples([]int64{n}, 3); (err == nil) != ok {
			t.Error(n, err)
		}
	}
}

func TestChainKMC2(t *testing.T) {
	index := make([]int64, 1)
	for _, c := range []struct {
		d    []float32
		want int64
	}{{[]float32{1}, 0}, {[]float32{0, 1, 0}, 1}, {[]float32{1, 2, 4}, 2}} {
		if err := ChainKMC2(index, c.d, []int64{5}); err != nil || index[0] != c.want {
			t.Errorf("%v: %d, %v", c.d, index, err)
		}
	}
	if err := ChainKMC2(index, nil, []int64{5}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestRegions(t *testing.T) {
	for _, pseudo := range []bool{false, true} {
		for in := 1; in < 40; in++ {
			for out := 1; out <= in; out++ {
				stream := []uint64{uint64(in), 0, uint64(out)}
				seq := make([]int64, out+1)
				Regions(seq, stream, RegionParams{Input: in, Pseudo: pseudo})
				if seq[0] != 0 || seq[out] != int64(in) {
					t.Fatalf("%d into %d: %v", in, out, seq)
				}
				for i := range out {
					// the size of each region must be in/out rounded down, or one more
					if d := int(seq[i+1] - seq[i]); d < in/out || d > in/out+1 {
						t.Fatalf("%d into %d: %v", in, out, seq)
					}
				}
				want := uint64(1)
				if !pseudo {
					want = uint64(out+3) / 4
				}
				if stream[1] != want {
					t.Fatalf("%d blocks drawn, want %d", stream[1], want)
				}
			}
		}
	}
}
