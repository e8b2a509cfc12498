package device

import (
	"math"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Queue is what a partition on a device hands its work to: calls such as Launch
// append to the segment that is open. A segment is work with no host in between; it
// is recorded once for a set of sizes and done again as often as it is run, from
// the second time on as one captured piece. One goroutine at a time uses a queue,
// within the device's Run.
//
// The first error of a queue stays: what follows is not done, and End and Finish return it.
type Queue struct {
	dev      Device
	compute  Stream
	segments []*segment
	open     *segment
	node, op string
	err      error
	procs    int
	halves   [2]half // of the staging memory
	turn     int
	staged   []*staged      // copies that are part of segments
	last     []int          // of the open segment: large copies to the host that nothing follows yet
	handed   int            // how many segments were handed over
	waited   int            // of which so many were waited for
	peers    []*Batch       // what receives from other devices, by slot
	sends    []*sending     // by slot
	out      Stream         // of copies to the host that nobody waits for here; nil before there is one
	under    sync.WaitGroup // sends under way
	times    *timing        // nil unless Measure was called
}

// segment is recorded work.
type segment struct {
	batch    *Batch
	was      *Batch // while it is recorded anew, what it was
	spare    *Batch
	recorded bool
	runs     int // since what it does changed
	need     int // as many have it captured
	captured Work
	handed   int // the queue's count when it was handed over last
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

// Processors is how many multiprocessors the device has, at least 1: what grids of
// kernels that loop over their work are chosen by.
func (q *Queue) Processors() int { return q.procs }

// Forget drops what was recorded: sizes or addresses have changed.
func (q *Queue) Forget() {
	for _, s := range q.segments {
		s.recorded = false
	}
}

// At says which node the next calls are for.
func (q *Queue) At(node, op string) { q.node, q.op = node, op }

// Begin opens segment i and reports whether its calls must be made: not where it is
// recorded already and fixed, which says that they would be the same.
func (q *Queue) Begin(i int, fixed bool) bool {
	s := q.segments[i]
	q.open = s
	if s.recorded && fixed {
		return false
	}
	s.was = nil
	if s.recorded { // it may be the same again
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

// End closes the open segment and has the device do it, after everything that was
// handed over before.
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

// compare keeps what a segment was before, with its capture, where it is the same again. One
// that keeps changing is captured later each time.
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

// fail keeps the first error.
func (q *Queue) fail(err error) error {
	if q.err == nil {
		q.err = err
	}
	return q.err
}

// Fail makes the queue's error one of the node under way.
func (q *Queue) Fail(err error) {
	if q.err == nil && err != nil {
		q.err = tensor.AtNode(err, q.node, q.op)
	}
}

// Launch appends a launch of k. Each argument is 8 bytes: see Kernel. A grid or a block
// of size 0 launches nothing. InvalidArgument (kept by the queue) for what no device takes.
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

// Fill sets n bytes at dst to value.
func (q *Queue) Fill(dst Ptr, n int, value byte) {
	if n > 0 && q.err == nil {
		q.add(Item{Kind: FillItem, Dst: dst, N: n, Value: value})
	}
}

// Move copies n bytes from src to dst; they do not overlap, or are the same.
func (q *Queue) Move(dst, src Ptr, n int) {
	if n > 0 && dst != src && q.err == nil {
		q.add(Item{Kind: MoveItem, Dst: dst, Src: src, N: n})
	}
}

// Gemm appends a product for the device's own library, and reports false where it has
// none for it: then the caller launches kernels.
func (q *Queue) Gemm(g Gemm) bool {
	if !q.Multiplies(&g) {
		return false
	}
	if q.err == nil {
		q.add(Item{Kind: GemmItem, Gemm: g})
	}
	return true
}

// Multiplies reports that Gemm takes g.
func (q *Queue) Multiplies(g *Gemm) bool {
	m, ok := q.dev.(Multiplier)
	return ok && m.Multiplies(g)
}

// Finish waits until everything handed over is done.
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

// Release waits for what was handed over and gives back what the queue has of the device.
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

// Reset forgets an error of a run that has ended, and waits for what is under way. The
// error returned is the device's, which is of no use any more.
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
	_ = q.unmeasured() // what fails is the device's, which has it
	q.open, q.err, q.node, q.op = nil, nil, "", ""
	q.Forget()
	return q.dev.Err()
}
