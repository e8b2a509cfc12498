package queue

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// BarrierInsert gives component i of the tuples with these keys: values is rows.
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

// BarrierTake waits for n tuples and stores rows in parts: of numbers, in the order
// of which they come, of keys, and of each component. With upTo a closed barrier
// gives what it has. OutOfRange: it is closed and has too few.
func BarrierTake(ctx context.Context, parts, b []tensor.Handle, n int, upTo bool) error {
	r, err := resource.BarrierOf(b)
	if err != nil {
		return err
	}
	return r.Take(ctx, parts, n, upTo)
}

// BarrierClose refuses new keys, with cancel also the rest of those that are begun.
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
