package resource

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// cells stores tensors of one element type by index. Tensors with the shape of the first stored
// tensor are in one block of memory, in the order of their indices, so that one operation can copy
// several of them. A tensor of another shape is in a separate piece of memory.
type cells struct {
	run   mem.Account // the run's budget toward which the memory counts; see charge
	held  atomic.Int64
	dtype tensor.DType
	shape []int // the shape of the tensors in the block, valid if known is set
	known bool
	per   int // the number of elements of each tensor in the block
	block Data
	room  int // capacity of the block in tensors
	c     []cell
}

// cell says where a tensor is: in the block, or in a separate piece. A cell may also be empty.
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
	maxCells = 1 << 26 // the most cells of a container
	// a block may grow to this size in bytes, to 4 tensors, or to twice its capacity, whichever is
	// the most
	firstBytes = 1 << 24
)

// The method at returns cell k, or an empty cell if k is beyond the end.
func (s *cells) at(k int) cell {
	if k < len(s.c) {
		return s.c[k]
	}
	return cell{}
}

func tooMany(n int) error {
	return tensor.Errorf(tensor.ResourceExhausted, "a container of %d tensors is larger than %d", n, maxCells)
}

// extend adds empty cells until there are at least n. The error is ResourceExhausted if n exceeds
// maxCells or the cells exceed the memory limit of the run.
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

// take counts n bytes, which the caller is about to allocate, toward the run's budget. The error is
// ResourceExhausted if they exceed the budget.
func (s *cells) take(n int) error {
	err := s.run.Make(n)
	if err == nil {
		s.held.Add(int64(n))
	}
	return err
}

// give subtracts n bytes, which a call of take has counted, from the run's use.
func (s *cells) give(n int) {
	s.held.Add(-int64(n))
	s.run.Drop(n)
}

// sizeOf returns the size of n elements in bytes.
func sizeOf(d tensor.DType, n int) int { return mem.Mul(n, d.Size()) }

// drop empties cell k.
func (s *cells) drop(k int) {
	if p := s.c[k].p; p != nil {
		s.give(sizeOf(s.dtype, elements(p.shape)))
	}
	s.c[k] = cell{}
}

// reset empties all cells and frees the memory.
func (s *cells) reset() {
	s.give(int(s.held.Load()))
	s.shape, s.known, s.per, s.block, s.room, s.c = nil, false, 0, Data{}, 0, nil
}

// charge makes the tensors count toward the budget of the given run from now on.
func (s *cells) charge(run *mem.Budget) error {
	s.run = run.Account()
	return s.run.Make(int(s.held.Load()))
}

// reach returns the size of the tensors in bytes. If the lock mu is free, the size includes the
// strings in the tensors and the objects of their handles. If another goroutine holds the lock, the
// strings and objects are left out. The strings and objects that the holder of the lock works with
// are also referenced elsewhere, and therefore counted there.
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

// place returns the memory at index k of the block, for a tensor of the given shape. The parameter
// want is the expected number of tensors. The result ok is false if the tensor does not fit into
// the block.
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

// put copies a tensor into cell k. If the block already contains a tensor at index k, put overwrites
// that tensor only if the parameter over is true. If over is false, put stores the new tensor in a
// separate piece of memory instead. The parameter want is the expected number of tensors.
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

// shapeOf returns the shape of the tensor in c, which must not be empty.
func (s *cells) shapeOf(c cell) []int {
	if c.p != nil {
		return c.p.shape
	}
	return s.shape
}

// dataOf returns the elements of cell c, whose index is k.
func (s *cells) dataOf(c cell, k int) Data {
	if c.p != nil {
		return c.p.data
	}
	return s.block.Window(s.dtype, k*s.per, s.per)
}
