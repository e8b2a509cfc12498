package device

import (
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// cpuEvent is an event of a CPU. Because a CPU does all work immediately, the event has happened
// when Record returns.
type cpuEvent struct{ err atomic.Pointer[error] }

func (e *cpuEvent) set(err error) {
	if err == nil {
		e.err.Store(nil)
		return
	}
	failed := err
	e.err.Store(&failed)
}

func (e *cpuEvent) get() error {
	if p := e.err.Load(); p != nil {
		return *p
	}
	return nil
}

func (e *cpuEvent) Done() (bool, error) { return true, e.get() }
func (e *cpuEvent) Wait() error         { return e.get() }
func (e *cpuEvent) Then(f func(error))  { f(e.get()) }

func (e *cpuEvent) Close() error { return nil }

func (e *cpuEvent) Since(Event) (time.Duration, error) {
	return 0, tensor.Errorf(tensor.Unimplemented, "a CPU device does not measure time between events")
}
