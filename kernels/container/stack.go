package container

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// StackParams holds what a stack is made with.
type StackParams struct {
	// Most ([1]) is how many tensors a stack has at most; nil, or a negative number, where it may be any number.
	Most []int32
}

// NewStack makes an empty stack.
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

// StackDim returns dimension k of the tensor that was pushed last.
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

// StackDrop takes the tensor that was pushed last.
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
