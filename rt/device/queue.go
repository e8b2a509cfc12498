package device

import (
	"math"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Queue enqueues the work of a partition on a device. The work is divided into segments. A segment
// is a sequence of device work that no host work interrupts. Calls such as Launch add work to the
// segment that Begin has opened and End has not yet closed. A segment is recorded once for a set of
// sizes, and is launched once in each run. From the second launch on, it is launched as a single
// piece of captured work. A queue is not safe for concurrent use. It must be used within the
// device's Run.
//
// After the first error of a queue, the queue does no later work, and End and Finish return this
// error.
type Queue struct {
	dev      Device
	compute  Stream
	segments []*segment
	open     *segment
	node, op string
	err      error
	procs    int
	halves   [2]half // the staging memory for copies between host and device, in two halves
	turn     int
	staged   []*staged // the copies between host and device that belong to segments
	// last lists those large copies to the host that are at the end of the open segment, by their
	// indices in staged.
	last   []int
	handed int        // the number of segments launched so far
	waited int        // the number of launched segments that the queue has waited for so far
	peers  []*Batch   // for each slot, the batch for receiving messages from other devices
	sends  []*sending // by slot
	// out is the stream for copies to the host for which the queue does not wait. It is nil before
	// the first such copy.
	out   Stream
	under sync.WaitGroup // sends in progress
	times *timing        // set by Measure, otherwise nil
}

// segment is recorded work.
type segment struct {
	batch    *Batch
	was      *Batch // while the segment is recorded again: the batch that was recorded before
	spare    *Batch
	recorded bool
	runs     int // number of launches since the batch was last changed
	need     int // the number of launches after which the segment is captured
	captured Work
	handed   int // the value of Queue.handed after the segment's last launch
}

// NewQueue returns a queue with n segments.
func NewQueue(d Device, n int) (*Queue, error) {
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	q := &Queue{dev: d, compute: s, segments: make([]*segment, n), procs: max(1, d.Attributes().Processors)}
	for i := range q.segments {
		q.segments[i] = &segment{batch: new(Batch)}
	}
	return q, nil
}

// Processors returns the number of multiprocessors of the device, at least 1. It determines the
// grid size of kernels that loop over their work.
func (q *Queue) Processors() int { return q.procs }

// Forget discards all recordings, because sizes or addresses have changed.
func (q *Queue) Forget() {
	for _, s := range q.segments {
		s.recorded = false
	}
}

// At sets the graph node to which the following calls belong. Errors of these calls name the node.
func (q *Queue) At(node, op string) { q.node, q.op = node, op }

// Begin opens segment i. It reports whether the caller must now make the calls that record the
// segment. The parameter fixed says whether these calls would be the same as those made before. If
// so, and if the segment is already recorded, the caller need not make the calls again.
func (q *Queue) Begin(i int, fixed bool) bool {
	s := q.segments[i]
	q.open = s
	if s.recorded && fixed {
		return false
	}
	s.was = nil
	// The old batch is kept until the new batch can be compared with it: see the method compare.
	if s.recorded {
		if s.was, s.batch, s.spare = s.batch, s.spare, nil; s.batch == nil {
			s.batch = new(Batch)
		}
	} else {
		s.runs, s.captured, s.need = 0, nil, 2
	}
	s.batch.Clear()
	q.last = q.last[:0]
	s.recorded = false
	return true
}

// End closes the open segment and launches it, after all work enqueued before.
func (q *Queue) End() error {
	s := q.open
	q.open = nil
	if q.err != nil {
		return q.err
	}
	s.recorded = true
	s.compare()
	q.handed++
	s.handed = q.handed
	if q.times != nil && q.times.items {
		return q.fail(q.do(q.compute, s.batch))
	}
	s.runs++
	if s.runs == s.need && len(s.batch.Items) > 1 {
		w, err := q.compute.Capture(func() error { return q.compute.Launch(s.batch) })
		if err != nil {
			return q.fail(err)
		}
		s.captured = w
	}
	if s.captured != nil {
		return q.fail(q.replay(s.captured))
	}
	if len(s.batch.Items) == 0 {
		return nil
	}
	return q.fail(q.do(q.compute, s.batch))
}

// compare compares a segment's new batch with its previous batch. If they are equal, it restores
// the previous batch, so that the captured work stays valid. If they differ and the segment had
// been captured, it doubles the number of launches before the next capture.
func (s *segment) compare() {
	was := s.was
	if s.was = nil; was == nil {
		return
	}
	if s.batch.Equal(was) {
		s.batch, s.spare = was, s.batch
		return
	}
	if s.spare = was; s.captured != nil {
		s.need *= 2
	}
	s.runs, s.captured = 0, nil
}

// fail stores err unless the queue has an earlier error, and returns the stored error.
func (q *Queue) fail(err error) error {
	if q.err == nil {
		q.err = err
	}
	return q.err
}

// Fail makes the queue fail with err, unless it has already failed. The error then names the
// current node.
func (q *Queue) Fail(err error) {
	if q.err == nil && err != nil {
		q.err = tensor.AtNode(err, q.node, q.op)
	}
}

// Launch appends a launch of kernel k. Each argument has 8 bytes; see Kernel. If a size of the grid
// or block is 0, there is nothing to launch. If the sizes exceed the limits that all devices have,
// the queue fails with Internal.
func (q *Queue) Launch(k *Kernel, grid, block Dim, shared int, args ...uint64) {
	if grid.X == 0 || grid.Y == 0 || grid.Z == 0 || block.X == 0 || block.Y == 0 || block.Z == 0 || q.err != nil {
		return
	}
	const side = 65535
	if grid.X < 0 || grid.Y < 0 || grid.Z < 0 || block.X < 0 || block.Y < 0 || block.Z < 0 || shared < 0 ||
		grid.X > math.MaxInt32 || grid.Y > side || grid.Z > side || block.X > 1024 || block.Y > 1024 || block.Z > 64 || block.X*block.Y*block.Z > 1024 {
		q.Fail(tensor.Errorf(tensor.Internal, "%s cannot be launched with a grid of %v blocks of %v threads", k.Entry, grid, block))
		return
	}
	q.add(Item{Kind: LaunchItem, Kernel: k, Grid: grid, Block: block, Shared: shared}, args...)
}

// Fill appends an item that sets n bytes at dst to value.
func (q *Queue) Fill(dst Ptr, n int, value byte) {
	if n > 0 && q.err == nil {
		q.add(Item{Kind: FillItem, Dst: dst, N: n, Value: value})
	}
}

// Move appends an item that copies n bytes from src to dst. The two ranges must not overlap, unless
// they are identical.
func (q *Queue) Move(dst, src Ptr, n int) {
	if n > 0 && dst != src && q.err == nil {
		q.add(Item{Kind: MoveItem, Dst: dst, Src: src, N: n})
	}
}

// Gemm appends a product that the device's library computes. It returns false if the library does
// not support the product; the caller must then launch kernels.
func (q *Queue) Gemm(g Gemm) bool {
	if !q.Multiplies(&g) {
		return false
	}
	if q.err == nil {
		q.add(Item{Kind: GemmItem, Gemm: g})
	}
	return true
}

// Multiplies reports whether Gemm accepts g.
func (q *Queue) Multiplies(g *Gemm) bool {
	m, ok := q.dev.(Multiplier)
	return ok && m.Multiplies(g)
}

// Finish waits until all enqueued work is done.
func (q *Queue) Finish() error {
	if q.err != nil {
		return q.err
	}
	err := q.synced()
	if q.out != nil {
		err = q.fail(q.out.Sync())
		q.under.Wait()
	}
	return err
}

// Release waits for all enqueued work and frees the queue's device resources.
func (q *Queue) Release() error {
	err := q.Finish()
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	keep(q.unmeasured())
	for i := range q.halves {
		if e := q.halves[i].event; e != nil {
			keep(e.Close())
		}
		q.halves[i] = half{}
	}
	for _, t := range q.sends {
		if t != nil {
			for _, e := range []Event{t.made, t.sent} {
				if e != nil {
					keep(e.Close())
				}
			}
		}
	}
	if q.sends = nil; q.out != nil {
		keep(q.out.Close())
	}
	keep(q.compute.Close())
	return err
}

// Reset clears the error of a run that has ended, and waits for current work. It returns the
// device's error if the device is unusable.
func (q *Queue) Reset() error {
	q.compute.Reset()
	if q.out != nil {
		q.out.Reset()
		q.under.Wait()
	}
	for _, t := range q.sends {
		if t != nil {
			t.busy = false
		}
	}
	q.halves[0].busy, q.halves[1].busy = false, false
	q.waited = q.handed
	// If this fails, the device is unusable, and its method Err returns the error.
	_ = q.unmeasured()
	q.open, q.err, q.node, q.op = nil, nil, "", ""
	q.Forget()
	return q.dev.Err()
}
