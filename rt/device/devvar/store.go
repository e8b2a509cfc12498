// Package devvar keeps values of variables in the memory of devices other than CPUs.
//
// A run locks variables only while it enqueues a segment of work that uses these variables. First
// it locks the variables and makes its queue wait for the work of other runs on them. Then it
// enqueues the segment, records an event for the segment's end, and unlocks the variables.
// Therefore a segment that writes a variable never runs at the same time as another segment that
// uses the variable, even if the segments belong to runs with different streams. During a run, no
// goroutine has to wait for the device. If code on the host accesses a variable (resource.Away),
// this code waits for the events.
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

	mu     sync.Mutex // guards the fields marks, spare and values, and all marks
	marks  []*mark
	spare  []*mark
	values map[*value]*resource.Var

	home  sync.Mutex // guards the queue
	queue *device.Queue
}

// NewStore returns an empty store for a device.
func NewStore(d device.Device) *Store { return &Store{dev: d, values: map[*value]*resource.Var{}} }

// mark holds an event that was recorded after a segment. The values of all variables that the
// segment uses refer to the mark.
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

// put stores a reference to mark m in *at, where there may be a reference to another mark. It
// updates the number of references to each of the two marks. The caller holds the store's lock.
func (s *Store) put(at **mark, m *mark) {
	if m != nil {
		m.uses++
	}
	s.drop(*at)
	*at = m
}

// drop reduces the number of references to mark m by one. If this number becomes 0, the mark can be
// reused. The parameter m may be nil. The caller holds the store's lock.
func (s *Store) drop(m *mark) {
	if m == nil {
		return
	}
	if m.uses--; m.uses == 0 {
		s.spare = append(s.spare, m)
	}
}

// pending reports whether queue q must wait for the work that was enqueued before mark m. No wait
// is needed if this work is known to have ended. No wait is needed for work of q itself either,
// because a queue does its work in order.
func (s *Store) pending(m *mark, q *device.Queue) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m != nil && m.queue != nil && m.queue != q
}

// settle records that all work of queue q has ended, successfully or not, so that other queues need
// not wait for it.
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
	valid bool    // whether the device's memory contains the variable's value
	newer bool    // whether only the device's memory contains the current value, and the host has an old value
	wrote *mark   // mark of the last segment that wrote the value
	reads []*mark // marks of the segments that have read the value since the last write

	// made is the User of a run that changed the state of the value and may still fail. The state
	// consists of the fields valid and newer, and the run was the first to set one of them. If the
	// run fails, End restores the state before the run. When the work of the run is known to be
	// done, made becomes nil.
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
		// The error of Reset is ignored, because the error of Get is returned.
		_ = s.queue.Reset()
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

// forgetMade makes the current state of the value permanent: if a run fails later, End does not
// restore the earlier state. The caller holds the store's lock.
func (x *value) forgetMade() {
	x.s.put(&x.first, nil)
	x.made, x.shape = nil, nil
}

// Free implements resource.Away.
func (x *value) Free() {
	for _, m := range append(x.reads, x.wrote) {
		if x.s.pending(m, nil) {
			// The error can be ignored: after the wait, the segment has ended, even if it failed.
			_ = m.event.Wait()
		}
	}
	if x.mem != nil {
		// No work uses the memory any more. If Free fails, the device is unusable, and its method
		// Err returns the error.
		_ = x.mem.Free()
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

// noReads removes all marks from x.reads. The caller holds the store's lock.
func (x *value) noReads() {
	for i, m := range x.reads {
		x.s.drop(m)
		x.reads[i] = nil
	}
	x.reads = x.reads[:0]
}

// fewReads is the number of marks for reads that a value may have without an attempt to reduce it.
// If a value has at least this many marks, and the event of one of them has happened, a new mark
// replaces that mark instead of being added.
const fewReads = 4

// read records a read that is followed by mark m. The caller holds the store's lock.
func (x *value) read(m *mark) {
	for i := range x.reads {
		// Both marks are on the same queue, so it suffices to wait for the later mark m.
		if x.reads[i].queue == m.queue {
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
