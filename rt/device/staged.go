package device

import "github.com/graphc/graphc/rt/tensor"

// staged is a copy between the host and the device that is part of a segment. It uses separate host
// memory, whose address is the same in each launch. Therefore the copy can be recorded and captured
// together with the segment's kernels. Before End, Feed fills the host memory of a copy to the
// device. After End, Fetch reads the host memory of a copy to the host.
//
// A copy of more than stageSize bytes at the beginning or the end of its segment is direct: Put
// makes it before the segment, or Get after it. Put and Get copy one half of the staging memory on
// the host while the device copies the other half.
type staged struct {
	node, op string
	host     []byte
	n        int
	of       *segment
	direct   bool
	at       Ptr // the device address of a direct copy
}

// stagedOf returns the copy with number k. It creates this copy, and those with smaller numbers, if
// they do not exist yet.
func (q *Queue) stagedOf(k int) *staged {
	for len(q.staged) <= k {
		q.staged = append(q.staged, &staged{})
	}
	return q.staged[k]
}

// room ensures that the host memory of copy t has at least t.n bytes. It returns false if the
// allocation fails; the queue keeps the error.
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

// Upload appends a copy of n bytes from the host to dst, with the number k, to the open segment. The
// caller must provide the bytes with Feed before each launch of the segment.
func (q *Queue) Upload(k int, dst Ptr, n int) {
	if n <= 0 || q.err != nil || q.compute == nil { // compute is nil in Preload, which only needs the kernels
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

// leads reports whether a copy of n bytes to dst can be made before the segment is launched instead
// of at the end of the segment. This is so if all items of the segment are copies from the host to
// other memory.
func (s *segment) leads(dst Ptr, n int) bool {
	for i := range s.batch.Items {
		it := &s.batch.Items[i]
		if it.Kind != InItem || it.Dst < dst+Ptr(n) && dst < it.Dst+Ptr(it.N) {
			return false
		}
	}
	return true
}

// Feed provides src for copy k of the open segment. When it returns, src has been read. It must be
// called before each End.
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
		_ = Put(q, t.at, src) // the queue keeps the error
		return
	}
	if q.reached(t.of) == nil { // a previous launch of the segment may still read t.host
		copy(t.host, src)
	}
}

// Download appends a copy of n bytes from src to the host, with the number k, to the open segment.
// The caller gets the bytes with Fetch after each launch of the segment.
func (q *Queue) Download(k int, src Ptr, n int) {
	if n <= 0 || q.err != nil || q.compute == nil { // compute is nil in Preload, which only needs the kernels
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

// Fetch waits for copy k and copies its bytes to dst. It must be called after End and before
// another segment begins.
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

// add appends an item to the open segment. Direct copies to the host, which are made after the
// segment, must not precede other items. Therefore add first turns all earlier direct copies to the
// host into ordinary items.
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

// reached waits until all launches of a segment are done.
func (q *Queue) reached(s *segment) error {
	if s.handed <= q.waited {
		return nil
	}
	return q.synced()
}

// synced waits for all enqueued work.
func (q *Queue) synced() error {
	if err := q.fail(q.compute.Sync()); err != nil {
		return err
	}
	q.waited = q.handed
	return nil
}
