package rt

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// Code is the static data of an emitted signature. Most buffers of a run are in one contiguous piece of
// memory, the block. The type D holds the sizes that depend on the feeds.
type Code[D comparable] struct {
	// Name is the signature's name. Device is the full name of the device that runs it; "" means
	// CPU 0 of this process.
	Name, Device string
	// Steps describes every step; see Info.
	Steps []Step
	// Scopes describes the abbreviations of node names in Steps and in errors.
	Scopes []Scope
	// Arena is the size of the block in bytes, if this size does not depend on D.
	Arena int
	// If the size of the block depends on D, Lives contains the lifetimes of the buffers in it, and
	// Sizes sets n[i] to the size of buffer i in bytes. Otherwise Lives and Sizes are nil.
	Lives []mem.Life
	Sizes func(d *D, n []int)
	// Own is the size in bytes of the scratch memory for each participant of a Par loop. If the size
	// depends on D, OwnSize computes it instead.
	Own     int
	OwnSize func(d *D) int
	// Check checks the sizes before the first step; it may be nil. Before it returns an error, it sets
	// *step to the number of the step that the error should name.
	Check func(d *D, step *int) error
	// Grow, Strings and Handles are the lengths of the fields Grown, Strings and Handles of a State.
	Grow, Strings, Handles int
}

// State is the working state of one run. Its type parameters are types that the emitted code
// declares. D holds the sizes that are read from the feeds, and V the sizes that steps compute. I
// holds the inputs of the signature, M the resources of the model, and X further data of the run.
type State[D comparable, V, I, M, X any] struct {
	Mark
	Arena   []byte            // the block; see Code
	Off     []int             // offsets of the buffers in the block, if they depend on D
	W       []byte            // the weights
	Kept    []byte            // state that the model keeps between runs; concurrent runs share it
	Vars    *M                // the model's resources; concurrent runs share them
	Const   [][]string        // string constants
	Grown   [][]byte          // buffers whose size is known only when a step runs
	Strings [][]string        // string buffers
	Handles [][]tensor.Handle // buffers of handles
	D       D
	V       V
	In      I
	// X is further data. In programs with partitions, it holds the object through which the partitions
	// communicate, and the memory of the run on devices. See Worker.
	X X

	run    *underway // the context of the run; the run's tasks share it
	base   *Base
	opts   *runOptions // the options of this run; may be nil
	files  *os.Root
	ints   []int
	layout *layout[D]
	max    int
	memory Block // the memory of Arena, if the function Pool.blocks allocated it

	crew     *par.Team // the team of helpers that this run may claim; nil for none
	threads  int       // the most threads, including the thread that executes the steps
	team     *par.Team // equal to crew while this run has claimed it; otherwise nil
	asked    bool      // whether this run has tried to claim crew
	claimed  int       // how many threads this run has claimed
	own      [][]byte  // the scratch memory of each participant of a Par loop
	body     part[D, V, I, M, X]
	work     int // the cost of the Par loops so far, in picoseconds
	lastWork int // the value of work at the end of the previous run

	// the size in bytes of the strings and objects that buffers referred to in the last call of spare
	live  int
	slack int // how many layouts in a row needed less than a quarter of the block

	// Of is the state whose field V holds the sizes that the steps of the run have computed. In the
	// state of a task, Of is the state of the run. In the state of a run with tasks, Of is this state
	// itself.
	Of *State[D, V, I, M, X]
	// in the state of a task: the object that divides the task's loops among participants; otherwise
	// nil
	side side[D, V, I, M, X]
	// in the state of a task: the number of the participant that runs the task
	hand  int
	tasks any // nil or a *taskRun; the type is any so that programs without tasks do not link its methods
}

// layout holds the offsets of the buffers in the block, and the size of the block, for one value of D.
type layout[D comparable] struct {
	d    D
	offs []int
	size int
	own  int // the size in bytes of the scratch memory for each participant
	// the size in bytes of all buffers together; some of them are at the same place in the block, one
	// after the other
	results int
}

// maxLayouts bounds how many layouts a signature remembers.
const maxLayouts = 32

// maxSlack bounds how often in a row a block is kept for a layout that needs less than a quarter of
// it.
const maxSlack = 64

