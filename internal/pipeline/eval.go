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
	// evalMemory bounds the buffers of an evaluation.
	evalMemory = 512 << 20
	// portable is how many times longer than the cost model says the portable
	// variants of kernels may take, called by reflection.
	portable = 30
)

// Eval computes a graph without feeds: constant folding's evaluator. It runs
// the portable variants of kernels, or folded constants would depend on the
// processor of the machine that compiles. It is ResourceExhausted when the graph's
// deadline leaves too little time for what the plan is estimated to take.
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
			return nil, tensor.Errorf(tensor.ResourceExhausted, "it would take %v or more, %v are left for computing when compiling", t.Round(time.Millisecond), left.Round(time.Millisecond))
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

// pins counts the evaluations under way: the limit is the process's, so only the
// first lowers it and only the last puts back what was before.
var pins struct {
	sync.Mutex
	n      int
	before cpu.Level
}

// pinPortable makes kernels use their portable variants until the function it
// returns is called.
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
