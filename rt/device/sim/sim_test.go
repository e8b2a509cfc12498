package sim

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/tensor"
)

//go:embed testdata/wrong.ptx
var wrongPTX string

var (
	wrong   = device.Module{PTX: &wrongPTX}
	far     = device.Kernel{Module: &wrong, Entry: "far"}
	first   = device.Kernel{Module: &wrong, Entry: "first"}
	endless = device.Kernel{Module: &wrong, Entry: "endless"}
	small   = device.Kernel{Module: &wrong, Entry: "small"}
	count   = device.Kernel{Module: &wrong, Entry: "count"}
)

func TestDevice(t *testing.T) {
	for seed := range uint64(4) {
		devicetest.Test(t, func() device.Device { return New(0, Options{Seed: seed, Limit: 1 << 30}) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// within creates n devices of one machine and calls f with them. This call is nested in calls of
// Device.Run, one for each device.
func within(t *testing.T, o Options, n int, f func(d []*Device)) {
	t.Helper()
	o.Machine = new(Machine)
	var d []*Device
	body := func() error { f(d); return nil }
	for i := range n {
		d = append(d, New(i, o))
		inner, x := body, d[i]
		body = func() error { return x.Run(inner) }
	}
	must(t, body())
}

func (d *Device) mem(t *testing.T, n int) device.Memory {
	t.Helper()
	m, err := d.Alloc(n)
	must(t, err)
	return m
}

func (d *Device) host(t *testing.T, n int) []byte {
	t.Helper()
	b, err := d.AllocHost(n)
	must(t, err)
	return b
}

func (d *Device) stream(t *testing.T) device.Stream {
	t.Helper()
	s, err := d.NewStream()
	must(t, err)
	return s
}

func (d *Device) event(t *testing.T) device.Event {
	t.Helper()
	e, err := d.NewEvent()
	must(t, err)
	return e
}

func launchOf(k *device.Kernel, args ...uint64) *device.Batch {
	b := new(device.Batch)
	b.Add(device.Item{Kind: device.LaunchItem, Node: "layer/node", Op: "Op", Kernel: k, Grid: device.Line(1), Block: device.Line(32)}, args...)
	return b
}

// handOver copies bytes to the device on one stream, and back to the host on another stream. If the
// parameter wait is set, the second stream waits for the first copy. handOver reports whether the
// bytes that come back are right.
func handOver(t *testing.T, seed uint64, wait bool) (right bool) {
	within(t, Options{Seed: seed}, 1, func(ds []*Device) {
		d := ds[0]
		in, out, a := d.host(t, 4), d.host(t, 4), d.mem(t, 4)
		copy(in, "good")
		compute, copying, filled := d.stream(t), d.stream(t), d.event(t)
		must(t, compute.CopyIn(a, 0, in))
		must(t, compute.Record(filled))
		if wait {
			must(t, copying.Wait(filled))
		}
		must(t, copying.CopyOut(out, a, 0))
		must(t, copying.Sync())
		right = string(out) == "good"
		if !right && !bytes.Equal(out, []byte{255, 255, 255, 255}) {
			t.Errorf("uninitialized memory holds %v", out)
		}
	})
	return right
}

// overwrite reads memory on one stream, and overwrites the same memory on another stream. If the
// parameter wait is set, the second stream waits for the read. overwrite reports whether the read got
// the old bytes.
func overwrite(t *testing.T, seed uint64, wait bool) (right bool) {
	within(t, Options{Seed: seed}, 1, func(ds []*Device) {
		d := ds[0]
		in, out, a := d.host(t, 4), d.host(t, 4), d.mem(t, 4)
		compute, copying, read := d.stream(t), d.stream(t), d.event(t)
		must(t, copying.CopyIn(a, 0, []byte("good")))
		must(t, copying.Sync())
		must(t, copying.CopyOut(out, a, 0))
		must(t, copying.Record(read))
		if wait {
			must(t, compute.Wait(read))
		}
		copy(in, "bad!")
		must(t, compute.CopyIn(a, 0, in))
		must(t, compute.Sync())
		must(t, copying.Sync())
		right = string(out) == "good"
	})
	return right
}

// TestMissingWait: a program that lacks a necessary wait always fails, not only sometimes. With
// the wait it never fails.
func TestMissingWait(t *testing.T) {
	for name, program := range map[string]func(t *testing.T, seed uint64, wait bool) bool{"hand over": handOver, "overwrite": overwrite} {
		for range 20 {
			if program(t, 0, false) {
				t.Fatalf("%s: a missing wait is not noticed", name)
			}
		}
		noticed := 0
		for seed := range uint64(50) {
			if !program(t, seed, true) {
				t.Fatalf("%s: seed %d: a program that waits fails", name, seed)
			}
			if !program(t, seed+1, false) {
				noticed++
			}
		}
		if noticed < 10 {
			t.Errorf("%s: a missing wait is noticed with %d seeds of 50", name, noticed)
		}
	}
}

// TestSeeds: without a seed, work for which the program does not wait is not done. With a seed it
// is sometimes done, and always in the same way for the same seed.
func TestSeeds(t *testing.T) {
	order := func(seed uint64) (got string) {
		within(t, Options{Seed: seed}, 2, func(d []*Device) {
			var s []device.Stream
			for i := range 6 {
				s = append(s, d[i%2].stream(t))
				for range 3 {
					must(t, s[i].Launch(device.Func(func() error { got += fmt.Sprint(i); return nil })))
				}
			}
			must(t, s[3].Sync())
			got += "|"
			must(t, errors.Join(d[0].Sync(), d[1].Sync()))
			if d[0].Pending() != 0 {
				t.Error("work is left after Sync")
			}
		})
		return got
	}
	if got := order(0); got != "333|000222444111555" {
		t.Error("without a seed the order is", got)
	}
	seen := map[string]bool{}
	for seed := range uint64(10) {
		got := order(seed + 1)
		if again := order(seed + 1); again != got {
			t.Errorf("seed %d: %s, then %s", seed, got, again)
		}
		seen[got] = true
	}
	if len(seen) < 5 {
		t.Error("the seeds make", seen)
	}
}

// TestHostMemory checks when CopyIn reads its source. Memory that AllocHost returned is read when the
// stream reaches the copy. Other host memory is read during the call of CopyIn.
func TestHostMemory(t *testing.T) {
	within(t, Options{}, 1, func(ds []*Device) {
		d := ds[0]
		a, s := d.mem(t, 8), d.stream(t)
		pinned, plain := d.host(t, 4), []byte("then")
		copy(pinned, "then")
		must(t, s.CopyIn(a, 0, pinned))
		must(t, s.CopyIn(a, 4, plain))
		copy(pinned, "now!")
		copy(plain, "now!")
		out := make([]byte, 8)
		must(t, s.CopyOut(out, a, 0))
		if string(out) != "now!then" {
			t.Errorf("%q", out)
		}
	})
	d := New(0, Options{})
	for range 20 {
		if _, err := d.AllocHost(1 << 16); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if runtime.GC(); len(d.m.pinnedRanges()) < 20 {
			return
		}
	}
	t.Error("unreachable host memory is known forever")
}

func (m *Machine) pinnedRanges() []span {
	m.pinned.mu.Lock()
	defer m.pinned.mu.Unlock()
	return m.pinned.list
}

// TestKernelFaults: a fault of a kernel is an error that names the kernel's node. The device is
// then unusable.
func TestKernelFaults(t *testing.T) {
	for _, c := range []struct {
		name, says string
		make       func(d *Device) *device.Batch
	}{
		{"far", "not allocated: byte 4194304 of the block of 64 bytes from sim_test.go:", func(d *Device) *device.Batch {
			a := d.mem(t, 64)
			return launchOf(&far, uint64(a.Addr()), uint64(a.Addr()))
		}},
		{"null", "at 0x0, which is not allocated", func(d *Device) *device.Batch { return launchOf(&first, 0, 0) }},
		{"freed", "in a block of 64 bytes from sim_test.go", func(d *Device) *device.Batch {
			a, b := d.mem(t, 64), d.mem(t, 64)
			must(t, b.Free())
			return launchOf(&first, uint64(a.Addr()), uint64(b.Addr()))
		}},
		{"misaligned", "not aligned", func(d *Device) *device.Batch {
			a := d.mem(t, 64)
			return launchOf(&first, uint64(a.Addr()), uint64(a.Addr()+2))
		}},
		{"endless", "1000 instructions", func(d *Device) *device.Batch { return launchOf(&endless) }},
	} {
		within(t, Options{Instructions: 1000}, 1, func(ds []*Device) {
			d := ds[0]
			s, other, e := d.stream(t), d.stream(t), d.event(t)
			b := c.make(d)
			must(t, s.Launch(b))
			must(t, d.Err())
			must(t, s.Record(e))
			err := s.Sync()
			var te *tensor.Error
			if !errors.As(err, &te) || te.Code != tensor.Internal || te.Node != "layer/node" || te.Op != "Op" || !strings.Contains(te.Msg, c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
			if d.Err() != err || other.Sync() != err || d.Sync() != err || e.Wait() != err || other.Launch(b) != err || d.Prepare(&far) != err || d.Run(nil) != err {
				t.Errorf("%s: the error is not the device's: %v", c.name, d.Err())
			}
			_, e1 := d.Alloc(1)
			_, e2 := d.AllocHost(1)
			_, e3 := d.NewStream()
			_, e4 := d.NewEvent()
			ok, e5 := e.Done()
			if e1 != err || e2 != err || e3 != err || e4 != err || e5 != err || !ok {
				t.Errorf("%s: %v %v %v %v %v", c.name, e1, e2, e3, e4, e5)
			}
			said := make(chan error, 1)
			e.Then(func(err error) { said <- err })
			if got := <-said; got != err {
				t.Errorf("%s: Then says %v", c.name, got)
			}
			if s.Close() != nil || e.Close() != nil || other.Close() != nil {
				t.Errorf("%s: nothing can be given back", c.name)
			}
		})
	}
}

// TestOtherDevice: kernels can access only the memory of their own device. Copies can access the
// memory of all devices.
func TestOtherDevice(t *testing.T) {
	within(t, Options{}, 2, func(d []*Device) {
		a, b := d[0].mem(t, 64), d[1].mem(t, 64)
		s, u, e := d[0].stream(t), d[1].stream(t), d[0].event(t)
		must(t, s.CopyIn(a, 0, []byte("one device to the other")))
		must(t, s.Record(e))
		must(t, u.Wait(e))
		must(t, u.CopyPeer(b, 3, a, 4, 10))
		out := make([]byte, 10)
		must(t, u.CopyOut(out, b, 3))
		if string(out) != "device to " {
			t.Errorf("%q", out)
		}
		var m device.Batch
		m.Add(device.Item{Kind: device.MoveItem, Dst: b.Addr() + 32, Src: a.Addr(), N: 3})
		must(t, u.Launch(&m))
		must(t, u.CopyOut(out[:3], b, 32))
		if string(out[:3]) != "one" {
			t.Errorf("%q", out[:3])
		}
		for name, err := range map[string]error{
			"a copy in for the other": s.CopyIn(b, 0, make([]byte, 1)),
			"its event":               u.Record(e),
		} {
			if tensor.CodeOf(err) != tensor.Internal {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.Reset()
		w, err := s.Capture(func() error { return s.CopyPeer(a, 0, b, 0, 4) })
		must(t, err)
		if err := u.Launch(w); tensor.CodeOf(err) != tensor.Internal {
			t.Error("work of the other device:", err)
		}
		u.Reset()
		must(t, u.Launch(launchOf(&first, uint64(b.Addr()), uint64(a.Addr()))))
		if err := u.Sync(); err == nil || !strings.Contains(err.Error(), "memory of "+d[0].Name()) {
			t.Error(err)
		}
	})
	d, e := New(0, Options{}), New(1, Options{})
	must(t, d.Run(func() error {
		if err := d.stream(t).Wait(e.event(t)); tensor.CodeOf(err) != tensor.Internal {
			t.Error("an event of another machine:", err)
		}
		if err := d.stream(t).CopyPeer(d.mem(t, 1), 0, e.mem(t, 1), 0, 1); tensor.CodeOf(err) != tensor.Internal {
			t.Error("memory of another machine:", err)
		}
		return nil
	}))
}

// TestWrongUse: using something too late, twice or in the wrong place is an error.
func TestWrongUse(t *testing.T) {
	d := New(0, Options{})
	s, e, gone := d.stream(t), d.event(t), d.stream(t)
	a := d.mem(t, 64)
	outside := map[string]error{"Launch": s.Launch(device.Func(func() error { return nil })), "Sync": s.Sync(), "CopyIn": s.CopyIn(a, 0, nil), "CopyOut": s.CopyOut(nil, a, 0),
		"CopyPeer": s.CopyPeer(a, 0, a, 0, 1), "Record": s.Record(e), "Wait": s.Wait(e)}
	_, outside["Capture"] = s.Capture(nil)
	for name, err := range outside {
		if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "Run") {
			t.Errorf("%s outside of Run: %v", name, err)
		}
	}
	must(t, d.Run(func() error {
		said := make(chan error)
		go func() { said <- s.Sync() }()
		if err := <-said; tensor.CodeOf(err) != tensor.Internal {
			t.Error("a stream is used by another goroutine than Run's:", err)
		}
		must(t, gone.Close())
		must(t, e.Close())
		for name, err := range map[string]error{"stream": gone.Sync(), "stream twice": gone.Close(), "event": e.Wait(), "event twice": e.Close(), "record": s.Record(e), "wait": s.Wait(e)} {
			if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "closed") {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.Reset()
		// The memory is freed before the work that uses it is done.
		must(t, s.CopyIn(a, 0, make([]byte, 64)))
		must(t, a.Free())
		if err := s.Sync(); tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "freed") {
			t.Error(err)
		}
		s.Reset()
		b := d.mem(t, 64)
		if err := s.CopyPeer(b, 0, b, 8, 16); tensor.CodeOf(err) != tensor.Internal {
			t.Error("an overlapping copy:", err)
		}
		s.Reset()
		// A capture fails if its function tries to wait, even if the function ignores the error.
		if _, err := s.Capture(func() error { _ = s.Sync(); return nil }); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Error(err)
		}
		if _, err := s.Capture(func() error { _ = s.CopyOut(make([]byte, 4), b, 0); return nil }); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Error(err)
		}
		if _, err := s.Capture(func() error { _, err := s.Capture(nil); return err }); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Error(err)
		}
		must(t, s.Launch(device.Func(func() (err error) {
			defer func() {
				if recover() == nil {
					t.Error("work of the host's uses the device")
				}
			}()
			return s.Sync()
		})))
		must(t, s.Sync())
		x, y := d.event(t), d.event(t)
		must(t, s.Record(x))
		if _, err := x.Since(y); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Error(err)
		}
		if _, err := x.Since(nil); tensor.CodeOf(err) != tensor.Internal {
			t.Error(err)
		}
		if ok, err := x.Done(); ok || err != nil {
			t.Error("an event has happened before a wait:", ok, err)
		}
		if ok, err := x.Done(); !ok || err != nil {
			t.Error("an event that is asked for again and again does not happen:", ok, err)
		}
		return nil
	}))
}

// TestBatches launches batches with wrong items, and batches that change after a launch.
func TestBatches(t *testing.T) {
	within(t, Options{}, 1, func(ds []*Device) {
		d := ds[0]
		a := d.mem(t, 64)
		at, pinned := a.Addr(), d.host(t, 64)
		for name, c := range map[string]struct {
			it   device.Item
			code tensor.Code
		}{
			"fill beyond":   {device.Item{Kind: device.FillItem, Dst: at + 60, N: 8}, tensor.Internal},
			"fill nothing":  {device.Item{Kind: device.FillItem, Dst: 1, N: 0}, tensor.OK},
			"in nowhere":    {device.Item{Kind: device.InItem, Dst: 64, Host: pinned, N: 64}, tensor.Internal},
			"out nowhere":   {device.Item{Kind: device.OutItem, Src: 64, Host: pinned, N: 64}, tensor.Internal},
			"another size":  {device.Item{Kind: device.OutItem, Src: at, Host: pinned, N: 63}, tensor.Internal},
			"negative":      {device.Item{Kind: device.MoveItem, N: -1}, tensor.Internal},
			"move beyond":   {device.Item{Kind: device.MoveItem, Dst: at, Src: at + 60, N: 5}, tensor.Internal},
			"move to none":  {device.Item{Kind: device.MoveItem, Dst: 1, Src: at, N: 5}, tensor.Internal},
			"overlap":       {device.Item{Kind: device.MoveItem, Dst: at, Src: at + 4, N: 5}, tensor.Internal},
			"no kernel":     {device.Item{Kind: device.LaunchItem}, tensor.InvalidArgument},
			"no text":       {device.Item{Kind: device.LaunchItem, Kernel: &device.Kernel{Module: &device.Module{}}}, tensor.InvalidArgument},
			"32 bits":       {device.Item{Kind: device.LaunchItem, Kernel: &small, Count: 1}, tensor.InvalidArgument},
			"arguments":     {device.Item{Kind: device.LaunchItem, Kernel: &first, Grid: device.Line(1), Block: device.Line(1)}, tensor.Internal},
			"many threads":  {device.Item{Kind: device.LaunchItem, Kernel: &endless, Grid: device.Line(1), Block: device.Dim{X: 1024, Y: 2, Z: 1}}, tensor.Internal},
			"no blocks":     {device.Item{Kind: device.LaunchItem, Kernel: &endless, Block: device.Line(1)}, tensor.Internal},
			"shared memory": {device.Item{Kind: device.LaunchItem, Kernel: &endless, Grid: device.Line(1), Block: device.Line(1), Shared: 1 << 20}, tensor.Internal},
			"products":      {device.Item{Kind: device.GemmItem}, tensor.Unimplemented},
			"no kind":       {device.Item{Kind: 99, N: 1}, tensor.Unimplemented},
		} {
			s := d.stream(t)
			c.it.Node = "a/b"
			var args []uint64
			if c.it.Count > 0 {
				args = make([]uint64, c.it.Count)
			}
			var b device.Batch
			b.Add(c.it, args...)
			err := s.Launch(&b)
			if err == nil {
				err = s.Sync()
			}
			var te *tensor.Error
			if tensor.CodeOf(err) != c.code || err != nil && (!errors.As(err, &te) || te.Node != "a/b") {
				t.Errorf("%s: %v", name, err)
			}
			must(t, d.Err())
		}
		s := d.stream(t)
		b := launchOf(&first, uint64(at), uint64(at))
		must(t, s.Launch(b))
		b.Args[0] = 0
		if err := s.Launch(b); tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "Prepared") {
			t.Error("a batch that was changed in place:", err)
		}
		b.Items[0].First = 5
		b.Prepared = nil
		s.Reset()
		if err := s.Launch(b); tensor.CodeOf(err) != tensor.Internal {
			t.Error("arguments that there are not:", err)
		}
	})
}

// TestVariables: each device has its own variables of a module. They keep their values from launch
// to launch.
func TestVariables(t *testing.T) {
	within(t, Options{}, 2, func(d []*Device) {
		for i, want := range [][]uint32{{6, 7}, {6}} {
			s, a, out := d[i].stream(t), d[i].mem(t, 4), make([]byte, 4)
			for _, w := range want {
				b := launchOf(&count, uint64(a.Addr()))
				b.Items[0].Block = device.Line(1)
				must(t, s.Launch(b))
				must(t, s.CopyOut(out, a, 0))
				if got := binary.LittleEndian.Uint32(out); got != w {
					t.Errorf("device %d: %d, want %d", i, got, w)
				}
			}
		}
	})
}

// TestFaults: the calls listed in Options.Faults fail, nothing leaks, and later calls either work
// or return an error.
func TestFaults(t *testing.T) {
	use := func(d *Device) (err error) {
		var a, b device.Memory
		var s device.Stream
		var e device.Event
		defer func() {
			if s != nil {
				s.Reset()
				err = errors.Join(err, s.Close())
			}
			if e != nil {
				err = errors.Join(err, e.Close())
			}
			for _, m := range []device.Memory{a, b} {
				if m != nil {
					err = errors.Join(err, m.Free())
				}
			}
		}()
		return d.Run(func() (err error) {
			if err = d.Prepare(&first); err != nil {
				return err
			}
			if a, err = d.Alloc(64); err != nil {
				return err
			}
			if b, err = d.Alloc(64); err != nil {
				return err
			}
			out, err := d.AllocHost(4)
			if err != nil {
				return err
			}
			if s, err = d.NewStream(); err != nil {
				return err
			}
			if e, err = d.NewEvent(); err != nil {
				return err
			}
			in := make([]byte, 64)
			binary.LittleEndian.PutUint32(in, math.Float32bits(7))
			if err := s.CopyIn(a, 0, in); err != nil {
				return err
			}
			if err := s.Launch(launchOf(&first, uint64(b.Addr()), uint64(a.Addr()))); err != nil {
				return err
			}
			if err := s.CopyOut(out, b, 0); err != nil {
				return err
			}
			if err := s.Record(e); err != nil {
				return err
			}
			if err := s.Sync(); err != nil {
				return err
			}
			if v := math.Float32frombits(binary.LittleEndian.Uint32(out)); v != 7 {
				return fmt.Errorf("%v comes out", v)
			}
			return e.Wait()
		})
	}
	for _, c := range []struct {
		f    Fault
		code tensor.Code
	}{
		{Fault{AllocFault, 1, false}, tensor.ResourceExhausted}, {Fault{AllocFault, 2, false}, tensor.ResourceExhausted}, {Fault{HostFault, 1, false}, tensor.ResourceExhausted},
		{Fault{StreamFault, 1, false}, tensor.Internal}, {Fault{EventFault, 1, false}, tensor.Internal}, {Fault{RecordFault, 1, false}, tensor.Internal}, {Fault{PrepareFault, 1, false}, tensor.Internal},
		{Fault{LaunchFault, 1, false}, tensor.Internal}, {Fault{CopyFault, 1, false}, tensor.Internal}, {Fault{CopyFault, 2, false}, tensor.Internal}, {Fault{SyncFault, 1, false}, tensor.Internal},
		{Fault{LaunchFault, 1, true}, tensor.Internal}, {Fault{AllocFault, 2, true}, tensor.ResourceExhausted}, {Fault{CopyFault, 3, true}, tensor.OK},
	} {
		d := New(0, Options{Faults: []Fault{c.f}})
		err := use(d)
		if tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), "injected") {
			t.Errorf("%v: %v", c.f, err)
		}
		if c.f.Call == LaunchFault && !strings.Contains(err.Error(), "layer/node") {
			t.Errorf("%v names no node: %v", c.f, err)
		}
		if l := d.Leaks(); len(l) != 0 || d.Usage().InUse != 0 {
			t.Errorf("%v: %v", c.f, l)
		}
		again := use(d)
		if c.f.Sticky {
			if again == nil || c.code != tensor.OK && (d.Err() == nil || again != d.Err()) {
				t.Errorf("%v: an unusable device works: %v", c.f, again)
			}
		} else {
			must(t, again)
		}
	}
}

