package rt

import (
	"context"
	"math"
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
func (s *State[D, V, I, M]) Watches() bool { return s.opts != nil && s.opts.watch != nil }

// Watched shows a tensor that is watched, output of a node of that op.
func Watched[T tensor.Elem, D comparable, V, I, M any](s *State[D, V, I, M], name, op string, data []T, shape ...int) error {
	t := &tensor.Tensor{DType: tensor.DTypeOf[T](), Shape: slices.Clone(shape), Data: slices.Clone(data)}
	if data == nil {
		t.Data = []T{}
	}
	return atTensor(s.opts.watch(name, t), name, op)
}

// TellWatch shows a tensor to those that watch the runs of ctx, or, with check, looks
// for NaN and Inf in it: what runs do that no Pool lends a state to.
func TellWatch(ctx context.Context, name, op string, check bool, t *tensor.Tensor) error {
	if !check {
		if o := optionsOf(ctx); o != nil && o.watch != nil {
			return atTensor(o.watch(name, t), name, op)
		}
		return nil
	}
	switch v := t.Data.(type) {
	case []float32:
		return CheckNumerics(name, op, v)
	case []float64:
		return CheckNumerics(name, op, v)
	case []tensor.F16:
		return CheckNumerics(name, op, v)
	case []tensor.BF16:
		return CheckNumerics(name, op, v)
	case []complex64:
		return CheckNumerics(name, op, v)
	case []complex128:
		return CheckNumerics(name, op, v)
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

// CheckNumerics is InvalidArgument where data, the output of that name of a node of
// that op, has a NaN or an Inf. Elements that are no floating-point numbers have none.
func CheckNumerics[T tensor.Elem](name, op string, data []T) error {
	nan, inf := false, false
	see := func(x float64) {
		nan = nan || math.IsNaN(x)
		inf = inf || math.IsInf(x, 0)
	}
	switch v := any(data).(type) {
	case []float32:
		for _, x := range v {
			see(float64(x))
		}
	case []float64:
		for _, x := range v {
			see(x)
		}
	case []tensor.F16:
		for _, x := range v {
			see(float64(x.Float32()))
		}
	case []tensor.BF16:
		for _, x := range v {
			see(float64(x.Float32()))
		}
	case []complex64:
		for _, x := range v {
			see(float64(real(x)))
			see(float64(imag(x)))
		}
	case []complex128:
		for _, x := range v {
			see(real(x))
			see(imag(x))
		}
	}
	what := ""
	switch {
	case nan && inf:
		what = "Inf and NaN"
	case nan:
		what = "NaN"
	case inf:
		what = "Inf"
	default:
		return nil
	}
	return atTensor(tensor.Errorf(tensor.InvalidArgument, "Tensor had %s values: %s", what, name), name, op)
}
