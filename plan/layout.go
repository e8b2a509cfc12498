package plan

import (
	"math"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Block describes an arena: the buffers in it, with their sizes and lifetimes, and, if all sizes
// are constants, the size of the arena.
type Block struct {
	// Roots are the buffers in the arena that steps use, in the order of first use. Sizes holds
	// their sizes in bytes, and Lives holds their lifetimes in steps, from Uses.Life.
	Roots []*Buf
	Sizes []*sym.Expr
	Lives []mem.Life
	// Static reports whether all sizes are constants. If so, the Offset of each root is set, and
	// Bytes is the size of the arena.
	Static bool
	Bytes  int
}

// Layout describes the memory that a plan needs: the arenas, the buffers with separate storage, and
// the private memory of workers.
type Layout struct {
	Block
	// Device is the arena in the memory of the plan's device. The same lifetimes hold there,
	// because a device works in the order of the steps.
	Device Block
	// Grown lists the buffers with separate storage. First holds, for each buffer in Grown, the
	// number of the step (in the order of Walk) before which the buffer gets its storage, or -1 if
	// it gets its storage from Room steps. If the step is in a Loop, the buffer gets its storage in
	// each iteration; a buffer that outlives an iteration gets it before the Loop.
	Grown []*Buf
	First []int
	// Own holds, for each Par, the number of bytes of private memory that a worker needs for it.
	// The private memory of a worker has the largest of these sizes. OwnAt holds the offset of each
	// buffer in this memory.
	Own   []*sym.Expr
	OwnAt map[*Buf]*sym.Expr
}

// Layout drops copies that only rename a buffer, and lets the result of a call replace an input if
// the call is the input's last reader. It computes the lifetimes of buffers, and packs the arena if
// all sizes are constants. The error is ResourceExhausted if the arena needs more than limit bytes;
// 0 means no limit.
func (p *Plan) Layout(limit int) (*Layout, error) {
	if limit == 0 {
		limit = math.MaxInt
	}
	p.coalesce()
	p.shareInPlace()
	uses := p.Uses()
	l := &Layout{Block: Block{Static: true}, Device: Block{Static: true}}
	if err := l.workers(p, limit); err != nil {
		return nil, err
	}
	for _, b := range uses.Order {
		life := uses.Life[b]
		switch b.Place {
		case Grow, Strings, Handles, DeviceGrow:
			first := uses.Grow[b]
			if uses.Roomed[b] {
				first = -1
			}
			l.Grown = append(l.Grown, b)
			l.First = append(l.First, first)
		case Arena:
			l.Block.add(b, life)
		case Device:
			l.Device.add(b, life)
		}
	}
	if err := l.Block.pack(limit); err != nil {
		return nil, err
	}
	return l, l.Device.pack(limit)
}

// Keep removes from the arena those buffers that the caller keeps elsewhere, and then packs the
// arena again.
func (l *Layout) Keep(elsewhere map[*Buf]bool) error {
	all := l.Block
	l.Block = Block{Static: true}
	for i, b := range all.Roots {
		if !elsewhere[b] {
			l.Block.add(b, all.Lives[i])
		}
	}
	return l.Block.pack(math.MaxInt)
}

func (l *Block) add(b *Buf, life mem.Life) {
	l.Roots = append(l.Roots, b)
	l.Lives = append(l.Lives, life)
	l.Sizes = append(l.Sizes, b.Bytes())
	if _, ok := b.Bytes().IsInt(); !ok {
		l.Static = false
	}
}

// Fits checks a buffer's size if it is a constant. The error is InvalidArgument if the number of
// elements is negative, and ResourceExhausted if the number of bytes overflows int.
func (b *Buf) Fits() error {
	n, _ := b.Len.IsInt()
	switch {
	case n < 0:
		return tensor.Errorf(tensor.InvalidArgument, "%s would have %d elements", b.Name, n)
	case n > math.MaxInt/max(1, b.DType.Size()):
		return tensor.Errorf(tensor.ResourceExhausted, "%s would have %d elements of %d bytes", b.Name, n, b.DType.Size())
	}
	return nil
}

// pack sets the offsets of the buffers if all sizes are constants.
func (l *Block) pack(limit int) error {
	if !l.Static {
		return nil
	}
	sizes, offs := make([]int, len(l.Sizes)), make([]int, len(l.Sizes))
	for i, e := range l.Sizes {
		if err := l.Roots[i].Fits(); err != nil {
			return err
		}
		sizes[i], _ = e.IsInt()
	}
	var err error
	if l.Bytes, err = mem.Pack(sizes, l.Lives, offs, limit); err != nil {
		return err
	}
	for i, b := range l.Roots {
		b.Offset = offs[i]
	}
	return nil
}
