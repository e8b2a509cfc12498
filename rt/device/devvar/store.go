// Package devvar keeps values of variables in the memory of devices other than CPUs.
//
// A run locks variables only while it enqueues a segment of work that uses them. First it locks the
// variables and makes its queue wait for the work of other runs on these variables. Then it
// enqueues the segment, records an event for the segment's end, and unlocks the variables.
// Therefore a segment that writes a variable is never done at the same time as another segment that
// uses the variable, even if the segments belong to runs with separate streams. No goroutine has to
// wait for the device. If the host accesses a variable (resource.Away), it waits for the events.
package devvar

import (
	"reflect"
	"sync"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Store holds the values of a model's variables in the memory of one device.
type Store struct {
	dev device.Device

	mu     sync.Mutex // guards the fields below, and all marks
	marks  []*mark
	spare  []*mark
	values map[*value]*resource.Var

	home  sync.Mutex // guards the queue
	queue *device.Queue
}

// NewStore returns an empty store for a device.
func NewStore(d device.Device) *Store { return &Store{dev: d, values: map[*value]*resource.Var{}} }

// mark is an event that is recorded after a segment. All values that the segment uses refer to it.
type mark struct {
	event device.Event
	queue *device.Queue // the queue that recorded the event, or nil if the work before the event has ended
	uses  int
}

// take returns an unused mark.
func (s *Store) take() (*mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.spare); n > 0 {
		m := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return m, nil
	}
	e, err := s.dev.NewEvent()
	if err != nil {
		return nil, err
	}
	m := &mark{event: e}
	s.marks = append(s.marks, m)
	return m, nil
}

// put replaces *at, a reference to a mark, by m, and counts the uses of both marks. The caller
// holds the store's lock.
func (s *Store) put(at **mark, m *mark) {
	if m != nil {
		m.uses++
	}
	s.drop(*at)
	*at = m
}

// drop ends a use of m and makes m available for reuse if this was the last use. The mark may be
// nil. The caller holds the store's lock.
func (s *Store) drop(m *mark) {
	if m == nil {
		return
	}
	if m.uses--; m.uses == 0 {
		s.spare = append(s.spare, m)
	}
}

// pending reports whether q must wait for the work before m. No wait is needed if this work has
// ended. No wait is needed for work of q itself either, because a queue does its work in order.
func (s *Store) pending(m *mark, q *device.Queue) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m != nil && m.queue != nil && m.queue != q
}

// settle records that all work of q has ended, whether it succeeded or failed.
func (s *Store) settle(q *device.Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.marks {
		if m.queue == q {
			m.queue = nil
		}
	}
}

// Close frees the store's device resources. No run may be in progress.
func (s *Store) Close() error {
	s.mu.Lock()
	values := make(map[*value]*resource.Var, len(s.values))
	for x, v := range s.values {
		values[x] = v
	}
	s.mu.Unlock()
	for x, v := range values {
		v.Lock()
		x.Free()
		if v.Away == x {
			v.Away = nil
		}
		v.Unlock()
	}
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, m := range s.marks {
		keep(m.event.Close())
	}
	s.marks, s.spare = nil, nil
	if q := s.queue; q != nil {
		s.queue = nil
		keep(s.dev.Run(q.Release))
	}
	return first
}

// value is a variable's value in the device's memory. Its users hold the variable's lock.
type value struct {
	s     *Store
	mem   device.Memory
	size  int     // the size of the value in bytes
	valid bool    // the memory holds the variable's value
	newer bool    // the host's value is old; only the memory holds the current value
	wrote *mark   // the mark after the last write
	reads []*mark // the marks after the reads since the last write

	// made is the User of the run that first made the host's value old or the memory's value valid.
	// It is nil once the work of that run is known to be done. If the run fails, End restores the
	// old state.
	made  *User
	first *mark
	set   bool
	shape []int
}

// Home implements resource.Away.
func (x *value) Home(v *resource.Var) error {
	if !x.newer {
		return nil
	}
	n := x.size / v.DType.Size()
	data := v.Data
	if d := reflect.ValueOf(data); !d.IsValid() || d.Len() != n {
		data = tensor.MakeSlice(v.DType, n)
	}
	err := x.s.dev.Run(func() error {
		if x.s.pending(x.wrote, nil) {
			if err := x.wrote.event.Wait(); err != nil {
				return err
			}
		}
		return x.s.get(tensor.Raw(reflect.ValueOf(data)), x.mem.Addr())
	})
	if err != nil {
		return err
	}
	v.Data, x.newer = data, false
	return nil
}

// get copies bytes from the device to dst. It must be called within the device's Run.
func (s *Store) get(dst []byte, src device.Ptr) error {
	s.home.Lock()
	defer s.home.Unlock()
	if s.queue == nil {
		q, err := device.NewQueue(s.dev, 0)
		if err != nil {
			return err
		}
		s.queue = q
	}
	err := device.Get(s.queue, dst, src)
	if err != nil {
		_ = s.queue.Reset() // its error is ignored, because the earlier error is returned
	}
	return err
}

// Stale implements resource.Away.
func (x *value) Stale() {
	x.valid, x.newer = false, false
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.forgetMade()
}

// forgetMade makes the current state permanent, so that a failed run does not restore the old one.
// The caller holds the store's lock.
func (x *value) forgetMade() {
	x.s.put(&x.first, nil)
	x.made, x.shape = nil, nil
}

// Free implements resource.Away.
func (x *value) Free() {
	for _, m := range append(x.reads, x.wrote) {
		if x.s.pending(m, nil) {
			_ = m.event.Wait() // the error is ignored: a failed event has ended, too
		}
	}
	if x.mem != nil {
		_ = x.mem.Free() // nothing uses it any more, and its error is the device's
	}
	x.mem, x.size, x.valid, x.newer = nil, 0, false, false
	s := x.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(&x.wrote, nil)
	x.noReads()
	x.forgetMade()
	delete(s.values, x)
}

// noReads drops the marks of reads. The caller holds the store's lock.
func (x *value) noReads() {
	for i, m := range x.reads {
		x.s.drop(m)
		x.reads[i] = nil
	}
	x.reads = x.reads[:0]
}

// fewReads is a number of marks of reads. While a value has fewer marks, a read by another queue
// adds a mark. If there are at least fewReads marks, the new mark replaces one whose event has
// happened, if there is one.
const fewReads = 4

// read records a read that is followed by mark m. The caller holds the store's lock.
func (x *value) read(m *mark) {
	for i := range x.reads {
		if x.reads[i].queue == m.queue { // m replaces this mark, because both are on the same queue and m is the later one
			x.s.put(&x.reads[i], m)
			return
		}
	}
	if len(x.reads) >= fewReads {
		for i := range x.reads {
			if done, err := x.reads[i].event.Done(); done && err == nil {
				x.s.put(&x.reads[i], m)
				return
			}
		}
	}
	m.uses++
	x.reads = append(x.reads, m)
}
