package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Pair is a tensor, or a control edge, that one part of a signature sends to another.
type Pair struct {
	From, To int    // indexes of Parts
	Tensor   string // name such as y:0, or ^y for a control edge
}

// Partitions returns the plans that have steps: the parts, or p itself if it has no parts.
func (p *Plan) Partitions() []*Plan {
	if p.Parts == nil {
		return []*Plan{p}
	}
	return p.Parts
}

// Partitions returns the partitions of all plans, in order.
func Partitions(plans []*Plan) []*Plan {
	var out []*Plan
	for _, p := range plans {
		out = append(out, p.Partitions()...)
	}
	return out
}

// InParts returns the plan of a signature that consists of the given parts, which must have the
// same feeds and sizes. The signature's fetches are the fetches of the parts, in the order given by
// the field Gives of each part.
func InParts(parts []*Plan, pairs []Pair) *Plan {
	first := parts[0]
	p := &Plan{Name: first.Name, Ranks: first.Ranks, Dims: first.Dims, Feeds: slices.Clone(first.Feeds), Parts: parts, Pairs: pairs}
	n := 0
	for _, q := range parts {
		for _, at := range q.Gives {
			n = max(n, at+1)
		}
		for i, f := range q.Feeds {
			if p.Feeds[i].Buf == nil && f.Buf != nil {
				p.Feeds[i] = f
			}
		}
	}
	p.Fetches = make([]Fetch, n)
	for _, q := range parts {
		for i, at := range q.Gives {
			if i < len(q.Fetches) {
				p.Fetches[at] = q.Fetches[i]
			}
		}
	}
	return p
}

// checkParts checks a plan that is divided into parts.
func (p *Plan) checkParts() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("plan: "+format, args...))
	}
	if len(p.Steps)+len(p.Bufs)+len(p.Consts)+len(p.Prologue) > 0 {
		fault("a plan in parts must not have own steps, buffers or constants")
	}
	given := make([]bool, len(p.Fetches))
	for k, q := range p.Parts {
		if err := q.Check(); err != nil {
			errs = append(errs, fmt.Errorf("part %d (%s): %w", k, q.Device, err))
		}
		if q.Parts != nil || len(q.Feeds) != len(p.Feeds) || !slices.Equal(q.Dims, p.Dims) || !slices.Equal(q.Ranks, p.Ranks) || len(q.Gives) != len(q.Fetches) {
			fault("the feeds, sizes or fetches of part %d differ from those of the whole", k)
		}
		for _, at := range q.Gives {
			if at < 0 || at >= len(given) || given[at] {
				fault("part %d gives fetch %d, which does not exist or another part gives", k, at)
				continue
			}
			given[at] = true
		}
	}
	if i := slices.Index(given, false); i >= 0 {
		fault("no part gives fetch %d", i)
	}
	for _, q := range p.Parts {
		for _, i := range q.Needs {
			if i < 0 || i >= len(p.Feeds) || !p.Partial {
				fault("a part needs feed %d", i)
				return tensor.Join(errs...)
			}
		}
		for _, name := range q.Sizes {
			if !slices.ContainsFunc(p.Dims, func(d Dim) bool { return d.Name == name }) || !p.Partial {
				fault("a part needs the size %s", name)
			}
		}
	}
	for i, r := range p.Pairs {
		if r.From < 0 || r.To < 0 || r.From >= len(p.Parts) || r.To >= len(p.Parts) || r.From == r.To {
			fault("pair %d leads from part %d to part %d of %d", i, r.From, r.To, len(p.Parts))
			continue
		}
		if p.Partial && !p.within(p.Parts[r.From], p.Parts[r.To]) {
			fault("pair %d leads to part %d, which does not need all that part %d needs", i, r.To, r.From)
		}
	}
	p.checkSlots(fault)
	return tensor.Join(errs...)
}

// Tells returns the indices of the feeds from which a size can be determined: one of the feed's
// dimensions is this size.
func (p *Plan) Tells(size string) []int {
	var feeds []int
	for i, f := range p.Feeds {
		if slices.ContainsFunc(f.Shape, func(e *sym.Expr) bool { v, ok := e.IsVar(); return ok && v == size }) {
			feeds = append(feeds, i)
		}
	}
	return feeds
}

