// Package trace records what runs do: when each step began and ended, on which
// device, what it made and how much memory was taken. A Trace is a hook:
//
//	tr := trace.New()
//	out, err := m.Predict(rt.WithRun(ctx, rt.Observe(tr)), in)
//	err = tr.WriteChrome(file)
//
// Nothing of it is part of programs that do not import it.
package trace

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/devwork"
	"github.com/graphc/graphc/rt/tensor"
)

// DefaultLimit is how many steps a Trace keeps unless Limit says otherwise.
const DefaultLimit = 1 << 20

// Trace is a hook that records runs. It may be used by several runs at once.
type Trace struct {
	epoch time.Time
	limit int

	mu     sync.Mutex
	runs   []*Run
	kept   int // steps in runs, and items of devices'
	left   int // runs that were not kept for want of room
	lanes  map[string][]bool
	tables map[*rt.Step]*table
	costs  map[costKey]*cost
}

// Option changes what a Trace keeps.
type Option func(*Trace)

// Limit bounds the steps that are kept: runs beyond it count for the costs of nodes
// only. With 0 no run is kept.
func Limit(steps int) Option { return func(t *Trace) { t.limit = steps } }

// New makes a Trace that has recorded nothing.
func New(opts ...Option) *Trace {
	t := &Trace{epoch: time.Now(), limit: DefaultLimit, lanes: map[string][]bool{}, tables: map[*rt.Step]*table{}, costs: map[costKey]*cost{}}
	for _, f := range opts {
		f(t)
	}
	return t
}

// Run is what was recorded of one run, or of one partition of a run. Times count
// from the making of the Trace.
type Run struct {
	Signature  string
	Device     string // the full name
	Thread     int    // of those that ran at once on the device, from 0 on
	Start, End time.Duration
	Err        error
	Steps      []Step // by their beginnings
	// Arena is the size of the block that most buffers are in, Own that of what each
	// participant of a loop has, Grown what the run took beside these, and Peak
	// the most that it had at once, in bytes.
	Arena, Own, Grown, Peak int
	// Work is what a device that is no CPU did, nil for a CPU and for a run that failed.
	Work *Work
}

// Work is what a device did in a run, by its own clock, which was at 0 at Begun.
type Work struct {
	Begun time.Duration
	// Items are the kernels, copies and fills by the order in which they were handed over;
	// their times count from the making of the Trace, as all others do.
	Items []device.Timed
	// Block is the size of the block of the device's memory that most buffers are in, Own
	// what the run has beside it, InUse what all runs and the weights have, in bytes.
	Block, Own, InUse int
}

// AllStreams is what the names of devices that are no CPUs have behind them where the work of
// the device itself is meant, and not that of the host's thread which hands it over.
const AllStreams = "/stream:all"

// Step is what was recorded of one step. It began when the one before it on its
// thread ended.
type Step struct {
	Node, Op   string
	Thread     int
	Start, End time.Duration
	Outputs    []Output
	Grown      int // bytes of memory that it took outside of the arena
}

// Output is a tensor that a step made.
type Output struct {
	DType tensor.DType
	Shape []int // nil where it is not known
	Bytes int   // those of texts left out; 0 where the shape is not known
}

// Runs returns what was recorded, in the order in which the runs ended.
func (t *Trace) Runs() []*Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.runs)
}

// Left returns how many runs there was no room for.
func (t *Trace) Left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

// Begin implements rt.Hook.
func (t *Trace) Begin(_ context.Context, info *rt.Info) rt.Observer {
	r := &recorder{t: t, info: *info, peak: info.Held}
	t.mu.Lock()
	r.table = t.table(info)
	r.thread = t.enter(info.Device)
	t.mu.Unlock()
	r.root = r
	r.start = time.Since(t.epoch)
	return r
}

// enter gives a run the first thread of the device that is free; the lock is held.
func (t *Trace) enter(device string) int {
	busy := t.lanes[device]
	i := slices.Index(busy, false)
	if i < 0 {
		i = len(busy)
		busy = append(busy, false)
	}
	busy[i] = true
	t.lanes[device] = busy
	return i
}

// event is a step as it is recorded.
type event struct {
	step       int
	thread     int
	start, end time.Duration
	grown      int
}

// recorder is told of one run, or of a task of one.
type recorder struct {
	t      *Trace
	info   rt.Info
	table  *table
	thread int
	start  time.Duration
	events []event
	grown  int
	peak   int
	work   *Work
	root   *recorder // of the run

	mu    sync.Mutex // of what tasks add
	tasks []event
}

// Step implements rt.Observer.
func (r *recorder) Step(i int) {
	now := r.close()
	r.events = append(r.events, event{step: i, thread: r.thread, start: now, end: -1})
}

// close ends the step under way.
func (r *recorder) close() time.Duration {
	now := time.Since(r.t.epoch)
	if n := len(r.events); n > 0 && r.events[n-1].end < 0 {
		r.events[n-1].end = now
	}
	return now
}

// Grown implements rt.Observer.
func (r *recorder) Grown(bytes, held int) {
	r.grown += bytes
	r.peak = max(r.peak, held)
	if n := len(r.events); n > 0 {
		r.events[n-1].grown += bytes
	}
}

// Items implements devwork.DeviceObserver.
func (r *recorder) Items() bool { return true }

// Worked implements devwork.DeviceObserver.
func (r *recorder) Worked(w *devwork.DeviceWork) {
	begun := w.Begun.Sub(r.t.epoch)
	items := slices.Clone(w.Items) // other observers get the same
	r.work = &Work{Begun: begun, Items: items, Block: w.Block, Own: w.Own, InUse: w.InUse}
	for i := range items {
		items[i].Start += begun
		items[i].End += begun
		items[i].Node = r.info.FullName(items[i].Node)
	}
}

// Fork implements rt.Observer.
func (r *recorder) Fork() rt.Observer {
	f := &recorder{t: r.t, info: r.info, table: r.table, root: r.root}
	r.t.mu.Lock()
	f.thread = r.t.enter(r.info.Device)
	r.t.mu.Unlock()
	return f
}

// End implements rt.Observer.
func (r *recorder) End(err error) {
	end := r.close()
	t := r.t
	if r != r.root {
		r.root.mu.Lock()
		r.root.tasks = append(r.root.tasks, r.events...)
		r.root.grown += r.grown
		r.root.peak = max(r.root.peak, r.peak)
		r.root.mu.Unlock()
		t.mu.Lock()
		t.lanes[r.info.Device][r.thread] = false
		t.mu.Unlock()
		return
	}
	events := r.events
	if len(r.tasks) > 0 {
		events = append(events, r.tasks...)
		slices.SortStableFunc(events, func(a, b event) int { return int(a.start - b.start) })
	}
	sizes := r.table.sizes(r.info.Size)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lanes[r.info.Device][r.thread] = false
	t.count(r, events, sizes)
	kept := t.kept + len(events)
	if r.work != nil {
		kept += len(r.work.Items)
	}
	if kept > t.limit || t.limit == 0 {
		t.left++
		return
	}
	t.kept = kept
	run := &Run{Signature: r.info.Signature, Device: r.info.Device, Thread: r.thread, Start: r.start, End: end, Err: err,
		Steps: make([]Step, len(events)), Arena: r.info.Arena, Own: r.info.Own, Grown: r.grown, Peak: r.peak, Work: r.work}
	for i, e := range events {
		l := r.table.at(e.step)
		run.Steps[i] = Step{Node: l.node, Op: l.op, Thread: e.thread, Start: e.start, End: e.end, Outputs: l.outputs(sizes), Grown: e.grown}
	}
	t.runs = append(t.runs, run)
}
