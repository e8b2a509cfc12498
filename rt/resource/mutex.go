package resource

import (
	"context"
	"runtime"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Mutex is the resource of TensorFlow's mutex ops. It is locked while its channel contains an element.
type Mutex struct {
	name string
	held chan struct{}
}

// NewMutex returns an unlocked mutex.
func NewMutex(name string) tensor.Handle {
	return tensor.Handle{V: &Mutex{name, make(chan struct{}, 1)}}
}

// MutexOf returns the mutex that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func MutexOf(h []tensor.Handle) (*Mutex, error) { return of[Mutex](h, "a mutex") }

// MutexLock represents one locking of a Mutex. Its holder unlocks the mutex with Release. The mutex is
// also unlocked after the MutexLock has become unreachable, as may happen if the run that locked the
// mutex has failed.
type MutexLock struct {
	m    *Mutex
	once *sync.Once
}

// Lock waits for the mutex and locks it. It returns the error of ctx if ctx ends first.
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

// waitFor locks a mutex by putting an element into its channel, and waits until this is possible. It
// returns false if ctx ends first. If ctx belongs to a part of a run, the part gives up its place
// among the computing parts while it waits.
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

// Release unlocks the mutex. It returns false if the mutex was released before.
func (l *MutexLock) Release() bool {
	done := false
	l.once.Do(func() {
		<-l.m.held
		done = true
	})
	return done
}

// EndRun unlocks the mutex at the end of the run that locked it.
func (l *MutexLock) EndRun() { l.Release() }
