package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/lower"
)

// verifyFlags are the flags of `graphc verify`.
type verifyFlags struct {
	exec, noOpt, json bool
	asGiven           bool
	exactConv         bool
	weights           lower.Weights
	devices           deviceFlags
	passes            passFlags
	jobs, chunk       int
	timeout           time.Duration
	match             string
	keep              string
	sums              string // the file of --manifest
}

func newVerify(a *app) *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify [flags] DIR…",
		Short: "Compare compiled graphs with TensorFlow's recorded outputs",
		Long: `verify finds every case.json in or below the folders, compiles the graphs, runs
them and compares with the recorded fetches. Each case gives one line,

    ok|FAIL|SKIP <path> <reason>

and the last line counts them. A case that must be refused passes when it is
refused with that code no later than it says. Exit status 1 when a case fails.

Graphs are compiled to packages and built into few programs; --exec runs their
plans in graphc itself instead.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.verify(c.Context(), f, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.exec, "exec", false, "run plans in graphc itself instead of building programs")
	fl.BoolVar(&f.noOpt, "noopt", false, "leave the optional passes out")
	fl.BoolVar(&f.asGiven, "as-given", false, "add no shapes to feeds whose rank the graph does not tell, as if the graph were all that is known")
	fl.BoolVar(&f.exactConv, "exact-conv", false, "compute no convolution by Winograd's method")
	fl.Var(&f.weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	f.devices.register(fl)
	f.passes.register(fl)
	fl.BoolVar(&f.json, "json", false, "print an object a line")
	fl.IntVarP(&f.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "cases at once")
	fl.IntVar(&f.chunk, "chunk", 200, "cases in one program")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "end a case after this time")
	fl.StringVar(&f.match, "match", "", "only cases whose path matches this regular expression")
	fl.StringVar(&f.keep, "keep", "", "write emitted packages below this folder and keep them")
	fl.StringVar(&f.sums, "manifest", "", "build and run nothing; write the SHA-256 of each case's emitted files to this file")
	return c
}

// outcome is what became of one case.
type outcome struct {
	status string // ok, FAIL or SKIP
	reason string
	time   time.Duration
	// peakKB is the memory and cpuMS the time of the process that dealt with the case,
	// refusal why it did not compile.
	peakKB, cpuMS int
	refusal       string
}

func (a *app) verify(ctx context.Context, f verifyFlags, dirs []string) error {
	if f.exec && f.sums != "" {
		return usagef("--manifest is about emitted packages: leave --exec out")
	}
	if f.jobs < 1 || f.chunk < 1 || f.timeout <= 0 {
		return usagef("--jobs, --chunk and --timeout must be positive")
	}
	if err := errors.Join(f.devices.apply(&graphc.Options{}, a.err), f.passes.apply(&graphc.Options{})); err != nil {
		return err
	}
	ctx = f.devices.forGPUs(ctx, "sim")
	cs, err := cases.Find(dirs)
	if err != nil {
		return &codeError{exitUsage, err}
	}
	if f.match != "" {
		re, err := regexp.Compile(f.match)
		if err != nil {
			return usagef("--match: %w", err)
		}
		all := cs
		cs = nil
		for _, c := range all {
			if re.MatchString(filepath.ToSlash(c.Path)) || re.MatchString(c.Rel) {
				cs = append(cs, c)
			}
		}
	}
	r := newReporter(a, cs, f.json)
	switch {
	case f.exec:
		err = verifyExec(ctx, f, cs, r)
	default:
		err = a.verifyEmitted(ctx, f, cs, r)
	}
	return errors.Join(err, r.finish(ctx))
}

// reporter prints outcomes in the order of the cases, each as soon as all
// before it are known.
type reporter struct {
	a       *app
	cases   []*cases.Case
	json    bool
	bar     *bar
	got     []*outcome
	printed int
	count   map[string]int
	open    int
	failed  error // the first error of writing a line
}

func newReporter(a *app, cs []*cases.Case, json bool) *reporter {
	return &reporter{a: a, cases: cs, json: json, bar: a.newBar(len(cs), "verify"),
		got: make([]*outcome, len(cs)), count: map[string]int{}, open: len(cs)}
}

// set records the outcome of case i; a second one is ignored.
func (r *reporter) set(i int, o outcome) {
	if r.got[i] != nil {
		return
	}
	r.got[i] = &o
	r.open--
	r.count[o.status]++
	r.bar.add(1)
	for r.printed < len(r.got) && r.got[r.printed] != nil {
		r.print(r.printed)
		r.printed++
	}
}

func (r *reporter) print(i int) {
	o, path := r.got[i], filepath.ToSlash(r.cases[i].Path)
	r.bar.clear()
	if r.json {
		line := map[string]any{"status": o.status, "path": path, "reason": o.reason, "ms": o.time.Milliseconds()}
		if o.peakKB > 0 {
			line["peak_kb"], line["cpu_ms"] = o.peakKB, o.cpuMS
		}
		if o.refusal != "" {
			line["refusal"] = o.refusal
		}
		data, err := json.Marshal(line)
		if err == nil {
			r.line("%s", data)
		}
		return
	}
	line := o.status + " " + path
	if o.reason != "" {
		line += " " + strings.Join(strings.Fields(o.reason), " ")
	}
	r.line("%s", line)
}

// line prints a line; finish returns the error.
func (r *reporter) line(format string, args ...any) {
	if _, err := fmt.Fprintf(r.a.out, format+"\n", args...); r.failed == nil {
		r.failed = err
	}
}

// finish marks what was not reached, prints the counts and returns the error
// that sets the exit status.
func (r *reporter) finish(ctx context.Context) error {
	for i := range r.got {
		if r.got[i] == nil {
			reason := "not reached"
			if ctx.Err() != nil {
				reason = "interrupted"
			}
			r.set(i, outcome{status: "SKIP", reason: reason})
		}
	}
	r.bar.close()
	if r.json {
		r.line(`{"passed":%d,"failed":%d,"skipped":%d}`, r.count["ok"], r.count["FAIL"], r.count["SKIP"])
	} else {
		r.line("%d passed, %d failed, %d skipped", r.count["ok"], r.count["FAIL"], r.count["SKIP"])
	}
	if r.count["FAIL"] > 0 || ctx.Err() != nil {
		return &codeError{code: exitFailure}
	}
	return r.failed
}
