package device

// Record has e happen when all that was handed over so far is done.
func (q *Queue) Record(e Event) error {
	if q.err != nil {
		return q.err
	}
	return q.fail(q.compute.Record(e))
}

// Wait has what is handed over from now on wait for what e was last recorded for.
func (q *Queue) Wait(e Event) error {
	if q.err != nil {
		return q.err
	}
	return q.fail(q.compute.Wait(e))
}
