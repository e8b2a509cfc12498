package rt

import (
	"context"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// WatchFunc is given a tensor that was made, which is its own to keep, by the name of
// the tensor: dense/MatMul:0. An error ends the run.
type WatchFunc func(name string, t *tensor.Tensor) error

// Watch has f see the tensors that the program was compiled to have watched, when the
// run's steps are done and in the order in which they were computed. Partitions of
// one run call f at the same time.
func Watch(f WatchFunc) RunOption { return func(o *runOptions) { o.watch = f } }

// Watches reports that somebody watches the run.
func (s *State[D, V, I, M, X]) Watches() bool { return s.opts != nil && s.opts.watch != nil }

// Watched shows a tensor that is watched, output of a node of that op.
func Watched[T tensor.Elem, D comparable, V, I, M, X any](s *State[D, V, I, M, X], name, op string, data []T, shape ...int) error {
	t := &tensor.Tensor{DType: tensor.DTypeOf[T](), Shape: slices.Clone(shape), Data: slices.Clone(data)}
	if data == nil {
		t.Data = []T{}
	}
	return atTensor(s.opts.watch(name, t), name, op)
}

// TellWatch shows a tensor to those that watch the runs of ctx: what runs do that no
// Pool lends a state to.
func TellWatch(ctx context.Context, name, op string, t *tensor.Tensor) error {
	if o := optionsOf(ctx); o != nil && o.watch != nil {
		return atTensor(o.watch(name, t), name, op)
	}
	return nil
}

// atTensor names the node of a tensor in an error.
func atTensor(err error, name, op string) error {
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[:i]
	}
	return tensor.AtNode(err, name, op)
}
