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
	var threads []int
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
				return bench.Protocol(c.Context(), a, args, o)
			}
			if run < 0 {
				return base.Usagef("--run must not be negative")
			}
			if len(threads) == 0 || slices.Min(threads) < 1 || length <= 0 {
				return base.Usagef("--threads and --time must be positive")
			}
			if calls.On {
				if len(peers.Peers) > 0 {
					return base.Usagef("--ops and --peers do not go together")
				}
				if base.GPUKind(o.Devices.ForGPUs(c.Context(), "cuda")) != "" {
					return bench.Kernels(c.Context(), a, args, calls, threads, run, length, o, asJSON)
				}
				if len(o.Devices.Devices) > 1 {
					return base.Usagef("--ops times the calls of one device, --devices names several")
				}
				return bench.Ops(c.Context(), a, args, calls, threads, run, length, o, asJSON)
			}
			if len(peers.Peers) > 0 {
				return bench.Peers(c.Context(), a, args, peers, threads, run, o, asJSON)
			}
			return bench.Run(c.Context(), a, args, threads, run, length, o, asJSON, asTable)
		},
	}
	fl := c.Flags()
	fl.IntSliceVar(&threads, "threads", []int{runtime.GOMAXPROCS(0)}, "threads of a run; several: one after the other")
	fl.IntVar(&run, "run", 0, "which of a case's runs, counted from 0")
	fl.DurationVar(&length, "time", 5*time.Second, "length of the steady run")
	registerCompile(&o, fl)
	fl.BoolVar(&asJSON, "json", false, "print an object a line")
	fl.BoolVar(&asTable, "table", false, "print a Markdown table")
	fl.BoolVar(&protocol, "protocol", false, "speak the line protocol for CASE THREADS")
	fl.BoolVar(&calls.On, "ops", false, "time each kernel call beside the processor's limits")
	fl.IntVar(&calls.Top, "top", 30, "calls that --ops prints; 0 is all")
	fl.StringSliceVar(&calls.Levels, "levels", nil, "levels of kernels that --ops compares with: avx2, portable")
	fl.BoolVar(&calls.Others, "alternatives", false, "compare --ops' convolutions by each method that can compute them")
	registerPeers(&peers, fl)
	return c
}

// registerCompile defines the flags that say how cases are compiled.
func registerCompile(o *casebuild.Options, fl *pflag.FlagSet) {
	fl.BoolVar(&o.NoOpt, "noopt", false, "leave the optional passes out")
	fl.BoolVar(&o.ExactConv, "exact-conv", false, "compute no convolution by Winograd's method")
	fl.Var(&o.Weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	o.Devices.Register(fl)
	o.Passes.Limits.Register(fl)
}

// registerPeers defines the flags that say what cases are timed beside.
func registerPeers(f *bench.PeerFlags, fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.Peers, "peers", nil, "time beside these runtimes, in turns: tf, xla, litert, ort, openvino")
	fl.StringVar(&f.Tool, "tool", os.Getenv(bench.ToolVariable), "the script that drives the peers, bench_peers.py (default $"+bench.ToolVariable+")")
	fl.StringArrayVar(&f.Execs, "exec", nil, "NAME=COMMAND, one more peer that speaks the line protocol; may be repeated")
	fl.IntVar(&f.Rounds, "rounds", 15, "rounds through the peers")
	fl.DurationVar(&f.Burst, "burst", 300*time.Millisecond, "length of a peer's turn in a round")
	fl.StringVar(&f.Cache, "cache", "", "folder for models converted for the peers, and for cases of --run")
	fl.DurationVar(&f.Timeout, "timeout", 15*time.Minute, "most time for a case with all its peers")
	fl.BoolVar(&f.Pairwise, "pairwise", false, "keep only the first peer and one other alive at a time, to save memory")
	fl.IntVar(&f.Busy, "busy", 0, "keep so many threads of one more process busy meanwhile")
	fl.StringVar(&f.Python, "python", "python3", "Python that runs the script")
	fl.StringVar(&f.PythonTF, "tf-python", "", "Python with TensorFlow")
	fl.StringVar(&f.PythonPeer, "peer-python", "", "Python with the other runtimes")
	fl.StringVar(&f.PythonONNX, "onnx-python", "", "Python with tf2onnx")
	fl.StringVar(&f.Out, "out", "", "folder for table.md and results.json")
}
