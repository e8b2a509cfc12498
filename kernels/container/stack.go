package container

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// StackParams are the parameters of a new stack.
type StackParams struct {
	// Most, of shape [1], holds the largest number of tensors. nil or a negative number means no
	// limit.
	Most []int32
}

// NewStack creates an empty stack.
func NewStack(run *mem.Budget, dst []tensor.Handle, name string, d tensor.DType, p StackParams) error {
	size := -1
	if len(p.Most) > 0 {
		size = int(p.Most[0])
	}
	s := resource.NewStack(name, d, size)
	dst[0].V = s
	return s.Charge(run)
}

func stackPush(stack []tensor.Handle, elem resource.Data, shape []int, d tensor.DType) error {
	s, err := resource.StackOf(stack, d)
	if err != nil {
		return err
	}
	return s.Push(shape, elem)
}

// StackDim returns dimension k of the last pushed tensor.
func StackDim(stack []tensor.Handle, d tensor.DType, k int) (int, error) {
	s, err := resource.StackOf(stack, d)
	if err != nil {
		return 0, err
	}
	shape, err := s.Top()
	return dim(shape, k, err)
}

func stackPop(dst resource.Data, stack []tensor.Handle, shape []int, d tensor.DType) error {
	s, err := resource.StackOf(stack, d)
	if err != nil {
		return err
	}
	return s.Pop(shape, dst)
}

// StackDrop removes the last pushed tensor.
func StackDrop(stack []tensor.Handle, d tensor.DType) error {
	s, err := resource.StackOf(stack, d)
	if err != nil {
		return err
	}
	return s.Drop()
}

// StackClose closes a stack.
func StackClose(stack []tensor.Handle) error {
	s, err := resource.StackOf(stack, tensor.Invalid)
	if err == nil {
		s.Close()
	}
	return err
}
