package resource

import (
	"context"
	"runtime"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Mutex is a lock for sections of runs. It is locked while held is full.
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

// MutexLock represents a locked Mutex. Its holder releases it with Release. It is also released
// after it has become unreachable, which happens if the run that locked the mutex has failed.
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

// waitFor locks the mutex. It returns false if ctx ends first.
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
