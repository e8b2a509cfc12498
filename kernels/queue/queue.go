package queue

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Enqueue waits for room in the queue q and appends a tuple, whose components are the boxes in
// parts. It returns Cancelled if the queue is closed, and InvalidArgument if the tuple does not
// match the queue.
func Enqueue(ctx context.Context, q, parts []tensor.Handle) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	t, err := resource.Tuple(parts)
	if err != nil {
		return err
	}
	return r.Enqueue(ctx, t)
}

// EnqueueMany is Enqueue for several tuples. Each element of parts holds the rows of one component,
// a row for each tuple.
func EnqueueMany(ctx context.Context, q, parts []tensor.Handle) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	ts, err := resource.Tuples(parts)
	if err != nil {
		return err
	}
	return r.EnqueueMany(ctx, ts)
}

// Dequeue waits for a tuple and stores its boxes in parts. It returns OutOfRange if the
// queue is closed and empty.
func Dequeue(ctx context.Context, parts, q []tensor.Handle) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	t, err := r.Dequeue(ctx)
	if err != nil {
		return err
	}
	return resource.Untuple(parts, t)
}

// DequeueMany waits for n tuples and stores them in parts. Each element of parts gets the rows of
// one component, a row for each tuple. If the queue is closed and has fewer than n tuples,
// DequeueMany returns OutOfRange. With upTo, it takes the tuples that remain, if there are any.
func DequeueMany(ctx context.Context, parts, q []tensor.Handle, n int, upTo bool) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	return r.DequeueMany(ctx, parts, n, upTo)
}

// Close closes the queue. With cancel, Enqueue calls that are waiting return Cancelled. Without
// cancel, Close waits until they are done. If the queue is already closed, Close without cancel
// returns Cancelled.
func Close(ctx context.Context, q []tensor.Handle, cancel bool) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	return r.Close(ctx, cancel)
}

// Size stores in dst[0] the number of elements in the queue.
func Size(dst []int32, q []tensor.Handle) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	dst[0] = int32(r.Size())
	return nil
}

// IsClosed stores in dst[0] whether the queue is closed.
func IsClosed(dst []bool, q []tensor.Handle) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	dst[0] = r.Closed()
	return nil
}
