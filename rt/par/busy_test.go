package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestLowered: a lower GOMAXPROCS applies to the next claim. Teams that were made before have more
// participants, but a run uses only as many as it has claimed.
func TestLowered(t *testing.T) {
	all := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(all)
	defer Assume()()
	team := New(Processors())
	defer team.Close()
	for _, n := range []int{4, 2, 1, 3} {
		runtime.GOMAXPROCS(n)
		if got := Processors(); got != n {
			t.Errorf("GOMAXPROCS is %d, but %d processors are used", n, got)
		}
		claimed := Claim(team.Size())
		if claimed != n {
			t.Errorf("a run claims %d threads of %d", claimed, n)
		}
		if claimed > 1 && team.Take(true) {
			team.Limit(claimed)
			if team.Active() != n {
				t.Errorf("%d participants may take part, want %d", team.Active(), n)
			}
			team.Give()
		}
		Release(claimed)
	}
	// A run that has claimed more threads than are now possible keeps them, and others get no helpers.
	runtime.GOMAXPROCS(4)
	a := Claim(4)
	runtime.GOMAXPROCS(2)
	if b := Claim(4); a != 4 || b != 1 {
		t.Errorf("got %d and %d threads, want 4 and 1", a, b)
	} else {
		Release(b)
	}
	Release(a)
	if n := busy.Load(); n != 0 {
		t.Errorf("%d threads are still claimed", n)
	}
}

// TestClaimsTogether: 64 goroutines claim and release threads at the same time. At any time, all of
// them together have fewer helpers than there are processors.
func TestClaimsTogether(t *testing.T) {
	const processors, callers, claims = 4, 64, 200
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	defer Assume()()
	var helpers, most, granted atomic.Int32
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range claims {
				n := Claim(processors)
				if now := helpers.Add(int32(n - 1)); n > 1 {
					granted.Add(1)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
				}
				runtime.Gosched()
				helpers.Add(-int32(n - 1)) // before Release, so that the count is never too large
				Release(n)
			}
		})
	}
	group.Wait()
	if most.Load() > processors-1 {
		t.Errorf("%d helpers are granted at once for %d processors", most.Load(), processors)
	}
	// When only one goroutine is left, it gets helpers.
	if n := Claim(processors); n != processors {
		t.Errorf("a run alone gets %d threads of %d; %d claims had helpers", n, processors, granted.Load())
	} else {
		Release(n)
	}
	if n := busy.Load(); n != 0 {
		t.Errorf("%d threads are still claimed", n)
	}
}
