// Package passes holds the rewrites between a graph as it was read and a graph
// that is lowered: the binding of feeds and fetches, the mandatory passes that
// leave plain dataflow, and the optional ones that leave less of it.
package passes

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// Options say what Run does.
type Options struct {
	// Ops describes all ops; it must be given.
	Ops *lower.Table
	// NoOpt leaves out every pass that is not required.
	NoOpt bool
	// Without names optional passes to leave out; the name of none, or of a
	// required one, is InvalidArgument.
	Without []string
	// SoftPlacement puts nodes that ask for a device which does not exist on the CPU.
	SoftPlacement bool
	// Place gives every node its device: a full name in Node.Device, which passes
	// after it keep. nil: there are CPUs only, which run what asks for them as one.
	Place func(*ir.Graph) error
	// PlaceUnpruned places nodes before the ones that nothing needs are dropped:
	// these must stand on devices that exist, too, and be calls of functions that
	// can be inlined.
	PlaceUnpruned bool
	// Limits bound what passes make of a graph: Inlined, Calls, FoldNode and FoldTotal
	// count here. How long they may take the graph's Deadline says.
	Limits ir.Limits
	// MaxFolded is the size in bytes of the largest constant that pass fold stores, if
	// it is less than what the pass allows; 0 is no bound.
	MaxFolded int
	// Fuel is the number of edits the optional passes may still make, counted
	// down over all of them; nil: any number. The edit at which an answer turns
	// wrong is found by bisection over it.
	Fuel *int
	// Check runs ir.Check after every pass; a failure is Internal and names the pass.
	Check bool
	// Values returns the value of a variable by the name of its node, and
	// FailedPrecondition for a variable that has none. nil: no variable has a value.
	Values func(node string) (*tensor.Tensor, error)
	// Keys returns the name, and the part of the tensor of that name, under which a
	// variable's value is saved, by the name of its node; the key is "" for one that
	// is not saved. Where it is not told, and with nil, variables are saved under
	// their own names.
	Keys func(node string) (key, slice string, told bool)
	// Table returns what a table holds at first, by the name of its node, nil for
	// nothing, and the names under which its keys and values are saved, which are "" for
	// one that is not and nil where it is not told. nil: tables begin empty.
	Table func(node string) (keys, values *tensor.Tensor, names []string, err error)
	// Needed returns an error for a node whose state a checkpoint has and nothing
	// loads. nil: there is none.
	Needed func(node string) error
	// Written reports whether some signature of the program writes a variable, by
	// the name of its node or its ops.VariableKey: what Writers returns of the
	// graphs of all signatures. nil: only this graph's own nodes write.
	Written func(variable string) bool
	// Device is the type of the device that a partition stands on; "" is CPU. Passes
	// that make nodes for the kernels of CPUs leave those of others alone.
	Device string
	// Watch says of each tensor that the graph computes whether it is watched or
	// checked; nil: none is. Tensors in regions cannot be watched.
	Watch func(ir.Out) (Watch, error)
	// Eval computes the fetches of a graph that has no feeds. nil: nothing is
	// evaluated when compiling.
	Eval func(*ir.Graph) ([]*tensor.Tensor, error)
	// Apart has RunWhole keep apart what stands on one device, too: the graph is going
	// to be divided further.
	Apart bool
	// Dump is called after every pass that ran, with "fold" in the first round
	// and, where the pass changed the graph again, "fold.2" in the second.
	Dump func(pass string, g *ir.Graph)
}

// maxRounds bounds how often the passes of phase Optimise are repeated.
const maxRounds = 10

// state is what passes share during one Run.
type state struct {
	g        *ir.Graph
	o        Options
	fuel     *int // of the pass that runs: nil for required passes
	stale    bool // facts must be inferred anew
	pass     string
	levels   *levels
	noFold   map[string]string // nodes whose evaluation failed → why
	folded   int               // bytes by which folding made the graph grow
	folding  time.Duration     // that evaluations have taken
	inferErr error             // what the last inference could not
	hashes   map[*tensor.Tensor][32]byte
	old      map[*ir.Node]bool // nodes that need no place any more; nil: the graph has no regions
	editors  []*ir.Editor      // of the pass that runs
	placed   bool              // every node stood on a device before some pass that ran
}

func newState(g *ir.Graph, o Options) *state {
	o.Limits = o.Limits.WithDefaults()
	return &state{g: g, o: o, stale: true, levels: newLevels(o.Ops, g.Library), noFold: map[string]string{}, hashes: map[*tensor.Tensor][32]byte{}}
}

// edit begins the running pass's edits.
func (s *state) edit() *ir.Editor {
	e := s.g.Edit(s.pass, s.fuel)
	s.editors = append(s.editors, e)
	return e
}

// Run optimises a graph in place whose feeds and fetches BindIO has bound, for one
// device. Errors carry TensorFlow's codes.
func Run(g *ir.Graph, o Options) error {
	return newState(g, o).phases(func(Pass) bool { return true })
}

// RunWhole is the part of Run that comes before a graph is partitioned: all
// phases up to Optimise. In a graph that stands on several devices only passes
// that are Whole optimise; facts and conditions are known across devices after it.
// BindIO has bound the graph. Errors carry TensorFlow's codes.
func RunWhole(g *ir.Graph, o Options) error {
	s := newState(g, o)
	return s.phases(func(p Pass) bool {
		switch p.Phase {
		case PostPartitioning:
			return false
		case Optimise:
			return p.Whole || len(Devices(s.g)) <= 1 && !o.Apart
		}
		return true
	})
}

