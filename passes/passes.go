package passes

import (
	"fmt"
	"math"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Options configure Run.
type Options = edit.Options

// Watch is a set of bits. Each bit says what a run does with a tensor in addition to computing it:
// it passes the tensor to a watcher (Watched), or checks it (Checked).
type Watch = edit.Watch

// maxRounds bounds how often the passes of phase Optimise are repeated.
const maxRounds = 10

// Run runs all passes on a graph for one device, in place. BindIO must have bound the graph. Errors
// carry TensorFlow's codes.
func Run(g *ir.Graph, o edit.Options) error {
	return phases(edit.NewState(g, o), func(Pass) bool { return true })
}

// RunWhole runs the first part of the passes, before the graph is partitioned: all phases up to
// Optimise. BindIO must have bound the graph. If nodes are on several devices, only those passes of
// the phase Optimise are run for which Pass.Whole is set. Facts and conditions are thus inferred
// for the whole graph, before it is partitioned. Errors have the codes that TensorFlow uses.
func RunWhole(g *ir.Graph, o edit.Options) error {
	s := edit.NewState(g, o)
	return phases(s, func(p Pass) bool {
		switch p.Phase {
		case PostPartitioning:
			return false
		case Optimise:
			return p.Whole || len(Devices(s.G)) <= 1 && !o.Apart
		}
		return true
	})
}

// RunPart runs passes on one partition of a graph for which RunWhole has been called: first all
// passes of phase Optimise, and then those of phase PostPartitioning. Errors carry TensorFlow's codes.
func RunPart(g *ir.Graph, o edit.Options) error {
	return phases(edit.NewState(g, o), func(p Pass) bool { return p.Phase == Optimise || p.Phase == PostPartitioning })
}

// Devices returns the names of the nodes' devices, in the order of the nodes. Nodes without a
// device are skipped.
func Devices(g *ir.Graph) []string {
	var names []string
	for _, n := range g.Nodes {
		if n.Device != "" && !slices.Contains(names, n.Device) {
			names = append(names, n.Device)
		}
	}
	return names
}

// phases runs those passes for which the function want returns true. It runs all passes of a phase
// before those of the next phase.
func phases(s *edit.State, want func(Pass) bool) error {
	table, err := without(order(s), s.O.Without)
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
				did, err := one(s, p, round)
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
	s.Infer()
	if s.InferErr != nil {
		return &FactsError{s.InferErr}
	}
	return nil
}

// FactsError is the error for a graph that went through all passes but still has nodes whose types
// and shapes cannot be inferred. If those nodes depend on feeds of unknown rank, the error may go
// away if the caller states the ranks.
type FactsError struct{ err error }

// Error implements error.
func (e *FactsError) Error() string { return e.err.Error() }

// Unwrap returns the errors of the nodes.
func (e *FactsError) Unwrap() error { return e.err }

// order returns the table of passes. Options.PlaceUnpruned determines whether the pass named prune
// runs before or after placement.
func order(s *edit.State) []Pass {
	table := Table()
	if !s.O.PlaceUnpruned {
		return table
	}
	at := func(name string) int { return slices.IndexFunc(table, func(p Pass) bool { return p.Name == name }) }
	prune := table[at("prune")]
	prune.Phase = PostPlacement
	table = slices.Delete(table, at("prune"), at("prune")+1)
	return slices.Insert(table, at("place")+1, prune)
}

// The function named without returns the table of passes, except for the passes that are listed in
// names. It returns an error if one of these passes is unknown or required.
func without(table []Pass, names []string) ([]Pass, error) {
	for _, name := range names {
		i := slices.IndexFunc(table, func(p Pass) bool { return p.Name == name })
		if i < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "unknown pass %q: it cannot be left out", name)
		}
		if table[i].Required {
			return nil, tensor.Errorf(tensor.InvalidArgument, "pass %q is required", name)
		}
		table = slices.Delete(table, i, i+1)
	}
	return table, nil
}

// The function named one runs a pass and reports whether the pass changed the graph.
func one(s *edit.State, p Pass, round int) (bool, error) {
	s.Fuel = nil
	if !p.Required {
		if s.O.NoOpt || p.CPU && s.O.Device != "" && s.O.Device != "CPU" {
			return false, nil
		}
		if s.Fuel = s.O.Fuel; s.Fuel == nil {
			plenty := math.MaxInt
			s.Fuel = &plenty
		}
		if *s.Fuel <= 0 {
			return false, nil
		}
	}
	s.Pass = p.Name
	if p.facts {
		s.Infer()
	}
	if err := s.G.Deadline.Err(); err != nil {
		return false, fmt.Errorf("%w; stopped before pass %s", err, p.Name)
	}
	s.Settled()
	s.G.Forget(p.Name)
	changed, err := guarded(s, p)
	if err != nil {
		return false, err
	}
	if changed {
		s.Stale = true
	}
	name := p.Name
	if round > 1 {
		name = fmt.Sprintf("%s.%d", p.Name, round)
	}
	if s.O.Check {
		s.Infer()
		err := ir.Check(s.G)
		if err == nil {
			err = edit.Signatures(s.O.Ops, s.G)
		}
		if err != nil {
			return false, tensor.Errorf(tensor.Internal, "after pass %s: %v", name, err)
		}
	}
	if s.O.Dump != nil && (changed || round == 1) {
		s.Infer()
		s.O.Dump(name, s.G)
	}
	return changed, nil
}

// guarded runs a pass and turns a panic into an Internal error that names the pass.
func guarded(s *edit.State, p Pass) (changed bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = tensor.Errorf(tensor.Internal, "panic in pass %s: %v", p.Name, r)
		}
	}()
	changed, err = p.run(s)
	if err == nil && changed {
		err = s.Place()
	}
	return changed, err
}
