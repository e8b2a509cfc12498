package parts

import (
	"context"
	"runtime"
	"sync"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/rendezvous"
)

// Parts runs the partitions of a signature side by side. D holds the sizes read from the feeds, I
// is the signature's input, O its output.
type Parts[D comparable, I, O any] struct {
	base  *rt.Base
	pairs int
	on    []device.Device
	parts []func(*Turn[D, I, O]) error
	slot  chan struct{}

	mu   sync.Mutex
	idle []*Turn[D, I, O]
}

// Link is the additional state of a part.
type Link struct {
	// Exchange passes messages between the parts of the run.
	Exchange *rendezvous.Exchange
}

// Turn is one run of all parts.
type Turn[D comparable, I, O any] struct {
	// Context is done as soon as the run is aborted or the caller's context is done
	Context  context.Context
	Exchange *rendezvous.Exchange
	Dims     D
	In       *I
	Out      *O

	group *rendezvous.Group
}

// Init prepares the parts of an instance. The parameter pairs is the number of tensors and control
// edges that the parts send each other. on[i] is the device of parts[i]. Each part has a separate
// pool of states; the caller must initialize these pools.
func (p *Parts[D, I, O]) Init(b *rt.Base, pairs int, on []device.Device, parts ...func(*Turn[D, I, O]) error) {
	p.base, p.pairs, p.on, p.parts = b, pairs, on, parts
	p.slot = b.Slots(p.empty)
}

// empty releases the memory of messages. It must not be called during a run.
func (p *Parts[D, I, O]) empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.idle {
		t.Exchange.Drop()
	}
	p.idle = nil
}

// Share makes p use the channel slots to bound concurrent runs. The runs of all variants of a
// signature that use the same channel are bounded together.
func (p *Parts[D, I, O]) Share(slots chan struct{}) { p.slot = slots }

// Slots returns the channel that bounds concurrent runs; see Share.
func (p *Parts[D, I, O]) Slots() chan struct{} { return p.slot }

// Run runs all parts and returns when all have ended. If a part fails, the other parts are
// cancelled. The error is that of the part that failed first. At most InterOp parts compute at the
// same time. Before it starts the parts, Run waits while too many runs of the signature are in
// progress.
func (p *Parts[D, I, O]) Run(ctx context.Context, d D, in *I, out *O) error {
	if err := p.base.Claim(ctx, p.slot); err != nil {
		return err
	}
	b, t := p.base, p.take()
	t.Dims, t.In, t.Out = d, in, out
	t.Context = t.Exchange.Begin(ctx)
	err := t.group.Run(t.Context, b.InterOp(ctx))
	if e, ok := err.(*rendezvous.PartError); ok {
		err = e.Err
	}
	t.Context, t.In, t.Out = nil, nil, nil
	p.mu.Lock()
	p.idle = append(p.idle, t)
	p.mu.Unlock()
	<-p.slot
	return err
}

// take returns an idle turn, or a new one.
func (p *Parts[D, I, O]) take() *Turn[D, I, O] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		t := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return t
	}
	return p.turn()
}

// turn returns a new turn.
func (p *Parts[D, I, O]) turn() *Turn[D, I, O] {
	t := &Turn[D, I, O]{Exchange: rendezvous.NewExchange(p.pairs, len(p.parts))}
	run := make([]func() error, len(p.parts))
	for i, f := range p.parts {
		part, d := func() error { return f(t) }, p.on[i]
		run[i] = func() error { return d.Run(part) }
	}
	t.group = rendezvous.NewGroup(t.Exchange, run)
	// A partial run may be dropped without being closed. This cleanup then releases its messages.
	runtime.AddCleanup(t, (*rendezvous.Exchange).Drop, t.Exchange)
	return t
}