// Pool lends states to runs. It is safe for concurrent use. WithConcurrency bounds the number of
// states. The method Get of a zero Pool returns FailedPrecondition.
type Pool[D comparable, V, I, M, X any] struct {
	code *Code[D]
	base *Base
	vars *M
	// blocks allocates the block of a state; nil means the Go heap.
	blocks func(n int) (Block, error)
	// the object that manages the field X of the states; if it is nil, X is reset after each run
	worker Worker[D, X]
	slot   chan struct{}

	mu      sync.Mutex
	all     []*State[D, V, I, M, X]
	idle    []*State[D, V, I, M, X]
	layouts []*layout[D]
	next    int // the index of the element of layouts that is replaced next
}

// Init prepares the pool p for the signature c of the instance b. The parameter vars, which may be
// nil, holds the resources that all runs of the model share.
func (p *Pool[D, V, I, M, X]) Init(b *Base, c *Code[D], vars *M) {
	p.base, p.code, p.vars = b, c, vars
	p.slot = make(chan struct{}, b.opts.concurrency)
	p.idle = make([]*State[D, V, I, M, X], 0, b.opts.concurrency)
	b.door.add(p)
}

// Works sets the Worker that manages the field X of the pool's states.
func (p *Pool[D, V, I, M, X]) Works(w Worker[D, X]) { p.worker = w }

// Base returns the instance of the model to which the pool belongs.
func (p *Pool[D, V, I, M, X]) Base() *Base { return p.base }

// Code returns the static data of the signature to which the pool belongs.
func (p *Pool[D, V, I, M, X]) Code() *Code[D] { return p.code }

// Drop removes a pool that its instance no longer needs. No run may be using the pool.
func (p *Pool[D, V, I, M, X]) Drop() { p.base.door.remove(p) }

// Slots returns the channel whose capacity bounds the number of concurrent runs; see Share.
func (p *Pool[D, V, I, M, X]) Slots() chan struct{} { return p.slot }

// Share makes the pool use the channel slots of another pool, so that the bound for concurrent runs
// applies to both pools together. A signature with variants for several ranks has a pool for each
// variant.
func (p *Pool[D, V, I, M, X]) Share(slots chan struct{}) { p.slot = slots }

// abandon makes the current and all later runs of the existing states end with err.
func (p *Pool[D, V, I, M, X]) abandon(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all {
		s.run.close(err)
	}
}

// empty removes all states and frees their memory. It must not be called during a run.
func (p *Pool[D, V, I, M, X]) empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all {
		if p.worker != nil {
			p.worker.DropWork(&s.X)
		}
		if s.memory != nil {
			_ = s.memory.Free() // an error could not be reported to any caller
			s.memory, s.Arena = nil, nil
		}
	}
	p.all, p.idle, p.layouts = nil, nil, nil
}

// Get returns a state whose buffers are laid out for the sizes d. If as many runs are in progress as
// WithConcurrency allows, it waits. The caller must return the state with Put.
func (p *Pool[D, V, I, M, X]) Get(ctx context.Context, d D) (*State[D, V, I, M, X], error) {
	b := p.base
	if b == nil {
		return nil, notMade()
	}
	o := optionsOf(ctx)
	until, err := b.until(o)
	if err != nil {
		return nil, err
	}
	select {
	case p.slot <- struct{}{}:
	default:
		if err := b.wait(ctx, p.slot, until); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		<-p.slot
		return nil, err
	}
	s := p.take(d)
	// check this after the call of take: if Close is called later, it finds the state in p.all
	if b.door.closed.Load() {
		p.give(s)
		return nil, errClosed
	}
	s.crew, s.threads, s.opts = b.team, b.opts.threads, o
	if o != nil {
		s.asks(o)
	}
	if fresh := s.layout == nil || s.layout.d != d; fresh {
		if err = p.prepare(s, d); err == nil && p.worker != nil {
			err = p.worker.ReadyWork(&s.X, &s.D, true)
		}
	} else if p.worker != nil {
		err = p.worker.ReadyWork(&s.X, &s.D, false)
	} else if s.crew != nil && s.crew.Size() > len(s.own) {
		err = s.scratch(s.layout)
	}
	if err != nil {
		s.disband()
		p.give(s)
		return nil, err
	}
	s.run.begin(ctx, until)
	s.run.budget.Reset(s.held())
	s.live = 0
	s.Step = 0
	if len(b.opts.hooks) > 0 || o != nil && len(o.hooks) > 0 {
		p.begin(ctx, s)
	}
	return s, nil
}

