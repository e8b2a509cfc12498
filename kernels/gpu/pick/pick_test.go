package pick

import (
	"fmt"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/kernels/nms"
	"github.com/graphc/graphc/rt/device"
)

func TestPlaces(t *testing.T) {
	for _, n := range []int{0, 1, 31, 256, 1000, 300_000} {
		flags := make([]uint8, n)
		var want []int64
		ranks := make([]uint32, n)
		for i := range flags {
			if i*i%7 < 2 {
				flags[i], ranks[i] = 1, uint32(len(want))
				want = append(want, int64(i))
			}
		}
		r := gputest.New(t)
		f, c := gputest.Put(r, flags), gputest.Room[uint64](r, CountsLen)
		at, rank := gputest.Room[int64](r, len(want)), gputest.Room[uint32](r, n)
		r.Do(func(q *device.Queue) {
			Count(q, c, f, n)
			Places(q, at, f, c, Flagged{N: n, Ranks: rank})
			Places(q, at, f, c, Flagged{N: n})
		})
		what := fmt.Sprint(n, " flags")
		if got := gputest.Get[uint64](r, c, 1)[0]; got != uint64(len(want)) {
			t.Fatalf("%s: %d set, want %d", what, got, len(want))
		}
		if got := gputest.Get[int64](r, at, len(want)); !slices.Equal(got, want) {
			t.Fatalf("%s: the places are %v, want %v", what, got, want)
		}
		for i, v := range gputest.Get[uint32](r, rank, n) {
			if flags[i] != 0 && v != ranks[i] {
				t.Fatalf("%s: place %d has the rank %d, want %d", what, i, v, ranks[i])
			}
		}
	}
}

func TestFirsts(t *testing.T) {
	for _, alone := range []bool{false, true} {
		for _, n := range []int{0, 1, 2, 300, 5000} {
			keys := make([]uint64, n)
			first := map[uint64]uint32{}
			want, flags := make([]uint32, n), make([]uint8, n)
			for i := range keys {
				keys[i] = uint64(i * i % 97 << 40)
				if i%5 == 0 {
					keys[i] = ^uint64(0)
				}
				k, seen := first[keys[i]]
				if !seen || alone && keys[i] == ^uint64(0) {
					k = uint32(i)
					first[keys[i]], flags[i] = k, 1
				}
				want[i] = k
			}
			r := gputest.New(t)
			k, table := gputest.Put(r, keys), gputest.Room[uint32](r, 4*max(n, 1))
			f, at := gputest.Room[uint8](r, n), gputest.Room[uint32](r, n)
			r.Do(func(q *device.Queue) { Firsts(q, f, at, table, k, alone, n) })
			if got := gputest.Get[uint32](r, at, n); !slices.Equal(got, want) {
				t.Fatalf("%d keys, alone %v: %v, want %v", n, alone, got, want)
			}
			if got := gputest.Get[uint8](r, f, n); !slices.Equal(got, flags) {
				t.Fatalf("%d keys, alone %v: flags are %v, want %v", n, alone, got, flags)
			}
		}
	}
}

func TestSuppress(t *testing.T) {
	for i, c := range []struct {
		n, most    int
		limit, low float32
		pad        bool
	}{{0, 3, 0.5, -1, false}, {7, 3, 0.5, 0, false}, {300, 300, 0.3, -0.2, false}, {1500, 40, 0.1, -2, true}, {5, 9, 0, -2, true}} {
		boxes, scores := gputest.Floats[float32](uint64(i), 4*c.n), gputest.Floats[float32](uint64(i)+9, c.n)
		room := min(c.most, c.n)
		if c.pad {
			room = c.most
		}
		want, keys := make([]int32, room), make([]uint64, c.n)
		n := make([]int32, 1)
		_, err := nms.Select(nil, want, boxes, scores, nms.Params{Boxes: c.n, Max: c.most, Pad: c.pad,
			Limit: []float32{c.limit}, Least: []float32{c.low}, Valid: n, Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		order := make([]int32, c.n)
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			switch {
			case scores[a] > scores[b]:
				return -1
			case scores[a] < scores[b]:
				return 1
			}
			return 0
		})
		sorted := make([]float32, c.n)
		for k, at := range order {
			sorted[k] = scores[at]
		}
		r := gputest.New(t)
		pb, ps, po := gputest.Put(r, boxes), gputest.Put(r, sorted), gputest.Put(r, order)
		limit, low, gone := gputest.Put(r, []float32{c.limit}), gputest.Put(r, []float32{c.low}), gputest.Room[uint8](r, c.n)
		sel, count := gputest.Room[int32](r, room), gputest.Room[int32](r, 1)
		r.Do(func(q *device.Queue) {
			Suppress(q, sel, count, pb, ps, po, limit, gone, Boxes{N: c.n, Most: c.most, Room: room, Least: low})
		})
		if got := gputest.Get[int32](r, count, 1)[0]; got != n[0] {
			t.Fatalf("%+v: %d are chosen, want %d", c, got, n[0])
		}
		if !slices.Equal(gputest.Get[int32](r, sel, room), want) {
			t.Fatalf("%+v: the choice is %v, want %v", c, gputest.Get[int32](r, sel, room), want)
		}
	}
}
