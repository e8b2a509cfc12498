package rendezvous

import (
	"context"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Value is what a send transfers: a tensor, or a dead value from the branch that was not taken.
type Value struct {
	Tensor *tensor.Tensor // nil if dead, or for a control edge
	Dead   bool
}

// Local is the rendezvous of one step in one process. It is safe for concurrent use.
type Local struct {
	mu     sync.Mutex
	queues map[Key]*queue
	err    error
}

// queue holds either values that were sent and not yet received, or receives that wait for values. At
// least one of the two slices is empty.
type queue struct {
	values []Value
	waits  []*waiter
}

// waiter is a waiting receive.
type waiter struct {
	done func(Value, error)
	// a function that stops watching the context; may be nil
	stop func() bool
}

// New returns the rendezvous of a step.
func New() *Local { return &Local{queues: map[Key]*queue{}} }

// Send passes a value to the receive that has waited longest, or queues it. It never waits. After
// an abort it returns the abort's error.
func (l *Local) Send(k Key, v Value) error {
	l.mu.Lock()
	if l.err != nil {
		defer l.mu.Unlock()
		return l.err
	}
	q := l.at(k)
	if len(q.waits) == 0 {
		q.values = append(q.values, v)
		l.mu.Unlock()
		return nil
	}
	w := q.waits[0]
	q.waits[0] = nil
	if q.waits = q.waits[1:]; len(q.waits) == 0 {
		delete(l.queues, k)
	}
	l.mu.Unlock()
	w.finish(v, nil)
	return nil
}

// Recv waits for the next value of the key. If ctx ends first, it returns ctx's error and takes
// nothing from the queue. After an abort it returns the abort's error.
func (l *Local) Recv(ctx context.Context, k Key) (Value, error) {
	type result struct {
		v   Value
		err error
	}
	c := make(chan result, 1)
	l.RecvAsync(ctx, k, func(v Value, err error) { c <- result{v, err} })
	r := <-c
	return r.v, r.err
}

// RecvAsync receives the next value of the key, like Recv, but does not wait. Instead it arranges
// that the function done is called once with the result: by RecvAsync itself, or later by the Send or
// Abort that ends the receive, or by a new goroutine when ctx ends. The function done must not block.
func (l *Local) RecvAsync(ctx context.Context, k Key, done func(Value, error)) {
	if err := ctx.Err(); err != nil {
		done(Value{}, err)
		return
	}
	l.mu.Lock()
	if err := l.err; err != nil {
		l.mu.Unlock()
		done(Value{}, err)
		return
	}
	q := l.at(k)
	if len(q.values) > 0 {
		v := q.values[0]
		q.values[0] = Value{}
		if q.values = q.values[1:]; len(q.values) == 0 {
			delete(l.queues, k)
		}
		l.mu.Unlock()
		done(v, nil)
		return
	}
	w := &waiter{done: done}
	if ctx.Done() != nil {
		w.stop = context.AfterFunc(ctx, func() { l.cancel(k, w, ctx.Err()) })
	}
	q.waits = append(q.waits, w)
	l.mu.Unlock()
}

// cancel ends a waiting receive, unless it has ended already.
func (l *Local) cancel(k Key, w *waiter, err error) {
	l.mu.Lock()
	found := false
	if q := l.queues[k]; q != nil {
		for i, o := range q.waits {
			if o == w {
				q.waits = append(q.waits[:i:i], q.waits[i+1:]...)
				found = true
				break
			}
		}
		if len(q.waits) == 0 && len(q.values) == 0 {
			delete(l.queues, k)
		}
	}
	l.mu.Unlock()
	if found {
		w.done(Value{}, err)
	}
}

// Abort ends all waiting receives, and all later calls, with err. Only the first abort counts.
// Queued values are dropped.
func (l *Local) Abort(err error) {
	if err == nil {
		err = tensor.Errorf(tensor.Internal, "a step is aborted without an error")
	}
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.err = err
	queues := l.queues
	l.queues = nil
	l.mu.Unlock()
	for _, q := range queues {
		for _, w := range q.waits {
			w.finish(Value{}, err)
		}
	}
}

func (w *waiter) finish(v Value, err error) {
	if w.stop != nil {
		w.stop()
	}
	w.done(v, err)
}

// The method at returns the queue of a key, and creates it if needed.
func (l *Local) at(k Key) *queue {
	q := l.queues[k]
	if q == nil {
		q = &queue{}
		l.queues[k] = q
	}
	return q
}
