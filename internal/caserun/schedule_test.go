package caserun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/rt"
)

type none = struct{}

type state = rt.State[none, none, none, none, none]

// scheduled is a model whose run has a step, a loop of 8 items, a loop that is too small to be shared,
// and two tasks. The second task has a loop of 3 items.
func scheduled(t *testing.T, items *[]string) *rt.Bound {
	t.Helper()
	base, err := rt.Open(nil, rt.WithThreads(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { base.Close() })
	p := new(rt.Pool[none, none, none, none, none])
	p.Init(base, &rt.Code[none]{Steps: []rt.Step{{Node: "a", Op: "Relu"}}}, &none{})
	note := func(name string) func(*state, []int, int, int, []byte) {
		return func(_ *state, _ []int, lo, n int, _ []byte) {
			*items = append(*items, fmt.Sprintf("%s %d+%d", name, lo, n))
			time.Sleep(100 * time.Microsecond)
		}
	}
	g := &rt.Graph[none, none, none, none, none]{Work: 1 << 30, Order: []int{1, 0}, Tasks: []rt.Task[none, none, none, none, none]{
		{Next: []int{1}, Run: func(*state) error { time.Sleep(50 * time.Microsecond); return nil }},
		{After: 1, Run: func(s *state) error { Par(s, note("c"), nil, 3, rt.Split{Work: 4_000_000}); return nil }},
	}}
	return &rt.Bound{Run: func(ctx context.Context) (err error) {
		s, err := p.Get(ctx, none{})
		if err != nil {
			return err
		}
		defer p.Put(s, &err)
		*items = (*items)[:0]
		time.Sleep(200 * time.Microsecond)
		Par(s, note("a"), nil, 8, rt.Split{Work: 2_000_000})
		Par(s, note("b"), nil, 8, rt.Split{Work: 10})
		return RunTasks(s, g)
	}}
}

// TestSchedule: a run is recorded with the chunks that several threads would claim, and with its
// tasks.
func TestSchedule(t *testing.T) {
	var items []string
	b := scheduled(t, &items)
	got, err := schedule(b, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.Threads != 2 || got.Runs != 3 || got.Others != 0 || got.Work != 1<<30+16_000_080 || len(got.Parts) < 4 {
		t.Fatalf("%+v", got)
	}
	if s := strings.Join(items, " "); s != "a 0+1 a 1+1 a 2+1 a 3+1 a 4+1 a 5+1 a 6+1 a 7+1 b 0+8 c 0+1 c 1+1 c 2+1" {
		t.Errorf("the chunks are %s", s)
	}
	first, loop, small, tasks := got.Parts[0], got.Parts[1], got.Parts[2], got.Parts[3]
	if first.NS < 2e5 || len(loop.Chunks) != 8 || loop.Chunks[7] < 1e5 || loop.Work != 16_000_000 || small.NS < 1e5 || small.Chunks != nil {
		t.Errorf("%+v", got.Parts)
	}
	if len(tasks.Tasks) != 2 || tasks.Work != 1<<30 || len(tasks.Order) != 2 || tasks.Order[0] != 1 || tasks.Tasks[0].Next[0] != 1 || tasks.Tasks[1].After != 1 || tasks.Tasks[0].Parts[0].NS < 5e4 {
		t.Errorf("%+v", tasks)
	}
	chunks := 0
	for _, p := range tasks.Tasks[1].Parts {
		chunks += len(p.Chunks)
	}
	if chunks != 3 {
		t.Errorf("the loop in a task is %+v", tasks.Tasks[1])
	}
	// One thread executes everything, and the loops are not divided.
	if got, err = schedule(b, 1, 0); err != nil || len(got.Parts) != 1 || got.Parts[0].NS < 5.5e5 {
		t.Errorf("%+v, %v", got, err)
	}
	if s := strings.Join(items, " "); s != "a 0+8 b 0+8 c 0+3" {
		t.Errorf("on one thread, the chunks are %s", s)
	}
	if err := b.Run(context.Background()); err != nil || record.threads != 0 || len(record.events) != 0 {
		t.Errorf("a run was recorded after the request: %v", err)
	}
	for in, want := range map[string]string{"schedule x 1\n": "not a positive number", "schedule 2 x\n": "not a time", "schedule 2\n": "not a time"} {
		if err := serveBench(strings.NewReader(in), json.NewEncoder(new(bytes.Buffer)), &subject{Bound: b, threads: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	if err := serveBench(strings.NewReader("schedule 2 0\n"), json.NewEncoder(new(bytes.Buffer)), &subject{Bound: b, threads: 2}); err == nil {
		t.Error("a program with two threads was recorded")
	}
}

// TestScheduleOthers: runs whose parts differ from those of the first run are not used.
func TestScheduleOthers(t *testing.T) {
	var items []string
	a := scheduled(t, &items)
	n := 0
	got, err := schedule(&rt.Bound{Run: func(ctx context.Context) error {
		if n++; n == 2 {
			return nil
		}
		return a.Run(ctx)
	}}, 2, 0)
	if err != nil || got.Runs != 2 || got.Others != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
