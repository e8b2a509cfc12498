package resource

import "context"

// attempt is an operation under way.
type attempt struct {
	try func(a *attempt) progress // with the queue's lock held

	tuples [][]*Box // enqueues: what is still to come; dequeues: what is there already
	want   int      // dequeues: how many more
	upTo   bool
	err    error
	done   chan struct{} // closed when it is over, nil while nobody waits
	over   bool
}

// progress is what a try came to.
type progress int

const (
	stuck progress = iota
	some
	complete
)

// await queues an attempt and waits until it is over or ctx ends.
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
	q.flush() // the next in line may go on
	return ctx.Err()
}

// flush carries on all attempts as far as they go.
func (q *Queue) flush() {
	for changed := true; changed; {
		changed = q.tryFirst(&q.enqueues)
		changed = q.tryFirst(&q.dequeues) || changed
	}
}

// tryFirst carries on the attempts of a list in their order, until one has to wait.
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