// TestLeaks: resources that are not freed are listed with the place of their creation.
func TestLeaks(t *testing.T) {
	d := New(0, Options{Limit: 1 << 20})
	a, s, e := d.mem(t, 100), d.stream(t), d.event(t)
	_, _ = d.stream(t), d.event(t)
	got := strings.Join(d.Leaks(), "\n")
	if n := strings.Count(got, "sim_test.go:"); n != 5 || !strings.HasPrefix(got, "100 bytes of memory from sim_test.go:") {
		t.Error(got)
	}
	if _, err := d.Alloc(1 << 20); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Error(err)
	}
	must(t, errors.Join(a.Free(), s.Close(), e.Close()))
	if l := d.Leaks(); len(l) != 2 {
		t.Error(l)
	}
}

// TestCaptureEvents: captured work that records and waits for events does so at each launch.
func TestCaptureEvents(t *testing.T) {
	for seed := range uint64(5) {
		within(t, Options{Seed: seed}, 1, func(ds []*Device) {
			d := ds[0]
			compute, copying := d.stream(t), d.stream(t)
			done, free := d.event(t), d.event(t)
			a, in, out := d.mem(t, 4), d.host(t, 4), make([][]byte, 8)
			w, err := compute.Capture(func() error {
				return errors.Join(compute.Wait(free), compute.CopyIn(a, 0, in), compute.Record(done))
			})
			must(t, err)
			for i := range out {
				out[i] = d.host(t, 4)
				// after these waits, the previous launch no longer reads its input, so the input may change
				must(t, free.Wait())
				must(t, done.Wait())
				binary.LittleEndian.PutUint32(in, uint32(i))
				must(t, compute.Launch(w))
				must(t, copying.Wait(done))
				must(t, copying.CopyOut(out[i], a, 0))
				must(t, copying.Record(free))
			}
			must(t, copying.Sync())
			for i := range out {
				if got := binary.LittleEndian.Uint32(out[i]); got != uint32(i) {
					t.Errorf("seed %d: copy %d is %d", seed, i, got)
				}
			}
		})
	}
}

// TestClock: time advances with instructions.
func TestClock(t *testing.T) {
	within(t, Options{}, 1, func(ds []*Device) {
		d := ds[0]
		s, a, b, m := d.stream(t), d.event(t), d.event(t), d.mem(t, 64)
		must(t, s.Record(a))
		must(t, s.Launch(launchOf(&first, uint64(m.Addr()), uint64(m.Addr()))))
		must(t, s.Record(b))
		must(t, s.Sync())
		if took, err := b.Since(a); err != nil || took != 5 || d.Clock() != 5 {
			t.Errorf("%d, %v: %d", took, err, d.Clock())
		}
	})
}
