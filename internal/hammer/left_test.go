//go:build emitted

package hammer

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// heap returns the bytes of the heap in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// noneLeft fails the test if more goroutines remain than before.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 100 {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// steady repeats bursts of runs until the heap stops growing, and returns the heap's size before
// and after the last burst. A signature keeps buffers for the largest number of runs that were ever
// concurrent, so the heap may still grow in later bursts. If runs leaked memory, the heap would
// grow in every burst.
func steady(t *testing.T, burst func(seed uint64)) (before, after uint64) {
	t.Helper()
	burst(1)
	goroutines, before := runtime.NumGoroutine(), heap()
	burst(2)
	after = heap()
	for i := uint64(3); after > before+1<<16 && i < 6; i++ {
		before = after
		burst(i)
		after = heap()
	}
	noneLeft(t, goroutines)
	if after > before+1<<16 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
	return before, after
}

// drained waits until the goroutines of wg have ended. The last of them may block on a full queue,
// because the others no longer take elements. Therefore drained takes the elements counted in stock
// until all goroutines have ended. It returns the number and the sum of the taken values.
func drained(t *testing.T, wg *sync.WaitGroup, stock *atomic.Int64, take func() (int64, error)) (takes, took int64) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return takes, took
		case <-time.After(time.Millisecond):
		}
		n := stock.Load()
		if n == 0 || !stock.CompareAndSwap(n, n-1) {
			continue
		}
		v, err := take()
		if err != nil {
			t.Error(err)
			continue
		}
		takes++
		took += v
	}
}
