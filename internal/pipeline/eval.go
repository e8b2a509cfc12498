package pipeline

import (
	"sync"
	"time"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

const (
	// evalMemory is the maximum size in bytes of the buffers of an evaluation.
	evalMemory = 512 << 20
	// portable is a factor by which an evaluation may be slower than the cost model estimates. It
	// is large because evaluations use the portable kernels and call them by reflection.
	portable = 30
)

// Eval computes a graph without feeds, for constant folding. It runs the portable variants of
// kernels, so that folded constants do not depend on the processor of the machine that compiles. It
// returns ResourceExhausted if the graph's deadline leaves less time than the plan is estimated to
// take.
func Eval(g *ir.Graph) ([]*tensor.Tensor, error) {
	if err := ops.Ops().Infer(g); err != nil {
		return nil, err
	}
	p, err := ops.Ops().Lower(g, "fold", lower.ExactConv)
	if err != nil {
		return nil, err
	}
	d := g.Deadline
	if left := d.Left(); !d.IsZero() {
		if t := p.Estimate(); t > left/portable {
			return nil, tensor.Errorf(tensor.ResourceExhausted, "computing it takes at least %v, but compiling has only %v left", t.Round(time.Millisecond), left.Round(time.Millisecond))
		}
	}
	ctx, cancel := d.Context()
	defer cancel()
	x, err := exec.New(p)
	if err != nil {
		return nil, err
	}
	x.MaxBytes = evalMemory
	defer pinPortable()()
	got, err := x.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	out := make([]*tensor.Tensor, len(g.Fetches))
	for i, f := range g.Fetches {
		out[i] = got[f.Name]
	}
	return out, nil
}

// pins counts running evaluations. The limit on the variants of kernels applies to the whole
// process. Therefore, if evaluations run concurrently, only the first one lowers the limit, and
// only the last one restores it.
var pins struct {
	sync.Mutex
	n      int
	before cpu.Level
}

// pinPortable makes kernels use their portable variants until release is called.
func pinPortable() (release func()) {
	pins.Lock()
	defer pins.Unlock()
	if pins.n == 0 {
		pins.before = cpu.SetLimit(cpu.Portable)
	}
	pins.n++
	return func() {
		pins.Lock()
		defer pins.Unlock()
		if pins.n--; pins.n == 0 {
			cpu.SetLimit(pins.before)
		}
	}
}
