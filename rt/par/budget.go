package par

import (
	"runtime"
	"sync/atomic"
)

// busy counts the threads that runs which share their work have claimed, those of
// all teams of the process.
var busy atomic.Int32

// Claim claims up to most threads for a run, its own among them, and returns how
// many it gets: at least its own, and no more helpers than leave all runs together
// within GOMAXPROCS. They are given back with Release.
func Claim(most int) int {
	all := int32(runtime.GOMAXPROCS(0))
	for {
		used := busy.Load()
		n := max(1, min(int32(most), all-used))
		if busy.CompareAndSwap(used, used+n) {
			return int(n)
		}
	}
}

// Release gives back n threads.
func Release(n int) { busy.Add(-int32(n)) }
