package queue

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// BarrierInsert stores component i of several tuples, one for each key in keys. values[0] holds a
// resource.Rows, whose row k is the component for keys[k].
func BarrierInsert(ctx context.Context, b []tensor.Handle, keys []string, values []tensor.Handle, i int) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	rows, ok := values[0].V.(*resource.Rows)
	if !ok {
		return tensor.Errorf(tensor.Internal, "the values are a %T, not rows of a tensor", values[0].V)
	}
	return r.Insert(ctx, keys, rows.Boxes, i)
}

// BarrierTake waits for n complete tuples and takes them. It stores their index numbers, which give
// their order, in parts[0], their keys in parts[1], and each component in a further part. If the
// barrier is closed and has fewer than n tuples, the call returns OutOfRange. With upTo, it takes
// the tuples that remain, if there are any.
func BarrierTake(ctx context.Context, parts, b []tensor.Handle, n int, upTo bool) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	return r.Take(ctx, parts, n, upTo)
}

// BarrierClose makes the barrier reject new keys. With cancel, the barrier also rejects the missing
// components of incomplete tuples.
func BarrierClose(ctx context.Context, b []tensor.Handle, cancel bool) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	return r.Close(ctx, cancel)
}

// BarrierReady stores in dst[0] the number of tuples that are complete.
func BarrierReady(dst []int32, b []tensor.Handle) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	n, _ := r.Sizes()
	dst[0] = int32(n)
	return nil
}

// BarrierIncomplete stores in dst[0] the number of tuples that lack components.
func BarrierIncomplete(dst []int32, b []tensor.Handle) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	_, n := r.Sizes()
	dst[0] = int32(n)
	return nil
}
