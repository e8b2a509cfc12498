package queue

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// BarrierInsert stores component i of the tuples with the given keys. values are rows.
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

// BarrierTake waits for n tuples and stores rows in parts: their numbers, by which they
// are ordered, their keys, and each component. With upTo a closed barrier returns all it
// has. It returns OutOfRange if the barrier is closed and has too few.
func BarrierTake(ctx context.Context, parts, b []tensor.Handle, n int, upTo bool) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	return r.Take(ctx, parts, n, upTo)
}

// BarrierClose makes the barrier reject new keys, and with cancel the missing components
// of incomplete tuples too.
func BarrierClose(ctx context.Context, b []tensor.Handle, cancel bool) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	return r.Close(ctx, cancel)
}

// BarrierReady stores the number of tuples that are ready in dst[0].
func BarrierReady(dst []int32, b []tensor.Handle) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	n, _ := r.Sizes()
	dst[0] = int32(n)
	return nil
}

// BarrierIncomplete stores the number of tuples that lack components in dst[0].
func BarrierIncomplete(dst []int32, b []tensor.Handle) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	_, n := r.Sizes()
	dst[0] = int32(n)
	return nil
}
