package plan

import (
	"math"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Layout is what is known of a plan's memory before it runs.
type Layout struct {
	// Roots are the buffers of the arena that some step uses, in order of first
	// use, with their sizes in bytes and lifetimes in steps. A fetched buffer
	// lives one step longer than the last.
	Roots []*Buf
	Sizes []*sym.Expr
	Lives []mem.Life
	// Static reports that all sizes are constants. Then every root's Offset is
	// set, and Bytes is the size of the arena.
	Static bool
	Bytes  int
	// Grown are the buffers with storage of their own, First the step before
	// which each gets it, by index of Grown.
	Grown []*Buf
	First []int
	// Own is what a participant of a Par needs of its own: the greatest of these
	// sizes in bytes. OwnAt is where in it the buffers of a Par's body are.
	Own   []*sym.Expr
	OwnAt map[*Buf]*sym.Expr
}

// Layout lets results take the place of inputs whose last reader makes them,
// computes the lifetimes, and packs the arena when all sizes are constants.
// It is ResourceExhausted when that takes more than limit bytes; 0 is no limit.
func (p *Plan) Layout(limit int) (*Layout, error) {
	if limit == 0 {
		limit = math.MaxInt
	}
	p.shareInPlace()
	uses := p.uses()
	l := &Layout{Static: true}
	if err := l.workers(p, limit); err != nil {
		return nil, err
	}
	for _, b := range uses.order {
		life := uses.life[b]
		switch b.Place {
		case Grow, Strings:
			l.Grown = append(l.Grown, b)
			l.First = append(l.First, int(life.First))
		case Arena:
			l.Roots = append(l.Roots, b)
			l.Lives = append(l.Lives, life)
			l.Sizes = append(l.Sizes, b.Bytes())
			if _, ok := b.Bytes().IsInt(); !ok {
				l.Static = false
			}
		}
	}
	if !l.Static {
		return l, nil
	}
	sizes, offs := make([]int, len(l.Sizes)), make([]int, len(l.Sizes))
	for i, e := range l.Sizes {
		b := l.Roots[i]
		n, _ := b.Len.IsInt()
		switch {
		case n < 0:
			return nil, tensor.Errorf(tensor.InvalidArgument, "%s would have %d elements", b.Name, n)
		case n > math.MaxInt/max(1, b.DType.Size()):
			return nil, tensor.Errorf(tensor.ResourceExhausted, "%s would have %d elements of %d bytes", b.Name, n, b.DType.Size())
		}
		sizes[i], _ = e.IsInt()
	}
	var err error
	if l.Bytes, err = mem.Pack(sizes, l.Lives, offs, limit); err != nil {
		return nil, err
	}
	for i, b := range l.Roots {
		b.Offset = offs[i]
	}
	return l, nil
}

// usage is the first and last step that uses each root.
type usage struct {
	life    map[*Buf]mem.Life
	fetched map[*Buf]bool
	order   []*Buf // by first use
}

func (p *Plan) uses() *usage {
	u := &usage{life: map[*Buf]mem.Life{}, fetched: map[*Buf]bool{}}
	touch := func(b *Buf, at int) {
		b = b.Root()
		if b.Place == Worker {
			return
		}
		l, ok := u.life[b]
		if !ok {
			l.First = int32(at)
			u.order = append(u.order, b)
		}
		l.Last = int32(at)
		u.life[b] = l
	}
	for i, s := range p.Steps {
		s.Views(func(v View) { touch(v.Buf, i) })
	}
	for _, f := range p.Fetches {
		touch(f.Buf, len(p.Steps))
		u.fetched[f.Buf.Root()] = true
	}
	return u
}

// shareInPlace makes outputs aliases of inputs where Call.InPlace allows it and
// nobody needs the input any more.
func (p *Plan) shareInPlace() {
	u := p.uses()
	for i, s := range p.Steps {
		if l, ok := s.(*Par); ok {
			l.shareInPlace(u, i)
			continue
		}
		c, ok := s.(*Call)
		if !ok {
			continue
		}
		for _, pair := range c.InPlace {
			out, in := pair[0], pair[1]
			if !u.mayShare(c, i, out, in) {
				continue
			}
			u.join(out, in)
		}
	}
}

// join makes out share in's storage.
func (u *usage) join(out, in *Buf) {
	root := in.Root()
	l := u.life[root]
	l.Last = u.life[out].Last
	u.life[root] = l
	u.fetched[root] = u.fetched[out]
	out.Alias, out.Off = in, nil
}

// mayShare reports that out can take in's storage at step i. The step must be
// the first to use out and the last to use any part of in's root, which it
// uses as in only: a kernel that may overwrite one source does not expect to
// overwrite another.
func (u *usage) mayShare(c *Call, i int, out, in *Buf) bool {
	root := in.Root()
	if out.Alias != nil || out == root || out.Place != Arena || root.Place != Arena || u.fetched[root] ||
		int(u.life[out].First) != i || int(u.life[root].Last) != i || int(u.life[root].First) == i ||
		!out.Bytes().Equal(in.Bytes()) {
		return false
	}
	seen := 0
	c.Views(func(v View) {
		if v.Buf.Root() == root {
			seen++
			if v.Buf != in || v.Off != nil && !v.Off.Is(0) {
				seen++
			}
		}
	})
	return seen == 1
}
