package plan

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/mem"
)

// shareInPlace makes results use the storage of operands, as Plan.shareInPlace does, in the body of
// the Par p. The parameter i is the number of p among the plan's steps. Within a loop, a result may
// use an operand's storage if each chunk uses the same range of bytes in both buffers.
func (p *Par) shareInPlace(u *Uses, i int) {
	for k, s := range p.Body {
		c, ok := s.(*Call)
		if !ok {
			continue
		}
		for _, pair := range c.InPlace {
			out, in := pair[0], pair[1]
			if !p.mayShare(u, i, k, out, in) {
				continue
			}
			if out.Place == Worker {
				out.Alias, out.Off = in, nil
				continue
			}
			u.join(out, in)
		}
	}
}

// mayShare reports whether, at call k of step i, the call's result can use the storage of an operand.
// The parameters out and in are the buffers of the result and of the operand. Call k must be the
// first call that uses the result's buffer and the last call that uses the operand's storage. The
// call must read from the operand exactly those elements that it writes to the result.
func (p *Par) mayShare(u *Uses, i, k int, out, in *Buf) bool {
	root := in.Root()
	if out.Alias != nil || out == root || out.Place != root.Place || !out.Bytes().Equal(in.Bytes()) || !in.Bytes().Equal(root.Bytes()) {
		return false
	}
	switch out.Place {
	case Worker:
	case Arena:
		if !u.ends(i, out, root) {
			return false
		}
	default:
		return false
	}
	return p.takes(k, out, root)
}

// takes reports whether the buffer out can use the storage of root in the body's call k. Call k
// must be the first call in the body that uses out and the last call that uses root. In addition,
// each chunk must read from root exactly the elements that the chunk writes to out.
func (p *Par) takes(k int, out, root *Buf) bool {
	for j, s := range p.Body {
		bad, seen := false, 0
		s.Views(func(v View) {
			r := v.Buf.Root()
			bad = bad || r == out && j < k || r == root && j > k
			if r == root {
				seen++
			}
		})
		if bad || j == k && seen != 1 {
			return false
		}
	}
	return p.alike(out, root) || out.Place == Worker && p.wholes(out) && p.wholes(root)
}

// alike reports whether each chunk uses the same range of bytes in a as in b.
func (p *Par) alike(a, b *Buf) bool {
	cs := p.cuts(a, b)
	u, w := cs[a], cs[b]
	return u != nil && w != nil && u.alike(w)
}

// follows reports whether a new buffer can use the storage of an old buffer. These buffers are the
// parameters out and in. Each chunk must use the same range of bytes in both buffers. In the body,
// all steps that use the old buffer must come before the first step that uses the new buffer.
func (p *Par) follows(out, in *Buf) bool {
	begun, late := false, false
	for _, s := range p.Body {
		s.Views(func(v View) { begun = begun || v.Buf.Root() == out })
		s.Views(func(v View) { late = late || begun && v.Buf.Root() == in })
	}
	return !late && !p.Strided && p.alike(out, in)
}

// wholes reports whether each window on the buffer r in the loop's body begins at the first element
// of r.
func (p *Par) wholes(r *Buf) bool {
	ok := true
	p.Views(func(v View) {
		if v.Buf.Root() == r {
			ok = ok && (v.Off == nil || v.Off.Is(0)) && v.Buf.ByteOffset().Is(0)
		}
	})
	return ok
}

// The method workers assigns offsets to the buffers at the place Worker. These offsets are relative
// to the private memory of a worker.
func (l *Layout) workers(p *Plan, limit int) error {
	l.OwnAt = map[*Buf]*sym.Expr{}
	var err error
	Walk(p.Steps, func(_ int, s Step) {
		if s, ok := s.(*Par); ok && err == nil {
			err = l.worker(s, limit)
		}
	})
	return err
}

func (l *Layout) worker(p *Par, limit int) error {
	var bufs []*Buf
	lives := map[*Buf]*mem.Life{}
	for k, s := range p.Body {
		s.Views(func(v View) {
			r := v.Buf.Root()
			if r.Place != Worker {
				return
			}
			if lives[r] == nil {
				bufs = append(bufs, r)
				lives[r] = &mem.Life{First: int32(k)}
			}
			lives[r].Last = int32(k)
		})
	}
	if len(bufs) == 0 {
		return nil
	}
	known := true
	sizes, at, life := make([]int, len(bufs)), make([]int, len(bufs)), make([]mem.Life, len(bufs))
	for i, b := range bufs {
		n, ok := b.Bytes().IsInt()
		known = known && ok
		sizes[i], life[i] = n, *lives[b]
	}
	if known {
		total, err := mem.Pack(sizes, life, at, limit)
		if err != nil {
			return err
		}
		for i, b := range bufs {
			l.OwnAt[b] = sym.Int(at[i])
		}
		l.Own = append(l.Own, sym.Int(total))
		return nil
	}
	// The buffers are placed one after the other, and each is aligned.
	total := sym.Zero
	for _, b := range bufs {
		l.OwnAt[b] = total
		total = total.Add(b.Bytes().CeilDiv(sym.Int(mem.Align)).MulInt(mem.Align))
	}
	l.Own = append(l.Own, total)
	return nil
}
