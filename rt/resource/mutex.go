package resource

import (
	"context"
	"runtime"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Mutex is a mutual exclusion of sections of runs. It is locked while held is full.
type Mutex struct {
	name string
	held chan struct{}
}

// NewMutex returns a mutex that nobody holds.
func NewMutex(name string) tensor.Handle {
	return tensor.Handle{V: &Mutex{name, make(chan struct{}, 1)}}
}

// MutexOf returns the mutex that h holds: NotFound where there is no handle, InvalidArgument where it holds another thing.
func MutexOf(h []tensor.Handle) (*Mutex, error) { return of[Mutex](h, "a mutex") }

// MutexLock is a mutex that is held. Whoever has it lets go of it by Release; a lock that
// nobody has any more, since the run that took it has failed, is let go of too.
type MutexLock struct {
	m    *Mutex
	once *sync.Once
}

// Lock waits for the mutex and takes it, or ends with the error of ctx.
func (m *Mutex) Lock(ctx context.Context) (*MutexLock, error) {
	select {
	case m.held <- struct{}{}:
	default:
		if !waitFor(ctx, m.held) {
			return nil, ctx.Err()
		}
	}
	l := &MutexLock{m, new(sync.Once)}
	runtime.AddCleanup(l, func(o *sync.Once) { o.Do(func() { <-m.held }) }, l.once)
	return l, nil
}

// waitFor takes the mutex; false where ctx ends before.
func waitFor(ctx context.Context, held chan struct{}) bool {
	if p, ok := ctx.(interface {
		Away()
		Back()
	}); ok {
		p.Away()
		defer p.Back()
	}
	select {
	case held <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// Release lets go of the mutex; false where that was done before.
func (l *MutexLock) Release() bool {
	done := false
	l.once.Do(func() {
		<-l.m.held
		done = true
	})
	return done
}

// EndRun lets go of the mutex at the end of the run that took it.
func (l *MutexLock) EndRun() { l.Release() }
