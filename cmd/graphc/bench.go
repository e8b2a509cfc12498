package main

import (
	"bytes"
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

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/npy"
)

func newBench(a *app) *cobra.Command {
	var threads []int
	var run int
	var length time.Duration
	var asJSON, protocol bool
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
				return a.benchOps(c.Context(), args, calls, threads, run, length, o, asJSON)
			}
			if len(peers.peers) > 0 {
				return a.benchPeers(c.Context(), args, peers, threads, run, o, asJSON)
			}
			return a.bench(c.Context(), args, threads, run, length, o, asJSON)
		},
	}
	fl := c.Flags()
	fl.IntSliceVar(&threads, "threads", []int{runtime.GOMAXPROCS(0)}, "threads of a run; several: one after the other")
	fl.IntVar(&run, "run", 0, "which of a case's runs, counted from 0")
	fl.DurationVar(&length, "time", 5*time.Second, "length of the steady run")
	o.register(fl)
	fl.BoolVar(&asJSON, "json", false, "print an object a line")
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
	weights          ops.Weights
}

func (o *compileFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&o.noOpt, "noopt", false, "leave the optional passes out")
	fl.BoolVar(&o.exactConv, "exact-conv", false, "compute no convolution by Winograd's method")
	fl.Var(&o.weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
}

func (o *compileFlags) compiler(c *cases.Case) *caseCompiler {
	return &caseCompiler{c: c, noOpt: o.noOpt, exactConv: o.exactConv, weights: o.weights}
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
	if o.weights != ops.WeightsF32 {
		out = append(out, "--weights="+o.weights.String())
	}
	return out
}

// benchResult is what is measured of one case.
type benchResult struct {
	Case         string  `json:"case"`
	Threads      int     `json:"threads"`
	Calls        int     `json:"calls"`
	MinUS        float64 `json:"min_us"`
	MedianUS     float64 `json:"median_us"`
	P99US        float64 `json:"p99_us"`
	Allocs       float64 `json:"allocs_per_run"`
	AllocBytes   float64 `json:"alloc_bytes_per_run"`
	RSSKB        int     `json:"rss_kb"`
	PeakKB       int     `json:"peak_rss_kb"`
	MaxErr       float64 `json:"max_err"`
	StartMS      float64 `json:"start_to_first_result_ms"` // the emitted program: process start, feeds read, one run, fetches written
	ExeBytes     int64   `json:"executable_bytes"`
	WeightsBytes int64   `json:"weights_bytes"`
	GraphcS      float64 `json:"graphc_s"`
	GoBuildS     float64 `json:"go_build_s"`
}

func (a *app) bench(ctx context.Context, dirs []string, threads []int, run int, length time.Duration, o compileFlags, asJSON bool) error {
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	failed := false
	for _, c := range cs {
		rs, err := a.benchCase(ctx, c, threads, run, length, o)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = true
			fmt.Fprintf(a.err, "graphc: %s: %v\n", c.Dir, err)
			continue
		}
		for _, r := range rs {
			if asJSON {
				err = json.NewEncoder(a.out).Encode(r)
			} else {
				err = r.text(a.out)
			}
			if err != nil {
				return err
			}
		}
	}
	if failed {
		return &codeError{code: exitFailure}
	}
	return nil
}

