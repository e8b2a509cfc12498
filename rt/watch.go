package rt

import (
	"context"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// WatchFunc receives a copy of a tensor that the run computed. The parameter name is the tensor's
// name: dense/MatMul:0. An error ends the run.
type WatchFunc func(name string, t *tensor.Tensor) error

// Watch calls f with the tensors that the program was compiled to watch. The calls follow the
// run's steps, in the order in which the tensors were computed. Partitions of one run call f
// concurrently.
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

// TellWatch passes a tensor to the WatchFunc of ctx, for runs that do not use a Pool's state.
func TellWatch(ctx context.Context, name, op string, t *tensor.Tensor) error {
	if o := optionsOf(ctx); o != nil && o.watch != nil {
		return atTensor(o.watch(name, t), name, op)
	}
	return nil
}

// atTensor adds the tensor's node to an error.
func atTensor(err error, name, op string) error {
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[:i]
	}
	return tensor.AtNode(err, name, op)
}
