package queue

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Enqueue waits for room in the queue q and appends the tuple of the boxes parts. It returns
// Cancelled if the queue is closed, and InvalidArgument if the tuple does not match the queue.
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

// EnqueueMany is Enqueue for several tuples. parts are rows, one for each tuple.
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

// DequeueMany waits for n tuples and stores their components in parts, as rows. With upTo
// a closed queue returns all it has. It returns OutOfRange if the queue is closed and has
// too few.
func DequeueMany(ctx context.Context, parts, q []tensor.Handle, n int, upTo bool) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	return r.DequeueMany(ctx, parts, n, upTo)
}

// Close closes the queue. With cancel, waiting Enqueue calls end with Cancelled; without it, Close
// waits for them. If the queue is already closed, Close without cancel returns Cancelled.
func Close(ctx context.Context, q []tensor.Handle, cancel bool) error {
	r, err := resource.QueueOf(q)
	if err != nil {
		return err
	}
	return r.Close(ctx, cancel)
}

// Size stores the number of elements in the queue in dst[0].
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
