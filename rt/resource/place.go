package resource

import (
	"context"
	"sync"
)

// monitor is a lock whose holder can wait for a condition.
type monitor struct {
	mu sync.Mutex
	// a channel that the next call of change closes; nil if no goroutine waits
	changed chan struct{}
}

// await waits until ok returns true or ctx ends. The caller holds the lock before and after.
func (m *monitor) await(ctx context.Context, ok func() bool) error {
	for !ok() {
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		c := m.changed
		m.mu.Unlock()
		ended := wait(ctx, c)
		m.mu.Lock()
		if ended {
			return ctx.Err()
		}
	}
	return nil
}

// change makes all goroutines that wait in await check their conditions again. The caller holds the
// lock.
func (m *monitor) change() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// sharer is implemented by the context of a run whose parts run concurrently. The number of parts
// that compute at the same time may be limited. A part calls Away before it waits for a resource, so
// that it does not count as computing, and calls Back afterwards.
type sharer interface {
	Away()
	Back()
}

// wait waits until done is closed or ctx ends, and reports whether ctx ended. The caller must not
// hold a lock: Back may have to wait for another part of the run, and that part may need the lock.
func wait(ctx context.Context, done <-chan struct{}) (ended bool) {
	if s, ok := ctx.(sharer); ok {
		s.Away()
		defer s.Back()
	}
	select {
	case <-done:
		return false
	case <-ctx.Done():
		return true
	}
}
