package device

import "testing"

// countingDevice counts the captures and launches of its only stream.
type countingDevice struct {
	Device
	stream countingStream
}

func (d *countingDevice) NewStream() (Stream, error) { return &d.stream, nil }
func (d *countingDevice) Attributes() Attributes     { return Attributes{} }

type countingStream struct {
	Stream
	captures, replays, launches int
	capturing                   bool
}

type countedWork struct{}

func (countedWork) Work() {}

func (s *countingStream) Launch(w Work) error {
	if _, ok := w.(countedWork); ok {
		s.replays++
	} else if !s.capturing {
		s.launches++
	}
	return nil
}

func (s *countingStream) Capture(f func() error) (Work, error) {
	s.captures++
	s.capturing = true
	err := f()
	s.capturing = false
	return countedWork{}, err
}

// TestRecordedAnew tests a segment that is recorded again for each launch. It must be captured if
// the recordings are equal. Each change of a captured segment must double the number of launches
// before the next capture.
func TestRecordedAnew(t *testing.T) {
	d := &countingDevice{}
	q, err := NewQueue(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	do := func(at Ptr, times int) {
		for range times {
			if !q.Begin(0, false) {
				t.Fatal("a segment that is not fixed is not recorded")
			}
			q.Move(at, 1000, 8)
			q.Fill(at, 4, 1)
			if err := q.End(); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(captures, replays, launches int) {
		t.Helper()
		if s := &d.stream; s.captures != captures || s.replays != replays || s.launches != launches {
			t.Errorf("%d captures, %d replays and %d launches, want %d, %d and %d", s.captures, s.replays, s.launches, captures, replays, launches)
		}
	}
	do(100, 4)
	check(1, 3, 1)
	do(200, 3)
	check(1, 3, 4)
	do(200, 3)
	check(2, 6, 4)
	for i := range 4 {
		do(Ptr(300+i), 1)
	}
	check(2, 6, 8)
	q.Forget()
	do(100, 3)
	check(3, 8, 9)
}
