//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/fakegpu/control"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// fake skips a test that needs the fake driver.
func fake(t *testing.T) {
	if !control.Fake() {
		t.Skip("this is a real driver, which cannot fail on request")
	}
}

// held returns text that says how many resources of each kind the driver has allocated.
func held() string {
	return fmt.Sprint(control.Count("blocks"), " blocks, ", control.Count("locked"), " locked, ", control.Count("streams"), " streams, ", control.Count("events"), " events, ", control.Count("graphs"), " graphs")
}

// collect runs finalizers and cleanups until f returns true.
func collect(f func() bool) bool {
	for range 100 {
		if f() {
			return true
		}
		runtime.GC()
		time.Sleep(2 * time.Millisecond)
	}
	return f()
}

// settled waits until the resources of earlier tests have been freed. It then returns the result of
// held().
func settled() string {
	for same, was := 0, ""; ; {
		runtime.GC()
		time.Sleep(time.Millisecond)
		now := held()
		if same++; now != was {
			same, was = 0, now
		}
		if same == 5 {
			return now
		}
	}
}

// TestFaults runs a job many times. In each run of the job, another driver call fails: for each
// kind of call, first the first such call, then the second, and so on. A job does its work four
// times, and the later launches use graphs.
func TestFaults(t *testing.T) {
	fake(t)
	d := open(t, Options{})
	must(t, d.Prepare(&add))
	before, pageable := settled(), control.Count("pageable")
	job := func() (err error) {
		return d.Run(func() error {
			w, err := newWork(d, 200)
			if err != nil {
				return err
			}
			for range 4 {
				if err = w.run(); err != nil {
					break
				}
			}
			if e := w.close(); err == nil {
				err = e
			}
			return err
		})
	}
	for _, c := range []struct {
		kind  string
		code  int
		calls int // the minimum number of calls of this kind in a job
		want  tensor.Code
		named string
	}{
		{"alloc", 2, 3, tensor.ResourceExhausted, "memory left"},
		{"lock", 2, 3, tensor.ResourceExhausted, "host memory is locked"},
		{"stream", 2, 1, tensor.ResourceExhausted, "a stream is made"},
		{"launch", 701, 2, tensor.Internal, `"scope/sum" (AddV2)`},
		{"copy", 1, 4, tensor.Internal, "(Fe"}, // Feed or Fetch
		{"graph", 2, 4, tensor.ResourceExhausted, "capture"},
		{"sync", 1, 4, tensor.Internal, "waited for"},
	} {
		for k := 1; ; k++ {
			control.Inject(fmt.Sprintf("%s:%d=%d", c.kind, k, c.code))
			err := job()
			control.Inject("")
			if err == nil {
				if k <= c.calls {
					t.Errorf("%s: call %d of at least %d fails without an error", c.kind, k, c.calls)
				}
				break
			}
			if tensor.CodeOf(err) != c.want || !strings.Contains(err.Error(), c.named) {
				t.Errorf("%s, call %d: %v", c.kind, k, err)
			}
			if e := d.Err(); e != nil {
				t.Fatalf("%s, call %d: the device is now unusable: %v", c.kind, k, e)
			}
			if err := job(); err != nil {
				t.Errorf("%s, call %d: the next time: %v", c.kind, k, err)
			}
			if !collect(func() bool { return held() == before }) {
				t.Fatalf("%s, call %d: %s are left, %s before", c.kind, k, held(), before)
			}
			if u := d.Usage(); u.InUse != 0 {
				t.Fatalf("%s, call %d: %d bytes are counted as in use", c.kind, k, u.InUse)
			}
		}
	}
	if n := control.Count("pageable") - pageable; n != 0 {
		t.Errorf("%d copies were of memory that is not locked", n)
	}
}

// TestLost: after a kernel has failed while it was running, the device is unusable, and all of its
// methods return the kernel's error. With Options.Check, the error names the node.
func TestLost(t *testing.T) {
	fake(t)
	for _, o := range []Options{{}, {Check: true}} {
		d := open(t, o)
		err := d.Run(func() error {
			w, err := newWork(d, 100)
			must(t, err)
			w.kernel = &astray
			for range 3 {
				if err = w.run(); err != nil {
					break
				}
			}
			if e := w.q.Reset(); e == nil {
				t.Error("the queue is as good as before")
			}
			return errors.Join(err, w.close())
		})
		if err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") || !strings.Contains(err.Error(), "unusable") {
			t.Errorf("%+v: %v", o, err)
		}
		if named := strings.Contains(fmt.Sprint(err), "scope/sum"); named != o.Check {
			t.Errorf("%+v: %v", o, err)
		}
		_, alloc := d.Alloc(1)
		_, host := d.AllocHost(1)
		_, stream := d.NewStream()
		_, event := d.NewEvent()
		for name, err := range map[string]error{"Err": d.Err(), "Alloc": alloc, "AllocHost": host, "NewStream": stream, "NewEvent": event,
			"Run": d.Run(func() error { return nil }), "Sync": d.Sync(), "Prepare": d.Prepare(&add)} {
			if err == nil || err != d.Err() {
				t.Errorf("%s: %v", name, err)
			}
		}
		control.Mend()
	}
	if d := open(t, Options{}); d.Sync() != nil {
		t.Error("a mended device does not work")
	}
}

