package rendezvous

import (
	"context"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Value is what is handed over: a tensor, or a dead one, which an untaken branch
// makes.
type Value struct {
	Tensor *tensor.Tensor // nil where it is dead, or a control edge's
	Dead   bool
}

// Local is the rendezvous of one step in one process. Any number of goroutines
// may use it.
type Local struct {
	mu     sync.Mutex
	queues map[Key]*queue
	err    error
}

// queue holds what was sent and not yet received, or who waits: one of the two
// is empty.
type queue struct {
	values []Value
	waits  []*waiter
}

// waiter is a receive under way.
type waiter struct {
	done func(Value, error)
	stop func() bool // ends the watch over the context, nil for none
}

// New makes the rendezvous of a step.
func New() *Local { return &Local{queues: map[Key]*queue{}} }

// Send hands a value over to the receive that has waited longest, or keeps it. It
// never waits. After an abort it returns the error of that.
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

// Recv waits for the next value of the key. It returns ctx's error when that ends
// first, with nothing taken from the queue, and the error of an abort.
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

// RecvAsync is Recv that does not wait: done is called once, by this goroutine, the
// sender's or that of who cancels or aborts. It must not wait.
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

// cancel ends a receive, unless it is over.
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

// Abort ends all receives that wait, and all later calls, with err. The first
// abort counts. What was sent and not received is dropped.
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

// at returns the queue of a key.
func (l *Local) at(k Key) *queue {
	q := l.queues[k]
	if q == nil {
		q = &queue{}
		l.queues[k] = q
	}
	return q
}
