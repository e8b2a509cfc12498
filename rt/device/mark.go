package device

// Record makes e happen when all work enqueued so far is done.
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
