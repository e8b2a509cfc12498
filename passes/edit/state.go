package edit

import (
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// State holds the data that the passes of one run share.
type State struct {
	G        *ir.Graph
	O        Options
	Fuel     *int // fuel of the pass that is running; nil if the pass is required
	Stale    bool // whether the facts of the tensors must be inferred again
	Pass     string
	Levels   *Levels
	NoFold   map[string]string // for the name of a node that is not folded, the reason
	Folded   int               // bytes of the constants that folding added to the graph
	Folding  time.Duration     // time spent on evaluations
	InferErr error             // error that the latest shape inference returned
	Hashes   map[*tensor.Tensor][32]byte
	old      map[*ir.Node]bool // the nodes with final regions; nil if the graph has no regions
	Editors  []*ir.Editor      // the editors of the running pass
	Placed   bool              // whether all nodes had devices in an earlier call of Settled
}

// NewState returns the state for a run of passes on g.
func NewState(g *ir.Graph, o Options) *State {
	o.Limits = o.Limits.WithDefaults()
	return &State{G: g, O: o, Stale: true, Levels: NewLevels(o.Ops, g.Library), NoFold: map[string]string{}, Hashes: map[*tensor.Tensor][32]byte{}}
}

// Edit returns a new editor, which records changes for the running pass.
func (s *State) Edit() *ir.Editor {
	e := s.G.Edit(s.Pass, s.Fuel)
	s.Editors = append(s.Editors, e)
	return e
}

// Infer updates the facts of all tensors, which are their types, shapes and values, if the graph
// has changed. If shape inference rejects a node, only the element types of the node and of the
// nodes that depend on it are known. A later pass may remove this node, so the error matters only
// after the last pass.
func (s *State) Infer() {
	if s.Stale {
		s.InferErr = Infer(s.O.Ops, s.G)
		s.Stale = false
	}
}

// Infer computes all facts of a graph again. It joins the errors of rejected nodes.
func Infer(ops *lower.Table, g *ir.Graph) error {
	for _, n := range g.Nodes {
		for i := range n.Outs {
			n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
		}
	}
	return ops.Infer(g)
}

// SortedJoin joins errors, which the caller has sorted, into one error. It returns nil if there are
// none.
func SortedJoin(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return tensor.Join(errs...)
}
