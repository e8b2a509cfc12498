package par

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Processors returns how many threads can run at once: GOMAXPROCS, but at most the number of the
// machine's processors, and at most the process's quota of processor time. More threads would not
// help: while they spin, they only keep other threads from running, or use up the quota.
func Processors() int {
	n := runtime.GOMAXPROCS(0)
	if assumed.Load() {
		return n
	}
	return min(n, runtime.NumCPU(), allowed())
}

// allowed returns how many threads the process's quota allows. It reads the quota once.
var allowed = sync.OnceValue(func() int { return threadsOf(quota("")) })

// threadsOf returns how many threads a process should use whose quota is the given number of
// processors: the nearest integer, but at least 1.
func threadsOf(quota float64) int { return int(min(max(math.Round(quota), 1), math.MaxInt32)) }

// assumed is set if Processors must ignore the number of the machine's processors and the quota.
var assumed atomic.Bool

// Assume makes Processors return GOMAXPROCS, even if the machine or the quota allows fewer. It is for
// tests with several threads. The function end, which Assume returns, restores the previous
// behaviour.
func Assume() (end func()) {
	before := assumed.Swap(true)
	return func() { assumed.Store(before) }
}

// busy counts the threads that runs have claimed, over all teams of the process.
var busy atomic.Int32

// Claim claims threads for a run, including the run's own thread, and returns how many the run may
// use: at least its own thread, and at most the number given by the parameter most. Helpers are
// granted only while all runs together have at most Processors threads. The caller returns the
// threads with Release.
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

// Release returns n threads that Claim has granted.
func Release(n int) { busy.Add(-int32(n)) }
