package resource

import (
	"context"
	"math"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// QueueKind is the order in which a queue returns its elements.
type QueueKind int

// The kinds.
const (
	FIFO     QueueKind = iota // in the order of insertion
	Padding                   // in the order of insertion; DequeueMany pads the tensors to a common shape
	Shuffle                   // in random order
	Priority                  // in ascending order of component 0, an int64
)

var queueNames = [...]string{FIFO: "FIFOQueue", Padding: "PaddingFIFOQueue", Shuffle: "RandomShuffleQueue", Priority: "PriorityQueue"}

// String returns TensorFlow's name of the kind.
func (k QueueKind) String() string { return queueNames[k] }

// QueueParams describes a queue.
type QueueParams struct {
	Name     string // for errors
	Kind     QueueKind
	Capacity int // the most elements; a negative number means no limit
	MinAfter int // for a Shuffle queue: how many elements stay in the queue while it is open
	// for a Shuffle queue: the seeds of the random order; if both are 0, each queue gets random seeds
	Seed, Seed2 int64
}

// Queue is a queue of tuples of tensors. Waiting enqueues are served in the order of their calls,
// and so are waiting dequeues. If an operation cannot complete at once, it is stored as an attempt and
// its caller waits. Other operations on the queue then continue the attempt, so the queue needs no
// goroutine.
type Queue struct {
	QueueParams
	spec

	mu       sync.Mutex
	closed   bool
	elems    store
	enqueues []*attempt
	dequeues []*attempt
}

// NewQueue returns a queue of tuples with the given component types; see newSpec for types, ranks and
// dims. The error is InvalidArgument for parameters that are not valid for the kind p.Kind.
func NewQueue(p QueueParams, types, ranks, dims []int) (tensor.Handle, error) {
	s, err := newSpec(types, ranks, dims)
	if err != nil {
		return tensor.Handle{}, err
	}
	q := &Queue{QueueParams: p, spec: s}
	bad := func(format string, args ...any) (tensor.Handle, error) {
		return tensor.Handle{}, tensor.Errorf(tensor.InvalidArgument, format, args...)
	}
	switch {
	case p.Kind == Padding && len(s.Shapes) != len(s.Types):
		return bad("Shapes must be provided for all components, but received %d dtypes and %d shapes.", len(s.Types), len(s.Shapes))
	case p.Kind == Shuffle && p.MinAfter < 0:
		return bad("min_after_dequeue %d must be >= 0", p.MinAfter)
	case p.Kind == Shuffle && (p.Capacity >= 0 && p.MinAfter >= p.Capacity || p.MinAfter >= math.MaxInt32): // in TensorFlow, an unbounded queue has the capacity math.MaxInt32
		return bad("min_after_dequeue %d must be < capacity %d", p.MinAfter, p.Capacity)
	case p.Kind == Priority && (len(s.Types) == 0 || s.Types[0] != tensor.Int64 || s.Shapes != nil && len(s.Shapes[0]) != 0):
		return bad("component 0 of a PriorityQueue must be an int64 scalar")
	}
	q.empty()
	return tensor.Handle{V: q}, nil
}

// empty removes all elements.
func (q *Queue) empty() {
	switch q.Kind {
	case Shuffle:
		q.elems = &bag{rnd: newPhilox(uint64(q.Seed), uint64(q.Seed2))}
	case Priority:
		q.elems = &heap{}
	default:
		q.elems = &ring{}
	}
}

// Destroy resets the queue to its initial state. Waiting operations return Cancelled.
func (q *Queue) Destroy() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, list := range []*[]*attempt{&q.enqueues, &q.dequeues} {
		for _, a := range *list {
			a.err = tensor.Errorf(tensor.Cancelled, "%v '%s' is destroyed.", q.Kind, q.Name)
			a.finish()
		}
		*list = nil
	}
	q.closed = false
	q.empty()
}

// QueueOf returns the queue that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func QueueOf(h []tensor.Handle) (*Queue, error) { return of[Queue](h, "a queue") }

// Enqueue inserts a tuple. If the queue is full, it waits until there is room. The error is Cancelled
// if the queue is closed.
func (q *Queue) Enqueue(ctx context.Context, t []*Box) error {
	return q.enqueue(ctx, [][]*Box{t})
}

// EnqueueMany inserts tuples one after another, and waits for room as often as needed. If it returns
// an error, the tuples inserted so far stay in the queue.
func (q *Queue) EnqueueMany(ctx context.Context, ts [][]*Box) error {
	if len(ts) == 0 {
		return nil
	}
	return q.enqueue(ctx, ts)
}

