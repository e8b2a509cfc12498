// Package trace records runs: when each step began and ended, on which device, its outputs, and
// the memory in use. A Trace is a hook:
//
//	tr := trace.New()
//	out, err := m.Predict(rt.WithRun(ctx, rt.Observe(tr)), in)
//	err = tr.WriteChrome(file)
//
// Programs that do not import the package do not link its code.
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

// DefaultLimit is how many steps a Trace keeps, unless the option Limit changes it.
const DefaultLimit = 1 << 20

// Trace is a hook that records runs. It is safe for concurrent use.
type Trace struct {
	epoch time.Time
	limit int

	mu     sync.Mutex
	runs   []*Run
	kept   int // the number of steps, kernels and copies in the field runs; see Limit
	left   int // how many runs were not kept because of the limit
	lanes  map[string][]bool
	tables map[*rt.Step]*table
	costs  map[costKey]*cost
}

// Option changes what a Trace keeps.
type Option func(*Trace)

// Limit bounds how many steps are kept; the kernels and copies of a device count as steps, too. If a
// run would exceed the limit, only the costs of its nodes are recorded. With a limit of 0, no run is
// kept.
func Limit(steps int) Option { return func(t *Trace) { t.limit = steps } }

// New returns an empty Trace.
func New(opts ...Option) *Trace {
	t := &Trace{epoch: time.Now(), limit: DefaultLimit, lanes: map[string][]bool{}, tables: map[*rt.Step]*table{}, costs: map[costKey]*cost{}}
	for _, f := range opts {
		f(t)
	}
	return t
}

// Run is the record of one run, or of one partition of a run. Times are relative to the call of
// New.
type Run struct {
	Signature  string
	Device     string // the device's full name
	Thread     int    // the number, from 0, of the run among the concurrent runs on the device
	Start, End time.Duration
	Err        error
	Steps      []Step // sorted by start
	// These sizes are in bytes. Arena is the size of the block that contains most buffers. Own is the
	// size of the scratch memory for each thread that takes part in a loop. Grown is the sum of the
	// further allocations of the run, and Peak the largest total at any time.
	Arena, Own, Grown, Peak int
	// Work is the work of a device other than a CPU. It is nil for a CPU and for a failed run.
	Work *Work
}

// Work is the work that a device did in a run, measured by the device's own clock. Begun is the time at
// which the measurement began, relative to the call of New.
type Work struct {
	Begun time.Duration
	// Items are the kernels, copies and fills in the order in which they were launched. Their
	// times, too, are relative to the call of New.
	Items []device.Timed
	// These sizes are in bytes. Block is the size of the device memory block that contains most
	// buffers, and Own the size of the run's other device memory. InUse is the size of all device
	// memory in use, for all runs and the weights.
	Block, Own, InUse int
}

// AllStreams is a suffix of device names. It marks the work of the device itself, as opposed to
// that of the host thread that launches it.
const AllStreams = "/stream:all"

// Step is the record of one step. It ends at the latest when the next step on the same thread begins.
type Step struct {
	Node, Op   string
	Thread     int
	Start, End time.Duration
	Outputs    []Output
	Grown      int // the bytes that the step allocated outside the arena
}

// Output is a tensor that a step made.
type Output struct {
	DType tensor.DType
	Shape []int // nil if unknown
	Bytes int   // the bytes of the elements, not counting the text of strings; 0 if the shape is unknown
}

// Runs returns the records, in the order in which the runs ended.
func (t *Trace) Runs() []*Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.runs)
}

// Left returns how many runs were not kept because of the limit.
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

// enter returns the least thread number of the device that no run uses, and marks the number as used.
// The caller holds the lock.
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

// event is a step in the form in which a recorder stores it.
type event struct {
	step       int
	thread     int
	start, end time.Duration
	grown      int
}

// recorder observes one run, or a task of a run.
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
	// for a task, the recorder of the task's run; for a run, this recorder itself
	root *recorder

	mu    sync.Mutex // guards the field tasks, which holds the events of the run's ended tasks
	tasks []event
}

// Step implements rt.Observer.
func (r *recorder) Step(i int) {
	now := r.close()
	r.events = append(r.events, event{step: i, thread: r.thread, start: now, end: -1})
}

// close ends the current step, if there is one, and returns the time.
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
	items := slices.Clone(w.Items) // other observers of the run get the same slice w.Items
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
