package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/lower"
)

// workerName is the hidden sub-command that verify starts itself with.
const workerName = "verify-worker"

// verifyExec runs the cases through exec.
func verifyExec(ctx context.Context, f verifyFlags, cs []*cases.Case, r *reporter) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &pool{command: []string{self, workerName}, jobs: f.jobs, timeout: f.timeout}
	p.command = append(p.command, f.worker()...)
	var requests []caserun.Request
	for i, c := range cs {
		requests = append(requests, caserun.Request{Index: i, Dir: c.Dir})
	}
	p.run(ctx, requests, func(reply caserun.Reply, d time.Duration) { r.reply(reply, d) })
	return nil
}

// worker is what of the flags a worker is told.
func (f *verifyFlags) worker() (args []string) {
	if f.noOpt {
		args = append(args, "--noopt")
	}
	if f.asGiven {
		args = append(args, "--as-given")
	}
	if f.exactConv {
		args = append(args, "--exact-conv")
	}
	if f.weights != lower.WeightsF32 {
		args = append(args, "--weights="+f.weights.String())
	}
	return append(append(args, f.devices.args()...), f.passes.args()...)
}

// compiler compiles a case as the flags say.
func (f *verifyFlags) compiler(c *cases.Case) *caseCompiler {
	return &caseCompiler{Case: c, noOpt: f.noOpt, asGiven: f.asGiven, exactConv: f.exactConv, weights: f.weights, devices: f.devices.forCase(c), passes: f.passes}
}

// reply records a worker's verdict.
func (r *reporter) reply(reply caserun.Reply, d time.Duration) {
	if reply.Passed {
		r.set(reply.Index, outcome{status: "ok", time: d, peakKB: reply.PeakKB, cpuMS: reply.CPUMS, refusal: reply.Refusal})
		return
	}
	r.set(reply.Index, outcome{status: "FAIL", reason: reply.Reason, time: d, peakKB: reply.PeakKB, cpuMS: reply.CPUMS, refusal: reply.Refusal})
}

func newWorker(a *app) *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:    workerName,
		Short:  "Deal with cases named on standard input",
		Hidden: true,
		Args:   exactArgs(0),
		RunE:   func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), &f) },
	}
	c.Flags().BoolVar(&f.noOpt, "noopt", false, "leave the optional passes out")
	c.Flags().BoolVar(&f.asGiven, "as-given", false, "add no shapes to feeds")
	c.Flags().BoolVar(&f.exactConv, "exact-conv", false, "compute no convolution by Winograd's method")
	c.Flags().Var(&f.weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	f.devices.register(c.Flags())
	f.passes.register(c.Flags())
	return c
}

// serve deals with cases named on standard input, as a worker.
func (a *app) serve(ctx context.Context, f *verifyFlags) error {
	limitMemory()
	return caserun.Serve(a.in, a.out, func(q caserun.Request) caserun.Reply {
		resetPeak()
		began := cpuTime()
		reply := caserun.Reply{}
		if q.Out != "" {
			reply = emitCase(q, f)
		} else {
			reply = execCase(ctx, q, f)
		}
		reply.PeakKB, reply.CPUMS = peakKB(), int((cpuTime()-began)/time.Millisecond)
		return reply
	})
}

// execCase compiles and runs one case in this process.
func execCase(ctx context.Context, q caserun.Request, f *verifyFlags) caserun.Reply {
	c, err := cases.Load(q.Dir)
	if err != nil {
		return caserun.Verdict(q.Index, err)
	}
	cc := f.compiler(c)
	_, err = checkCase(ctx, cc)
	reply := caserun.Verdict(q.Index, err)
	if cc.refusal != nil {
		reply.Refusal = cc.refusal.Error()
	}
	return reply
}

// checkCase compiles a case and compares what it computes with what is recorded.
// The program is nil where it does not compile.
func checkCase(ctx context.Context, cc *caseCompiler) (p *pipeline.Program, err error) {
	c := cc.Case
	var names []string
	built := map[string]*pipeline.Runner{}
	var kept exec.State
	err = caserun.Check(ctx, c, func(run int) (_ caserun.Runner, err error) {
		if p == nil {
			if p, names, err = cc.compile(len(c.Runs)); err != nil {
				return nil, err
			}
			if kept, err = p.NewState(); err != nil {
				return nil, err
			}
		}
		name := names[run]
		if built[name] == nil {
			if built[name], err = p.Signature(name).RunnerWith(kept); err != nil {
				return nil, err
			}
			if n := caserun.MaxBytes(c); n > 0 {
				built[name].SetMaxBytes(n)
			}
		}
		return built[name], nil
	})
	return p, err
}
