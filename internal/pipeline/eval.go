package pipeline

import (
	"context"
	"sync"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan/exec"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

// Eval computes a graph without feeds: constant folding's evaluator. It runs
// the portable variants of kernels, or folded constants would depend on the
// processor of the machine that compiles.
func Eval(g *ir.Graph) ([]*tensor.Tensor, error) {
	if err := ops.Infer(g); err != nil {
		return nil, err
	}
	p, err := ops.Lower(g, "fold", ops.ExactConv)
	if err != nil {
		return nil, err
	}
	x, err := exec.New(p)
	if err != nil {
		return nil, err
	}
	defer pinPortable()()
	got, err := x.Run(context.Background(), nil)
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
