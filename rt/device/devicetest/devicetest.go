// Package devicetest tests what every implementation of device.Device must do.
package devicetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Test runs the whole suite. The function open must return a device with a memory limit of at most
// 1 GiB. Test calls open for each part of the suite.
func Test(t *testing.T, open func() device.Device) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, d device.Device)
	}{
		{"names", names}, {"memory", memory}, {"limits", limits}, {"copies", copies}, {"windows", windows}, {"order", order},
		{"host memory", hostMemory}, {"events", events}, {"then", then}, {"errors", failures}, {"capture", capture}, {"other work", otherWork}, {"side by side", sideBySide},
		{"addresses", addresses}, {"batches", batches}, {"grids", grids}, {"refusals", refusals}, {"times", times}, {"queues", queues}, {"measured", measured}, {"preloaded", preloaded}, {"staged", staged},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open()
			if err := d.Run(func() error { c.test(t, d); return nil }); err != nil {
				t.Error("Run:", err)
			}
			if err := d.Sync(); err != nil {
				t.Error("Sync:", err)
			}
			if err := d.Err(); err != nil {
				t.Error("Err:", err)
			}
		})
	}
	d, why := open(), errors.New("why")
	if err := d.Run(func() error { return why }); err != why {
		t.Error("Run returns", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func alloc(t *testing.T, d device.Device, n int) device.Memory {
	t.Helper()
	m, err := d.Alloc(n)
	must(t, err)
	return m
}

func host(t *testing.T, d device.Device, n int) []byte {
	t.Helper()
	b, err := d.AllocHost(n)
	must(t, err)
	if len(b) != n {
		t.Fatalf("%d bytes of %d", len(b), n)
	}
	return b
}

func stream(t *testing.T, d device.Device) device.Stream {
	t.Helper()
	s, err := d.NewStream()
	must(t, err)
	return s
}

func event(t *testing.T, d device.Device) device.Event {
	t.Helper()
	e, err := d.NewEvent()
	must(t, err)
	return e
}

// pattern returns a slice of n bytes for tests. The bytes depend on the number seed.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + seed)
	}
	return b
}

func names(t *testing.T, d device.Device) {
	a := d.Attributes()
	if d.Name() != a.Name || d.Type() != a.Type || !strings.HasPrefix(a.Name, "/job:") || !strings.Contains(a.Name, "/device:"+a.Type+":") {
		t.Errorf("%q, %q, %+v", d.Name(), d.Type(), a)
	}
	if a.Incarnation == 0 || a.MemoryLimit <= 0 {
		t.Errorf("%+v", a)
	}
}

func memory(t *testing.T, d device.Device) {
	before := d.Usage().InUse
	var all []device.Memory
	for _, n := range []int{0, 1, 63, 64, 65, 4096, 1 << 20} {
		m := alloc(t, d, n)
		if m.Size() < n {
			t.Errorf("%d bytes of %d", m.Size(), n)
		}
		if h := m.Host(); h != nil && n > 0 && uintptr(unsafe.Pointer(&h[0]))%mem.Align != 0 {
			t.Errorf("%d bytes are not aligned", n)
		}
		all = append(all, m)
	}
	if u := d.Usage(); u.InUse < before+1<<20 || u.Peak < u.InUse || u.Limit < u.InUse {
		t.Errorf("%+v", u)
	}
	for _, m := range all {
		must(t, m.Free())
	}
	if u := d.Usage(); u.InUse != before {
		t.Errorf("%d bytes are in use after all were freed, %d before", u.InUse, before)
	}
	if err := all[1].Free(); tensor.CodeOf(err) != tensor.Internal {
		t.Error("freed twice:", err)
	}
}

func limits(t *testing.T, d device.Device) {
	for _, c := range []struct {
		n    int
		code tensor.Code
	}{{-1, tensor.InvalidArgument}, {math.MinInt, tensor.InvalidArgument}, {math.MaxInt, tensor.ResourceExhausted}, {math.MaxInt - 63, tensor.ResourceExhausted}} {
		if _, err := d.Alloc(c.n); tensor.CodeOf(err) != c.code {
			t.Errorf("Alloc(%d): %v", c.n, err)
		}
		if _, err := d.AllocHost(c.n); tensor.CodeOf(err) != c.code {
			t.Errorf("AllocHost(%d): %v", c.n, err)
		}
	}
	must(t, alloc(t, d, 10).Free()) // still usable
}

