//go:build cuda && cgo && linux

package cuda

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/internal/fakegpu/control"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/cuda/driver"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/tensor"
)

// TestNoDriver starts this test in a process that finds no GPU. The process ends before package cu
// prints anything.
func TestNoDriver(t *testing.T) {
	if os.Getenv("GRAPHC_TEST_NO_DRIVER") != "" {
		return // not reached: the process ends when package driver finds no GPU
	}
	for name, env := range map[string]string{"finds no GPU|does not start": "CUDA_VISIBLE_DEVICES=", "there is no CUDA driver|finds no GPU|does not start": "LD_LIBRARY_PATH="} {
		cmd := exec.Command(os.Args[0], "-test.run=TestNoDriver")
		cmd.Env = append(os.Environ(), "GRAPHC_TEST_NO_DRIVER=1", env)
		if strings.HasPrefix(env, "LD") {
			// There may be a driver in the system's directories, which are always searched. This
			// variable hides the GPUs from it.
			cmd.Env = append(cmd.Env, "CUDA_VISIBLE_DEVICES=")
		}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if err == nil || cmd.ProcessState.ExitCode() != driver.NoGPU || out.Len() != 0 {
			t.Errorf("%s: %v, stdout %q", env, err, &out)
		}
		if s := errs.String(); !strings.Contains(s, "-tags cuda") || strings.Count(s, "\n") != 1 {
			t.Errorf("%s: stderr %q", env, s)
		}
		found := false
		for want := range strings.SplitSeq(name, "|") {
			found = found || strings.Contains(errs.String(), want)
		}
		if !found {
			t.Errorf("%s: %q says nothing of %s", env, &errs, name)
		}
	}
}

// TestPeers copies between two devices, and makes a stream of one device wait for an event of the
// other device.
func TestPeers(t *testing.T) {
	n, err := cu.NumDevices()
	must(t, err)
	if n < 2 {
		t.Skip("there is one GPU only")
	}
	a := open(t, Options{})
	b, err := New(1, Options{})
	must(t, err)
	for _, d := range [][2]device.Device{{a, b}, {b, a}} {
		if right, err := devicetest.Peers(d[0], d[1]); err != nil || !right {
			t.Errorf("messages from %s to %s: %v, %v", d[0].Name(), d[1].Name(), right, err)
		}
	}
	if a.Name() == b.Name() || a.Attributes().Incarnation == b.Attributes().Incarnation {
		t.Error("two devices have one name")
	}
	x, err := a.Alloc(4096)
	must(t, err)
	y, err := b.Alloc(4096)
	must(t, err)
	want := bytes.Repeat([]byte{1, 2, 3, 4}, 1024)
	got := make([]byte, 4096)
	within(t, a, func() {
		s, err := a.NewStream()
		must(t, err)
		e, err := a.NewEvent()
		must(t, err)
		must(t, s.CopyIn(x, 0, want))
		// The second copy finds that access to the other device has already been requested.
		for range 2 {
			must(t, s.CopyPeer(y, 8, x, 0, 4000))
		}
		must(t, s.Record(e))
		within(t, b, func() {
			o, err := b.NewStream()
			must(t, err)
			must(t, o.Wait(e))
			must(t, o.CopyOut(got, y, 0))
			if !bytes.Equal(got[8:4008], want[:4000]) {
				t.Error("what comes across is not what went in")
			}
			if err := o.CopyIn(x, 0, want); tensor.CodeOf(err) != tensor.Internal {
				t.Error("a stream uses another device's memory:", err)
			}
			o.Reset()
			w, err := o.Capture(func() error { return o.CopyOut(got[:0], y, 0) })
			must(t, err)
			if err := s.Launch(w); tensor.CodeOf(err) != tensor.Internal {
				t.Error("captured work of another device:", err)
			}
			s.Reset()
			if err := o.Record(e); tensor.CodeOf(err) != tensor.Internal {
				t.Error("an event of another device:", err)
			}
			must(t, o.Close())
		})
		must(t, e.Close())
		must(t, s.Close())
	})
	must(t, x.Free())
	must(t, y.Free())
	for _, i := range []int{-1, n} {
		if _, err := New(i, Options{}); tensor.CodeOf(err) != tensor.NotFound {
			t.Error(err)
		}
	}
}

// TestCaptureEvents checks captured work that records an event or waits for an event. It must
// record the event, or wait for it, at each launch of the captured work.
func TestCaptureEvents(t *testing.T) {
	for _, o := range []Options{{}, {Check: true}} {
		d := open(t, o)
		within(t, d, func() {
			up, err := d.NewStream()
			must(t, err)
			down, err := d.NewStream()
			must(t, err)
			ready, err := d.NewEvent()
			must(t, err)
			start, err := d.NewEvent()
			must(t, err)
			m, err := d.Alloc(8)
			must(t, err)
			in, err := d.AllocHost(8)
			must(t, err)
			out, err := d.AllocHost(8)
			must(t, err)
			put, err := up.Capture(func() error {
				if err := up.CopyIn(m, 0, in); err != nil {
					return err
				}
				return up.Record(ready)
			})
			must(t, err)
			get, err := down.Capture(func() error {
				if err := down.Wait(ready); err != nil {
					return err
				}
				return down.CopyOut(out, m, 0)
			})
			must(t, err)
			if _, err := down.Capture(func() error { return down.CopyOut(make([]byte, 8), m, 0) }); tensor.CodeOf(err) != tensor.FailedPrecondition {
				t.Error("a capture waits:", err)
			}
			both, err := down.Capture(func() error { return down.Launch(get) })
			must(t, err)
			pageable, err := up.Capture(func() error { return up.CopyIn(m, 0, []byte("captured")) })
			must(t, err)
			must(t, up.Record(start))
			for i := range byte(4) {
				in[3] = i
				must(t, up.Launch(put))
				must(t, down.Launch([]device.Work{get, both}[i%2]))
				must(t, down.Sync())
				if out[3] != i {
					t.Errorf("round %d: %v", i, out)
				}
			}
			if took, err := ready.Since(start); err != nil || took <= 0 {
				t.Error(took, err)
			}
			must(t, up.Launch(pageable))
			must(t, up.CopyOut(out, m, 0))
			must(t, up.Sync())
			if string(out) != "captured" {
				t.Errorf("%q", out)
			}
			for _, e := range []device.Event{ready, start} {
				must(t, e.Close())
			}
			must(t, up.Close())
			must(t, down.Close())
			must(t, m.Free())
		})
	}
}

