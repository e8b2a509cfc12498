package edit

import (
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// State is what passes share during one Run.
type State struct {
	G        *ir.Graph
	O        Options
	Fuel     *int // of the pass that runs: nil for required passes
	Stale    bool // facts must be inferred anew
	Pass     string
	Levels   *Levels
	NoFold   map[string]string // nodes whose evaluation failed → why
	Folded   int               // bytes by which folding made the graph grow
	Folding  time.Duration     // that evaluations have taken
	InferErr error             // what the last inference could not
	Hashes   map[*tensor.Tensor][32]byte
	old      map[*ir.Node]bool // nodes that need no place any more; nil: the graph has no regions
	Editors  []*ir.Editor      // of the pass that runs
	Placed   bool              // every node stood on a device before some pass that ran
}

// NewState begins a run of passes.
func NewState(g *ir.Graph, o Options) *State {
	o.Limits = o.Limits.WithDefaults()
	return &State{G: g, O: o, Stale: true, Levels: NewLevels(o.Ops, g.Library), NoFold: map[string]string{}, Hashes: map[*tensor.Tensor][32]byte{}}
}

// Edit begins the running pass's edits.
func (s *State) Edit() *ir.Editor {
	e := s.G.Edit(s.Pass, s.Fuel)
	s.Editors = append(s.Editors, e)
	return e
}

// Infer brings facts up to date. A node that shape inference refuses, and what
// hangs on it, has facts of which only the element type is known: it may yet be
// folded or found useless, so the error counts only after the last pass.
func (s *State) Infer() {
	if s.Stale {
		s.InferErr = Infer(s.O.Ops, s.G)
		s.Stale = false
	}
}

// Infer computes all facts of a graph anew. The errors of nodes that are refused are joined.
func Infer(ops *lower.Table, g *ir.Graph) error {
	for _, n := range g.Nodes {
		for i := range n.Outs {
			n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
		}
	}
	return ops.Infer(g)
}

// SortedJoin joins errors in the order given; nil for none.
func SortedJoin(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return tensor.Join(errs...)
}
