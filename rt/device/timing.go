package device

import "time"

// Timed is an item of work that a device has done, timed by the device's clock.
type Timed struct {
	Node, Op string
	// The name of a kernel's entry, or one of: fill, copy in, copy out, copy, copy from a
	// device, gemm.
	What string
	// Stream is "compute", or "out" for copies to the host that the queue did not wait for.
	Stream     string
	Start, End time.Duration // device time since the beginning of the measurement
	Bytes      int           // copied or filled bytes; 0 for other items
}

// Times are the measurements of a queue.
type Times struct {
	// Begun is the host time at which the device's clock was 0.
	Begun time.Time
	// Took is the device time from Begun until all work was done. Enqueue is the host time for
	// enqueuing the work.
	Took, Enqueue time.Duration
	// Items is empty unless the parameter items of Measure was true.
	Items []Timed
}

// timing is a measurement in progress.
type timing struct {
	items   bool
	begun   time.Time
	enqueue time.Duration
	first   Event
	marks   []timedItem
	// all events that timing.mark has created; they must be closed
	events []Event
}

// timedItem is an item between two events.
type timedItem struct {
	Timed
	from, to Event
}

// The names of a queue's streams in Timed.
const (
	computeStream = "compute"
	outStream     = "out"
)

// Measure makes the queue measure all work until Measured is called. If items is set, segments are
// not launched as captured work but item by item, each between two events.
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

// mark creates an event and records it on s.
func (t *timing) mark(q *Queue, s Stream) (Event, error) {
	e, err := q.dev.NewEvent()
	if err != nil {
		return nil, err
	}
	t.events = append(t.events, e)
	return e, s.Record(e)
}

// Measured ends a measurement and waits for all enqueued work. It returns nil if Measure was not
// called.
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

// unmeasured frees the device resources of a measurement.
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

// do launches the batch b on a stream. If single items are measured, it launches each item separately
// and records an event before and after it.
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

// what returns the text for Timed.What.
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

// replay launches captured work on the compute stream.
func (q *Queue) replay(w Work) error {
	if q.times == nil {
		return q.compute.Launch(w)
	}
	begun := time.Now()
	err := q.compute.Launch(w)
	q.times.enqueue += time.Since(begun)
	return err
}