// RunPart is what comes after RunWhole for each partition: phase Optimise with all
// its passes, then PostPartitioning. Errors carry TensorFlow's codes.
func RunPart(g *ir.Graph, o Options) error {
	return newState(g, o).phases(func(p Pass) bool { return p.Phase == Optimise || p.Phase == PostPartitioning })
}

// Devices returns the names of the devices that nodes stand on, in the order of the
// nodes; a node without a device does not count.
func Devices(g *ir.Graph) []string {
	var names []string
	for _, n := range g.Nodes {
		if n.Device != "" && !slices.Contains(names, n.Device) {
			names = append(names, n.Device)
		}
	}
	return names
}

// phases runs the passes that want reports, phase by phase.
func (s *state) phases(want func(Pass) bool) error {
	table, err := without(s.order(), s.o.Without)
	if err != nil {
		return err
	}
	for i := 0; i < len(table); {
		phase := table[i].Phase
		j := i
		var run []Pass
		for ; j < len(table) && table[j].Phase == phase; j++ {
			if want(table[j]) {
				run = append(run, table[j])
			}
		}
		rounds := 1
		if phase == Optimise {
			rounds = maxRounds
		}
		for round := 1; round <= rounds; round++ {
			changed := false
			for _, p := range run {
				did, err := s.one(p, round)
				if err != nil {
					return err
				}
				changed = changed || did
			}
			if !changed {
				break
			}
		}
		i = j
	}
	s.infer()
	if s.inferErr != nil {
		return &FactsError{s.inferErr}
	}
	return nil
}

// FactsError is the error of a graph through which all passes went, but of some nodes the
// facts cannot be inferred. Those whose feeds have no known rank may have them once the
// ranks are known.
type FactsError struct{ err error }

// Error implements error.
func (e *FactsError) Error() string { return e.err.Error() }

// Unwrap returns the errors of the nodes.
func (e *FactsError) Unwrap() error { return e.err }

// order is the table as the options want it.
func (s *state) order() []Pass {
	table := Table()
	if !s.o.PlaceUnpruned {
		return table
	}
	at := func(name string) int { return slices.IndexFunc(table, func(p Pass) bool { return p.Name == name }) }
	prune := table[at("prune")]
	prune.Phase = PostPlacement
	table = slices.Delete(table, at("prune"), at("prune")+1)
	return slices.Insert(table, at("place")+1, prune)
}

// without leaves optional passes out of the table.
func without(table []Pass, names []string) ([]Pass, error) {
	for _, name := range names {
		i := slices.IndexFunc(table, func(p Pass) bool { return p.Name == name })
		if i < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "there is no pass %q to leave out", name)
		}
		if table[i].Required {
			return nil, tensor.Errorf(tensor.InvalidArgument, "pass %q is required", name)
		}
		table = slices.Delete(table, i, i+1)
	}
	return table, nil
}

// one runs a pass and reports whether it changed the graph.
func (s *state) one(p Pass, round int) (bool, error) {
	s.fuel = nil
	if !p.Required {
		if s.o.NoOpt || p.CPU && s.o.Device != "" && s.o.Device != "CPU" {
			return false, nil
		}
		if s.fuel = s.o.Fuel; s.fuel == nil {
			plenty := math.MaxInt
			s.fuel = &plenty
		}
		if *s.fuel <= 0 {
			return false, nil
		}
	}
	s.pass = p.Name
	if p.facts {
		s.infer()
	}
	if err := s.g.Deadline.Err(); err != nil {
		return false, fmt.Errorf("%w; it has come to pass %s", err, p.Name)
	}
	s.settled()
	s.g.Forget(p.Name)
	changed, err := s.guarded(p)
	if err != nil {
		return false, err
	}
	if changed {
		s.stale = true
	}
	name := p.Name
	if round > 1 {
		name = fmt.Sprintf("%s.%d", p.Name, round)
	}
	if s.o.Check {
		s.infer()
		err := ir.Check(s.g)
		if err == nil {
			err = signatures(s.o.Ops, s.g)
		}
		if err != nil {
			return false, tensor.Errorf(tensor.Internal, "after pass %s: %v", name, err)
		}
	}
	if s.o.Dump != nil && (changed || round == 1) {
		s.infer()
		s.o.Dump(name, s.g)
	}
	return changed, nil
}

// guarded turns a panic of a pass into an Internal error that names it.
func (s *state) guarded(p Pass) (changed bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = tensor.Errorf(tensor.Internal, "panic in pass %s: %v", p.Name, r)
		}
	}()
	changed, err = p.run(s)
	if err == nil && changed {
		err = s.place()
	}
	return changed, err
}

// infer brings facts up to date. A node that shape inference refuses, and what
// hangs on it, has facts of which only the element type is known: it may yet be
// folded or found useless, so the error counts only after the last pass.
func (s *state) infer() {
	if s.stale {
		s.inferErr = infer(s.o.Ops, s.g)
		s.stale = false
	}
}

func infer(ops *lower.Table, g *ir.Graph) error {
	for _, n := range g.Nodes {
		for i := range n.Outs {
			n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
		}
	}
	return ops.Infer(g)
}

// symbols drops the sizes whose producer is gone.
func symbols(g *ir.Graph) {
	for name, sy := range g.Symbols {
		if g.Node(sy.Out.Node.Name) != sy.Out.Node {
			delete(g.Symbols, name)
		}
	}
}

// sortedJoin joins errors in the order given; nil for none.
func sortedJoin(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return tensor.Join(errs...)
}
