// Package mutex holds the kernels of mutexes.
package mutex

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Lock waits for the mutex m, locks it and stores the lock in dst. It stops waiting when ctx
// ends.
func Lock(ctx context.Context, dst, m []tensor.Handle) error {
	r, err := resource.MutexOf(m)
	if err != nil {
		return err
	}
	l, err := r.Lock(ctx)
	if err == nil {
		dst[0].V = l
	}
	return err
}

// Pass waits until the mutex m is free. It locks m and immediately releases it.
func Pass(ctx context.Context, m []tensor.Handle) error {
	var h [1]tensor.Handle
	if err := Lock(ctx, h[:], m); err != nil {
		return err
	}
	return Consume(h[:])
}

// Consume releases a lock. It returns InvalidArgument if the argument holds no lock, or one that
// was released before.
func Consume(lock []tensor.Handle) error {
	if len(lock) == 1 {
		if l, ok := lock[0].V.(*resource.MutexLock); ok {
			if !l.Release() {
				return tensor.Errorf(tensor.InvalidArgument, "the lock has been consumed before")
			}
			return nil
		}
	}
	return tensor.Errorf(tensor.InvalidArgument, "Expected input to contain a SharedLockReleaser object")
}