func (q *Queue) enqueue(ctx context.Context, ts [][]*Box) error {
	for _, t := range ts {
		if err := q.check(t); err != nil {
			return err
		}
		if q.Kind == Priority && len(t[0].Shape) != 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the priority must be a scalar, not of the shape %v", t[0].Shape)
		}
	}
	a := &attempt{tuples: ts, try: q.tryEnqueue}
	return q.await(ctx, &q.enqueues, a)
}

func (q *Queue) tryEnqueue(a *attempt) progress {
	if q.closed {
		a.err = tensor.Errorf(tensor.Cancelled, "%v '%s' is closed.", q.Kind, q.Name)
		return complete
	}
	r := stuck
	for q.Capacity < 0 || q.elems.len() < q.Capacity {
		q.elems.push(a.tuples[0])
		r = some
		if a.tuples = a.tuples[1:]; len(a.tuples) == 0 {
			return complete
		}
	}
	return r
}

// Dequeue removes and returns the next tuple. If there is no tuple, it waits for one. The error is
// OutOfRange if the queue is closed and empty.
func (q *Queue) Dequeue(ctx context.Context) ([]*Box, error) {
	ts, err := q.dequeue(ctx, 1, false)
	if err != nil {
		return nil, err
	}
	return ts[0], nil
}

// DequeueMany waits until the queue contains n tuples, and removes them. It stores component i of all
// these tuples in parts[i], as Rows. If the queue is closed and contains fewer than n tuples, the
// error is OutOfRange and the tuples stay in the queue. If upTo is set, DequeueMany removes these
// fewer tuples instead; the error is then OutOfRange only if the closed queue is empty. The error is
// InvalidArgument if the queue's shapes are unknown.
func (q *Queue) DequeueMany(ctx context.Context, parts []tensor.Handle, n int, upTo bool) error {
	if n < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "DequeueManyOp requested %d < 0 elements", n)
	}
	if q.Shapes == nil && len(q.Types) > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%v's DequeueMany and DequeueUpTo require the components to have specified shapes.", q.Kind)
	}
	var ts [][]*Box
	if n > 0 {
		var err error
		if ts, err = q.dequeue(ctx, n, upTo); err != nil {
			return err
		}
	}
	return q.rows(parts, ts)
}

func (q *Queue) dequeue(ctx context.Context, n int, upTo bool) ([][]*Box, error) {
	a := &attempt{want: n, upTo: upTo, try: q.tryDequeue}
	if err := q.await(ctx, &q.dequeues, a); err != nil {
		return nil, err
	}
	return a.tuples, nil
}

func (q *Queue) tryDequeue(a *attempt) progress {
	if q.closed && q.elems.len() < a.want {
		q.restore(a)
		switch n := q.elems.len(); {
		case a.upTo && n > 0:
			a.want = min(n, a.want)
		case a.upTo && len(q.enqueues) > 0: // an enqueue still waits and may add tuples
			return stuck
		case n < a.want:
			a.err = tensor.Errorf(tensor.OutOfRange, "%v '%s' is closed and has insufficient elements (requested %d, current size %d)", q.Kind, q.Name, a.want, n)
			return complete
		}
	}
	keep := 0
	if q.Kind == Shuffle && !q.closed {
		keep = q.MinAfter
	}
	r := stuck
	for q.elems.len() > keep {
		a.tuples = append(a.tuples, q.elems.pop())
		r = some
		if a.want--; a.want == 0 {
			return complete
		}
	}
	return r
}

// restore puts tuples back into the queue after an unfinished dequeue has removed them.
func (q *Queue) restore(a *attempt) {
	for i := len(a.tuples) - 1; i >= 0; i-- {
		q.elems.back(a.tuples[i])
	}
	a.want += len(a.tuples)
	a.tuples = nil
}

// Close makes the queue refuse further enqueues. With cancel, it makes waiting enqueues return
// Cancelled. Without cancel, it waits until the waiting enqueues have ended; if the queue is already
// closed, it returns Cancelled.
func (q *Queue) Close(ctx context.Context, cancel bool) error {
	if !cancel {
		return q.await(ctx, &q.enqueues, &attempt{try: func(a *attempt) progress {
			if q.closed {
				a.err = tensor.Errorf(tensor.Cancelled, "Queue '%s' is already closed.", q.Name)
			}
			q.closed = true
			return complete
		}})
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, a := range q.enqueues {
		a.err = tensor.Errorf(tensor.Cancelled, "Enqueue operation was cancelled")
		a.finish()
	}
	q.enqueues = nil
	q.flush()
	return nil
}

// Size returns the number of elements.
func (q *Queue) Size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.elems.len()
}

// Closed reports whether the queue is closed.
func (q *Queue) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}
