package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/program"
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
	s, err := f.spec()
	if err != nil {
		return err
	}
	o := &s.opts
	args = append(args, "--max-bytes", strconv.Itoa(o.Limits.WithDefaults().RunBytes)) // what is fed is read within it, too
	ro := &graphc.InstanceOptions{NoInit: r.noInit}
	if r.files != "" {
		if ro.Files, err = os.OpenRoot(r.files); err != nil {
			return err
		}
		defer ro.Files.Close()
		o.AllowFiles = true
	}
	m, err := s.read(ctx, paths)
	if err != nil {
		return err
	}
	p, err := m.Compile(ctx, o)
	if err != nil {
		return wrapModel(paths, err)
	}
	a.warn(p.Warnings())
	if d := o.Defaults; d.Threads > 0 || d.InterThreads > 0 || d.OwnThreads || len(d.Pools) > 0 {
		fmt.Fprintln(a.err, "session config: threads are those of programs that are built; graphc run has the process's")
	}
	var i *graphc.Instance
	code := program.Run(ctx, "graphc run", toolVersion(), func(...rt.Option) (rt.Program, error) {
		if i, err = p.NewInstance(ctx, ro); err != nil {
			return nil, err
		}
		return i.RTProgram(), nil
	}, args, a.in, a.out, a.err)
	if i != nil {
		err = i.Close()
	}
	switch {
	case code != exitOK:
		return &codeError{code: code}
	case err != nil:
		return err
	}
	return nil
}
