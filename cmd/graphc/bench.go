package main

import (
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/bench"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

func newBench(a *base.App) *cobra.Command {
	var threads, callers []int
	var run int
	var length time.Duration
	var asJSON, asTable, protocol bool
	var o casebuild.Options
	var peers bench.PeerFlags
	var calls bench.OpFlags
	c := &cobra.Command{
		Use:   "bench [flags] CASE…",
		Short: "Time compiled cases",
		Long: `bench compiles cases (folders with a case.json), builds them and times the first
run of each: the calls of a steady run, what a call allocates, memory, the time
from the start of a fresh process to its first result, the size of the
executable, and how long graphc and go build took.

bench --peers tf,litert,ort,openvino --tool bench_peers.py also times other runtimes
with the same graphs, in turns, so that noise affects all of them equally. It checks
the results of all runtimes in the same run, and prints tables of times, ratios,
start-up and memory. Each case's runtimes are started once for each number of
--threads. The script, Python and the runtimes are not part of graphc.

bench --ops times each kernel call inside such a run: its share, its operations and
bytes per second, and its distance from the least time according to the roofline.
For that it first measures this processor's multiply-adds and reads from each cache.
Operations are those of the graph, so a faster method may exceed the roofline.

bench --ops --simulate 1,2,4,8,16 also predicts the time of a run with so many
threads, even if this machine has fewer processors. One thread executes the chunks
into which so many threads divide each loop, and bench simulates which thread claims
which chunk. It assumes that a chunk takes as long beside other threads as alone: the
bandwidth of memory does not limit the prediction.

bench --callers 1,2,4,8 times one instance of a model that so many goroutines call at
once. Each of them has its own input and output, and calls again as soon as its call
returns. For each number bench prints the runs a second, the median, 99th percentile
and maximum of the calls' latencies, the processor time a run, and the peak memory so
far. Then it prints how much processor time the process uses a second when no
goroutine calls the model. --threads is the largest number of threads of one run.

If --devices names a GPU, bench also prints the GPU's time by its own clock, from the
begin of the run to the end of its work, and the host's time to enqueue the work.
--ops times each kernel, copy and fill on the GPU between two events; such runs are
not captured.

bench --protocol CASE THREADS builds a program and talks to it on standard
input and output: it prints {"ready":true,"load_s":…,"first_s":…,"max_err":…}. For
each line "burst MS" it runs for that many milliseconds and prints {"ns":[…]};
"quit" ends it.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			called := c.Flags().Changed("callers")
			if called && (protocol || calls.On || len(peers.Peers) > 0) {
				return base.Usagef("--callers excludes --ops, --peers and --protocol, which time one call after the other")
			}
			if protocol {
				return bench.Protocol(c.Context(), a, args, o)
			}
			if run < 0 {
				return base.Usagef("--run must not be negative")
			}
			if len(threads) == 0 || slices.Min(threads) < 1 || length <= 0 {
				return base.Usagef("--threads and --time must be positive")
			}
			if len(calls.Simulate) > 0 && !calls.On {
				return base.Usagef("--simulate belongs to --ops, which measures the times that it needs")
			}
			if calls.On {
				if len(peers.Peers) > 0 {
					return base.Usagef("--ops and --peers exclude each other")
				}
				if base.GPUKind(o.Devices.ForGPUs(c.Context(), "cuda")) != "" {
					return bench.Kernels(c.Context(), a, args, calls, threads, run, length, o, asJSON)
				}
				if len(o.Devices.Devices) > 1 {
					return base.Usagef("--ops times the calls of one device, but --devices names several")
				}
				return bench.Ops(c.Context(), a, args, calls, threads, run, length, o, asJSON)
			}
			if len(peers.Peers) > 0 {
				return bench.Peers(c.Context(), a, args, peers, threads, run, o, asJSON)
			}
			if called {
				return bench.Callers(c.Context(), a, args, callers, threads, run, length, o, asJSON, asTable)
			}
			return bench.Run(c.Context(), a, args, threads, run, length, o, asJSON, asTable)
		},
	}
	fl := c.Flags()
	fl.IntSliceVar(&threads, "threads", []int{runtime.GOMAXPROCS(0)}, "threads of a run; several numbers are timed in turn")
	fl.IntSliceVar(&callers, "callers", nil, "time one instance that so many goroutines call at once; several numbers are timed in turn")
	fl.IntVar(&run, "run", 0, "index of a case's run, from 0")
	fl.DurationVar(&length, "time", 5*time.Second, "length of the steady run, or of the calls of each number of --callers")
	registerCompile(&o, fl)
	fl.BoolVar(&asJSON, "json", false, "print one JSON object a line")
	fl.BoolVar(&asTable, "table", false, "print a Markdown table")
	fl.BoolVar(&protocol, "protocol", false, "speak the line protocol for CASE THREADS")
	fl.BoolVar(&calls.On, "ops", false, "time each kernel call and compare it with the processor's limits")
	fl.IntVar(&calls.Top, "top", 30, "number of calls that --ops prints; 0 means all")
	fl.StringSliceVar(&calls.Levels, "levels", nil, "levels of kernels for --ops to compare with: avx2, portable")
	fl.BoolVar(&calls.Others, "alternatives", false, "with --ops, time each convolution by each possible method")
	fl.IntSliceVar(&calls.Simulate, "simulate", nil, "with --ops, predict the time of a run with so many threads")
	registerPeers(&peers, fl)
	return c
}

// registerCompile defines the flags for compiling cases.
func registerCompile(o *casebuild.Options, fl *pflag.FlagSet) {
	fl.BoolVar(&o.NoOpt, "noopt", false, "exclude the optional passes")
	fl.BoolVar(&o.ExactConv, "exact-conv", false, "never compute convolutions by Winograd's method")
	fl.Var(&o.Weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	o.Devices.Register(fl)
	o.Passes.Limits.Register(fl)
}

// registerPeers defines the flags of graphc bench for timing other runtimes (peers) in turns with
// graphc.
func registerPeers(f *bench.PeerFlags, fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.Peers, "peers", nil, "also time these runtimes, in turns: tf, xla, litert, ort, openvino")
	fl.StringVar(&f.Tool, "tool", os.Getenv(bench.ToolVariable), "script that runs the peers, bench_peers.py (default $"+bench.ToolVariable+")")
	fl.StringArrayVar(&f.Execs, "exec", nil, "NAME=COMMAND, another peer that speaks the line protocol (repeat for several)")
	fl.IntVar(&f.Rounds, "rounds", 15, "number of rounds through the peers")
	fl.DurationVar(&f.Burst, "burst", 300*time.Millisecond, "length of a peer's turn in a round")
	fl.StringVar(&f.Cache, "cache", "", "folder for models converted for the peers, and for cases of --run")
	fl.DurationVar(&f.Timeout, "timeout", 15*time.Minute, "maximum time for a case with all its peers")
	fl.BoolVar(&f.Pairwise, "pairwise", false, "keep only the first peer and one other alive at a time, to save memory")
	fl.IntVar(&f.Busy, "busy", 0, "keep this many threads of another process busy meanwhile")
	fl.StringVar(&f.Python, "python", "python3", "Python that runs the script")
	fl.StringVar(&f.PythonTF, "tf-python", "", "Python with TensorFlow")
	fl.StringVar(&f.PythonPeer, "peer-python", "", "Python with the other runtimes")
	fl.StringVar(&f.PythonONNX, "onnx-python", "", "Python with tf2onnx")
	fl.StringVar(&f.Out, "out", "", "folder for table.md and results.json")
}
