package ir

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// wallShare is how many times longer than its processor time compiling may take on the
// clock: it is not to wait for ever, and a machine that is busy with other work is to
// refuse nothing.
const wallShare = 10

// poll is how often a Deadline is looked at while something is waited for.
const poll = 50 * time.Millisecond

// Deadline is when compiling is to end: when this process has used so much processor
// time, when its context ends, and in any case after wallShare times as long. The zero
// Deadline never comes. What goes over all nodes of a graph asks for Err now and then.
type Deadline struct {
	Limit time.Duration // the whole processor time that compiling had; 0 for the zero Deadline
	ctx   context.Context
	begun time.Time
	cpu   time.Duration // of this process when Limit began
}

// In is the deadline that comes when this process has computed for so long, or ctx ends;
// nil never does.
func In(ctx context.Context, d time.Duration) Deadline {
	if ctx == nil {
		ctx = context.Background()
	}
	return Deadline{max(d, 1), ctx, time.Now(), CPUTime()}
}

// IsZero reports whether d is the Deadline that never comes.
func (d Deadline) IsZero() bool { return d.Limit == 0 }

// Left returns the processor time that is left, 0 or less when it is up.
func (d Deadline) Left() time.Duration { return d.Limit - (CPUTime() - d.cpu) }

// Spent returns the processor time that was used since the deadline was made.
func (d Deadline) Spent() time.Duration { return CPUTime() - d.cpu }

// After is d for work that was begun before, and has used so much processor time already.
func (d Deadline) After(spent time.Duration) Deadline {
	d.begun, d.cpu = d.begun.Add(-spent), d.cpu-spent
	return d
}

// Err is ResourceExhausted when the time is up, and the context's error when it has ended.
func (d Deadline) Err() error {
	if d.IsZero() {
		return nil
	}
	if err := d.ctx.Err(); err != nil {
		return fmt.Errorf("compiling is interrupted: %w", err)
	}
	wall := time.Since(d.begun)
	if wall < d.Limit/time.Duration(runtime.GOMAXPROCS(0)) {
		return nil // no more has been computed
	}
	if wall/wallShare < d.Limit && d.Left() > 0 {
		return nil
	}
	return Exceeded(FlagTime, "compiling takes longer than %v", d.Limit)
}

// Within is the deadline that comes no later than d and when the processor time left has
// been used.
func (d Deadline) Within(left time.Duration) Deadline {
	if d.IsZero() {
		return In(context.Background(), left)
	}
	if rest := d.Left(); left < rest {
		return In(d.ctx, left)
	}
	return d
}

// Context returns a context that ends when d comes. cancel is to be called when it is
// needed no longer.
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
