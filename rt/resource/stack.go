package resource

import (
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Stack is the resource of the ops StackPushV2 and StackPopV2: tensors of one element type, last
// in, first out. It is safe for concurrent use.
type Stack struct {
	mu sync.Mutex
	cells
	name   string
	most   int // the most tensors, -1 for no limit
	n      int
	closed bool
}

// NewStack returns an empty stack. The parameter most is the largest number of tensors that the stack
// may hold; a negative number means no limit.
func NewStack(name string, d tensor.DType, most int) *Stack {
	return &Stack{cells: cells{dtype: d}, name: name, most: most}
}

// StackOf returns the stack that h holds. The error is NotFound for an empty handle. It is
// InvalidArgument for another kind of resource or, if d is valid, for another element type.
func StackOf(h []tensor.Handle, d tensor.DType) (*Stack, error) {
	s, err := of[Stack](h, "a stack")
	if err != nil {
		return nil, err
	}
	if d != tensor.Invalid && s.dtype != d {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the stack %q holds %v, not %v", s.name, s.dtype, d)
	}
	return s, nil
}

func (s *Stack) open() error {
	if s.closed {
		return tensor.Errorf(tensor.InvalidArgument, "Stack[%s] has already been closed.", s.name)
	}
	return nil
}

// Push copies a tensor onto the stack. The error is InvalidArgument if the stack is full or
// closed.
func (s *Stack) Push(shape []int, data Data) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return err
	}
	if s.most >= 0 && s.n >= s.most {
		return tensor.Errorf(tensor.InvalidArgument, "Stack[%s] overflowed its max_size (%d)", s.name, s.most)
	}
	if err := s.put(s.n, s.n+1, shape, data, true); err != nil {
		return err
	}
	s.n++
	return nil
}

// top returns the shape of the topmost tensor. The caller holds the lock.
func (s *Stack) top() ([]int, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	if s.n == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Stack[%s] is empty when calling Pop().", s.name)
	}
	return s.shapeOf(s.c[s.n-1]), nil
}

// Top returns the shape of the tensor that Pop would remove.
func (s *Stack) Top() ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.top()
}

// Pop removes the topmost tensor, which must have the given shape, and copies it to dst. The error
// is InvalidArgument if the shape differs or the stack is empty or closed.
func (s *Stack) Pop(shape []int, dst Data) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.top()
	if err != nil {
		return err
	}
	if !slices.Equal(have, shape) {
		return tensor.Errorf(tensor.InvalidArgument, "the tensor on Stack[%s] has the shape %v, not %v", s.name, tensor.Shape(slices.Clone(have)), tensor.Shape(slices.Clone(shape)))
	}
	s.n--
	dst.copyFrom(s.dataOf(s.c[s.n], s.n))
	s.drop(s.n)
	return nil
}

// Drop removes the topmost tensor. The error is InvalidArgument if the stack is empty or closed.
func (s *Stack) Drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.top(); err != nil {
		return err
	}
	s.n--
	s.drop(s.n)
	return nil
}

// Close drops the tensors. Later calls return InvalidArgument.
func (s *Stack) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reset()
	s.closed, s.n = true, 0
}

// Charge counts the tensors toward the budget of a run from now on.
func (s *Stack) Charge(run *mem.Budget) error { return s.charge(run) }

// Held implements mem.Holder.
func (s *Stack) Held(seen map[any]bool) int { return s.reach(&s.mu, seen) }

// Destroy is Close.
func (s *Stack) Destroy() { s.Close() }
