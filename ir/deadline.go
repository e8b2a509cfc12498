package ir

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// wallShare bounds the wall-clock time of compiling, as a multiple of the allowed processor time.
// Compiling must not hang forever, but it must not fail because other work keeps the machine busy.
const wallShare = 10

// poll is how often a Context checks its Deadline.
const poll = 50 * time.Millisecond

// Deadline is the time at which compiling must end: when this process has used Limit of processor
// time, when its context ends, or when a wall-clock time of wallShare times Limit has passed. The
// zero Deadline never comes. Loops over all nodes of a graph call Err now and then.
type Deadline struct {
	Limit time.Duration // the total processor time for compiling; 0 for the zero Deadline
	ctx   context.Context
	begun time.Time
	cpu   time.Duration // processor time that this process had used before Limit began to count
}

// In returns the deadline that comes when this process has used d of processor time, or when ctx
// ends; a nil ctx never ends.
func In(ctx context.Context, d time.Duration) Deadline {
	if ctx == nil {
		ctx = context.Background()
	}
	return Deadline{max(d, 1), ctx, time.Now(), CPUTime()}
}

// IsZero reports whether d never comes.
func (d Deadline) IsZero() bool { return d.Limit == 0 }

// Left returns the remaining processor time; it is 0 or less after the deadline.
func (d Deadline) Left() time.Duration { return d.Limit - (CPUTime() - d.cpu) }

// Spent returns the processor time that this process has used since the deadline was made.
func (d Deadline) Spent() time.Duration { return CPUTime() - d.cpu }

// After returns a copy of d that counts the given time as already used. Use After if the work began
// before d was made.
func (d Deadline) After(spent time.Duration) Deadline {
	d.begun, d.cpu = d.begun.Add(-spent), d.cpu-spent
	return d
}

// Err returns ResourceExhausted after the deadline, and the context's error after the context has
// ended.
func (d Deadline) Err() error {
	if d.IsZero() {
		return nil
	}
	if err := d.ctx.Err(); err != nil {
		return fmt.Errorf("compiling is interrupted: %w", err)
	}
	wall := time.Since(d.begun)
	if wall < d.Limit/time.Duration(runtime.GOMAXPROCS(0)) {
		return nil // in so short a time, all processors together cannot use up Limit
	}
	if wall/wallShare < d.Limit && d.Left() > 0 {
		return nil
	}
	return Exceeded(FlagTime, "compiling takes longer than %v", d.Limit)
}

// Within returns the earlier of two deadlines: d, and a new deadline. The new deadline allows this
// process to use the given processor time from now on.
func (d Deadline) Within(left time.Duration) Deadline {
	if d.IsZero() {
		return In(context.Background(), left)
	}
	if rest := d.Left(); left < rest {
		return In(d.ctx, left)
	}
	return d
}

// Context returns a context that ends when d comes. The caller must call cancel when it no longer
// needs the context.
func (d Deadline) Context() (ctx context.Context, cancel context.CancelFunc) {
	if d.IsZero() {
		return context.WithCancel(context.Background())
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	go func() {
		t := time.NewTicker(min(poll, max(d.Limit, time.Millisecond)))
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if d.Err() != nil {
					stop(context.DeadlineExceeded)
					return
				}
			}
		}
	}()
	return ctx, func() { stop(context.Canceled) }
}
