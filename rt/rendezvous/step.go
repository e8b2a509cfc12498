package rendezvous

import "context"

// Step runs some of the partitions and returns when they are over, as Run does, but
// what they have sent and none of them has received is there for a later Step: a run
// may be made of several, in which a partition takes part once. Each message that they receive
// has been sent in an earlier step, or one of them sends it. After an error there
// is no later step. Exchange.Renew ends the run.
//
// ctx is the caller's for this step, or what Exchange.Begin made of it.
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
