//go:build unix

package rt

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/par"
)

// spent returns the processor time that this process has used.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rests fails the test if the process uses a fifth of a processor or more while it does nothing. A
// helper that spins would use a whole processor. The collector of garbage, and what earlier tests
// left behind, may use some time. So rests measures several windows of time, and one without much
// use is enough.
func rests(t *testing.T, after string) {
	t.Helper()
	const window, windows = 250 * time.Millisecond, 8
	runtime.GC()
	var used time.Duration
	for range windows {
		before := spent(t)
		start := time.Now()
		time.Sleep(window)
		if used = (spent(t) - before) * window / time.Since(start); used < window/5 {
			return
		}
	}
	t.Errorf("after %s, the idle process uses %v of processor time in %v", after, used, window)
}

// TestIdle: when runs have ended, their helpers do not use the processor. There is only one helper,
// because several helpers that spin on few processors would soon rest.
func TestIdle(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer par.Assume()()
	rests(t, "the tests before")

	loops := loopPool(t)
	if n := workers(t, context.Background(), loops); n < 2 {
		t.Fatalf("%d threads take part in loops, so no helper can spin", n)
	}
	rests(t, "loops")
	loops.base.Close()

	tasks := taskPool(t)
	g := &taskGraph{Work: 1 << 30}
	for range 8 {
		g.Tasks = append(g.Tasks, taskOf{Run: func(*taskState) error {
			time.Sleep(time.Millisecond)
			return nil
		}})
	}
	helped := false
	for range 3 {
		if err := runGraph(tasks, context.Background(), g, func(s *taskState) { helped = helped || s.team != nil }); err != nil {
			t.Fatal(err)
		}
	}
	if !helped {
		t.Fatal("no run of tasks has helpers")
	}
	rests(t, "tasks")
	tasks.base.Close()

	// A run that fails also releases its helpers.
	broken := loopPool(t)
	for range 3 {
		err := runIn(context.Background(), broken, func(s *state) error {
			s.Par(func(*state, []int, int, int, []byte) { panic("as told") }, nil, 8, Split{Work: worthWaking})
			return nil
		})
		if err == nil {
			t.Fatal("a run with a kernel that panics succeeds")
		}
	}
	rests(t, "runs that failed")
	broken.base.Close()
	rests(t, "all instances were closed")
}
