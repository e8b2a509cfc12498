package run

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/program"
)

// Flags are the flags of `graphc run`.
type Flags struct {
	args                   []string // the flags --run and --feed with their values, in the order of the command line
	Signature, Out, Format string
	Timeout, Trace,
	Profile, WatchDir string
	Save, Restore string // prefixes of checkpoints
	Files         string // directory below which ops may access files; "" if ops may access no files
	Lines, NoInit bool
}

// InOrder is the value of a flag that may be repeated. It stores the flag's values in R.args,
// together with those of other such flags, in the order of the command line.
type InOrder struct {
	Name string
	R    *Flags
}

// String implements pflag.Value.
func (InOrder) String() string { return "" }

// Type implements pflag.Value.
func (InOrder) Type() string { return "string" }

// Set implements pflag.Value.
func (f InOrder) Set(s string) error {
	f.R.args = append(f.R.args, f.Name, s)
	return nil
}

// values returns the values of the flag with the given name, in the order of the command line.
func (r *Flags) values(name string) []string {
	var list []string
	for i := 0; i < len(r.args); i += 2 {
		if r.args[i] == name {
			list = append(list, r.args[i+1])
		}
	}
	return list
}

// Model compiles a model in memory and runs it.
func Model(ctx context.Context, a *base.App, paths []string, f flags.Model, r Flags) error {
	if len(f.Fetches)+len(f.Targets) > 0 {
		for _, s := range r.values("--feed") {
			name, _, ok := strings.Cut(s, "=")
			if !ok {
				return base.Usagef("--feed %s: with --fetch or --target, the tensor must be named: NAME=FILE", s)
			}
			f.Feeds = append(f.Feeds, name)
		}
	}
	args := r.args
	switch runs := r.values("--run"); {
	case len(runs) > 0 && r.Signature != "":
		return base.Usagef("--run and --signature exclude each other")
	case len(f.Calls) > 0: // with --call, all defined signatures are compiled
	case len(runs) > 0 && len(f.Fetches)+len(f.Targets) > 0:
		return base.Usagef("--run and --fetch or --target exclude each other: define signatures with --call")
	case r.Signature != "":
		f.Signatures = []string{r.Signature}
	default:
		for _, s := range runs {
			if i := strings.LastIndexByte(s, '*'); i >= 0 {
				s = s[:i]
			}
			if !slices.Contains(f.Signatures, s) {
				f.Signatures = append(f.Signatures, s)
			}
		}
	}
	for _, x := range [][2]string{{"--signature", r.Signature}, {"--out", r.Out}, {"--format", r.Format},
		{"--timeout", r.Timeout}, {"--trace", r.Trace}, {"--profile", r.Profile}, {"--watch-dir", r.WatchDir},
		{"--save", r.Save}, {"--restore", r.Restore}} {
		if x[1] != "" {
			args = append(args, x[0], x[1])
		}
	}
	if r.Lines {
		args = append(args, "--lines")
	}
	s, err := f.Spec()
	if err != nil {
		return err
	}
	o := &s.Opts
	// The limit for the memory of a run is also the limit for reading feeds.
	args = append(args, "--max-bytes", strconv.Itoa(o.Limits.WithDefaults().RunBytes))
	ro := &graphc.InstanceOptions{NoInit: r.NoInit}
	if r.Files != "" {
		if ro.Files, err = os.OpenRoot(r.Files); err != nil {
			return err
		}
		defer ro.Files.Close()
		o.AllowFiles = true
	}
	phase := s.Phase(a, paths[0])
	defer phase.Close()
	m, err := s.Read(ctx, paths)
	if err != nil {
		return err
	}
	p, err := m.Compile(ctx, o)
	phase.Close()
	if err != nil {
		return base.WrapModel(paths, err)
	}
	a.Warn(p.Warnings())
	if d := o.Defaults; d.Threads > 0 || d.InterThreads > 0 || d.OwnThreads || len(d.Pools) > 0 {
		fmt.Fprintln(a.Err, "session config: threads apply to built programs only; graphc run uses the process's threads")
	}
	var i *graphc.Instance
	if !r.Lines { // with --lines, results appear continually, so a progress line would interfere
		phase = a.NewPhase("run")
		defer phase.Close()
	}
	code := program.Run(ctx, "graphc run", base.ToolVersion(), func(...rt.Option) (rt.Program, error) {
		if i, err = p.NewInstance(ctx, ro); err != nil {
			return nil, err
		}
		return i.RTProgram(), nil
	}, args, a.In, phase.Ends(a.Out), phase.Ends(a.Err))
	phase.Close()
	if i != nil {
		err = i.Close()
	}
	switch {
	case code != base.ExitOK:
		return &base.CodeError{Code: code}
	case err != nil:
		return err
	}
	return nil
}
