package resource

import (
	"context"
	"sync"
)

// monitor is a lock whose holder can wait for a condition.
type monitor struct {
	mu      sync.Mutex
	changed chan struct{} // closed by the next change; nil if no call waits
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

// change wakes waiting calls. The caller holds the lock.
func (m *monitor) change() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// sharer is the context of a run whose parts take turns. A part that waits for something other than
// another part gives up its place for that time.
type sharer interface {
	Away()
	Back()
}

// wait waits until done is closed or ctx ends, and reports whether ctx ended. The caller must not
// hold a lock: another part may need it before this one gets its place back.
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
