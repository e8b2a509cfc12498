package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

const (
	// maxProbedRank is the largest rank that is tried for a feed.
	maxProbedRank = 8
	// maxFeedRanks is the maximum number of different ranks of one feed for which the graph is
	// compiled.
	maxFeedRanks = 6
	// maxProbedNodes is the maximum number of nodes for which shapes are inferred, summed over all
	// calls of ranker.probe.
	maxProbedNodes = 2_000_000
)

// refusal is the reason why a signature cannot be compiled for some ranks of its feeds.
type refusal struct {
	ranks []int // ranks of all feeds; -1 matches every rank
	err   error
}

// ranker determines for which ranks of its feeds a graph is to be compiled. It considers the open
// feeds, which are the feeds whose ranks are unknown. A combination of ranks is suitable if the
// shapes in the graph can be inferred with it. For example, the predicate of a conditional must be
// a scalar, and the filter of a convolution must have four dimensions.
type ranker struct {
	g       *ir.Graph
	open    []int
	probes  bool // whether to infer shapes for each rank; false if the graph is invalid whatever the ranks are
	left    int  // number of nodes that probe may still visit; see maxProbedNodes
	refused []refusal
}

// combinations returns the combinations of ranks of the open feeds for which the graph is to be
// compiled. There are at most maxVariants. If more combinations are possible, only the lowest ranks
// of each feed are used.
func (r *ranker) combinations() ([][]int, error) {
	r.left = maxProbedNodes
	allowed := make([][]int, len(r.open))
	none := slices.Repeat([]int{-1}, len(r.open))
	for i := range allowed {
		ranks := slices.Clone(none)
		for ranks[i] = 0; ranks[i] <= maxProbedRank; ranks[i]++ {
			ok, err := r.probe(ranks)
			if err != nil {
				return nil, err
			}
			if ok {
				allowed[i] = append(allowed[i], ranks[i])
			}
		}
		if len(allowed[i]) == 0 {
			return nil, r.refused[len(r.refused)-maxProbedRank-1].err
		}
	}
	several := 0
	for _, a := range allowed {
		if len(a) > 1 {
			several++
		}
	}
	for n := maxFeedRanks; n > 1 || several == 0 && n > 0; n-- {
		found, err := r.search(nil, allowed, slices.Clone(none), n)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && len(r.refused) > 0 && several == 0 {
			return nil, r.refused[len(r.refused)-1].err
		}
		if len(found) > 0 && len(found) <= maxVariants {
			return found, nil
		}
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "%d feeds have no known rank: give the shapes of some, for example --shape %s=?,?", several, r.g.Feeds[r.open[0]].Key)
}

// search appends combinations of ranks to its first argument, and returns the result. The parameter
// ranks has the rank of each open feed, or -1 if search is to choose the rank. The second argument
// lists the possible ranks of each open feed; search tries at most n of them, beginning with the
// lowest. The search stops when there are more than maxVariants combinations.
func (r *ranker) search(found, allowed [][]int, ranks []int, n int) ([][]int, error) {
	i := slices.Index(ranks, -1)
	if i < 0 {
		return append(found, slices.Clone(ranks)), nil
	}
	defer func() { ranks[i] = -1 }()
	for _, rank := range allowed[i][:min(n, len(allowed[i]))] {
		ranks[i] = rank
		ok := true
		var err error
		if i > 0 && len(allowed[i]) > 1 { // the ranks of the first feed have already been probed
			ok, err = r.probe(ranks)
		}
		if ok && err == nil {
			found, err = r.search(found, allowed, ranks, n)
		}
		if err != nil || len(found) > maxVariants {
			return found, err
		}
	}
	return found, nil
}

// probe reports whether the shapes in the graph can be inferred if the open feeds have the given
// ranks. A rank of -1 is unknown. If the shapes cannot be inferred, probe adds the error to
// r.refused. It infers nothing and returns true if r.probes is false or maxProbedNodes nodes have
// been visited.
func (r *ranker) probe(ranks []int) (bool, error) {
	if r.left -= len(r.g.Nodes); !r.probes || r.left < 0 {
		return true, nil
	}
	try := r.g.Clone()
	for i, f := range r.open {
		if ranks[i] >= 0 {
			setRank(try, f, ranks[i])
		}
	}
	for _, n := range try.Nodes {
		for i := range n.Outs {
			n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
		}
	}
	err := ops.Ops().Infer(try)
	if late := r.g.Deadline.Err(); late != nil {
		return false, late
	}
	if onlyUnknown(err) {
		return true, nil
	}
	r.refuse(ranks, err)
	return false, nil
}

// refuse records the error of compiling with the given ranks of open feeds; -1 matches every rank.
func (r *ranker) refuse(ranks []int, err error) {
	all := slices.Repeat([]int{-1}, len(r.g.Feeds))
	var words []string
	for i, f := range r.open {
		if all[f] = ranks[i]; ranks[i] >= 0 {
			words = append(words, fmt.Sprintf("%s of rank %d", tensor.Clip(r.g.Feeds[f].Name), ranks[i]))
		}
	}
	r.refused = append(r.refused, refusal{all, fmt.Errorf("with %s: %w", tensor.Clip(strings.Join(words, ", ")), err)})
}

// onlyUnknown reports whether err consists only of errors about shapes or ranks that are not known
// yet.
func onlyUnknown(err error) bool {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			if !onlyUnknown(e) {
				return false
			}
		}
		return true
	}
	return err == nil || tensor.CodeOf(err) == tensor.Unimplemented
}

// setRank gives a feed a shape of the given rank with unknown sizes.
func setRank(g *ir.Graph, feed, rank int) {
	sizes := map[string]bool{}
	for _, f := range g.Feeds {
		for _, d := range f.Shape.Dims {
			d.Vars(sizes)
		}
	}
	dims := make([]*sym.Expr, rank)
	for a := range dims {
		dims[a] = lower.FreshDim(sizes, strings.TrimSuffix(g.Feeds[feed].Name, ":0"), a)
	}
	g.Feeds[feed].Shape = ir.ShapeOf(dims...)
}
