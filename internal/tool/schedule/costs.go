package schedule

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/par"
)

// Costs are the costs of sharing work, in nanoseconds.
type Costs struct {
	// Join is the time from the beginning of a loop to the first chunk of a helper that looks for
	// work, together with the time until the caller notices that the loop is done.
	Join int64 `json:"join_ns"`
	// Chunk is the cost of claiming a chunk and of recording that it is done.
	Chunk int64 `json:"chunk_ns"`
	// Wake is the time from the beginning of a loop to the first chunk of a helper that sleeps. Rouse
	// is how long the caller needs to wake one helper.
	Wake  int64 `json:"wake_ns"`
	Rouse int64 `json:"rouse_ns"`
	// Patience is how long a helper looks for work during a run before it sleeps. Linger is how long
	// it looks for work after a run.
	Patience int64 `json:"patience_ns"`
	Linger   int64 `json:"linger_ns"`
	// Measured is false if the costs are the usual ones, because there is no second processor, or
	// because other processes use it.
	Measured bool `json:"measured"`
}

// usual are costs that were measured on a server processor.
var usual = Costs{Join: 200, Chunk: 15, Wake: 70_000, Rouse: 1_000, Patience: 410_000, Linger: 51_000}

// The numbers of times that Measure measures costs.
const (
	joins = 3000
	wakes = 30
	many  = 2000 // chunks for each participant, to measure the cost of a chunk
)

// A helper on a free processor joins a loop within free nanoseconds. If it needs more time, Measure
// tries again up to tries times, after a pause.
const (
	free  = 10_000
	tries = 5
	pause = 200 * time.Millisecond
)

// Measure measures the costs of sharing work between two threads. If no second processor is free, it
// returns usual costs.
func Measure() Costs {
	if par.Processors() < 2 {
		return usual
	}
	for range tries {
		if c := measure(); c.Join <= free {
			return c
		}
		time.Sleep(pause)
	}
	return usual
}

func measure() Costs {
	t := par.New(2)
	defer t.Close()
	c := Costs{Measured: true}
	var m meeting
	// Helpers look for work while they join loops.
	t.Take(true)
	var join []int64
	for range joins {
		start := time.Now()
		m.meet(t)
		join = append(join, int64(time.Since(start)))
	}
	c.Join = low(join)
	var chunk []int64
	for range 20 {
		start := time.Now()
		t.Run(nothing{}, 2*many, 1, 0)
		chunk = append(chunk, int64(time.Since(start))/many)
	}
	c.Chunk = low(chunk)
	t.Give()
	// Helpers sleep before they join a loop.
	var wake, rouse []int64
	for range wakes {
		for t.Awake() {
			time.Sleep(nap)
		}
		start := int64(time.Since(origin))
		t.Take(true)
		m.meet(t)
		t.Give()
		wake = append(wake, m.began[1].Load()-start)
		rouse = append(rouse, m.began[0].Load()-start)
	}
	c.Wake, c.Rouse = low(wake), low(rouse)
	var relax []int64
	for range 20 {
		start := time.Now()
		for range patience {
			par.Relax()
		}
		relax = append(relax, int64(time.Since(start)))
	}
	c.Patience = low(relax)
	c.Linger = c.Patience * linger / patience
	return c
}

// A helper that finds no work looks for it so many times before it sleeps, during a run and after a
// run. These are the bounds of package rt/par.
const (
	patience = 1 << 14
	linger   = 1 << 11
)

// origin is the origin of the times in a meeting.
var origin = time.Now()

// meeting is a task of two chunks that wait for each other, so that both participants take part.
type meeting struct {
	here  atomic.Int32
	began [2]atomic.Int64 // when each participant began its chunk
}

func (m *meeting) meet(t *par.Team) {
	m.here.Store(0)
	t.Run(m, 2, 1, 0)
}

// Chunk implements par.Task.
func (m *meeting) Chunk(w, _, _ int) {
	m.began[w].Store(int64(time.Since(origin)))
	m.here.Add(1)
	// Spin without yielding. If both participants yielded to each other on one processor, the Go
	// scheduler might not move one of them to the other processor.
	for i := 0; m.here.Load() < 2; i++ {
		if i < spins {
			par.Relax()
		} else {
			time.Sleep(nap)
		}
	}
}

// A participant in a meeting spins so many times, which takes some milliseconds, before it sleeps.
const (
	spins = 1 << 17
	nap   = 50 * time.Microsecond
)

// nothing is a task whose chunks do nothing.
type nothing struct{}

func (nothing) Chunk(_, _, _ int) {}

// low returns the value below which a tenth of v lies. Other processes that use the processors at the
// same time hardly change it.
func low(v []int64) int64 {
	slices.Sort(v)
	return v[len(v)/10]
}
