// Package roofline measures upper limits of the speed of one or several cores: how fast they multiply
// and add in registers, and how fast they read from each cache level and from main memory.
package roofline

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Level is a level of the memory hierarchy.
type Level struct {
	Name string  `json:"name"`
	Size int     `json:"bytes"` // size of one core's cache; 0 for main memory
	GBs  float64 `json:"gb_per_s"`
}

// Machine has the rates measured with the given number of threads.
type Machine struct {
	Threads int     `json:"threads"`
	GFLOPs  float64 `json:"gflop_per_s"` // speed of float32 multiply-adds, which count as two operations; 0 if unknown
	GOPs    float64 `json:"gop_per_s"`   // speed of multiply-adds of bytes, which count as two operations; 0 if unknown
	Levels  []Level `json:"levels"`      // from the smallest cache to the largest; the last level is main memory
}

// Measure measures the machine. It takes about a second.
func Measure(threads int) *Machine {
	m := &Machine{Threads: threads, GFLOPs: rate(threads, multiplyAdds), GOPs: rate(threads, byteDots)}
	sizes := caches()
	for _, l := range sizes {
		l.GBs = bandwidth(threads, min(l.Size/2, 4*sizes[max(len(sizes)-2, 0)].Size))
		m.Levels = append(m.Levels, l)
	}
	last := sizes[len(sizes)-1].Size
	m.Levels = append(m.Levels, Level{Name: "memory", GBs: bandwidth(threads, min(4*last, mostRead))})
	return m
}

// mostRead is the maximum size in bytes of the slice that is read to measure main memory. If a
// last-level cache that many cores share is larger than mostRead, the result is the speed of this
// cache.
const mostRead = 256 << 20

// Peak returns the maximum number of operations per second on elements of bytesEach bytes.
func (m *Machine) Peak(bytesEach int) float64 {
	if bytesEach == 1 {
		return m.GOPs * 1e9
	}
	return m.GFLOPs * 1e9
}

// Bandwidth returns the number of bytes per second that are read when the same n bytes are read
// repeatedly.
func (m *Machine) Bandwidth(n int) float64 {
	for _, l := range m.Levels {
		if l.Size == 0 || n <= l.Size {
			return l.GBs * 1e9
		}
	}
	return 0
}

// Seconds returns a lower bound, in seconds, for the time of a call that accesses two sets of bytes
// in memory. The parameters are:
//
//	ops        number of operations of the call
//	near       number of bytes in the first set
//	reach      number of bytes that the program accesses from one use of the first set to the next
//	far        number of bytes in the second set
//	footprint  number of bytes that the program accesses from one use of the second set to the next
//	bytesEach  size in bytes of the elements on which the call operates
//
// The first set is in the smallest cache of at least reach bytes. The second set is in the smallest
// cache of at least footprint bytes. Unknown rates are ignored.
func (m *Machine) Seconds(ops, near, reach, far, footprint float64, bytesEach int) float64 {
	t := 0.0
	if b := m.Bandwidth(int(reach)); b > 0 {
		t += near / b
	}
	if b := m.Bandwidth(int(footprint)); b > 0 {
		t += far / b
	}
	if p := m.Peak(bytesEach); p > 0 {
		t = max(t, ops/p)
	}
	return t
}

// A measurement repeats its work at least leastBursts times. It then continues until the total time
// reaches the third constant, but makes at most mostBursts repetitions. The result is the time of
// the fastest repetition.
const (
	mostBursts  = 50
	leastBursts = 3
	enough      = 150 * time.Millisecond
)

// rate returns the speed of all threads together, in billions of operations per second. The
// function loop executes a number of rounds and returns the number of operations.
func rate(threads int, loop func(rounds int) int) float64 {
	const rounds = 20_000
	if loop(1) == 0 {
		return 0
	}
	ops := 0
	best := together(threads, func() { ops = 0 }, func() int { return loop(rounds) }, &ops)
	return float64(ops) / best.Seconds() / 1e9
}

// bandwidth returns the speed at which all threads together read memory, in gigabytes per second.
// Each thread repeatedly reads a separate block of n bytes.
func bandwidth(threads, n int) float64 {
	n = max(n/line*line, line)
	places := blocks(threads, n)
	times := max(1, (1<<20)/n)
	next := make(chan []byte, threads)
	total := 0
	best := together(threads, func() {
		total = 0
		for _, p := range places {
			next <- p
		}
	}, func() int {
		p := <-next
		for range times {
			readAll(p)
		}
		return n * times
	}, &total)
	return float64(total) / best.Seconds() / 1e9
}

// blocks returns blocks of n bytes. The parameter count is the number of blocks. All bytes are
// zero, because readPlain must read all of a block.
func blocks(count, n int) [][]byte {
	all := make([][]byte, count)
	for i := range all {
		all[i] = make([]byte, n)
		clear(all[i]) // without a write, all pages would map to one physical page of zeros
	}
	return all
}

// together repeats a measurement and returns the time of the fastest repetition. Each repetition
// first calls the function in the second argument, which must set *total to 0. Then all threads
// call the function in the third argument at the same time. The sum of the results of these calls
// is added to *total.
func together(threads int, before func(), work func() int, total *int) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(threads, runtime.GOMAXPROCS(0))))
	var best time.Duration
	begun := time.Now()
	for i := 0; i < leastBursts || i < mostBursts && time.Since(begun) < enough; i++ {
		before()
		var mu sync.Mutex
		var wg sync.WaitGroup
		begin := make(chan struct{})
		for range threads - 1 {
			wg.Go(func() {
				<-begin
				n := work()
				mu.Lock()
				*total += n
				mu.Unlock()
			})
		}
		start := time.Now()
		close(begin)
		n := work()
		wg.Wait()
		took := time.Since(start)
		*total += n
		if i == 0 || took < best {
			best = took
		}
	}
	return best
}

// readPlain reads b without graphc's assembly. It calls bytes.Equal, which is vectorized, to
// compare the two halves of b, and returns the result. If the halves differ, it may not read all of
// b.
func readPlain(b []byte) bool {
	h := len(b) / 2
	return bytes.Equal(b[:h], b[h:2*h])
}

// caches returns the sizes of one core's caches, or typical sizes if the system does not report them.
func caches() []Level {
	var out []Level
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, d := range dirs {
		kind := text(d, "type")
		size, ok := bytesOf(text(d, "size"))
		if kind == "Instruction" || !ok {
			continue
		}
		out = append(out, Level{Name: "L" + text(d, "level"), Size: size})
	}
	if len(out) == 0 {
		out = []Level{{Name: "L1", Size: 32 << 10}, {Name: "L2", Size: 1 << 20}, {Name: "L3", Size: 16 << 20}}
	}
	return out
}

func text(dir, name string) string {
	b, _ := os.ReadFile(filepath.Join(dir, name)) // empty if the file cannot be read
	return strings.TrimSpace(string(b))
}

// bytesOf converts a size in the notation of Linux, such as 48K or 2M, to a number of bytes.
func bytesOf(s string) (int, bool) {
	unit := 1
	switch {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "KM"))
	return n * unit, err == nil && n > 0
}
