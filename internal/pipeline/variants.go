package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// If the rank of a feed is unknown, the shapes of all tensors computed from the feed are unknown too.
// The compiler cannot emit straight-line code for tensors of unknown rank. It therefore compiles the
// signature once for each combination of ranks that the graph allows. At run time the program
// selects one of these variants by the ranks of its feeds.

// maxVariants is the maximum number of variants of a signature: one for each combination of ranks.
const maxVariants = 32

// maxVariantNodes is the maximum number of nodes of all variants of a signature together.
const maxVariantNodes = 20_000

// openFeeds returns the indices of those feeds whose rank is unknown and that a fetch or target
// needs. An unused feed may have any rank.
func openFeeds(g *ir.Graph) []int {
	read := g.Read()
	var open []int
	for i, f := range g.Feeds {
		if !f.Shape.Known && read[f.Out] {
			open = append(open, i)
		}
	}
	return open
}

// specialise compiles a graph with feeds of unknown rank. It returns the variants, and the
// combinations of ranks for which the graph does not compile. The slice open has the indices of the
// feeds of unknown rank. The caller has already run the passes on g, but they run again for each
// variant, because more shapes are known there. The parameter inferred says whether the caller's
// passes have inferred the types and shapes of all nodes that do not depend on unknown ranks.
func (o *Options) specialise(g *ir.Graph, open []int, inferred bool, name string, po passes.Options, lo []lower.Option) ([]*Variant, []refusal, error) {
	r := &ranker{g: g, open: open, probes: inferred}
	all, err := r.combinations()
	if err != nil {
		return nil, nil, err
	}
	var vs []*Variant
	var first error
	nodes := 0
	for _, ranks := range all {
		v, err := o.variant(g, open, ranks, name, po, lo)
		if err != nil {
			var u *lower.UnsupportedError
			if errors.As(err, &u) {
				return nil, nil, err
			}
			r.refuse(ranks, err)
			if first == nil {
				first = r.refused[len(r.refused)-1].err
			}
			continue
		}
		vs = append(vs, v)
		if nodes += len(v.Graph.Nodes); nodes > maxVariantNodes {
			return nil, nil, tensor.Errorf(tensor.Unimplemented, "the rank of feed %q is unknown, and the graph is too large to be compiled for every rank: give its shape, for example --shape %s=?,?",
				g.Feeds[open[0]].Name, g.Feeds[open[0]].Key)
		}
	}
	if len(vs) == 0 {
		return nil, nil, first
	}
	return vs, r.refused, nil
}

func (o *Options) variant(g *ir.Graph, open, ranks []int, name string, po passes.Options, lo []lower.Option) (*Variant, error) {
	g = g.Clone()
	for i, f := range open {
		setRank(g, f, ranks[i])
	}
	run := passes.Run
	if o.parted() {
		run = passes.RunWhole
	}
	if err := run(g, po); err != nil {
		return nil, err
	}
	p, err := o.lowered(g, name, po, lo)
	if err != nil {
		return nil, err
	}
	p.Ranks = make([]int, len(p.Feeds))
	for i, f := range p.Feeds {
		if p.Ranks[i] = len(f.Shape); f.AnyShape {
			p.Ranks[i] = -1
		}
	}
	for _, q := range p.Parts {
		q.Ranks = p.Ranks
	}
	g.Deadline = ir.Deadline{}
	return &Variant{g, p}, nil
}

// Plans returns the plans of all variants of all signatures, in order.
func (p *Program) Plans() []*plan.Plan {
	var out []*plan.Plan
	for _, s := range p.Signatures {
		for _, v := range s.Variants {
			out = append(out, v.Plan)
		}
	}
	return out
}

// Runner runs a signature in this process. For each run, it selects the variant that was compiled
// for the ranks of the fed tensors.
type Runner struct {
	sig   *Signature
	progs []*exec.Program
}

// Runner returns a Runner for signature s. It initializes new state, which no other Runner uses.
func (p *Program) Runner(s *Signature) (*Runner, error) {
	kept, err := p.NewState()
	if err != nil {
		return nil, err
	}
	return s.RunnerWith(kept)
}

// RunnerWith returns a Runner for the signature. The Runner uses the given state, which the Runners
// of other signatures may use as well.
func (s *Signature) RunnerWith(kept exec.State) (*Runner, error) {
	r := &Runner{sig: s}
	for _, v := range s.Variants {
		if err := v.Plan.Check(); err != nil { // package codegen makes the same check before it emits code
			return nil, tensor.Errorf(tensor.Internal, "%v", err)
		}
		x, err := exec.NewWith(kept, v.Plan)
		if err != nil {
			return nil, err
		}
		if s.maxBytes > 0 {
			x.MaxBytes = s.maxBytes
		}
		r.progs = append(r.progs, x)
	}
	return r, nil
}

// SetMaxBytes limits the memory of a run's buffers; see exec.Program.MaxBytes.
func (r *Runner) SetMaxBytes(n int) {
	for _, x := range r.progs {
		x.MaxBytes = n
	}
}

// Run computes the fetches. The keys of feeds and of the result are tensor names; see exec.Program.Run.
func (r *Runner) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	fits := func(ranks []int) bool {
		for j, rank := range ranks {
			if t := feeds[r.sig.Plan.Feeds[j].Name]; t != nil && rank >= 0 && len(t.Shape) != rank {
				return false
			}
		}
		return true
	}
	k := slices.IndexFunc(r.sig.Variants, func(v *Variant) bool { return fits(v.Plan.Ranks) })
	if k < 0 {
		if i := slices.IndexFunc(r.sig.refused, func(x refusal) bool { return fits(x.ranks) }); i >= 0 {
			return nil, r.sig.refused[i].err
		}
		var got []string
		for _, f := range r.sig.Plan.Feeds {
			if t := feeds[f.Name]; t != nil {
				got = append(got, fmt.Sprintf("%s%v", f.Name, t.Shape))
			}
		}
		return nil, tensor.Errorf(tensor.InvalidArgument, "no variant fits the ranks of the feeds: %s", strings.Join(got, ", "))
	}
	return r.progs[k].Run(ctx, feeds)
}