// within compares the needs of two parts. It reports whether the feeds and sizes that part b needs
// determine everything that part a needs.
func (p *Plan) within(a, b *Plan) bool {
	for _, i := range a.Needs {
		if !slices.Contains(b.Needs, i) {
			return false
		}
	}
	for _, name := range a.Sizes {
		if !slices.Contains(b.Sizes, name) && !slices.ContainsFunc(p.Tells(name), func(i int) bool { return slices.Contains(b.Needs, i) }) {
			return false
		}
	}
	return true
}

// DropIdle drops the parts that do nothing, but keeps at least one part.
func (p *Plan) DropIdle() {
	number := make([]int, len(p.Parts))
	var kept []*Plan
	for k, q := range p.Parts {
		idle := len(q.Steps)+len(q.Prologue)+len(q.Gives) == 0 &&
			!slices.ContainsFunc(p.Pairs, func(r Pair) bool { return r.From == k || r.To == k })
		if number[k] = len(kept); !idle {
			kept = append(kept, q)
		}
	}
	if len(kept) == 0 {
		kept = p.Parts[:1]
	}
	p.Parts = kept
	for i := range p.Pairs {
		r := &p.Pairs[i]
		r.From, r.To = number[r.From], number[r.To]
	}
}

// own returns b, or nil if the plan is divided into parts: then the buffers belong to the parts,
// and not to the plan.
func (p *Plan) own(b *Buf) *Buf {
	if p.Parts != nil {
		return nil
	}
	return b
}

// writeParts prints the parts of a plan; see String.
func (p *Plan) writeParts(w *strings.Builder) {
	for _, q := range p.Parts {
		fmt.Fprintf(w, "part %q gives", q.Device)
		for _, i := range q.Gives {
			fmt.Fprintf(w, " %d", i)
		}
		if p.Partial {
			w.WriteString(" needs")
			for _, i := range q.Needs {
				fmt.Fprintf(w, " %d", i)
			}
			for i, name := range q.Sizes {
				if i == 0 {
					w.WriteString(" sizes")
				}
				w.WriteString(" " + name)
			}
		}
		w.WriteByte('\n')
		q.write(w)
		w.WriteString("endpart\n")
	}
	for _, r := range p.Pairs {
		fmt.Fprintf(w, "pair %d %d %q\n", r.From, r.To, r.Tensor)
	}
}

// part reads the line with which a part begins.
func (p *reader) part() {
	if p.around != nil || len(p.open) > 0 {
		p.fail("a part within another block")
		return
	}
	q := &Plan{Name: p.plan.Name, Device: p.quoted(), Gives: []int{}}
	p.want("gives")
	to := &q.Gives
	for p.skip(); p.err == nil && p.s != ""; p.skip() {
		if to == &q.Gives && p.plan.Partial && p.eat("needs") {
			to = &q.Needs
			continue
		}
		if to == &q.Needs && p.eat("sizes ") {
			for p.skip(); p.err == nil && p.s != ""; p.skip() {
				q.Sizes = append(q.Sizes, p.word())
			}
			break
		}
		*to = append(*to, p.int())
	}
	p.around, p.plan = p.plan, q
	p.bufs, p.consts = map[int]*Buf{}, map[int]*Const{}
}

// endPart handles the end of a part and copies its feeds and fetches to the signature.
func (p *reader) endPart() {
	if p.around == nil || len(p.open) > 0 {
		p.fail("endpart outside of a part")
		return
	}
	if p.described(); p.err != nil {
		return
	}
	whole := p.around
	whole.Parts = append(whole.Parts, p.plan)
	if len(p.plan.Feeds) != len(whole.Feeds) || len(p.plan.Gives) != len(p.plan.Fetches) {
		p.fail("the feeds or fetches of the part differ from those of the whole")
		return
	}
	for _, at := range p.plan.Gives {
		if at < 0 || at > 1<<16 {
			p.fail("fetch %d does not exist", at)
			return
		}
	}
	joined := InParts(whole.Parts, whole.Pairs)
	whole.Feeds, whole.Fetches = joined.Feeds, joined.Fetches
	p.plan, p.around = whole, nil
	p.bufs, p.consts = map[int]*Buf{}, map[int]*Const{}
}
