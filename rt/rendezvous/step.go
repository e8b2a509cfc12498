package rendezvous

import "context"

// Step runs the partitions with the given numbers, and returns when these partitions have ended.
// Unlike Run, Step keeps messages that were not received, for a later Step. A run may consist of
// several Steps, and each partition takes part in only one of them. Each message that a partition
// receives must be sent in an earlier Step or by a partition in the same Step. After an error no
// further Step of the run may follow. Exchange.Renew ends the run.
//
// The parameter ctx is the caller's context for this Step, or the context that Exchange.Begin
// returned for the caller's context.
func (g *Group) Step(ctx context.Context, threads int, which []int) error {
	x := g.x
	defer x.unwatch()
	if err := x.Aborted(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || len(which) == 0 {
		return err
	}
	if ctx != x.run {
		x.ctx, x.done = ctx, ctx.Done()
	}
	n := len(which)
	x.parts = n
	x.start(n, threads)
	x.left.Add(n - 1)
	for _, i := range which[1:] {
		go g.parts[i].start()
	}
	g.parts[which[0]].do()
	x.join(n)
	x.rest()
	x.parts = len(g.parts)
	return x.Aborted()
}
