// Package exec runs a plan in this process, for constant folding and for `graphc run`. Tests compare
// its results with those of emitted programs. It makes the same calls as the code that package
// codegen emits, but by reflection.
//
// Every buffer has separate memory of its exact size, filled with a pattern. A plan that reads
// unwritten memory thus gives wrong results here, instead of accidentally right ones. A buffer's
// memory is released when the buffer's life ends. For a buffer that lives within a loop iteration,
// the memory is new in each iteration.
package exec

import (
	"context"
	"os"
	"reflect"
	"sync"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// DefaultMaxBytes is the default limit of the memory of one run.
const DefaultMaxBytes = 4 << 30

// Program is a plan ready to run. Several goroutines may use it.
type Program struct {
	// MaxBytes limits the memory of one run. A run that needs more fails with ResourceExhausted.
	MaxBytes int
	// Chunks is the number of chunks into which a parallel loop is divided, if its items allow it.
	Chunks int
	// MicroBatch is the number of items of a batch that are computed at a time if the plan allows it
	// (see plan.Plan.Batch). 0 means all.
	MicroBatch int
	// Order is a seed for the order of tasks. 0 means that the last ready task runs first.
	Order uint64
	// Files is the directory below which the program's ops may read and write files; nil means
	// none.
	Files *os.Root

	p         *plan.Plan
	kept      State
	steps     []*node
	parts     []*Program // a program for each part, if the plan is split into parts (see plan.Plan.Parts)
	devs      *devices
	on        *accelerator     // the device that the plan is for; nil for a CPU
	described func() []rt.Step // describes the steps, for hooks
}

// State holds the values that programs keep between runs. The keys are names of buffers. Programs
// that share a State belong to one model.
type State map[string]reflect.Value

// New checks the plan's calls and returns a program with a separate state.
func New(p *plan.Plan) (*Program, error) { return NewWith(State{}, p) }

// NewWith does the same as New, but the program uses the given state, which it may share with other
// programs. NewWith makes the objects of the plan that are not in this state, in the order of their
// names. It returns an error if it cannot make one of them. No program with this state may run
// during the call.
func NewWith(kept State, p *plan.Plan) (*Program, error) {
	return newProgram(kept, p, &devices{open: simulated(), by: map[string]*accelerator{}})
}

// newProgram does the same as NewWith, but the caller provides the devices, which the parts of a
// plan share.
func newProgram(kept State, p *plan.Plan, on *devices) (*Program, error) {
	x := &Program{MaxBytes: DefaultMaxBytes, Chunks: defaultChunks, p: p, kept: kept, devs: on}
	if p.Parts != nil {
		return x, x.divide()
	}
	for _, c := range p.Prologue {
		if err := c.Check(); err != nil {
			return nil, tensor.Errorf(tensor.Internal, "%v", err)
		}
	}
	for _, s := range plan.Flat(p.Steps) {
		if c, ok := plan.CallOf(s); ok {
			if err := c.Check(); err != nil {
				return nil, tensor.Errorf(tensor.Internal, "%v", err)
			}
		}
	}
	var err error
	if x.on, err = on.deviceOf(p); err != nil {
		return nil, err
	}
	x.steps = nodes(p)
	x.described = sync.OnceValue(func() []rt.Step {
		var out []rt.Step
		plan.Walk(p.Steps, func(_ int, s plan.Step) { out = append(out, p.Describe(s, (*sym.Expr).Key)) })
		return out
	})
	if err := x.keep(); err != nil {
		return nil, err
	}
	return x, nil
}

// run is the state of one run.
type run struct {
	*Program
	ctx  context.Context
	env  map[string]int
	mem  map[*plan.Buf]reflect.Value // the memory of root buffers: slices of their element types
	mark rt.Mark                     // identifies the running step for hooks

	budget mem.Budget
	// bytes of dropped buffers that the garbage collector may not have freed yet
	garbage int
	// number of bytes of strings and handle values that were in use when the method spare last counted
	// them
	live int

	exchange *rendezvous.Exchange // passes tensors between the parts of a plan; nil if the plan is not split
	work     *work                // the run's state on the plan's device; nil for a CPU
}

// Run computes the fetches from the feeds. Both maps have tensor names as keys. The results share
// no memory with the feeds. The context may hold options for runs; Run ignores all of them except
// hooks and watches.
func (x *Program) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if x.parts != nil {
		return x.runParts(ctx, feeds)
	}
	if x.MicroBatch > 0 && x.p.Batch != "" {
		return x.runBatch(ctx, feeds)
	}
	return x.run(ctx, nil, feeds)
}

// run does the same as Run, for a plan that is not split or for one part of a plan. A part exchanges
// tensors with the other parts through the parameter join. The parameter is nil for a plan that is
// not split.
func (x *Program) run(ctx context.Context, join *rendezvous.Exchange, feeds map[string]*tensor.Tensor) (got map[string]*tensor.Tensor, err error) {
	r := &run{Program: x, ctx: ctx, env: map[string]int{}, mem: map[*plan.Buf]reflect.Value{}, exchange: join}
	r.budget.Init(x.MaxBytes, ctx.Err, r.spare)
	r.garbage = x.MaxBytes // earlier runs may have left garbage
	if err := r.feed(feeds); err != nil {
		return nil, err
	}
	r.mark = rt.Begin(ctx, func() *rt.Info {
		return &rt.Info{Signature: x.p.Name, Device: x.p.Device, Steps: x.described(), Scopes: x.p.Names.Scopes(), Size: func(name string) (int, bool) {
			n, ok := r.env[name]
			return n, ok
		}}
	})
	defer func() { r.mark.Join(err) }()
	for _, c := range x.p.Prologue {
		if err := r.call(c); err != nil {
			return nil, err
		}
	}
	err = r.onDevice(func() error {
		_, err := r.list(x.steps)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.fetch()
}