// begin informs the hooks of the instance and of ctx that a run begins.
func (p *Pool[D, V, I, M, X]) begin(ctx context.Context, s *State[D, V, I, M, X]) {
	run := Info{Signature: p.code.Name, Device: p.code.Device, Steps: p.code.Steps, Scopes: p.code.Scopes, Arena: s.layout.size, Own: s.layout.own, Held: s.held()}
	run.Size = func(name string) (int, bool) { return sizeOf(name, &s.D, &s.V) }
	s.hook = p.base.opts.hooks.begin(ctx, &run)
	if s.opts != nil {
		s.hook = together(s.hook, s.opts.hooks.begin(ctx, &run))
	}
	if p.worker != nil {
		p.worker.MeasureWork(&s.X, &s.Mark)
	}
}

// take returns an idle state, preferably one that is laid out for d. If there is no idle state, it
// creates one.
func (p *Pool[D, V, I, M, X]) take(d D) *State[D, V, I, M, X] {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		at := n - 1
		for i := n - 1; i >= 0; i-- {
			if l := p.idle[i].layout; l != nil && l.d == d {
				at = i
				break
			}
		}
		s := p.idle[at]
		p.idle = slices.Delete(p.idle, at, at+1)
		p.mu.Unlock()
		return s
	}
	s := &State[D, V, I, M, X]{run: new(underway), W: p.base.weights, Kept: p.base.kept, Vars: p.vars, Const: p.base.strings, max: p.base.opts.maxBytes, base: p.base, files: p.base.opts.files,
		Grown: make([][]byte, p.code.Grow), Strings: make([][]string, p.code.Strings), Handles: make([][]tensor.Handle, p.code.Handles)}
	s.run.budget.Init(s.max, s.run.Err, s.spare)
	p.all = append(p.all, s)
	p.mu.Unlock()
	return s
}

func (p *Pool[D, V, I, M, X]) give(s *State[D, V, I, M, X]) {
	p.mu.Lock()
	p.idle = append(p.idle, s)
	p.mu.Unlock()
	<-p.slot
}

// prepare lays out the buffers of s for the sizes d, and allocates the block and scratch memory.
func (p *Pool[D, V, I, M, X]) prepare(s *State[D, V, I, M, X], d D) (err error) {
	s.layout = nil
	l := p.known(d)
	if l == nil {
		if l, err = p.lay(d); err != nil {
			return err
		}
		p.remember(l)
	}
	// this also checks that the block and the scratch memory together do not exceed the limit
	if err := s.scratch(l); err != nil {
		return err
	}
	// A block that is much too large is kept for some time, so that a program that alternates between
	// large and small sizes does not allocate in each run.
	if s.slack++; l.size >= len(s.Arena)/4 {
		s.slack = 0
	}
	if l.size > len(s.Arena) || s.slack > maxSlack {
		s.slack = 0
		if err := p.arena(s, l.size); err != nil {
			return err
		}
	}
	s.Off, s.D, s.layout = l.offs, d, l
	return nil
}

func (p *Pool[D, V, I, M, X]) known(d D) *layout[D] {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.layouts {
		if l.d == d {
			return l
		}
	}
	return nil
}

func (p *Pool[D, V, I, M, X]) remember(l *layout[D]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.layouts) < maxLayouts {
		p.layouts = append(p.layouts, l)
		return
	}
	p.layouts[p.next] = l
	p.next = (p.next + 1) % maxLayouts
}

// lay checks the sizes and computes a layout for them.
func (p *Pool[D, V, I, M, X]) lay(d D) (l *layout[D], err error) {
	step := 0
	defer func() {
		if r := recover(); r != nil {
			err = p.fault(r, step)
		}
	}()
	if p.code.Check != nil {
		if err := p.code.Check(&d, &step); err != nil {
			return nil, p.at(err, step)
		}
	}
	l = &layout[D]{d: d, size: p.code.Arena}
	if n := len(p.code.Lives); n > 0 {
		step = -1
		sizes := make([]int, n)
		p.code.Sizes(&d, sizes)
		for _, size := range sizes {
			l.results += max(0, size)
		}
		l.offs = make([]int, n)
		if l.size, err = mem.Pack(sizes, p.code.Lives, l.offs, p.base.opts.maxBytes); err != nil {
			for i, size := range sizes {
				if size < 0 {
					return nil, p.at(tensor.Errorf(tensor.InvalidArgument, "the fed shapes make a size negative"), int(p.code.Lives[i].First))
				}
			}
			largest := slices.Index(sizes, slices.Max(sizes)) // the error names the step that creates the largest buffer
			return nil, p.at(err, int(p.code.Lives[largest].First))
		}
	}
	l.own = p.code.Own
	if p.code.OwnSize != nil {
		step = -1
		l.own = max(0, p.code.OwnSize(&d))
	}
	return l, nil
}

