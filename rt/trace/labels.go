package trace

import (
	"context"
	"runtime/pprof"

	"github.com/graphc/graphc/rt"
)

// Labels returns a hook that sets pprof labels on the goroutine of a run. The labels are the signature
// and device of the run, and the node and op of the current step. With them, a CPU profile
// distinguishes steps. Labels in the context of the run are kept. Helper threads, which take part in
// loops, do not get the labels.
func Labels() rt.Hook { return labels{} }

type labels struct{}

// Begin implements rt.Hook.
func (labels) Begin(ctx context.Context, info *rt.Info) rt.Observer {
	t := &table{}
	if len(info.Steps) > 0 {
		t = (&Trace{tables: map[*rt.Step]*table{}}).table(info)
	}
	return &labeller{ctx: ctx, run: pprof.WithLabels(ctx, pprof.Labels("signature", info.Signature, "device", info.Device)), table: t}
}

type labeller struct {
	ctx, run context.Context
	table    *table
}

// Step implements rt.Observer.
func (l *labeller) Step(i int) {
	at := l.table.at(i)
	pprof.SetGoroutineLabels(pprof.WithLabels(l.run, pprof.Labels("node", at.node, "op", at.op)))
}

// Grown implements rt.Observer.
func (*labeller) Grown(int, int) {}

// Fork implements rt.Observer.
func (l *labeller) Fork() rt.Observer { return &labeller{ctx: l.ctx, run: l.run, table: l.table} }

// End implements rt.Observer.
func (l *labeller) End(error) { pprof.SetGoroutineLabels(l.ctx) }