// TestLostEvent: if the device is lost, an event never happens, but the function passed to Then is
// still called, with the device's error.
func TestLostEvent(t *testing.T) {
	fake(t)
	d := open(t, Options{})
	must(t, d.Prepare(&astray))
	within(t, d, func() {
		s, err := d.NewStream()
		must(t, err)
		e, err := d.NewEvent()
		must(t, err)
		var b device.Batch
		b.Add(device.Item{Kind: device.LaunchItem, Kernel: &astray, Grid: device.Line(1), Block: device.Line(1)})
		must(t, s.Launch(&b))
		must(t, s.Record(e))
		said := make(chan error, 1)
		e.Then(func(err error) { said <- err })
		if err := <-said; err == nil || err != d.Err() {
			t.Errorf("%v, %v", err, d.Err())
		}
		if err := s.Sync(); err != d.Err() {
			t.Error(err)
		}
		s.Reset()
		must(t, e.Close())
		must(t, s.Close())
	})
	control.Mend()
}

// TestMissingWait checks that missing waits are detected with the fake driver: if a stream does not
// wait for the stream whose output it reads, it always reads the old contents.
func TestMissingWait(t *testing.T) {
	fake(t)
	d := open(t, Options{})
	within(t, d, func() {
		compute, err := d.NewStream()
		must(t, err)
		down, err := d.NewStream()
		must(t, err)
		done, err := d.NewEvent()
		must(t, err)
		var b device.Batch
		var m [3]device.Memory
		for i := range m {
			m[i], err = d.Alloc(16)
			must(t, err)
		}
		out, err := d.AllocHost(16)
		must(t, err)
		must(t, compute.CopyIn(m[0], 0, floats(1, 2, 3, 4)))
		must(t, compute.CopyIn(m[1], 0, floats(10, 20, 30, 40)))
		b.Add(device.Item{Kind: device.LaunchItem, Kernel: &add, Grid: device.Line(1), Block: device.Line(32)}, uint64(m[2].Addr()), uint64(m[0].Addr()), uint64(m[1].Addr()), 4)
		run := func(wait bool) bool {
			must(t, compute.Launch(&b))
			must(t, compute.Record(done))
			if wait {
				must(t, down.Wait(done))
			}
			must(t, down.CopyOut(out, m[2], 0))
			must(t, down.Sync())
			return string(out) == string(floats(11, 22, 33, 44))
		}
		if run(false) {
			t.Error("a copy that does not wait has the sum")
		}
		if !run(true) {
			t.Error("a copy that waits has no sum:", values(out))
		}
		for _, m := range m {
			must(t, m.Free())
		}
		must(t, errors.Join(done.Close(), compute.Close(), down.Close()))
	})
}

// TestUnreachable: if resources are not closed, they are freed when the garbage collector finds
// them.
func TestUnreachable(t *testing.T) {
	fake(t)
	d := open(t, Options{})
	before := settled()
	within(t, d, func() {
		for range 20 {
			s, err := d.NewStream()
			must(t, err)
			_, err = d.NewEvent()
			must(t, err)
			in, err := d.AllocHost(100)
			must(t, err)
			m, err := d.Alloc(100)
			must(t, err)
			w, err := s.Capture(func() error { return s.CopyIn(m, 0, in) })
			must(t, err)
			must(t, s.Launch(w))
			must(t, s.Sync())
			must(t, m.Free())
			if err := s.Launch(w); tensor.CodeOf(err) != tensor.Internal {
				t.Error("captured work with memory that was freed:", err)
			}
		}
	})
	if !collect(func() bool { return held() == before }) {
		t.Errorf("%s are left, %s before", held(), before)
	}
}

// TestOutsideRun: streams must be used inside Run.
func TestOutsideRun(t *testing.T) {
	fake(t)
	d := open(t, Options{})
	s, err := d.NewStream()
	must(t, err)
	if err := s.Sync(); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_CONTEXT") {
		t.Error(err)
	}
	must(t, d.Err())
	must(t, s.Close())
}
