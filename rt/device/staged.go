package device

import "github.com/graphc/graphc/rt/tensor"

// staged is a copy between the host and the device that is part of a segment: it goes
// through host memory of its own, which is the same each time, so that it is recorded
// and captured with the kernels around it. The host's side of it is Feed before End, and
// Fetch after it.
//
// A copy of more than stageSize bytes that is the first or the last thing of its segment is
// direct: it goes by Put before the segment, or by Get after it, where the host copies one half of the
// staging memory while the device copies the other.
type staged struct {
	node, op string
	host     []byte
	n        int
	of       *segment
	direct   bool
	at       Ptr // where a direct copy begins on the device
}

// stagedOf returns copy k.
func (q *Queue) stagedOf(k int) *staged {
	for len(q.staged) <= k {
		q.staged = append(q.staged, &staged{})
	}
	return q.staged[k]
}

// room gives the copy n bytes of host memory.
func (q *Queue) room(t *staged) bool {
	if len(t.host) < t.n {
		b, err := q.dev.AllocHost(t.n)
		if err != nil {
			q.Fail(err)
			return false
		}
		t.host = b
	}
	return true
}

// Upload appends copy k, of the n bytes that Feed is given each time, to dst.
func (q *Queue) Upload(k int, dst Ptr, n int) {
	if n <= 0 || q.err != nil || q.compute == nil { // Preload's only looks for kernels
		return
	}
	t := q.stagedOf(k)
	t.node, t.op, t.of, t.n, t.at = q.node, q.op, q.open, n, dst
	if t.direct = n > stageSize && q.open.leads(dst, n); t.direct {
		return
	}
	if q.room(t) {
		q.add(Item{Kind: InItem, Dst: dst, Host: t.host[:n], N: n})
	}
}

// leads reports that nothing before in the segment has to do with n bytes at dst: there
// are only copies from the host to elsewhere.
func (s *segment) leads(dst Ptr, n int) bool {
	for i := range s.batch.Items {
		it := &s.batch.Items[i]
		if it.Kind != InItem || it.Dst < dst+Ptr(n) && dst < it.Dst+Ptr(it.N) {
			return false
		}
	}
	return true
}

// Feed has copy k of the open segment copy src, which has been read when it returns.
// It must be called before each End.
func (q *Queue) Feed(k int, src []byte) {
	if len(src) == 0 || q.err != nil {
		return
	}
	t := q.stagedOf(k)
	if t.of != q.open || t.n != len(src) {
		q.Fail(tensor.Errorf(tensor.Internal, "%d bytes are fed where the segment copies %d", len(src), t.n))
		return
	}
	if t.direct {
		q.At(t.node, t.op)
		_ = Put(q, t.at, src) // the queue has its error
		return
	}
	if q.reached(t.of) == nil { // in a loop, the copy before may still read it
		copy(t.host, src)
	}
}

// Download appends copy k, of n bytes at src, which Fetch hands out.
func (q *Queue) Download(k int, src Ptr, n int) {
	if n <= 0 || q.err != nil || q.compute == nil { // Preload's only looks for kernels
		return
	}
	t := q.stagedOf(k)
	t.node, t.op, t.of, t.n, t.at = q.node, q.op, q.open, n, src
	if t.direct = n > stageSize; t.direct {
		q.last = append(q.last, k)
		return
	}
	q.download(t)
}

func (q *Queue) download(t *staged) {
	if q.room(t) {
		q.open.batch.Add(Item{Kind: OutItem, Node: t.node, Op: t.op, Src: t.at, Host: t.host[:t.n], N: t.n})
	}
}

// Fetch copies what copy k has brought to dst, and waits for it. It is called after End,
// before another segment begins.
func (q *Queue) Fetch(k int, dst []byte) error {
	if len(dst) == 0 || q.err != nil {
		return q.err
	}
	t := q.stagedOf(k)
	q.At(t.node, t.op)
	if t.of == nil || t.n != len(dst) {
		q.Fail(tensor.Errorf(tensor.Internal, "%d bytes are fetched where the segment copies %d", len(dst), t.n))
		return q.err
	}
	if t.direct {
		return Get(q, dst, t.at)
	}
	if err := q.reached(t.of); err != nil {
		return err
	}
	copy(dst, t.host)
	return nil
}

// add appends an item to the open segment. Large copies to the host that were to be its end
// are none then.
func (q *Queue) add(it Item, args ...uint64) {
	for _, k := range q.last {
		t := q.staged[k]
		t.direct = false
		q.download(t)
	}
	q.last = q.last[:0]
	it.Node, it.Op = q.node, q.op
	q.open.batch.Add(it, args...)
}

// reached waits until a segment has been done as often as it was handed over.
func (q *Queue) reached(s *segment) error {
	if s.handed <= q.waited {
		return nil
	}
	return q.synced()
}

// synced waits for all that was handed over.
func (q *Queue) synced() error {
	if err := q.fail(q.compute.Sync()); err != nil {
		return err
	}
	q.waited = q.handed
	return nil
}
