package rt

import "testing"

func TestChunk(t *testing.T) {
	for _, c := range []struct {
		name        string
		sp          Split
		total, team int
		want        int
	}{
		{"alone", Split{Work: 1000}, 100, 1, 100},
		{"alone, bounded", Split{Work: 1000, Most: 16}, 100, 1, 16},
		{"four chunks each", Split{Work: 10_000_000}, 800, 2, 100},
		{"as much work as a chunk is worth", Split{Work: 1000}, 10_000, 2, 2500},
		{"in whole grains", Split{Work: 100_000_000, Grain: 14}, 196, 2, 98},
		{"the bound is kept", Split{Work: 100_000_000, Most: 3}, 196, 2, 3},
		{"large chunks, yet one for each", Split{Work: 100_000_000, Grain: 4, Least: 16}, 14, 2, 8},
		{"fewer items than participants", Split{Work: 100_000_000}, 3, 8, 1},
		{"one item", Split{Work: 100_000_000, Grain: 14}, 1, 2, 1},
	} {
		if got := c.sp.chunk(c.total, c.team); got != c.want {
			t.Errorf("%s: %d items by %d: chunks of %d, want %d", c.name, c.total, c.team, got, c.want)
		}
	}
}
