package par

import (
	"runtime"
	"sync/atomic"
)

// Processors is how many threads can run at once: GOMAXPROCS, but no more than the machine's
// processors, since a thread that spins while it takes another's processor only delays it.
func Processors() int {
	n := runtime.GOMAXPROCS(0)
	if assumed.Load() {
		return n
	}
	return min(n, runtime.NumCPU())
}

// assumed says that the machine has as many processors as GOMAXPROCS says.
var assumed atomic.Bool

// Assume has Processors be GOMAXPROCS whatever the machine has: for tests of what several
// threads do. The function that it returns ends that.
func Assume() (end func()) {
	before := assumed.Swap(true)
	return func() { assumed.Store(before) }
}

// busy counts the threads that runs which share their work have claimed, those of
// all teams of the process.
var busy atomic.Int32

// Claim claims up to most threads for a run, its own among them, and returns how
// many it gets: at least its own, and no more helpers than leave all runs together
// within Processors. They are given back with Release.
func Claim(most int) int {
	all := int32(Processors())
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
