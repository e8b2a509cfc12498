package verify

import (
	"context"
	"os"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

// WorkerName is the name of the hidden sub-command that a worker process runs.
const WorkerName = "verify-worker"

// verifyExec compiles and runs the cases in worker processes, with package exec and without
// emitting code.
func verifyExec(ctx context.Context, f Flags, cs []*cases.Case, r *reporter) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &pool{command: []string{self, WorkerName}, jobs: f.Jobs, timeout: f.Timeout}
	p.command = append(p.command, f.Args()...)
	var requests []caserun.Request
	for i, c := range cs {
		requests = append(requests, caserun.Request{Index: i, Dir: c.Dir})
	}
	p.run(ctx, requests, func(reply caserun.Reply, d time.Duration) { r.reply(reply, d) })
	return nil
}

// reply records a worker's verdict.
func (r *reporter) reply(reply caserun.Reply, d time.Duration) {
	if reply.Passed {
		r.set(reply.Index, outcome{status: "ok", time: d, peakKB: reply.PeakKB, cpuMS: reply.CPUMS, refusal: reply.Refusal})
		return
	}
	r.set(reply.Index, outcome{status: "FAIL", reason: reply.Reason, time: d, peakKB: reply.PeakKB, cpuMS: reply.CPUMS, refusal: reply.Refusal})
}

// Serve is the main function of a worker process. It reads requests from standard input; each
// request is for one case.
func Serve(ctx context.Context, a *base.App, f *Flags) error {
	limitMemory()
	return caserun.Serve(a.In, a.Out, func(q caserun.Request) caserun.Reply {
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
func execCase(ctx context.Context, q caserun.Request, f *Flags) caserun.Reply {
	c, err := cases.Load(q.Dir)
	if err != nil {
		return caserun.Verdict(q.Index, err)
	}
	cc := f.Compiler(c)
	_, err = casebuild.Check(ctx, cc)
	reply := caserun.Verdict(q.Index, err)
	if cc.Refusal != nil {
		reply.Refusal = cc.Refusal.Error()
	}
	return reply
}
