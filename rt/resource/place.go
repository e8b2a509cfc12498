package resource

import (
	"context"
	"sync"
)

// monitor is a lock whose holder can wait for a state that another one brings about.
type monitor struct {
	mu      sync.Mutex
	changed chan struct{} // closed by the next change; nil while nobody waits
}

// await waits, with the lock held before and after, until ok or the end of ctx.
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

// change wakes those who wait; the lock is held.
func (m *monitor) change() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// sharer is the context of a run whose parts take turns: a part that waits for
// something else than them gives its place away meanwhile.
type sharer interface {
	Away()
	Back()
}

// wait waits until done is closed or ctx ends, and reports whether it was ctx. No
// lock may be held: another part may need it to give its place back.
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