func TestStrangers(t *testing.T) {
	d, c := open(t, Options{}), device.CPU(0)
	m, err := c.Alloc(8)
	must(t, err)
	e, err := c.NewEvent()
	must(t, err)
	mine, err := d.NewEvent()
	must(t, err)
	within(t, d, func() {
		s, err := d.NewStream()
		must(t, err)
		_, since := mine.Since(e)
		own, err := d.Alloc(8)
		must(t, err)
		for name, f := range map[string]func() error{
			"CopyIn": func() error { return s.CopyIn(m, 0, make([]byte, 8)) }, "CopyOut": func() error { return s.CopyOut(make([]byte, 8), m, 0) },
			"CopyPeer": func() error { return s.CopyPeer(m, 0, own, 0, 8) }, "from": func() error { return s.CopyPeer(own, 0, m, 0, 8) },
			"Record": func() error { return s.Record(e) }, "Wait": func() error { return s.Wait(e) }, "Since": func() error { return since },
		} {
			if err := f(); tensor.CodeOf(err) != tensor.Internal {
				t.Errorf("%s: %v", name, err)
			}
			s.Reset()
		}
		if _, err := s.Capture(func() error { _, err := s.Capture(func() error { return nil }); return err }); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Error(err)
		}
		must(t, own.Free())
		must(t, s.Close())
	})
	must(t, mine.Close())
}

// TestModules checks the errors for invalid modules, which must contain the messages of the
// driver's compiler. It also checks that the best machine code is selected if a module has machine
// code for several processors.
func TestModules(t *testing.T) {
	d := open(t, Options{})
	bad, elf := "not PTX at all", "\x7fELF and nothing else"
	for name, m := range map[string]*device.Module{
		"does not accept the PTX":          {PTX: &bad},
		"does not accept the machine code": {Cubins: []device.Cubin{{Major: 9, Minor: 0, Code: &elf}}},
		"has no kernel":                    {PTX: &source},
	} {
		if m.Cubins != nil && !control.Fake() {
			continue // a real driver may read beyond the end of such code
		}
		err := d.Prepare(&device.Kernel{Module: m, Entry: "nothing"})
		if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if m.PTX == &bad && strings.Count(err.Error(), "\n") == 0 {
			t.Errorf("what is wrong with the PTX is not said: %v", err)
		}
	}
	// If the driver refuses the machine code of a module that also has PTX, the PTX is used.
	if control.Fake() {
		must(t, d.Prepare(&device.Kernel{Module: &device.Module{PTX: &source, Cubins: []device.Cubin{{Major: 9, Minor: 0, Code: &elf}}}, Entry: "add"}))
	}

	code := make([]string, 5)
	m := &device.Module{}
	for i, c := range [][2]int{{8, 0}, {9, 0}, {8, 6}, {8, 9}, {10, 0}} {
		m.Cubins = append(m.Cubins, device.Cubin{Major: c[0], Minor: c[1], Code: &code[i]})
	}
	for _, c := range []struct{ major, minor, want int }{{8, 0, 0}, {8, 5, 0}, {8, 6, 2}, {8, 7, 2}, {8, 9, 3}, {9, 0, 1}, {10, 3, 4}, {7, 5, -1}, {12, 0, -1}} {
		got := cubin(m, c.major, c.minor)
		if c.want < 0 && got != nil || c.want >= 0 && got != &code[c.want] {
			t.Errorf("%d.%d", c.major, c.minor)
		}
	}
}

// TestUse checks which machine code passed to device.Use is loaded instead of a module's PTX: the
// code must have been assembled from that PTX, and for this processor.
func TestUse(t *testing.T) {
	if !control.Fake() {
		return // a real driver would not accept the machine code of this test
	}
	code := "\x7fELF" + source
	with := func(text string, major, minor int) *device.Cubins {
		return &device.Cubins{Code: &code, List: []device.Assembled{{Text: device.Sum(text), Major: major, Minor: minor, To: len(code)}}}
	}
	for _, c := range []struct {
		name  string
		using *device.Cubins
		want  int
	}{
		{"none", nil, 0}, {"one", with(source, 9, 0), 1}, {"another processor's", with(source, 8, 0), 0}, {"a later processor's", with(source, 9, 5), 0}, {"another text's", with("else", 9, 0), 0},
	} {
		d := open(t, Options{})
		if c.using != nil {
			device.Use(d, with("something else", 9, 0))
			device.Use(d, c.using)
			device.Use(d, c.using)
		}
		before := control.Count("binaries")
		for range 2 {
			must(t, d.Prepare(&device.Kernel{Module: &device.Module{PTX: &source}, Entry: "add"}))
		}
		if n := control.Count("binaries") - before; n != 2*c.want {
			t.Errorf("%s: %d modules are loaded from machine code", c.name, n)
		}
	}
}
