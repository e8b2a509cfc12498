package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/run"
)

func newRun(a *base.App) *cobra.Command {
	var f flags.Model
	var r run.Flags
	c := &cobra.Command{
		Use:   "run [flags] MODEL…",
		Short: "Compile a model in memory and run it",
		Long: `run compiles a model, runs it in this process and prints the results as JSON, or
writes them to a file.

--feed NAME=FILE feeds a tensor, by its name or the signature's key, from a .npy,
.npz, .json or .csv file. --feed NAME=- reads JSON from standard input, --feed
x=[1,2] has the JSON in the argument. A string may be given as it is (--feed
"text=loved it"). --feed FILE.npz feeds all arrays of the file. With --fetch or
--target the names of --feed are tensors of the graph, otherwise they belong to
the signature.

--run NAME runs a signature, --run NAME*N runs it N times. Several run in sequence
and share variables, tables and queues. A --feed belongs to the --run before it.
With --call you define the signatures:

  graphc run moons.pbtxt --init init --call "train: x, y -> loss; step" \
    --call "predict: x -> scores" --run "train*100" --feed x=x.npy --feed y=y.npy \
    --run predict --feed "x=[[1, 2]]"

--restore PREFIX loads variables and tables from a checkpoint before the first run,
--save PREFIX saves them after the last run.

--lines reads lines of JSON from standard input instead, such as
{"signature": "predict", "feeds": {"x": [[1, 2]]}}, and answers each.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return run.Model(c.Context(), a, args, f, r)
		},
	}
	fl := c.Flags()
	fl.Var(run.InOrder{Name: "--feed", R: &r}, "feed", "feed: NAME=FILE, NAME=JSON, NAME=- or FILE.npz (repeat for several)")
	fl.Var(run.InOrder{Name: "--run", R: &r}, "run", "signature to run, NAME or NAME*N for N times (repeat for several)")
	fl.StringVar(&r.Signature, "signature", "", "signature to run (default: the first)")
	fl.BoolVar(&r.Lines, "lines", false, "answer lines of JSON on standard input")
	fl.StringVar(&r.Files, "files", "", "let the model's ops read and write files below this directory; implies --allow-files")
	fl.BoolVar(&r.NoInit, "no-init", false, "skip the model's initialization")
	f.RegisterRest(fl)
	fl.StringVar(&r.Timeout, "timeout", "", "end a run that takes longer than this (20ms, 3s) with DeadlineExceeded")
	fl.StringVar(&r.Trace, "trace", "", "write a trace of the steps to this file (.json for Perfetto, .txt for a table)")
	fl.StringVar(&r.Profile, "profile", "", "write the measured cost of each node to this file")
	fl.StringVar(&r.WatchDir, "watch-dir", "", "write each watched tensor of the last run to a .npz file in this folder")
	fl.StringVar(&r.Restore, "restore", "", "load variables and tables from the checkpoint with this prefix before the run")
	fl.StringVar(&r.Save, "save", "", "save variables and tables as a checkpoint with this prefix after the run")
	fl.StringVar(&r.Out, "out", "", "write to this file (.npz, .json, .txt) instead of standard output")
	fl.StringVar(&r.Format, "format", "", "json, npz or text (default: according to the file's name, else json)")
	completeWith(c, "format", "json", "npz", "text")
	return c
}
