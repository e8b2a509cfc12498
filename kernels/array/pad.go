package array

import "github.com/graphc/graphc/rt/tensor"

// span is an axis of a padded tensor: n elements of the source between two margins.
type span struct{ n, before, after int }

// PadParams is the padding of a tensor of type T.
type PadParams[T any] struct {
	Value []T // the padding value, of shape [1]; nil means zero
}

func pad[T any](dst, src []T, dims, before, after []int, p PadParams[T]) {
	if len(dst) == 0 {
		return
	}
	var ax [MaxRank]span
	n, inner := 0, 1
	for k := len(dims) - 1; k >= 0; k-- {
		if n == 0 && before[k] == 0 && after[k] == 0 {
			inner *= dims[k]
			continue
		}
		ax[n] = span{dims[k], before[k], after[k]}
		n++
	}
	if n == 0 {
		copy(dst, src)
		return
	}
	var v T
	if len(p.Value) > 0 {
		v = p.Value[0]
	}
	padAxes(dst, src, v, ax[:n], inner)
}

// padAxes writes a padded slice of the tensor to the beginning of dst, and returns the parts of dst and
// src that it has not used. ax lists the slice's axes, the innermost first. The parameter inner is the
// number of contiguous elements at each position of these axes.
func padAxes[T any](dst, src []T, v T, ax []span, inner int) ([]T, []T) {
	a := ax[len(ax)-1]
	size := inner
	for _, b := range ax[:len(ax)-1] {
		size *= b.before + b.n + b.after
	}
	dst = set(dst, v, a.before*size)
	if len(ax) == 1 {
		copy(dst[:a.n*inner], src[:a.n*inner])
		dst, src = dst[a.n*inner:], src[a.n*inner:]
	} else {
		for range a.n {
			dst, src = padAxes(dst, src, v, ax[:len(ax)-1], inner)
		}
	}
	return set(dst, v, a.after*size), src
}

// set fills the first n elements and returns the rest.
func set[T any](dst []T, v T, n int) []T {
	head := dst[:n]
	for i := range head {
		head[i] = v
	}
	return dst[n:]
}

func fill[T any](dst, value []T) {
	if len(dst) > 0 {
		set(dst, value[0], len(dst))
	}
}

func broadcast[T any](dst, src []T, out, in []int) error {
	var dims, ds, ss [MaxRank]int
	n, stride, step := len(out), 1, 1
	for k := n - 1; k >= 0; k-- {
		dims[k], ds[k], ss[k] = out[k], step, stride
		if in[k] == 1 {
			ss[k] = 0
		} else if in[k] != out[k] {
			return tensor.Errorf(tensor.InvalidArgument, "a dimension of %d does not broadcast to %d", in[k], out[k])
		}
		step *= out[k]
		stride *= in[k]
	}
	move(dst, src, dims[:n], ds[:n], 0, ss[:n], 0)
	return nil
}
