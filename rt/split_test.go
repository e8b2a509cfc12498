package rt

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

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

// TestLongLoopEnds: a long loop checks between its chunks whether the run was canceled, and then
// ends.
func TestLongLoopEnds(t *testing.T) {
	for _, threads := range []int{1, 2} {
		b, err := Open(nil, WithThreads(threads))
		if err != nil {
			t.Fatal(err)
		}
		var p Pool[dims, counted, input, vars, struct{}]
		p.Init(b, &Code[dims]{Arena: 64}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		s, err := p.Get(ctx, dims{})
		if err != nil {
			t.Fatal(err)
		}
		items := atomic.Int64{}
		run := func() (err error) {
			defer p.Put(s, &err)
			s.Par(func(_ *State[dims, counted, input, vars, struct{}], _ []int, _, n int, _ []byte) {
				if items.Add(int64(n)) > 40 {
					cancel()
				}
			}, nil, 1000, Split{Work: longest / 8})
			return nil
		}
		if err := run(); err != context.Canceled {
			t.Errorf("%d threads: %v", threads, err)
		}
		if n := items.Load(); n > 100 {
			t.Errorf("%d threads: %d of 1000 items are done of a run that was given up after 40", threads, n)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestValues: strings count toward the memory limit of a run only as long as a string buffer contains
// them.
func TestValues(t *testing.T) {
	const limit = 1 << 20
	b, err := Open(nil, WithMaxBytes(limit))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var p Pool[dims, counted, input, vars, struct{}]
	p.Init(b, &Code[dims]{Strings: 2}, nil)
	s, err := p.Get(t.Context(), dims{})
	if err != nil {
		t.Fatal(err)
	}
	run := func() (err error) {
		defer p.Put(s, &err)
		const size = limit / 16
		for range 100 { // each string replaces the previous one
			s.GrowStrings(0, 1)
			s.Budget().MustMake(size)
			s.Strings[0][0] = strings.Repeat("x", size)
		}
		for k := range 100 {
			s.GrowStrings(1, k+1)
			if err := s.Budget().Make(size); err != nil {
				if k < 8 {
					t.Errorf("%d texts of a sixteenth are too many", k)
				}
				return err
			}
			s.Strings[1][k] = strings.Repeat("y", size)
		}
		return nil
	}
	if err := run(); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("100 texts of a sixteenth of the limit: %v", err)
	}
}
