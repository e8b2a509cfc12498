package container

import (
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// NewStack makes an empty stack of at most so many tensors, any number for a negative one.
func NewStack(dst []tensor.Handle, most []int32, name string, d tensor.DType) error {
	size := -1
	if len(most) > 0 {
		size = int(most[0])
	}
	dst[0].V = resource.NewStack(name, d, size)
	return nil
}

// StackPushRaw copies a tensor of that shape onto a stack; see resource.Stack.Push.
func StackPushRaw(stack []tensor.Handle, elem []byte, shape []int, d tensor.DType) error {
	return stackPush(stack, resource.Data{B: elem}, shape, d)
}

// StackPushStr is StackPushRaw for strings.
func StackPushStr(stack []tensor.Handle, elem []string, shape []int, d tensor.DType) error {
	return stackPush(stack, resource.Data{S: elem}, shape, d)
}

// StackPushHnd is StackPushRaw for handles.
func StackPushHnd(stack []tensor.Handle, elem []tensor.Handle, shape []int, d tensor.DType) error {
	return stackPush(stack, resource.Data{H: elem}, shape, d)
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

// StackPopRaw takes the tensor that was pushed last, which must have that shape.
func StackPopRaw(dst []byte, stack []tensor.Handle, shape []int, d tensor.DType) error {
	return stackPop(resource.Data{B: dst}, stack, shape, d)
}

// StackPopStr is StackPopRaw for strings.
func StackPopStr(dst []string, stack []tensor.Handle, shape []int, d tensor.DType) error {
	return stackPop(resource.Data{S: dst}, stack, shape, d)
}

// StackPopHnd is StackPopRaw for handles.
func StackPopHnd(dst []tensor.Handle, stack []tensor.Handle, shape []int, d tensor.DType) error {
	return stackPop(resource.Data{H: dst}, stack, shape, d)
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
