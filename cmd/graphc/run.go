package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/program"
	"github.com/graphc/graphc/rt/tensor"
)

func newRun(a *app) *cobra.Command {
	var f modelFlags
	var r runFlags
	c := &cobra.Command{
		Use:   "run [flags] MODEL…",
		Short: "Compile a model in memory and run it",
		Long: `run compiles a model, runs it in this process and prints what it computes as
JSON, or writes it to a file.

--feed NAME=FILE feeds a tensor, by its name or the signature's key, from a .npy,
.npz, .json or .csv file, from - (JSON on standard input), or from JSON in place
(--feed x=[1,2]). --feed FILE.npz feeds all arrays of the file. With --fetch or
--target the names of --feed are tensors of the graph, otherwise they belong to
the signature.

--run NAME runs a signature, --run NAME*N runs it N times; several are run one
after the other and share variables, tables and queues. A --feed belongs to the
--run before it. With --call the signatures are your own:

  graphc run moons.pbtxt --init init --call "train: x, y -> loss; step" \
    --call "predict: x -> scores" --run "train*100" --feed x=x.npy --feed y=y.npy \
    --run predict --feed "x=[[1, 2]]"

--restore PREFIX gives variables and tables the values of a checkpoint before the first
run, --save PREFIX saves them after the last one.

--lines reads lines of JSON from standard input instead, such as
{"signature": "predict", "feeds": {"x": [[1, 2]]}}, and answers each.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runModel(c.Context(), args, f, r)
		},
	}
	fl := c.Flags()
	fl.Var(inOrder{"--feed", &r}, "feed", "what to feed: NAME=FILE, NAME=JSON, NAME=- or FILE.npz (repeat for several)")
	fl.Var(inOrder{"--run", &r}, "run", "signature to run, NAME or NAME*N for N times (repeat for several)")
	fl.StringVar(&r.signature, "signature", "", "the signature to run; the first when not given")
	fl.BoolVar(&r.lines, "lines", false, "answer lines of JSON on standard input")
	fl.StringVar(&r.files, "files", "", "let the model's ops read and write files below this directory; it has --allow-files with it")
	fl.BoolVar(&r.noInit, "no-init", false, "leave out the model's initialization")
	f.registerRest(fl)
	fl.StringVar(&r.timeout, "timeout", "", "end a run that takes longer than this (20ms, 3s) with DeadlineExceeded")
	fl.StringVar(&r.trace, "trace", "", "write what each step did and when to this file (.json for Perfetto, .txt for a table)")
	fl.StringVar(&r.profile, "profile", "", "write what each node cost to this file")
	fl.StringVar(&r.watchDir, "watch-dir", "", "write each tensor that is watched to a .npz file in this folder, as it was in the last run")
	fl.StringVar(&r.restore, "restore", "", "give variables and tables the values of the checkpoint of this prefix before the run")
	fl.StringVar(&r.save, "save", "", "save variables and tables as the checkpoint of this prefix after the run")
	fl.StringVar(&r.out, "out", "", "write to this file (.npz, .json, .txt) instead of standard output")
	fl.StringVar(&r.format, "format", "", "json, npz or text (by the file's name, else json)")
	completeWith(c, "format", "json", "npz", "text")
	return c
}

// runFlags say what `graphc run` runs.
type runFlags struct {
	args                   []string // --run and --feed with their values, in order
	signature, out, format string
	timeout, trace,
	profile, watchDir string
	save, restore string // prefixes of checkpoints
	files         string // the directory that ops may read and write below; "": none
	lines, noInit bool
}

// inOrder is a flag that is kept in order with others.
type inOrder struct {
	name string
	r    *runFlags
}

func (inOrder) String() string { return "" }
func (inOrder) Type() string   { return "string" }

// Set implements pflag.Value.
func (f inOrder) Set(s string) error {
	f.r.args = append(f.r.args, f.name, s)
	return nil
}

// values returns those of one of the flags in order.
func (r *runFlags) values(name string) []string {
	var list []string
	for i := 0; i < len(r.args); i += 2 {
		if r.args[i] == name {
			list = append(list, r.args[i+1])
		}
	}
	return list
}

func (a *app) runModel(ctx context.Context, paths []string, f modelFlags, r runFlags) error {
	if len(f.fetches)+len(f.targets) > 0 {
		for _, s := range r.values("--feed") {
			name, _, ok := strings.Cut(s, "=")
			if !ok {
				return usagef("--feed %s: with --fetch or --target the name of the tensor is needed: NAME=FILE", s)
			}
			f.feeds = append(f.feeds, name)
		}
	}
	args := r.args
	switch runs := r.values("--run"); {
	case len(runs) > 0 && r.signature != "":
		return usagef("--run and --signature exclude each other")
	case len(f.calls) > 0: // all of them are compiled
	case len(runs) > 0 && len(f.fetches)+len(f.targets) > 0:
		return usagef("--run and --fetch or --target exclude each other: name signatures of your own with --call")
	case r.signature != "":
		f.signatures = []string{r.signature}
	default:
		for _, s := range runs {
			if i := strings.LastIndexByte(s, '*'); i >= 0 {
				s = s[:i]
			}
			if !slices.Contains(f.signatures, s) {
				f.signatures = append(f.signatures, s)
			}
		}
	}
	for _, x := range [][2]string{{"--signature", r.signature}, {"--out", r.out}, {"--format", r.format},
		{"--timeout", r.timeout}, {"--trace", r.trace}, {"--profile", r.profile}, {"--watch-dir", r.watchDir},
		{"--save", r.save}, {"--restore", r.restore}} {
		if x[1] != "" {
			args = append(args, x[0], x[1])
		}
	}
	if r.lines {
		args = append(args, "--lines")
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	args = append(args, "--max-bytes", strconv.Itoa(o.Limits.WithDefaults().RunBytes)) // what is fed is read within it, too
	var root *os.Root
	if r.files != "" {
		if root, err = os.OpenRoot(r.files); err != nil {
			return err
		}
		defer root.Close()
		o.AllowFiles = true
	}
	o.Context = ctx
	p, err := pipeline.Compile(paths, o)
	if err != nil {
		return wrapModel(paths, err)
	}
	defer o.GoOps.Close()
	a.warn(p.Warnings)
	if d := o.Defaults; d.Threads > 0 || d.InterThreads > 0 || d.OwnThreads || len(d.Pools) > 0 {
		fmt.Fprintln(a.err, "session config: threads are those of programs that are built; graphc run has the process's")
	}
	code := program.Run(ctx, "graphc run", toolVersion(), func(...rt.Option) (rt.Program, error) {
		e, err := newExecProgram(p, r.noInit, root)
		if err != nil {
			return nil, err
		}
		if e.timeout = o.Defaults.Timeout; r.save+r.restore == "" {
			return e, nil
		}
		c, err := p.Checkpoint(e.kept)
		if err != nil || len(c.Keys()) == 0 {
			return e, err
		}
		return execSaver{e, c}, nil
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

	timeout time.Duration // of a run; 0: none
	kept    exec.State
}

// execSaver is one that has something to save; see rt.Saver.
type execSaver struct {
	*execProgram
	*rt.Checkpoint
}

// Variables implements rt.Saver.
func (e execSaver) Variables() []string { return e.Keys() }

// newExecProgram makes an instance of p, whose initialization is run unless noInit is
// set. Its ops see the files below root, none where root is nil.
func newExecProgram(p *pipeline.Program, noInit bool, root *os.Root) (*execProgram, error) {
	kept := exec.State{}
	if !noInit {
		var err error
		if kept, err = p.NewStateIn(root); err != nil {
			return nil, err
		}
	}
	e := &execProgram{kept: kept}
	for _, s := range p.Signatures {
		x, err := s.RunnerWith(kept)
		if err != nil {
			return nil, err
		}
		x.SetFiles(root)
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
				if e.timeout > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, e.timeout)
					defer stop()
				}
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
