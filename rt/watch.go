package rt

import (
	"context"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// WatchFunc receives a copy of a tensor that the run computed. The parameter name is the tensor's
// name, such as dense/MatMul:0. If a WatchFunc returns an error, the run ends with this error.
type WatchFunc func(name string, t *tensor.Tensor) error

// Watch makes the run call f for each tensor that the program was compiled to watch. The calls are made
// after the last step of the run, in the order in which the tensors were computed. The partitions of
// one run may call f concurrently.
func Watch(f WatchFunc) RunOption { return func(o *runOptions) { o.watch = f } }

// Watches reports whether the run has a Watch option.
func (s *State[D, V, I, M, X]) Watches() bool { return s.opts != nil && s.opts.watch != nil }

// Watched passes a copy of a watched tensor to the run's WatchFunc. The parameter op is the op of
// the tensor's node.
func Watched[T tensor.Elem, D comparable, V, I, M, X any](s *State[D, V, I, M, X], name, op string, data []T, shape ...int) error {
	t := &tensor.Tensor{DType: tensor.DTypeOf[T](), Shape: slices.Clone(shape), Data: slices.Clone(data)}
	if data == nil {
		t.Data = []T{}
	}
	return atTensor(s.opts.watch(name, t), name, op)
}

// TellWatch passes a tensor to the WatchFunc of ctx, if any. It is for runs that do not use a State.
func TellWatch(ctx context.Context, name, op string, t *tensor.Tensor) error {
	if o := optionsOf(ctx); o != nil && o.watch != nil {
		return atTensor(o.watch(name, t), name, op)
	}
	return nil
}

// atTensor adds a node to an error: the node of the tensor with the given name.
func atTensor(err error, name, op string) error {
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[:i]
	}
	return tensor.AtNode(err, name, op)
}
