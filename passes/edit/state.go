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
	Fuel     *int // the fuel of the running pass; nil for required passes
	Stale    bool // facts must be inferred again
	Pass     string
	Levels   *Levels
	NoFold   map[string]string // name of a node that is not folded → why
	Folded   int               // bytes of the constants that folding added to the graph
	Folding  time.Duration     // time spent on evaluations
	InferErr error             // the error of the last inference
	Hashes   map[*tensor.Tensor][32]byte
	old      map[*ir.Node]bool // nodes that have their final regions; nil: the graph has no regions
	Editors  []*ir.Editor      // the editors of the running pass
	Placed   bool              // every node had a device at some earlier call of Settled
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

// Infer brings the facts of all tensors, their inferred types, shapes and values, up to date. For a
// node that shape inference rejects, and for nodes that depend on it, only the element types are
// known. Folding or pruning may still remove such a node, so the error counts only after the last
// pass.
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

// SortedJoin joins errors in the given order. It returns nil for an empty list.
func SortedJoin(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return tensor.Join(errs...)
}
