#!/usr/bin/env python3
"""Times the overhead of a run besides its kernels: graphc's programs and TensorFlow's session, in turns.

    session.py --graphc GRAPHC [--work DIR] [--rounds N] [--seconds S] [--only NAME,...]

    empty      a step that does nothing: one NoOp
    chain      10,000 additions of scalars in sequence, not optimized
    devices    4,000 additions, alternating between two CPU devices: the cost of a transfer on top of an addition
    fan        64 branches of matrix products, joined by a sum, with one thread and with two
    cancel     from closing a session, while a run waits for an empty queue, to the run's return

Needs tensorflow-cpu (whose C interface is used, so that no Python is timed), a C compiler and Go. graphc's programs are
generated packages called by their typed method. Every round measures both sides in sequence, and the
medians of the rounds are printed as a table.
"""
import argparse, json, os, statistics, subprocess, sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def graphs(work):
    """writes the graphs and the session's configurations"""
    import tensorflow as tf
    v1 = tf.compat.v1

    def write(name, make):
        g = tf.Graph()
        with g.as_default():
            make(tf, v1)
        with open(os.path.join(work, name + ".pb"), "wb") as f:
            f.write(g.as_graph_def().SerializeToString())

    def chain(n, places):
        def make(tf, v1):
            x = v1.placeholder(tf.float32, [], "x")
            one = tf.constant(1.0)
            for i in range(n):
                with v1.device(places[i % len(places)]):
                    x = tf.add(x, one)
            with v1.device("/cpu:0"):
                tf.identity(x, name="y")
        return make

    def fan(tf, v1):
        x = v1.placeholder(tf.float32, [192, 192], "x")
        outs = []
        for i in range(64):
            w = tf.constant([[((r * 31 + c * 17 + i) % 13 - 6) * 0.01 for c in range(192)] for r in range(192)], tf.float32)
            outs.append(tf.matmul(tf.tanh(tf.matmul(x, w)), w))
        tf.add_n(outs, name="y")

    def wait(tf, v1):
        q = tf.queue.FIFOQueue(1, [tf.float32], [[]], name="q")
        tf.group(q.dequeue(name="item"), name="get")

    write("empty", lambda tf, v1: tf.no_op(name="nothing"))
    write("chain", chain(10000, ["/cpu:0"]))
    write("alone", chain(4000, ["/cpu:0"]))
    write("devices", chain(4000, ["/cpu:0", "/cpu:1"]))
    write("fan", fan)
    write("cancel", wait)
    off = v1.OptimizerOptions.L0
    for name, cpus, inter in (("one", 1, 1), ("two", 1, 2), ("cpus", 2, 2)):
        c = v1.ConfigProto(inter_op_parallelism_threads=inter, intra_op_parallelism_threads=1, device_count={"CPU": cpus})
        c.graph_options.optimizer_options.opt_level = off
        c.graph_options.rewrite_options.disable_meta_optimizer = True
        with open(os.path.join(work, name + ".config"), "wb") as f:
            f.write(c.SerializeToString())


# name: graph, TensorFlow's configuration, arguments of tfsession, flags of graphc build, threads of graphc's run
CASES = {
    "empty": ("empty", "one", ["target=nothing"], ["--target", "nothing"], 1),
    "chain": ("chain", "one", ["feed=0", "fetch=y"], ["--feed", "x", "--fetch", "y", "--noopt"], 1),
    "alone": ("alone", "cpus", ["feed=0", "fetch=y"], ["--feed", "x", "--fetch", "y", "--noopt"], 2),
    "devices": ("devices", "cpus", ["feed=0", "fetch=y"], ["--feed", "x", "--fetch", "y", "--noopt", "--devices", "cpu:0,cpu:1"], 2),
    "fan1": ("fan", "one", ["feed=192,192", "fetch=y"], ["--feed", "x", "--fetch", "y"], 1),
    "fan2": ("fan", "two", ["feed=192,192", "fetch=y"], ["--feed", "x", "--fetch", "y"], 2),
    "cancel": ("cancel", "two", ["target=get"], ["--target", "get"], 2),
}

MAIN = '''package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
	"bench/model"
)

func main() {
	mode, shape, threads := os.Args[1], os.Args[2], must(strconv.Atoi(os.Args[3]))
	seconds := must(strconv.ParseFloat(os.Args[4], 64))
	runtime.GOMAXPROCS(threads)
	m := must(model.New(rt.WithThreads(threads)))
	feeds := map[string]*tensor.Tensor{}
	if shape != "-" {
		n := must(strconv.Atoi(shape))
		s, data := tensor.Shape{n, n}, make([]float32, n*n)
		if n == 0 {
			s, data = tensor.Shape{}, make([]float32, 1)
		}
		for i := range data {
			data[i] = 0.001 * float32(i%%97)
		}
		feeds["x:0"] = &tensor.Tensor{DType: tensor.Float32, Shape: s, Data: data}
	}
	var in model.PredictInput
	var out model.PredictOutput
	%s
	ctx := context.Background()
	var took []float64
	if mode == "cancel" {
		for range 40 {
			run, stop := context.WithCancel(ctx)
			done := make(chan time.Time)
			go func() {
				if err := m.PredictInto(run, &in, &out); err == nil {
					panic("the run was not cancelled")
				}
				done <- time.Now()
			}()
			time.Sleep(20 * time.Millisecond)
			begin := time.Now()
			stop()
			took = append(took, float64((<-done).Sub(begin).Nanoseconds()))
		}
	} else {
		for range 3 {
			check(m.PredictInto(ctx, &in, &out))
		}
		// A step shorter than the clock is timed in batches.
		begin, n := time.Now(), 1
		for check(m.PredictInto(ctx, &in, &out)); time.Since(begin) < 20*time.Microsecond; n++ {
			check(m.PredictInto(ctx, &in, &out))
		}
		for end := time.Now().Add(time.Duration(seconds * 1e9)); time.Now().Before(end) && len(took) < 4_000_000; {
			begin := time.Now()
			for range n {
				check(m.PredictInto(ctx, &in, &out))
			}
			took = append(took, float64(time.Since(begin).Nanoseconds())/float64(n))
		}
	}
	slices.Sort(took)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"median": took[len(took)/2], "least": took[0], "runs": len(took)}))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
'''
FEED = 'in.X = model.Tensor[float32]{Shape: feeds["x:0"].Shape, Data: feeds["x:0"].Data.([]float32)}'


