package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/lower"
)

func newBench(a *app) *cobra.Command {
	var threads []int
	var run int
	var length time.Duration
	var asJSON, asTable, protocol bool
	var o compileFlags
	var peers peerFlags
	var calls opFlags
	c := &cobra.Command{
		Use:   "bench [flags] CASE…",
		Short: "Time compiled cases",
		Long: `bench compiles cases (folders with a case.json), builds them and times the first
run of each: the calls of a steady run, what a call allocates, memory, the time
from the start of a fresh process to its first result, the size of the
executable, and how long graphc and go build took.

bench --peers tf,litert,ort,openvino --tool bench_peers.py times them beside other
runtimes that run the same graphs, in turns, so that noise falls on all alike,
checks everyone's answers in the same run, and prints tables of times, ratios,
start-up and memory. Each case's runtimes are started once for each number of
--threads. The script, Python and the runtimes are not part of graphc.

bench --ops times each kernel call inside of such a run: its share, its operations
and bytes a second, and how near it comes to the least time by the roofline, for
which it first measures this processor's multiply-adds and reads from each cache.
Operations are those the graph asks for, so a faster method may pass the roof.

With --devices that name a GPU, what a run takes of it by its own clock, from the
run's begin to the end of all of its work, stands beside the run's time, and what
the host takes to hand the work over. --ops times each kernel, copy and fill on
the GPU between two events; such runs are not captured.

bench --protocol CASE THREADS builds a program and talks to it on standard
input and output: it prints {"ready":true,"load_s":…,"first_s":…,"max_err":…},
for each line "burst MS" it runs for so long and prints {"ns":[…]}, and "quit"
ends it.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if protocol {
				return a.benchProtocol(c.Context(), args, o)
			}
			if run < 0 {
				return usagef("--run must not be negative")
			}
			if len(threads) == 0 || slices.Min(threads) < 1 || length <= 0 {
				return usagef("--threads and --time must be positive")
			}
			if calls.on {
				if len(peers.peers) > 0 {
					return usagef("--ops and --peers do not go together")
				}
				if gpuKind(o.devices.forGPUs(c.Context(), "cuda")) != "" {
					return a.benchKernels(c.Context(), args, calls, threads, run, length, o, asJSON)
				}
				if len(o.devices.devices) > 1 {
					return usagef("--ops times the calls of one device, --devices names several")
				}
				return a.benchOps(c.Context(), args, calls, threads, run, length, o, asJSON)
			}
			if len(peers.peers) > 0 {
				return a.benchPeers(c.Context(), args, peers, threads, run, o, asJSON)
			}
			return a.bench(c.Context(), args, threads, run, length, o, asJSON, asTable)
		},
	}
	fl := c.Flags()
	fl.IntSliceVar(&threads, "threads", []int{runtime.GOMAXPROCS(0)}, "threads of a run; several: one after the other")
	fl.IntVar(&run, "run", 0, "which of a case's runs, counted from 0")
	fl.DurationVar(&length, "time", 5*time.Second, "length of the steady run")
	o.register(fl)
	fl.BoolVar(&asJSON, "json", false, "print an object a line")
	fl.BoolVar(&asTable, "table", false, "print a Markdown table")
	fl.BoolVar(&protocol, "protocol", false, "speak the line protocol for CASE THREADS")
	fl.BoolVar(&calls.on, "ops", false, "time each kernel call beside the processor's limits")
	fl.IntVar(&calls.top, "top", 30, "calls that --ops prints; 0 is all")
	fl.StringSliceVar(&calls.levels, "levels", nil, "levels of kernels that --ops compares with: avx2, portable")
	fl.BoolVar(&calls.others, "alternatives", false, "compare --ops' convolutions by each method that can compute them")
	peers.register(fl)
	return c
}

// compileFlags say how a case is compiled to be timed.
type compileFlags struct {
	noOpt, exactConv bool
	weights          lower.Weights
	devices          deviceFlags
	limits           limitFlags
}

func (o *compileFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&o.noOpt, "noopt", false, "leave the optional passes out")
	fl.BoolVar(&o.exactConv, "exact-conv", false, "compute no convolution by Winograd's method")
	fl.Var(&o.weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	o.devices.register(fl)
	o.limits.register(fl)
}

func (o *compileFlags) compiler(c *cases.Case) *caseCompiler {
	return &caseCompiler{Case: c, noOpt: o.noOpt, exactConv: o.exactConv, weights: o.weights, devices: o.devices.forCase(c), passes: passFlags{limits: o.limits}}
}

// args are the flags in words.
func (o *compileFlags) args() []string {
	var out []string
	if o.noOpt {
		out = append(out, "--noopt")
	}
	if o.exactConv {
		out = append(out, "--exact-conv")
	}
	if o.weights != lower.WeightsF32 {
		out = append(out, "--weights="+o.weights.String())
	}
	return append(append(out, o.devices.args()...), o.limits.args()...)
}

func (a *app) bench(ctx context.Context, dirs []string, threads []int, run int, length time.Duration, o compileFlags, asJSON, asTable bool) error {
	ctx = o.devices.forGPUs(ctx, "cuda")
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	if asTable {
		if _, err := io.WriteString(a.out, tableHead); err != nil {
			return err
		}
	}
	return eachResult(ctx, a, cs, func(c *cases.Case) ([]*benchResult, error) {
		return a.benchCase(ctx, c, threads, run, length, o)
	}, func(c *cases.Case, r *benchResult) error {
		switch {
		case asJSON:
			return json.NewEncoder(a.out).Encode(r)
		case asTable:
			r.Case = c.Rel
			return r.row(a.out)
		}
		return r.text(a.out)
	})
}

// eachResult measures cases one by one and shows what each gives. A case that fails is reported,
// and makes the whole fail when the others are done.
func eachResult[R any](ctx context.Context, a *app, cs []*cases.Case, measure func(*cases.Case) ([]R, error), show func(*cases.Case, R) error) error {
	failed := false
	for _, c := range cs {
		rs, err := measure(c)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = true
			fmt.Fprintf(a.err, "graphc: %s: %v\n", c.Path, err)
			continue
		}
		for _, r := range rs {
			if err := show(c, r); err != nil {
				return err
			}
		}
	}
	if failed {
		return &codeError{code: exitFailure}
	}
	return nil
}

// findRuns finds cases whose first run is run number n of theirs. done removes
// what that took.
func findRuns(dirs []string, n int) (cs []*cases.Case, done func(), err error) {
	if cs, err = cases.Find(dirs); err != nil {
		return nil, nil, &codeError{exitUsage, err}
	}
	if n == 0 {
		return cs, func() {}, nil
	}
	tmp, err := os.MkdirTemp("", "graphc-run-")
	if err != nil {
		return nil, nil, err
	}
	if cs, err = onlyRun(cs, n, tmp); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(tmp))
	}
	return cs, func() { _ = os.RemoveAll(tmp) }, nil // a temporary folder that stays harms nobody
}

// caseName names a case of findRuns: by its folder, unless that was made for a run.
func caseName(c *cases.Case, run int) string {
	if run > 0 {
		return c.Rel
	}
	return filepath.ToSlash(c.Path)
}

// benchable refuses cases that have nothing to time.
func benchable(c *cases.Case) error {
	switch {
	case c.Err != nil:
		return c.Err
	case c.ExpectErr:
		return errors.New("the case expects an error")
	}
	return nil
}

// benchProtocol builds a case's program and lets it talk to whoever started us.
func (a *app) benchProtocol(ctx context.Context, args []string, o compileFlags) error {
	if len(args) != 2 {
		return usagef("--protocol takes CASE THREADS")
	}
	if n, err := strconv.Atoi(args[1]); err != nil || n < 1 {
		return usagef("threads: %q is no positive number", args[1])
	}
	c, err := cases.Load(args[0])
	if err != nil {
		return err
	}
	if err := benchable(c); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	dir, err := tempModule("", gpuKind(ctx))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, _, err := o.compiler(c).compile(1)
	if err != nil {
		return err
	}
	exe, err := buildBench(ctx, c, p, dir, nil)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, a.err
	return cmd.Run()
}