func (r *benchResult) text(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%s, %d threads
  run           min %s, median %s, p99 %s (%d calls)
  allocations   %.4g a run, %.4g bytes
  memory        %.1f MB resident, %.1f MB at most
  start         %.1f ms from process start to first result
  executable    %.2f MB, of which weights %.2f MB
  build         graphc %.2f s, go build %.2f s
  accuracy      largest difference %.3g of the largest value
`, r.Case, r.Threads, micros(r.MinUS), micros(r.MedianUS), micros(r.P99US), r.Calls, r.Allocs, r.AllocBytes,
		float64(r.RSSKB)/1024, float64(r.PeakKB)/1024, r.StartMS, float64(r.ExeBytes)/1e6, float64(r.WeightsBytes)/1e6, r.GraphcS, r.GoBuildS, r.MaxErr)
	return err
}

func micros(us float64) string {
	return time.Duration(us * 1e3).Round(10 * time.Nanosecond).String()
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
	return filepath.ToSlash(c.Dir)
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

func (a *app) benchCase(ctx context.Context, c *cases.Case, threads []int, run int, length time.Duration, o compileFlags) ([]*benchResult, error) {
	if err := benchable(c); err != nil {
		return nil, err
	}
	dir, err := tempModule("")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &benchResult{Case: caseName(c, run)}
	start := time.Now()
	p, _, err := o.compiler(c).compile(1)
	if err != nil {
		return nil, err
	}
	program, err := benchProgram(ctx, c, p, dir, start, r)
	if err != nil {
		return nil, err
	}
	exe, err := buildBench(ctx, c, p, dir, nil)
	if err != nil {
		return nil, err
	}
	var out []*benchResult
	for _, n := range threads {
		r := *r
		r.Threads = n
		if err := r.start(ctx, c, program, dir); err != nil {
			return nil, err
		}
		if err := r.steady(ctx, exe, c.Dir, length); err != nil {
			return nil, err
		}
		out = append(out, &r)
	}
	return out, nil
}

// buildBench builds the program that is timed. edit, if not nil, changes its sources.
func buildBench(ctx context.Context, c *cases.Case, p *pipeline.Program, dir string, edit func(files map[string][]byte) error) (string, error) {
	files, err := emitPackage("model", c, p, false)
	if err != nil {
		return "", err
	}
	if edit != nil {
		if err := edit(files); err != nil {
			return "", err
		}
	}
	if err := writeFiles(filepath.Join(dir, "check", "model"), files); err != nil {
		return "", err
	}
	if err := writeMain(filepath.Join(dir, "check", "bench"), []string{"model"}, `os.Exit(table.Bench("model", os.Args[1:]))`); err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "bench.exe")
	return exe, goRun(ctx, dir, true, "build", "-trimpath", "-o", exe, "./check/bench")
}

// benchProgram builds the case, whose compilation began at start, as a user would.
func benchProgram(ctx context.Context, c *cases.Case, p *pipeline.Program, dir string, start time.Time, r *benchResult) (string, error) {
	files, err := emitPackage("program", c, p, true)
	if err != nil {
		return "", err
	}
	if err := writeFiles(filepath.Join(dir, "check", "program"), files); err != nil {
		return "", err
	}
	r.GraphcS = time.Since(start).Seconds()
	for name, data := range files {
		if filepath.Ext(name) == ".bin" {
			r.WeightsBytes += int64(len(data))
		}
	}
	exe := filepath.Join(dir, "program.exe")
	start = time.Now()
	if err := goRun(ctx, dir, true, "build", "-trimpath", "-o", exe, "./check/program"); err != nil {
		return "", err
	}
	r.GoBuildS = time.Since(start).Seconds()
	st, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	r.ExeBytes = st.Size()
	return exe, nil
}

// start times fresh processes of the program from their start to their end
// after one run.
func (r *benchResult) start(ctx context.Context, c *cases.Case, exe, dir string) error {
	args, err := programArgs(c, dir)
	if err != nil {
		return err
	}
	var times []float64
	for range 5 {
		cmd := exec.CommandContext(ctx, exe, args...)
		cmd.Env = append(cmd.Environ(), "GOMAXPROCS="+strconv.Itoa(r.Threads))
		var talk bytes.Buffer
		cmd.Stderr = &talk
		start := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("the emitted program: %w: %s", err, talk.Bytes())
		}
		times = append(times, float64(time.Since(start).Microseconds())/1e3)
	}
	r.StartMS = median(times)
	return nil
}

// programArgs are the arguments with which an emitted program runs the case
// once: its feeds from one file, its fetches to another.
func programArgs(c *cases.Case, dir string) ([]string, error) {
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return nil, err
	}
	in := filepath.Join(dir, "feeds.npz")
	if err := npy.WriteZip(in, feeds); err != nil {
		return nil, err
	}
	return []string{"--feed", in, "--out", filepath.Join(dir, "fetches.npz")}, nil
}

func median[T int64 | float64](v []T) T {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// steady times calls in the program's own process.
func (r *benchResult) steady(ctx context.Context, exe, dir string, length time.Duration) error {
	t, err := startTimed(ctx, exe, dir, r.Threads)
	if err != nil {
		return err
	}
	var burst caserun.Burst
	var stats caserun.Stats
	err = t.ask(&burst, "burst %d", length.Milliseconds())
	if err == nil {
		err = t.ask(&stats, "allocs %d", min(len(burst.NS), 50))
	}
	if err := t.end(err); err != nil {
		return err
	}
	ns := slices.Sorted(slices.Values(burst.NS))
	r.Calls, r.MinUS, r.MedianUS, r.P99US = len(ns), float64(ns[0])/1e3, float64(ns[len(ns)/2])/1e3, float64(ns[len(ns)*99/100])/1e3
	r.Allocs, r.AllocBytes, r.RSSKB, r.PeakKB, r.MaxErr = stats.Allocs, stats.Bytes, stats.RSSKB, stats.PeakKB, t.ready.MaxErr
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
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	dir, err := tempModule("")
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
