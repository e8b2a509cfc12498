package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/exec"
	"github.com/graphc/graphc/rt/tensor"
)

// A feed of unknown rank leaves every shape after it unknown, and no straight
// code can be printed for that. A signature with such feeds is compiled once for
// each combination of ranks that the graph allows; the program chooses by what
// is fed.

// maxVariants bounds the combinations of ranks that are tried for a signature.
const maxVariants = 32

// maxVariantNodes bounds the nodes of all variants together.
const maxVariantNodes = 20_000

// rankLimit returns the largest rank tried for each of n feeds, -1 when n
// feeds are too many for any.
func rankLimit(n int) int {
	r := 5
	for ; r >= 1; r-- {
		c := 1
		for range n {
			if c *= r + 1; c > maxVariants {
				break
			}
		}
		if c <= maxVariants {
			return r
		}
	}
	return -1
}

// openFeeds returns the feeds whose rank nobody knows and that a fetch or
// target needs; a feed that nothing reads may have any.
func openFeeds(g *ir.Graph) []int {
	read := map[ir.Out]bool{}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			read[o] = true
		}
	}
	for _, f := range g.Fetches {
		read[f.Out] = true
	}
	var open []int
	for i, f := range g.Feeds {
		if !f.Shape.Known && read[f.Out] {
			open = append(open, i)
		}
	}
	return open
}

// specialise makes the variants of a graph whose feeds open have any rank. The
// passes have run on g; they run again on each variant, whose shapes tell more.
func (o *Options) specialise(g *ir.Graph, open []int, name string, po passes.Options, lo []ops.Option) ([]*Variant, error) {
	limit := rankLimit(len(open))
	if limit < 0 {
		return nil, tensor.Errorf(tensor.Unimplemented, "%d feeds have no known rank: give shapes of some, for example -shape %s=?,?", len(open), g.Feeds[open[0]].Key)
	}
	var vs []*Variant
	var errs []error
	nodes := 0
	ranks := make([]int, len(open))
	for {
		v, err := o.variant(g, open, ranks, name, po, lo)
		if err == nil {
			vs = append(vs, v)
			if nodes += len(v.Graph.Nodes); nodes > maxVariantNodes {
				return nil, tensor.Errorf(tensor.Unimplemented, "the rank of feed %q is not known, and the graph is too large to be compiled for every rank: give its shape, for example -shape %s=?,?",
					g.Feeds[open[0]].Name, g.Feeds[open[0]].Key)
			}
		} else {
			var u *ops.UnsupportedError
			if errors.As(err, &u) {
				return nil, err
			}
			errs = append(errs, fmt.Errorf("with %s: %w", rankText(g, open, ranks), err))
		}
		i := len(ranks) - 1
		for ; i >= 0; i-- {
			if ranks[i]++; ranks[i] <= limit {
				break
			}
			ranks[i] = 0
		}
		if i < 0 {
			break
		}
	}
	if len(vs) == 0 {
		return nil, errs[0]
	}
	return vs, nil
}

// rankText says which ranks were tried: x of rank 2, y of rank 0.
func rankText(g *ir.Graph, open, ranks []int) string {
	p := make([]string, len(open))
	for i, f := range open {
		p[i] = fmt.Sprintf("%s of rank %d", g.Feeds[f].Name, ranks[i])
	}
	return strings.Join(p, ", ")
}

func (o *Options) variant(g *ir.Graph, open, ranks []int, name string, po passes.Options, lo []ops.Option) (*Variant, error) {
	g = g.Clone()
	sizes := map[string]bool{}
	for _, f := range g.Feeds {
		for _, d := range f.Shape.Dims {
			d.Vars(sizes)
		}
	}
	for i, f := range open {
		dims := make([]*sym.Expr, ranks[i])
		for a := range dims {
			dims[a] = ops.FreshDim(sizes, strings.TrimSuffix(g.Feeds[f].Name, ":0"), a)
		}
		g.Feeds[f].Shape = ir.ShapeOf(dims...)
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

// Runner runs a signature in this process, by the variant that fits the feeds.
type Runner struct {
	sig   *Signature
	progs []*exec.Program
}

// Runner readies a signature to be run, with a new instance of what the program
// keeps between runs.
func (p *Program) Runner(s *Signature) (*Runner, error) {
	kept, err := p.NewState()
	if err != nil {
		return nil, err
	}
	return s.RunnerWith(kept)
}

// RunnerWith is Runner with a state that the runners of other signatures share.
func (s *Signature) RunnerWith(kept exec.State) (*Runner, error) {
	r := &Runner{sig: s}
	for _, v := range s.Variants {
		if err := v.Plan.Check(); err != nil { // as before it is printed
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

// Run computes the fetches by tensor name; see exec.Program.Run.
func (r *Runner) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	k := -1
	for i, v := range r.sig.Variants {
		fits := true
		for j, rank := range v.Plan.Ranks {
			if t := feeds[v.Plan.Feeds[j].Name]; t != nil && rank >= 0 && len(t.Shape) != rank {
				fits = false
			}
		}
		if fits {
			k = i
			break
		}
	}
	if k < 0 {
		var got []string
		for _, f := range r.sig.Plan.Feeds {
			if t := feeds[f.Name]; t != nil {
				got = append(got, fmt.Sprintf("%s%v", f.Name, t.Shape))
			}
		}
		return nil, tensor.Errorf(tensor.InvalidArgument, "no variant takes the fed ranks: %s", strings.Join(got, ", "))
	}
	return r.progs[k].Run(ctx, feeds)
}
