package parts

import (
	"context"
	"slices"

	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// PartialOf is a run of a signature in steps, which feed and fetch some tensors each.
// Parts makes one. D holds the sizes read from the feeds, I is the signature's input, O its output.
//
// Feeding only takes a tensor. Fetch and Run run, within the call, every part whose
// feeds are all given and that has not run yet; so a step costs what it adds. A
// handle may be used by several goroutines, one after the other, and may be dropped
// at any time: between calls nothing is under way. It is used up when the last fetch
// is taken and every part has run.
//
// An error of a part, and a context that ends while one runs, end the whole run: what
// has begun cannot begin again.
type PartialOf[D comparable, I, O any] struct {
	parts  *Parts[D, I, O]
	stages *Stages[D, I]
	busy   chan struct{} // holds an element while a call is under way

	t       *Turn[D, I, O]
	in      I
	out     O
	told    Told
	keep    []func(bool) // by feed: has the run own its memory, or let go of its elements; nil where there is none
	readers []int        // by feed, the parts that have not run and need it
	owned   []bool       // by feed
	source  []int        // by fetch, the part that gives it
	taken   []bool       // by fetch
	ran     []bool       // by part
	left    int          // parts and fetches that are left
	over    bool
	err     error // the first error of a step
}

// Partial begins a run in steps.
func (p *Parts[D, I, O]) Partial(s *Stages[D, I]) *PartialOf[D, I, O] {
	feeds, fetches := len(s.Signature.Feeds), len(s.Signature.Fetches)
	r := &PartialOf[D, I, O]{parts: p, stages: s, busy: make(chan struct{}, 1), told: Told{make([]bool, feeds), make([]bool, len(s.Tells))},
		keep: make([]func(bool), feeds), readers: make([]int, feeds), owned: make([]bool, feeds),
		source: make([]int, fetches), taken: make([]bool, fetches), ran: make([]bool, len(s.Parts)), left: fetches + len(s.Parts)}
	for k := range s.Parts {
		for _, i := range s.Parts[k].Feeds {
			r.readers[i]++
		}
		for _, i := range s.Parts[k].Fetches {
			r.source[i] = k
		}
	}
	return r
}

// enter begins a call.
func (p *PartialOf[D, I, O]) enter(ctx context.Context) error {
	if p == nil || p.stages == nil {
		return tensor.Errorf(tensor.InvalidArgument, "there is no partial run: the handle is nil or its zero value")
	}
	select {
	case p.busy <- struct{}{}:
	default:
		select {
		case p.busy <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := p.parts.base.Err()
	if err == nil {
		err = p.err
	}
	if err == nil && p.over {
		err = tensor.Errorf(tensor.InvalidArgument, "the partial run is over: the handle is used up")
	}
	if err != nil {
		p.leave()
	}
	return err
}

// leave ends a call.
func (p *PartialOf[D, I, O]) leave() { <-p.busy }

// Close gives up what is left of the run, and waits for the call that is under way.
func (p *PartialOf[D, I, O]) Close() {
	if p == nil || p.stages == nil {
		return
	}
	p.busy <- struct{}{}
	p.release()
	p.leave()
}

// release ends the run and lets go of its memory.
func (p *PartialOf[D, I, O]) release() {
	var in I
	var out O
	if p.t != nil {
		p.t.Exchange.Drop()
	}
	p.over, p.t, p.in, p.out = true, nil, in, out
	clear(p.keep)
}

// FeedPartial gives a run feed i, which field selects. Its memory is read until the
// next Fetch or Run returns, and must not change before. InvalidArgument where the feed has been fed, or its shape does not fit; then
// it may be fed again.
func FeedPartial[D comparable, I, O any, T tensor.Elem](p *PartialOf[D, I, O], i int, field func(*I) *tensor.Of[T], t tensor.Of[T]) error {
	if err := p.enter(context.Background()); err != nil {
		return err
	}
	defer p.leave()
	if p.told.Fed[i] {
		return tensor.Errorf(tensor.InvalidArgument, "%s has already been fed", p.stages.Signature.Input(i))
	}
	f := field(&p.in)
	*f = t
	if err := p.bind(i); err != nil {
		*f = tensor.Of[T]{}
		return err
	}
	p.keep[i] = func(own bool) {
		f := field(&p.in)
		f.Shape = slices.Clone(f.Shape) // which later feeds may be compared with
		if own {
			f.Data = slices.Clone(f.Data)
		} else {
			f.Data = nil
		}
	}
	return nil
}

// bind reads the sizes of a feed; they count only where all of them fit.
func (p *PartialOf[D, I, O]) bind(i int) error {
	if p.t == nil {
		p.t = p.parts.turn()
		p.t.In, p.t.Out = &p.in, &p.out
	}
	d, told := p.t.Dims, Told{p.told.Fed, slices.Clone(p.told.Known)}
	told.Fed[i] = true
	if err := p.stages.Bind(i, &p.in, &d, &told); err != nil {
		told.Fed[i] = false
		return err
	}
	p.t.Dims, p.told = d, told
	return nil
}

// FetchPartial takes fetch i of a run, which field selects, after a step. The
// tensor is the caller's. InvalidArgument where the fetch has been taken, or needs feeds that have not been given: then
// nothing runs, and the run can go on.
func FetchPartial[D comparable, I, O any, T tensor.Elem](ctx context.Context, p *PartialOf[D, I, O], i int, field func(*O) *tensor.Of[T]) (out tensor.Of[T], err error) {
	if err := p.enter(ctx); err != nil {
		return out, err
	}
	defer p.leave()
	name := p.stages.Signature.Fetches[i].Name
	if p.taken[i] {
		return out, tensor.Errorf(tensor.InvalidArgument, "fetch %q has already been fetched", name)
	}
	if part := &p.stages.Parts[p.source[i]]; !p.told.can(part) {
		return out, tensor.Errorf(tensor.InvalidArgument, "fetch %q cannot be computed from the feeds fed so far: %s must be fed first", name, p.stages.missing(part, &p.told))
	}
	if err := p.step(ctx); err != nil {
		return out, err
	}
	f := field(&p.out)
	out, *f = *f, out
	p.taken[i] = true
	p.left--
	p.ended()
	return out, nil
}

// Run runs what can run, for its effects.
func (p *PartialOf[D, I, O]) Run(ctx context.Context) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	defer p.leave()
	err := p.step(ctx)
	if err == nil {
		p.ended()
	}
	return err
}

// ended ends the run where nothing is left of it.
func (p *PartialOf[D, I, O]) ended() {
	if p.left == 0 {
		p.release()
	}
}

// step runs the parts that can run and have not. An error before any has begun
// leaves the run as it was.
func (p *PartialOf[D, I, O]) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var which []int
	for k := range p.ran {
		if !p.ran[k] && p.told.can(&p.stages.Parts[k]) {
			which = append(which, k)
		}
	}
	if len(which) > 0 {
		if err := p.run(ctx, which); err != nil {
			return err
		}
	}
	// What is fed belongs to the caller again.
	for i, f := range p.keep {
		switch {
		case f == nil:
		case p.readers[i] == 0:
			f(false)
			p.keep[i] = nil
		case !p.owned[i]:
			f(true)
			p.owned[i] = true
		}
	}
	return nil
}

// run runs parts that can run.
func (p *PartialOf[D, I, O]) run(ctx context.Context, which []int) error {
	b := p.parts.base
	if until, err := b.Until(ctx); err != nil {
		return err
	} else if !until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, until)
		defer cancel()
	}
	if err := b.Claim(ctx, p.parts.slot); err != nil {
		return err
	}
	defer func() { <-p.parts.slot }()
	t := p.t
	if t == nil { // nothing has been fed
		t = p.parts.turn()
		p.t, t.In, t.Out = t, &p.in, &p.out
	}
	t.Context = t.Exchange.Begin(ctx)
	err := t.group.Step(t.Context, b.InterOp(ctx), which)
	t.Context = nil
	if err != nil {
		if e, ok := err.(*rendezvous.PartError); ok {
			err = e.Err
		}
		p.err = err
		p.release()
		return err
	}
	for _, k := range which {
		p.ran[k] = true
		p.left--
		for _, i := range p.stages.Parts[k].Feeds {
			p.readers[i]--
		}
	}
	return nil
}
