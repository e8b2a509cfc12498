package device

// stageSize is the size in bytes of each half of a queue's staging memory.
const stageSize = 4 << 20

// half is one half of the staging memory. A copy uses it until event happens.
type half struct {
	host  []byte
	batch Batch
	event Event
	busy  bool
}

// next returns a half that no copy uses any more, with room for n bytes.
func (q *Queue) next(n int) (*half, error) {
	q.turn = 1 - q.turn
	h := &q.halves[q.turn]
	if h.event == nil {
		e, err := q.dev.NewEvent()
		if err != nil {
			return nil, q.fail(err)
		}
		h.event = e
	}
	if err := q.free(h); err != nil {
		return nil, err
	}
	if len(h.host) < n {
		const least = 4 << 10
		b, err := q.dev.AllocHost(max(n, min(stageSize, max(2*n, least))))
		if err != nil {
			return nil, q.fail(err)
		}
		h.host = b
	}
	h.batch.Clear()
	return h, nil
}

// free waits until the copy that uses h is done.
func (q *Queue) free(h *half) error {
	if !h.busy {
		return nil
	}
	h.busy = false
	return q.fail(h.event.Wait())
}

// start makes the device do item it, a copy that uses h.
func (q *Queue) start(h *half, it Item) error {
	it.Node, it.Op = q.node, q.op
	h.batch.Add(it)
	err := q.do(q.compute, &h.batch)
	if err == nil {
		err = q.compute.Record(h.event)
	}
	h.busy = true
	return q.fail(err)
}

// Put copies src to dst, after all work enqueued before. When it returns, src has been read. The
// copy uses staging memory, from which the device reads asynchronously.
func Put(q *Queue, dst Ptr, src []byte) error {
	for len(src) > 0 {
		n := min(len(src), stageSize)
		h, err := q.next(n)
		if err != nil {
			return err
		}
		copy(h.host, src[:n])
		if err := q.start(h, Item{Kind: InItem, Dst: dst, Host: h.host[:n], N: n}); err != nil {
			return err
		}
		dst, src = dst+Ptr(n), src[n:]
	}
	return q.err
}

// Get copies from src to dst, after all work enqueued before, and waits for the copy.
func Get(q *Queue, dst []byte, src Ptr) error {
	var last *half
	var to []byte
	for len(dst) > 0 || last != nil {
		var h *half
		n := min(len(dst), stageSize)
		if n > 0 {
			var err error
			if h, err = q.next(n); err != nil {
				return err
			}
			if err := q.start(h, Item{Kind: OutItem, Src: src, Host: h.host[:n], N: n}); err != nil {
				return err
			}
		}
		if last != nil { // copy the previous part on the host while the device copies the next one
			if err := q.free(last); err != nil {
				return err
			}
			copy(to, last.host)
		}
		last, to = h, dst[:n]
		dst, src = dst[n:], src+Ptr(n)
	}
	return q.err
}
