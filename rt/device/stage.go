package device

// stageSize is the size in bytes of each half of a queue's staging memory.
const stageSize = 4 << 20

// half is one half of the staging memory. While the field busy is set, a copy may still use this
// half. The event happens when that copy is done.
type half struct {
	host  []byte
	batch Batch
	event Event
	busy  bool
}

// next returns one of the two halves, the one that was not returned by the previous call. It first
// waits until the last copy with this half is done, and ensures that its host memory has at least n
// bytes.
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

// start launches a copy, which the given Item describes, on the compute stream. The copy uses the
// half h until h.event happens.
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

// Put copies src to dst on the device. The device makes the copy after all work that was enqueued
// earlier, and asynchronously: Put has read src when it returns, and the device reads from staging
// memory.
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

// Get copies from src on the device to dst. The device makes the copy after all work that was
// enqueued earlier. Get waits until the copy is done.
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
