package resource

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// cells keeps tensors of one element type by number. Those with the shape of the
// first that was put in have their places in one block, in order, so that all of
// them are copied at once; others are pieces of their own.
type cells struct {
	run   mem.Account // of the run that has made them
	held  atomic.Int64
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
	if had := cap(s.c); n > had {
		room := min(max(n, had+had/4+4), maxCells)
		if err := s.take((room - had) * int(unsafe.Sizeof(cell{}))); err != nil {
			return err
		}
		s.c = slices.Grow(s.c, room-len(s.c))
	}
	if m := len(s.c); n > m {
		s.c = s.c[:n]
		clear(s.c[m:])
	}
	return nil
}

// take counts n bytes that are about to be allocated.
func (s *cells) take(n int) error {
	err := s.run.Make(n)
	if err == nil {
		s.held.Add(int64(n))
	}
	return err
}

// give counts n bytes no more that take has counted.
func (s *cells) give(n int) {
	s.held.Add(-int64(n))
	s.run.Drop(n)
}

// sizeOf is the bytes of n elements.
func sizeOf(d tensor.DType, n int) int { return mem.Mul(n, d.Size()) }

// drop empties cell k.
func (s *cells) drop(k int) {
	if p := s.c[k].p; p != nil {
		s.give(sizeOf(s.dtype, elements(p.shape)))
	}
	s.c[k] = cell{}
}

// reset drops all.
func (s *cells) reset() {
	s.give(int(s.held.Load()))
	s.shape, s.known, s.per, s.block, s.room, s.c = nil, false, 0, Data{}, 0, nil
}

// charge has the tensors count for a run from now on.
func (s *cells) charge(run *mem.Budget) error {
	s.run = run.Account()
	return s.run.Make(int(s.held.Load()))
}

// reach returns the bytes that the tensors take, and those of what they lead to where the lock can be had:
// what is being changed just now leads to nothing that others do not lead to, too.
func (s *cells) reach(mu *sync.Mutex, seen map[any]bool) int {
	total := int(s.held.Load())
	if s.dtype != tensor.String && !s.dtype.Opaque() || !mu.TryLock() {
		return total
	}
	defer mu.Unlock()
	total += mem.Handles(s.block.H, seen) + mem.Texts(s.block.S, seen)
	for _, c := range s.c {
		if c.p != nil {
			total += mem.Handles(c.p.data.H, seen) + mem.Texts(c.p.data.S, seen)
		}
	}
	return total
}

// place returns block's place k for a tensor of that shape; want is how many
// tensors there will be. ok is false where it has none.
func (s *cells) place(k, want int, shape []int) (at Data, ok bool, err error) {
	if !s.known {
		s.known, s.shape, s.per = true, slices.Clone(shape), elements(shape)
	} else if !slices.Equal(s.shape, shape) {
		return Data{}, false, nil
	}
	if k >= s.room {
		room := max(s.per*s.dtype.Size(), 1)
		most := max(firstBytes/room, 2*s.room, 4)
		if k >= most {
			return Data{}, false, nil
		}
		n := min(max(want, 2*s.room, 4, k+1), most)
		if err := s.take(sizeOf(s.dtype, mem.Mul(n, s.per))); err != nil {
			return Data{}, false, err
		}
		b := makeData(s.dtype, n*s.per)
		b.copyFrom(s.block)
		s.give(sizeOf(s.dtype, s.room*s.per))
		s.block, s.room = b, n
	}
	return s.block.Window(s.dtype, k*s.per, s.per), true, nil
}

// put copies a tensor into cell k. A block's place is written again only with over.
func (s *cells) put(k, want int, shape []int, data Data, over bool) error {
	if err := s.extend(k + 1); err != nil {
		return err
	}
	c := &s.c[k]
	if !c.set() || c.in && over {
		at, ok, err := s.place(k, want, shape)
		if err != nil {
			return err
		}
		if ok {
			at.copyFrom(data)
			*c = cell{in: true}
			return nil
		}
	}
	if err := s.take(sizeOf(s.dtype, elements(shape))); err != nil {
		return err
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
