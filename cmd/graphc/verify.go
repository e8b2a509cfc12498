package main

import (
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/verify"
)

func newVerify(a *base.App) *cobra.Command {
	var f verify.Flags
	c := &cobra.Command{
		Use:   "verify [flags] DIR…",
		Short: "Compare compiled graphs with TensorFlow's recorded outputs",
		Long: `verify finds every case.json in or below the folders, compiles the graphs, runs
them and compares the results with the recorded fetches. It prints a line for each case,

    ok|FAIL|SKIP <path> <reason>

and the last line counts them. A case that expects an error passes if that error
occurs at the expected stage or earlier. The exit status is 1 if a case fails.

Graphs are compiled to packages and built into a few programs; --exec interprets
their plans in graphc itself instead.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return verify.Run(c.Context(), a, f, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.Exec, "exec", false, "interpret plans in graphc itself instead of building programs")
	fl.BoolVar(&f.NoOpt, "noopt", false, "exclude the optional passes")
	fl.BoolVar(&f.AsGiven, "as-given", false, "do not add shapes to feeds whose rank is unknown in the graph")
	fl.BoolVar(&f.ExactConv, "exact-conv", false, "never compute convolutions by Winograd's method")
	fl.Var(&f.Weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	f.Devices.Register(fl)
	f.Passes.Register(fl)
	fl.BoolVar(&f.JSON, "json", false, "print one JSON object a line")
	fl.IntVarP(&f.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "number of cases in parallel")
	fl.IntVar(&f.Chunk, "chunk", 200, "number of cases in one program")
	fl.DurationVar(&f.Timeout, "timeout", time.Minute, "end a case after this time")
	fl.StringVar(&f.Match, "match", "", "process only cases whose path matches this regular expression")
	fl.StringVar(&f.Keep, "keep", "", "write emitted packages below this folder, and do not delete them")
	fl.StringVar(&f.Sums, "manifest", "", "do not build or run; write the SHA-256 of each case's emitted files to this file")
	return c
}

func newWorker(a *base.App) *cobra.Command {
	var f verify.Flags
	c := &cobra.Command{
		Use:    verify.WorkerName,
		Short:  "Process cases named on standard input",
		Hidden: true,
		Args:   exactArgs(0),
		RunE:   func(c *cobra.Command, _ []string) error { return verify.Serve(c.Context(), a, &f) },
	}
	c.Flags().BoolVar(&f.NoOpt, "noopt", false, "exclude the optional passes")
	c.Flags().BoolVar(&f.AsGiven, "as-given", false, "do not add shapes to feeds")
	c.Flags().BoolVar(&f.ExactConv, "exact-conv", false, "never compute convolutions by Winograd's method")
	c.Flags().Var(&f.Weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	f.Devices.Register(c.Flags())
	f.Passes.Register(c.Flags())
	return c
}