func copies(t *testing.T, d device.Device) {
	s := stream(t, d)
	a, b := alloc(t, d, 1000), alloc(t, d, 1000)
	want := pattern(1000, 1)
	src := bytes.Clone(want)
	must(t, s.CopyIn(a, 0, src))
	clear(src) // src may be overwritten, because CopyIn has already read it
	must(t, s.CopyPeer(b, 100, a, 200, 300))
	got := make([]byte, 300)
	must(t, s.CopyOut(got, b, 100)) // dst is written when CopyOut returns
	if !bytes.Equal(got, want[200:500]) {
		t.Error("the copied bytes differ")
	}
	must(t, s.CopyIn(a, 500, []byte{1, 2, 3}))
	must(t, s.CopyIn(a, 1000, nil))
	must(t, s.CopyOut(nil, a, 1000))
	three := make([]byte, 5)
	must(t, s.CopyOut(three, a, 499))
	if !bytes.Equal(three, []byte{want[499], 1, 2, 3, want[503]}) {
		t.Error(three)
	}
	if h := a.Host(); h != nil && !bytes.Equal(h[499:504], three) {
		t.Error("Host shows something else")
	}
}

// windows checks that a copy fails if it reaches beyond the end of memory or uses freed memory.
func windows(t *testing.T, d device.Device) {
	a, gone := alloc(t, d, 100), alloc(t, d, 100)
	must(t, gone.Free())
	for name, f := range map[string]func(s device.Stream) error{
		"in, beyond":       func(s device.Stream) error { return s.CopyIn(a, 99, make([]byte, 2)) },
		"in, before":       func(s device.Stream) error { return s.CopyIn(a, -1, make([]byte, 2)) },
		"in, overflow":     func(s device.Stream) error { return s.CopyIn(a, math.MaxInt, make([]byte, 2)) },
		"out, beyond":      func(s device.Stream) error { return s.CopyOut(make([]byte, 101), a, 0) },
		"across, beyond":   func(s device.Stream) error { return s.CopyPeer(a, 0, a, 50, 51) },
		"across, negative": func(s device.Stream) error { return s.CopyPeer(a, 0, a, 0, -1) },
		"in, freed":        func(s device.Stream) error { return s.CopyIn(gone, 0, make([]byte, 2)) },
		"out, freed":       func(s device.Stream) error { return s.CopyOut(make([]byte, 2), gone, 0) },
	} {
		s := stream(t, d)
		err := f(s)
		if err == nil {
			err = s.Sync()
		}
		if tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// order checks that a stream does its work in order.
func order(t *testing.T, d device.Device) {
	s := stream(t, d)
	var got []int
	for i := range 100 {
		must(t, s.Launch(device.Func(func() error { got = append(got, i); return nil })))
	}
	must(t, s.Sync())
	for i, v := range got {
		if i != v {
			t.Fatal(got)
		}
	}
	if len(got) != 100 {
		t.Errorf("%d of 100 are done", len(got))
	}
}

// hostMemory copies through memory that the device reads and writes asynchronously.
func hostMemory(t *testing.T, d device.Device) {
	s, a := stream(t, d), alloc(t, d, 256)
	in, out := host(t, d, 256), host(t, d, 256)
	for i := range 3 {
		copy(in, pattern(256, i))
		must(t, s.CopyIn(a, 0, in))
		must(t, s.CopyOut(out, a, 0))
		must(t, s.Sync())
		if !bytes.Equal(in, out) {
			t.Fatal("the copied bytes differ")
		}
	}
}

// The function events tests two streams that use the same memory alternately. Events keep the uses
// in order.
func events(t *testing.T, d device.Device) {
	compute, copying := stream(t, d), stream(t, d)
	filled, read := event(t, d), event(t, d)
	if ok, err := filled.Done(); !ok || err != nil {
		t.Error("an event that was never recorded has happened:", ok, err)
	}
	must(t, filled.Wait())
	a := alloc(t, d, 64)
	outs := make([][]byte, 20)
	for i := range outs {
		outs[i] = host(t, d, 64)
		must(t, compute.Wait(read))
		must(t, compute.CopyIn(a, 0, pattern(64, i)))
		must(t, compute.Record(filled))
		must(t, copying.Wait(filled))
		must(t, copying.CopyOut(outs[i], a, 0))
		must(t, copying.Record(read))
	}
	must(t, read.Wait())
	if ok, err := filled.Done(); !ok || err != nil {
		t.Error("what an event was waited for after has happened:", ok, err)
	}
	for i, out := range outs {
		if !bytes.Equal(out, pattern(64, i)) {
			t.Errorf("copy %d is of something else", i)
		}
	}
}

// then tests Event.Then.
func then(t *testing.T, d device.Device) {
	s, a, out := stream(t, d), alloc(t, d, 64), host(t, d, 64)
	e := event(t, d)
	said := make(chan error, 1)
	e.Then(func(err error) { said <- err })
	must(t, <-said) // never recorded
	must(t, s.CopyIn(a, 0, pattern(64, 5)))
	must(t, s.CopyOut(out, a, 0))
	must(t, s.Record(e))
	e.Then(func(err error) { said <- err })
	select {
	case err := <-said:
		must(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the event does not happen")
	}
	if !bytes.Equal(out, pattern(64, 5)) {
		t.Error("it happened before what was recorded")
	}
}

// failures checks that a stream's first error is sticky, and that other streams get this error if
// they wait for the failed stream.
func failures(t *testing.T, d device.Device) {
	broken := tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "broken"), "a/b", "Op")
	s, other, fine := stream(t, d), stream(t, d), stream(t, d)
	after := false
	e := event(t, d)
	_ = s.Launch(device.Func(func() error { return broken }))
	_ = s.Launch(device.Func(func() error { after = true; return errors.New("second") }))
	_ = s.Record(e)
	_ = other.Wait(e)
	for name, err := range map[string]error{
		"Sync": s.Sync(), "Err": s.Err(), "Launch": s.Launch(device.Func(func() error { after = true; return nil })), "Event.Wait": e.Wait(), "a stream that waits": other.Sync(),
		"CopyIn": s.CopyIn(alloc(t, d, 4), 0, make([]byte, 4)),
	} {
		if err != broken {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after {
		t.Error("work is done after an error")
	}
	if err := fine.Sync(); err != nil {
		t.Error("a stream that has nothing to do with it:", err)
	}
	s.Reset()
	other.Reset()
	ran := false
	must(t, s.Launch(device.Func(func() error { ran = true; return nil })))
	must(t, s.Sync())
	if !ran || s.Err() != nil || other.Err() != nil {
		t.Error("a stream is unusable after Reset")
	}
}

// capture captures work and launches it repeatedly.
func capture(t *testing.T, d device.Device) {
	s := stream(t, d)
	a, b := alloc(t, d, 64), alloc(t, d, 64)
	in, out := host(t, d, 64), host(t, d, 64)
	calls := 0
	copy(in, pattern(64, 99))
	w, err := s.Capture(func() error {
		return errors.Join(s.CopyIn(a, 0, in), s.CopyPeer(b, 0, a, 0, 64), s.Launch(device.Func(func() error { calls++; return nil })), s.CopyOut(out, b, 0))
	})
	must(t, err)
	must(t, s.Sync())
	if calls != 0 {
		t.Error("captured work was executed")
	}
	for i := range 5 {
		copy(in, pattern(64, i))
		must(t, s.Launch(w))
		must(t, s.Sync())
		if calls != i+1 || !bytes.Equal(out, in) {
			t.Fatalf("replay %d: %d calls, %v", i, calls, out[:4])
		}
	}
	why := errors.New("why")
	if _, err := s.Capture(func() error { return why }); err != why {
		t.Error("Capture returns", err)
	}
	if _, err := s.Capture(func() error { return s.Sync() }); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Error("a wait in a capture:", err)
	}
	s.Reset()
	must(t, s.Launch(w))
	must(t, s.Sync())
}

type unknownWork struct{}

func (unknownWork) Work() {}

func otherWork(t *testing.T, d device.Device) {
	if err := stream(t, d).Launch(unknownWork{}); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error(err)
	}
}

// sideBySide uses one device in several goroutines.
func sideBySide(t *testing.T, d device.Device) {
	var wg sync.WaitGroup
	said := make([]error, 4)
	for g := range said {
		wg.Add(1)
		go func() {
			defer wg.Done()
			said[g] = d.Run(func() error {
				s, err := d.NewStream()
				if err != nil {
					return err
				}
				for i := range 50 {
					m, err := d.Alloc(100 + g)
					if err != nil {
						return err
					}
					out := make([]byte, 100+g)
					if err := errors.Join(s.CopyIn(m, 0, pattern(100+g, i)), s.CopyOut(out, m, 0), m.Free()); err != nil {
						return err
					}
					if !bytes.Equal(out, pattern(100+g, i)) {
						return fmt.Errorf("goroutine %d, copy %d", g, i)
					}
				}
				return nil
			})
		}()
	}
	wg.Wait()
	must(t, errors.Join(said...))
}