def build(work, graphc, names):
    import tensorflow as tf
    base = os.path.dirname(tf.__file__)
    libs = [os.path.join(base, "libtensorflow_cc.so.2"), os.path.join(base, "libtensorflow_framework.so.2")]
    subprocess.run(["cc", "-O2", "-I" + os.path.join(base, "include"), os.path.join(HERE, "tfsession.c"), "-o", os.path.join(work, "tfsession"),
                    *libs, "-Wl,-rpath," + base, "-lpthread"], check=True)
    for name in names:
        graph, _, args, flags, _ = CASES[name]
        d = os.path.join(work, name)
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, "go.mod"), "w") as f:
            f.write("module bench\n\ngo 1.26\n\nrequire github.com/graphc/graphc v0.0.0\n\nreplace github.com/graphc/graphc => %s\n" % ROOT)
        with open(os.path.join(ROOT, "go.sum")) as s, open(os.path.join(d, "go.sum"), "w") as f:
            f.write(s.read())
        subprocess.run([graphc, "build", os.path.join(work, graph + ".pb"), *flags, "-o", os.path.join(d, "model"), "--pkg", "model", "--runtime", "import"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(d, "main.go"), "w") as f:
            f.write(MAIN % (FEED if any(a.startswith("feed=") for a in args) else "_ = feeds"))
        subprocess.run(["go", "build", "-o", "run", "."], cwd=d, check=True, env=dict(os.environ, GOFLAGS="-mod=mod"))


def tf_run(work, name, seconds):
    graph, config, args, _, _ = CASES[name]
    mode = "cancel" if name == "cancel" else "time"
    runs = "40" if mode == "cancel" else "4000000"
    out = subprocess.run([os.path.join(work, "tfsession"), os.path.join(work, graph + ".pb"), os.path.join(work, config + ".config"), mode, runs, str(seconds), *args],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)["median"]


def go_run(work, name, seconds):
    _, _, args, _, threads = CASES[name]
    shape = "-"
    for a in args:
        if a.startswith("feed="):
            shape = a[5:].split(",")[0]
    mode = "cancel" if name == "cancel" else "time"
    out = subprocess.run([os.path.join(work, name, "run"), mode, shape, str(threads), str(seconds)], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["median"]


def text(ns):
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return "%.3g %s" % (ns / size, unit)
    return "%.3g ns" % ns


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--graphc", required=True)
    p.add_argument("--work", default="session-bench")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=1.0)
    p.add_argument("--only")
    a = p.parse_args()
    names = a.only.split(",") if a.only else list(CASES)
    work = os.path.abspath(a.work)
    os.makedirs(work, exist_ok=True)
    graphs(work)
    build(work, os.path.abspath(a.graphc), names)
    tf, go = {n: [] for n in names}, {n: [] for n in names}
    for _ in range(a.rounds):
        for n in names:
            tf[n].append(tf_run(work, n, a.seconds))
            go[n].append(go_run(work, n, a.seconds))
    t = {n: statistics.median(v) for n, v in tf.items()}
    g = {n: statistics.median(v) for n, v in go.items()}
    rows = []

    def row(what, x, y):
        rows.append("| %s | %s | %s | %.1f |" % (what, text(x), text(y), x / y))

    if "empty" in t:
        row("empty step", t["empty"], g["empty"])
    if "chain" in t:
        row("chain of 10,000 scalar additions, a node", t["chain"] / 1e4, g["chain"] / 1e4)
    if "devices" in t and "alone" in t:
        row("hand-over between two CPU devices, more than the addition", (t["devices"] - t["alone"]) / 4000, (g["devices"] - g["alone"]) / 4000)
    if "fan1" in t and "fan2" in t:
        row("64 branches, one thread", t["fan1"], g["fan1"])
        row("64 branches, two threads", t["fan2"], g["fan2"])
        rows.append("| 64 branches, gain of the second thread | %.2f | %.2f | |" % (t["fan1"] / t["fan2"], g["fan1"] / g["fan2"]))
    if "cancel" in t:
        row("cancel to return", t["cancel"], g["cancel"])
    print("| | TensorFlow | graphc | times |\n|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    sys.exit(main())
