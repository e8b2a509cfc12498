package resource

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// cells keeps tensors of one element type by number. Those with the shape of the
// first that was put in have their places in one block, in order, so that all of
// them are copied at once; others are pieces of their own.
type cells struct {
	dtype tensor.DType
	shape []int // of the tensors in the block, once per is known
	known bool
	per   int // elements of each
	block Data
	room  int // places in the block
	c     []cell
}

// cell is a numbered place: empty, in the block, or a piece.
type cell struct {
	in bool
	p  *piece
}

type piece struct {
	shape []int
	data  Data
}

func (c cell) set() bool { return c.in || c.p != nil }

const (
	maxCells   = 1 << 26 // of a container
	firstBytes = 1 << 24 // the most a block takes before as much is in it
)

// at returns cell k, an empty one beyond the last.
func (s *cells) at(k int) cell {
	if k < len(s.c) {
		return s.c[k]
	}
	return cell{}
}

func tooMany(n int) error {
	return tensor.Errorf(tensor.ResourceExhausted, "a container of %d tensors is larger than %d", n, maxCells)
}

// extend makes cells up to n; ResourceExhausted where there would be too many.
func (s *cells) extend(n int) error {
	if n > maxCells {
		return tooMany(n)
	}
	if n > cap(s.c) {
		s.c = slices.Grow(s.c, n-len(s.c))
	}
	if m := len(s.c); n > m {
		s.c = s.c[:n]
		clear(s.c[m:])
	}
	return nil
}

// place returns block's place k for a tensor of that shape; want is how many
// tensors there will be. ok is false where it has none.
func (s *cells) place(k, want int, shape []int) (at Data, ok bool) {
	if !s.known {
		s.known, s.shape, s.per = true, slices.Clone(shape), elements(shape)
	} else if !slices.Equal(s.shape, shape) {
		return Data{}, false
	}
	if k >= s.room {
		room := max(s.per*s.dtype.Size(), 1)
		most := max(firstBytes/room, 2*s.room, 4)
		if k >= most {
			return Data{}, false
		}
		n := min(max(want, 2*s.room, 4, k+1), most)
		b := makeData(s.dtype, n*s.per)
		b.copyFrom(s.block)
		s.block, s.room = b, n
	}
	return s.block.Window(s.dtype, k*s.per, s.per), true
}

// put copies a tensor into cell k. A block's place is written again only with over.
func (s *cells) put(k, want int, shape []int, data Data, over bool) error {
	if err := s.extend(k + 1); err != nil {
		return err
	}
	c := &s.c[k]
	if !c.set() || c.in && over {
		if at, ok := s.place(k, want, shape); ok {
			at.copyFrom(data)
			*c = cell{in: true}
			return nil
		}
	}
	p := &piece{slices.Clone(shape), makeData(s.dtype, elements(shape))}
	p.data.copyFrom(data)
	*c = cell{p: p}
	return nil
}

// shapeOf returns the shape of the tensor in c, which is not empty.
func (s *cells) shapeOf(c cell) []int {
	if c.p != nil {
		return c.p.shape
	}
	return s.shape
}

// dataOf returns the elements of cell c, whose number is k.
func (s *cells) dataOf(c cell, k int) Data {
	if c.p != nil {
		return c.p.data
	}
	return s.block.Window(s.dtype, k*s.per, s.per)
}
