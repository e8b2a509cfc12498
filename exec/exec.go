// Package exec runs a plan in this process: for constant folding, for
// `graphc run`, and as the oracle that emitted programs are compared with. It
// makes the very calls that codegen prints, by reflection.
//
// Every buffer has memory of its own, of its exact size and filled with a
// pattern, so that a plan that reads what nothing wrote gives wrong answers
// here rather than by chance right ones. It loses its memory where its life ends,
// in a loop in each iteration.
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

// DefaultMaxBytes is the most memory one run may take.
const DefaultMaxBytes = 4 << 30

// Program is a plan ready to run. It may be used from several goroutines.
type Program struct {
	// MaxBytes limits the memory of one run; ResourceExhausted beyond it.
	MaxBytes int
	// Chunks is the number of chunks a loop is divided into where its items allow it.
	Chunks int
	// Order is a seed for the order in which tasks are done; 0: the last that may go
	// on first.
	Order uint64
	// Files is the directory below which the program's ops may read and write
	// files; nil: nowhere.
	Files *os.Root

	p         *plan.Plan
	kept      State
	steps     []*node
	parts     []*Program // of a plan in parts
	devs      *devices
	on        *accelerator     // of a plan for a device that is no CPU, else nil
	described func() []rt.Step // the steps, for hooks
}

// State is what programs keep from run to run, by the buffers' names. Programs
// that share it are plans of one model.
type State map[string]reflect.Value

// New checks the plan's calls. The program has a state of its own.
func New(p *plan.Plan) (*Program, error) { return NewWith(State{}, p) }

// NewWith is New with a state that other programs share. It makes those of the
// plan's objects that the state lacks, in the order of their names, and returns
// the error of one that cannot be made. It is not safe while one of the programs
// runs.
func NewWith(kept State, p *plan.Plan) (*Program, error) {
	return newProgram(kept, p, &devices{open: simulated(), by: map[string]*accelerator{}})
}

// newProgram is NewWith with the devices that the parts of a signature share.
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
	mem  map[*plan.Buf]reflect.Value // roots: a slice of the root's element type
	mark rt.Mark                     // what hooks are told of

	budget mem.Budget
	live   int // the bytes of values that spare has found last

	exchange *rendezvous.Exchange // of a part
	work     *work                // on the plan's device, nil for a CPU
}

// Run computes the fetches, by tensor name. The answers share no memory with
// the feeds. Of a context's options for runs only hooks and
// watches count.
func (x *Program) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if x.parts != nil {
		return x.runParts(ctx, feeds)
	}
	return x.run(ctx, nil, feeds)
}

// run is Run of a plan that is not in parts; of a part with what joins it to the others.
func (x *Program) run(ctx context.Context, join *rendezvous.Exchange, feeds map[string]*tensor.Tensor) (got map[string]*tensor.Tensor, err error) {
	r := &run{Program: x, ctx: ctx, env: map[string]int{}, mem: map[*plan.Buf]reflect.Value{}, exchange: join}
	r.budget.Init(x.MaxBytes, ctx.Err, r.spare)
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