// Put returns a state to the pool at the end of a run. The caller must defer it, because Put recovers
// a panic of a kernel and stores it as an error in *err. Put also adds the node of the current step
// to the error.
func (p *Pool[D, V, I, M, X]) Put(s *State[D, V, I, M, X], err *error) {
	if r := recover(); r != nil {
		*err = p.fault(r, s.Step)
	}
	if p.worker != nil {
		*err = p.worker.EndWork(&s.X, *err)
	}
	if *err != nil {
		*err = p.at(s.run.reason(*err), s.Step)
	}
	s.disband()
	s.Join(*err)
	for i, v := range s.Strings {
		clear(v)
		s.Strings[i] = v[:0]
	}
	for i, v := range s.Handles {
		endRun(v)
		clear(v)
		s.Handles[i] = v[:0]
	}
	for i, g := range s.Grown {
		s.Grown[i] = g[:0]
	}
	var in I
	var v V
	s.In, s.V = in, v
	if p.worker == nil {
		var x X
		s.X = x
	}
	s.run.end()
	p.give(s)
}

// fault returns the error for a panic with the value r in a step.
func (p *Pool[D, V, I, M, X]) fault(r any, step int) error { return p.at(PanicError(r), step) }

// PanicError returns the error for a recovered panic with the value r. If r is a *tensor.Error, it is
// the result. If r is a mem.Ended, its Reason is the result. Otherwise the error has the code Internal.
func PanicError(r any) error {
	switch e := r.(type) {
	case *tensor.Error: // raised by a function of this package, or by the Budget of a kernel
		return e
	case mem.Ended:
		return e.Reason
	}
	msg := fmt.Sprint(r)
	if _, ok := r.(runtime.Error); ok {
		msg += "\n" + string(debug.Stack())
	}
	return tensor.Errorf(tensor.Internal, "panic: %s", msg)
}

func (p *Pool[D, V, I, M, X]) at(err error, step int) error {
	if step < 0 || step >= len(p.code.Steps) || isContext(err) {
		return err
	}
	at := &p.code.Steps[step]
	return tensor.AtNode(err, at.Node, at.Op)
}

// Canceled returns nil while the run continues. If the run was ended early, it returns the reason:
// the error of the caller's context, of the deadline or of the closed instance.
func (s *State[D, V, I, M, X]) Canceled() error {
	if s.run.budget.Tight() && s.side == nil {
		s.run.budget.Spare()
	}
	if s.run.from == nil && !s.run.gone.Load() {
		return nil
	}
	return s.run.Err()
}

// Context returns the context of the run, for kernels that wait. It is done when the caller's context
// is done, at the deadline, and when the instance is closed. It must not be used after the run.
//
// In a part (partition) of a run, the context has methods by which a waiting kernel makes the part
// not count as computing; see Aborter. In tasks, the context lacks these methods, because several
// tasks of a part may wait at the same time.
func (s *State[D, V, I, M, X]) Context() context.Context {
	if s.side == nil && s.run.told != nil {
		return placed{s.run}
	}
	return s.run
}

// Budget returns the budget of the run, for kernels that allocate memory or take long. It counts the
// run's memory and knows whether the run was ended.
func (s *State[D, V, I, M, X]) Budget() *mem.Budget { return &s.run.budget }

// Files returns the directory that the option WithFiles set, or nil.
func (s *State[D, V, I, M, X]) Files() *os.Root { return s.files }

// Ints returns a copy of v. The copy is in memory of the state and is valid until the next call of
// ResetInts.
func (s *State[D, V, I, M, X]) Ints(v ...int) []int {
	n := len(s.ints)
	s.ints = append(s.ints, v...)
	return s.ints[n:len(s.ints):len(s.ints)]
}

// ResetInts invalidates the results of Ints and reuses their memory.
func (s *State[D, V, I, M, X]) ResetInts() { s.ints = s.ints[:0] }
