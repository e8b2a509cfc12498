package device

import "time"

// Timed is an item of work that a device has done, by the device's clock.
type Timed struct {
	Node, Op string
	// What is the entry of a kernel, or one of fill, copy in, copy out, copy, copy from a device and gemm.
	What string
	// Stream is compute, or out for copies to the host that the queue did not wait for.
	Stream     string
	Start, End time.Duration // since the queue began to measure
	Bytes      int           // that were copied or filled, 0 for others
}

// Times is what a queue has measured.
type Times struct {
	// Begun is when, on the host, the device's clock was at 0.
	Begun time.Time
	// Took is what the device took from then until all work was done, Enqueue what the host
	// took to hand the work over.
	Took, Enqueue time.Duration
	// Items are empty unless they were asked for.
	Items []Timed
}

// timing is a measurement under way.
type timing struct {
	items   bool
	begun   time.Time
	enqueue time.Duration
	first   Event
	marks   []timedItem
	events  []Event // all of them, to be closed
}

// timedItem is an item between two events.
type timedItem struct {
	Timed
	from, to Event
}

// The streams of a queue, as Timed names them.
const (
	computeStream = "compute"
	outStream     = "out"
)

// Measure has the queue measure what is handed over until Measured is called. With
// items, segments are not done as captured work but item by item, each between two events.
func (q *Queue) Measure(items bool) error {
	if q.err != nil {
		return q.err
	}
	t := &timing{items: items}
	q.times = t
	before := time.Now()
	e, err := t.mark(q, q.compute)
	if err == nil {
		err = e.Wait()
	}
	if err != nil {
		return q.fail(err)
	}
	t.first = e
	t.begun = before.Add(time.Since(before) / 2)
	return nil
}

// mark records a new event.
func (t *timing) mark(q *Queue, s Stream) (Event, error) {
	e, err := q.dev.NewEvent()
	if err != nil {
		return nil, err
	}
	t.events = append(t.events, e)
	return e, s.Record(e)
}

// Measured ends Measure, and waits for what was handed over. Nil where Measure was not called.
func (q *Queue) Measured() (*Times, error) {
	t := q.times
	if t == nil {
		return nil, nil
	}
	times := &Times{Begun: t.begun, Enqueue: t.enqueue}
	last, err := t.mark(q, q.compute)
	ends := []Event{last}
	if err == nil && q.out != nil {
		last, err = t.mark(q, q.out)
		ends = append(ends, last)
	}
	if err == nil {
		err = q.Finish()
	}
	for _, e := range ends {
		var took time.Duration
		if err == nil {
			took, err = e.Since(t.first)
		}
		times.Took = max(times.Took, took)
	}
	for _, m := range t.marks {
		if err != nil {
			break
		}
		if m.Start, err = m.from.Since(t.first); err == nil {
			m.End, err = m.to.Since(t.first)
		}
		times.Items = append(times.Items, m.Timed)
	}
	if e := q.unmeasured(); err == nil {
		err = e
	}
	if err != nil {
		return nil, q.fail(err)
	}
	return times, nil
}

// unmeasured gives back what a measurement has of the device.
func (q *Queue) unmeasured() error {
	t := q.times
	if t == nil {
		return nil
	}
	q.times = nil
	var err error
	for _, e := range t.events {
		if e == nil {
			continue
		}
		if c := e.Close(); err == nil {
			err = c
		}
	}
	return err
}

// do hands b to a stream, or each of its items by itself where these are measured.
func (q *Queue) do(s Stream, b *Batch) error {
	t := q.times
	if t == nil {
		return s.Launch(b)
	}
	begun := time.Now()
	defer func() { t.enqueue += time.Since(begun) }()
	if !t.items {
		return s.Launch(b)
	}
	for i := range b.Items {
		it := b.Items[i]
		m := timedItem{Timed: Timed{Node: it.Node, Op: it.Op, What: it.what(), Stream: computeStream}}
		if s == q.out {
			m.Stream = outStream
		}
		if it.Kind != LaunchItem && it.Kind != GemmItem {
			m.Bytes = it.N
		}
		one := new(Batch)
		one.Add(it, b.Arguments(&it)...)
		var err error
		if m.from, err = t.mark(q, s); err == nil {
			if err = s.Launch(one); err == nil {
				m.to, err = t.mark(q, s)
			}
		}
		if err != nil {
			return err
		}
		t.marks = append(t.marks, m)
	}
	return nil
}

// what names what an item does.
func (it *Item) what() string {
	switch it.Kind {
	case LaunchItem:
		return it.Kernel.Entry
	case FillItem:
		return "fill"
	case InItem:
		return "copy in"
	case OutItem:
		return "copy out"
	case MoveItem:
		return "copy"
	case PeerItem:
		return "copy from a device"
	}
	return "gemm"
}

// replay hands captured work to the compute stream.
func (q *Queue) replay(w Work) error {
	if q.times == nil {
		return q.compute.Launch(w)
	}
	begun := time.Now()
	err := q.compute.Launch(w)
	q.times.enqueue += time.Since(begun)
	return err
}
