package resource

import "context"

// attempt is an operation on a queue that is in progress: an enqueue, a dequeue or a Close.
type attempt struct {
	// a function that does as much of the operation as is possible now; the caller must hold the
	// queue's lock
	try func(a *attempt) progress

	tuples [][]*Box // for an enqueue, the remaining tuples; for a dequeue, the tuples removed so far
	want   int      // for a dequeue, how many more tuples are needed
	upTo   bool
	err    error
	// a channel that is closed when the attempt is over; nil if the caller does not wait
	done chan struct{}
	over bool
}

// progress says what a call of attempt.try has done: nothing, a part, or all of the remaining work.
type progress int

const (
	stuck progress = iota
	some
	complete
)

// await appends an attempt to a list, and waits until the attempt is over or ctx ends.
func (q *Queue) await(ctx context.Context, list *[]*attempt, a *attempt) error {
	q.mu.Lock()
	*list = append(*list, a)
	q.flush()
	if a.over {
		q.mu.Unlock()
		return a.err
	}
	a.done = make(chan struct{})
	q.mu.Unlock()
	if !wait(ctx, a.done) {
		return a.err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if a.over {
		return a.err
	}
	for i, b := range *list {
		if a == b {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			break
		}
	}
	if list == &q.dequeues {
		q.restore(a)
	}
	// later attempts, which waited for this one to end, may now proceed
	q.flush()
	return ctx.Err()
}

// flush continues all attempts as far as possible.
func (q *Queue) flush() {
	for changed := true; changed; {
		changed = q.tryFirst(&q.enqueues)
		changed = q.tryFirst(&q.dequeues) || changed
	}
}

// tryFirst continues the attempts of a list in order, until one of them is not complete. It reports
// whether any attempt did something.
func (q *Queue) tryFirst(list *[]*attempt) bool {
	changed := false
	for len(*list) > 0 {
		a := (*list)[0]
		switch a.try(a) {
		case stuck:
			return changed
		case some:
			return true
		}
		(*list)[0] = nil
		*list = (*list)[1:]
		a.finish()
		changed = true
	}
	*list = nil
	return changed
}

func (a *attempt) finish() {
	a.over = true
	if a.done != nil {
		close(a.done)
	}
}
