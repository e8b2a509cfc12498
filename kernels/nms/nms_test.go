package nms

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSelect compares selections with TensorFlow 2.21's. Boxes 3 and 5 have equal scores.
func TestSelect(t *testing.T) {
	boxes := []float32{0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101}
	scores := []float32{.9, .75, .6, .95, .5, .95}
	tests := []struct {
		sigma  float32
		most   int
		pad    bool
		sel    []int32
		scores []float32
		valid  int32
	}{
		{0, 6, false, []int32{3, 5, 0}, []float32{.95, .95, .9}, 3},
		{0.5, 6, false, []int32{3, 5, 0, 1}, []float32{.95, .95, .9, 0.38400355}, 4},
		{0, 2, false, []int32{3, 5}, []float32{.95, .95}, 2},
		{0, 5, true, []int32{3, 5, 0, 0, 0}, []float32{.95, .95, .9, 0, 0}, 3},
		{0, 0, false, nil, nil, 0},
	}
	for _, c := range tests {
		sel, got, valid := make([]int32, 6), make([]float32, 6), make([]int32, 1)
		n, err := Select(nil, sel, boxes, scores, Params{Boxes: 6, Max: c.most, Pad: c.pad,
			Limit: []float32{.5}, Least: []float32{.3}, Sigma: []float32{c.sigma}, Chosen: got, Valid: valid,
			HeapScore: make([]float32, 6), HeapBox: make([]int32, 6), HeapBegin: make([]int32, 6)})
		if err != nil || !slices.Equal(sel[:n], c.sel) || valid[0] != c.valid {
			t.Errorf("%+v: %v %v %v", c, sel[:n], valid, err)
			continue
		}
		for i := range c.scores {
			if math.Abs(float64(got[i]-c.scores[i])) > 1e-6 {
				t.Errorf("%+v: scores %v", c, got[:n])
			}
		}
	}
	if _, err := Select(nil, nil, nil, nil, Params{Limit: []float32{1.5}}); err == nil {
		t.Error("an iou_threshold of 1.5 is accepted")
	}
}

// TestHard checks that Select chooses the same boxes in the same order with p.Keys as scratch and
// without. Some cases choose more than keptMost boxes. Others have boxes without area, equal scores
// and NaN.
func TestHard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 7, 100, 1000} {
		for _, spread := range []float32{1, 5, 40} {
			boxes, scores := make([]float32, 4*n), make([]float32, n)
			for i := range scores {
				y, x := spread*r.Float32(), spread*r.Float32()
				copy(boxes[4*i:], []float32{y + r.Float32(), x, y, x + r.Float32()})
				scores[i] = float32(r.IntN(200)-20) / 100
			}
			for i := 3; i < n; i += 50 {
				boxes[4*i+2] = boxes[4*i]
				boxes[4*i-1] = float32(math.NaN())
				scores[i-2] = float32(math.Copysign(0, -1))
				scores[i] = float32(math.NaN())
			}
			for _, most := range []int{3, 300, 2000} {
				p := Params{Boxes: n, Max: most, Limit: []float32{.3}, Least: []float32{-.1},
					HeapScore: make([]float32, n), HeapBox: make([]int32, n), HeapBegin: make([]int32, n)}
				var sel [2][]int32
				var got [2][]float32
				for k := range sel {
					sel[k], got[k] = make([]int32, n), make([]float32, n)
					p.Chosen = got[k]
					if k == 1 {
						p.Keys = make([]uint64, n)
					}
					m, err := Select(nil, sel[k], boxes, scores, p)
					if err != nil {
						t.Fatal(err)
					}
					sel[k], got[k] = sel[k][:m], got[k][:m]
				}
				if !slices.Equal(sel[0], sel[1]) || !slices.Equal(got[0], got[1]) {
					t.Fatalf("%d boxes, spread %v, at most %d: %v, want %v", n, spread, most, sel[1], sel[0])
				}
			}
		}
	}
}

func TestIOU(t *testing.T) {
	a := []float32{0, 0, 1, 1}
	for _, c := range []struct {
		b    []float32
		want float32
	}{
		{[]float32{1, 1, 0, 0}, 1}, {[]float32{0, 0.5, 1, 1.5}, 1. / 3}, {[]float32{2, 2, 3, 3}, 0}, {[]float32{0, 0, 0, 1}, 0},
	} {
		if got := iou(a, c.b); math.Abs(float64(got-c.want)) > 1e-7 {
			t.Errorf("iou with %v is %v, want %v", c.b, got, c.want)
		}
	}
}

// TestOverlapped checks that the function overlapped agrees with the function iou. Boxes are given by
// any two opposite corners, and some boxes are empty, infinite or NaN.
func TestOverlapped(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		boxes := make([]float32, 4*4)
		for i := range boxes {
			boxes[i] = float32(r.IntN(6))
			switch r.IntN(40) {
			case 0:
				boxes[i] = float32(math.NaN())
			case 1:
				boxes[i] = float32(math.Inf(1))
			}
		}
		limit := float32(r.IntN(4)) / 4
		want := false
		for j := 1; j < 4; j++ {
			want = want || iou(boxes, boxes[4*j:]) > limit
		}
		if got := overlapped(boxes, boxes, []int32{1, 2, 3}, limit); got != want {
			t.Fatalf("%v, limit %v: %v", boxes, limit, got)
		}
	}
}
