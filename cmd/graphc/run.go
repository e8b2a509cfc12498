package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/program"
	"github.com/graphc/graphc/rt/tensor"
)

func newRun(a *app) *cobra.Command {
	var f modelFlags
	var feeds []string
	var signature, out, format string
	c := &cobra.Command{
		Use:   "run [flags] MODEL…",
		Short: "Compile a model in memory and run it once",
		Long: `run compiles a model, runs it once in this process and prints what it computes
as JSON, or writes it to a file.

--feed NAME=FILE feeds a tensor, by its name or the signature's key, from a .npy,
.npz, .json or .csv file, from - (JSON on standard input), or from JSON in place
(--feed x=[1,2]). --feed FILE.npz feeds all arrays of the file. With --fetch or
--target the names of --feed are tensors of the graph, otherwise they belong to
the signature.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if signature != "" {
				f.signatures = []string{signature}
			}
			return a.runModel(c.Context(), args, f, feeds, out, format)
		},
	}
	fl := c.Flags()
	fl.StringArrayVar(&feeds, "feed", nil, "what to feed: NAME=FILE, NAME=JSON, NAME=- or FILE.npz (repeat for several)")
	fl.StringVar(&signature, "signature", "", "the signature to run; the first when not given")
	f.registerRest(fl)
	fl.StringVar(&out, "out", "", "write to this file (.npz, .json, .txt) instead of standard output")
	fl.StringVar(&format, "format", "", "json, npz or text (by the file's name, else json)")
	completeWith(c, "format", "json", "npz", "text")
	return c
}

func (a *app) runModel(ctx context.Context, paths []string, f modelFlags, feeds []string, out, format string) error {
	if len(f.fetches)+len(f.targets) > 0 {
		for _, s := range feeds {
			name, _, ok := strings.Cut(s, "=")
			if !ok {
				return usagef("--feed %s: with --fetch or --target the name of the tensor is needed: NAME=FILE", s)
			}
			f.feeds = append(f.feeds, name)
		}
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	p, err := pipeline.Compile(paths, o)
	if err != nil {
		return wrapModel(paths, err)
	}
	var args []string
	for _, s := range feeds {
		args = append(args, "--feed", s)
	}
	if out != "" {
		args = append(args, "--out", out)
	}
	if format != "" {
		args = append(args, "--format", format)
	}
	code := program.Run(ctx, "graphc run", toolVersion(), func(...rt.Option) (rt.Program, error) {
		return newExecProgram(p)
	}, args, a.in, a.out, a.err)
	if code != exitOK {
		return &codeError{code: code}
	}
	return nil
}

// execProgram runs plans in this process in the form that emitted programs have.
type execProgram struct {
	sigs []*rt.Signature
	runs []*pipeline.Runner
}

func newExecProgram(p *pipeline.Program) (*execProgram, error) {
	kept, err := p.NewState()
	if err != nil {
		return nil, err
	}
	e := &execProgram{}
	for _, s := range p.Signatures {
		x, err := s.RunnerWith(kept)
		if err != nil {
			return nil, err
		}
		e.sigs, e.runs = append(e.sigs, codegen.Signature(plansOf(s))), append(e.runs, x)
	}
	return e, nil
}

// plansOf returns the plans of a signature, one a variant.
func plansOf(s *pipeline.Signature) []*plan.Plan {
	var plans []*plan.Plan
	for _, v := range s.Variants {
		plans = append(plans, v.Plan)
	}
	return plans
}

// Signatures implements rt.Program.
func (e *execProgram) Signatures() []*rt.Signature { return e.sigs }

// Bind implements rt.Program.
func (e *execProgram) Bind(signature string, feeds map[string]*tensor.Tensor) (*rt.Bound, error) {
	for i, s := range e.sigs {
		if s.Name != signature {
			continue
		}
		if err := s.CheckFeeds(feeds); err != nil {
			return nil, err
		}
		if s.Ranks != nil {
			ranks := make([]int, len(s.Feeds))
			for k := range s.Feeds {
				if t := feeds[s.Feeds[k].Name]; t != nil {
					ranks[k] = t.Rank()
				}
			}
			if _, err := s.Variant(ranks...); err != nil {
				return nil, err
			}
		}
		var got map[string]*tensor.Tensor
		return &rt.Bound{Signature: s,
			Run: func(ctx context.Context) (err error) {
				got, err = e.runs[i].Run(ctx, feeds)
				return err
			},
			Fetches: func() map[string]*tensor.Tensor { return got },
		}, nil
	}
	return nil, rt.UnknownSignature(e, signature)
}

// Run implements rt.Program.
func (e *execProgram) Run(ctx context.Context, signature string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	b, err := e.Bind(signature, feeds)
	return rt.RunBound(ctx, b, err)
}
