package parts

import (
	"context"
	"slices"

	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// PartialOf is a partial run of a signature: a run in steps, each of which feeds and fetches some
// tensors. Parts.Partial begins a partial run. D holds the sizes read from the feeds, I is the
// signature's input, O its output.
//
// A feed only stores a tensor. A call of Fetch or Run runs every part that has all its feeds and
// has not run yet, and returns when these parts have ended. So a step costs only what it adds. A
// *PartialOf may be used by several goroutines, one after another. It may be dropped at any time,
// because nothing runs between calls. The partial run ends when every part has run and every fetch
// was taken.
//
// If a part fails, or the context ends while a part runs, the whole partial run ends, because a
// part cannot run twice.
type PartialOf[D comparable, I, O any] struct {
	parts  *Parts[D, I, O]
	stages *Stages[D, I]
	busy   chan struct{} // holds an element while a call is in progress, so that other calls wait

	t    *Turn[D, I, O]
	in   I
	out  O
	told Told
	// for each feed, a function that copies the fed tensor if its argument is true and releases the
	// tensor if it is false; nil if the feed is missing or released
	keep []func(bool)
	// for each feed, how many of the parts that need it have not run yet
	readers []int
	owned   []bool // by feed
	source  []int  // for each fetch, the number of the part that computes it
	taken   []bool // by fetch
	ran     []bool // by part
	left    int    // the number of parts that have not run, plus the number of fetches that were not taken
	over    bool
	err     error // the first error of a step
}

// Partial begins a partial run.
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

// enter is called at the beginning of each method that uses the run. It waits until no other such
// method is in progress. It returns an error if the run can no longer be used, or if ctx ends first.
// Otherwise the method must call leave at its end.
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

// leave is called at the end of each method that uses the run; see enter.
func (p *PartialOf[D, I, O]) leave() { <-p.busy }

// Close abandons the rest of the run. It waits for the current call.
func (p *PartialOf[D, I, O]) Close() {
	if p == nil || p.stages == nil {
		return
	}
	p.busy <- struct{}{}
	p.release()
	p.leave()
}

// release ends the run and releases its memory.
func (p *PartialOf[D, I, O]) release() {
	var in I
	var out O
	if p.t != nil {
		p.t.Exchange.Drop()
	}
	p.over, p.t, p.in, p.out = true, nil, in, out
	clear(p.keep)
}

// FeedPartial feeds t to feed i of a partial run. The callback returns the address of the feed's
// tensor in the input struct. The memory of t must not change until the next Fetch or Run returns.
// The error is InvalidArgument if the feed was fed before or the shape does not fit. After an error
// about the shape, the feed can be fed again.
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
		// keep a copy of the shape, because the shapes of later feeds may be compared with the shape
		// of this feed
		f.Shape = slices.Clone(f.Shape)
		if own {
			f.Data = slices.Clone(f.Data)
		} else {
			f.Data = nil
		}
	}
	return nil
}

// bind checks the shape of feed i and reads the sizes that this feed determines. If one of the sizes
// contradicts an earlier feed, bind returns an error and stores none of them.
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

// FetchPartial runs a step and returns fetch i of a partial run. The function field returns the
// fetch's field in the output. The caller owns the returned tensor. The error is InvalidArgument if
// the fetch was taken before or needs feeds that are missing. In both cases no part runs, and the
// partial run can continue.
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

// Run runs all parts that can run, for their effects.
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

// ended ends the run if every part has run and every fetch was taken.
func (p *PartialOf[D, I, O]) ended() {
	if p.left == 0 {
		p.release()
	}
}

// step runs all parts that can run and have not run yet. An error before a part has begun leaves
// the run unchanged.
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
	// After the step, the caller may change the fed memory. Tensors that other parts still need are
	// copied.
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

// run executes the parts with the given numbers.
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
	if t == nil { // without any feeds
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
