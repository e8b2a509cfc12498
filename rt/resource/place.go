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
		select {
		case <-c:
			m.mu.Lock()
		case <-ctx.Done():
			m.mu.Lock()
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
