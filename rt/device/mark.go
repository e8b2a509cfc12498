package device

// Record records the event e in the queue. The event happens when all work that has been enqueued
// before is done.
func (q *Queue) Record(e Event) error {
	if q.err != nil {
		return q.err
	}
	return q.fail(q.compute.Record(e))
}

// Wait makes all work enqueued from now on wait for the last record of e.
func (q *Queue) Wait(e Event) error {
	if q.err != nil {
		return q.err
	}
	return q.fail(q.compute.Wait(e))
}
