//go:build emitted && cuda && cgo && linux

package accelerated

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/accelerated/model"
	"github.com/graphc/graphc/internal/fakegpu/control"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/cuda"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/parts"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// onCUDA opens the model on GPU 0, through the CUDA driver.
func onCUDA(o cuda.Options) (*model.Model, device.Device, error) {
	o.NoTF32 = true
	d, err := cuda.New(0, o)
	if err != nil {
		return nil, nil, err
	}
	m, err := model.New(parts.WithDevices(d))
	return m, d, err
}

// left waits until the garbage collector has released all unreachable resources. It returns a text
// with the number of remaining resources of each kind.
func left() string {
	for same, was := 0, ""; ; {
		runtime.GC()
		time.Sleep(time.Millisecond)
		now := ""
		for _, what := range []string{"blocks", "locked", "streams", "events", "graphs"} {
			now += fmt.Sprint(control.Count(what), " ", what, " ")
		}
		if same++; now != was {
			same, was = 0, now
		}
		if same == 5 {
			return now
		}
	}
}

// TestCUDARuns is TestRuns through the driver, with and without capture.
func TestCUDARuns(t *testing.T) {
	for _, o := range []cuda.Options{{}, {Check: true}, {NoBLAS: true}} {
		m, d, err := onCUDA(o)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range []int{3, 3, 3, 17, 1, 3, 0, 40, 3} {
			for _, s := range steps {
				if err := s.run(t.Context(), m, n); err != nil {
					t.Errorf("%+v: run %d: %s of %d: %v", o, i, s.name, n, err)
				}
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Sync(); err != nil {
			t.Error(err)
		}
		if u := d.Usage(); u.InUse != 0 {
			t.Errorf("%+v: %d bytes are left", o, u.InUse)
		}
	}
}

// TestCUDAPreload checks that New loads all kernels.
func TestCUDAPreload(t *testing.T) {
	if !control.Fake() {
		t.Skip("only the fake driver counts modules")
	}
	before := control.Count("modules")
	m, _, err := onCUDA(cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loaded := control.Count("modules")
	for _, s := range steps {
		if err := s.run(t.Context(), m, 5); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	if n := control.Count("modules"); loaded == before || n != loaded {
		t.Errorf("%d modules before New, %d after it, %d after runs", before, loaded, n)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestCUDATrace: traced runs do not affect others, and measure each kernel with the driver's
// events.
func TestCUDATrace(t *testing.T) {
	m, d, err := onCUDA(cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.New()
	traced := rt.WithRun(t.Context(), rt.Observe(tr))
	for i, ctx := range []context.Context{t.Context(), traced, t.Context(), traced} {
		for _, s := range steps {
			if err := s.run(ctx, m, 5); err != nil {
				t.Errorf("run %d of %s: %v", i, s.name, err)
			}
		}
	}
	took := map[string]time.Duration{}
	for _, r := range tr.Runs() {
		if r.Work != nil {
			for _, w := range r.Work.Items {
				took[w.What] += w.End - w.Start
			}
		}
	}
	if took["elements0"] <= 0 || took["copy in"] <= 0 || took["copy out"] <= 0 {
		t.Errorf("the device took %v", took)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if u := d.Usage(); u.InUse != 0 {
		t.Errorf("%d bytes are left", u.InUse)
	}
}

// TestCUDAMany is TestMany through the driver.
func TestCUDAMany(t *testing.T) {
	m, _, err := onCUDA(cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 6 {
				s := steps[(g+i)%len(steps)]
				if err := s.run(t.Context(), m, 1+(g*i)%5); err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
			}
		}()
	}
	wg.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestCUDAFaults injects faults into the driver's calls of each kind, one at a time.
func TestCUDAFaults(t *testing.T) {
	if !control.Fake() {
		t.Skip("this is a real driver, which cannot be told to fail")
	}
	before := left()
	for _, c := range []struct {
		kind string
		code int
		want tensor.Code
		node bool
	}{
		{"alloc", 2, tensor.ResourceExhausted, false}, {"lock", 2, tensor.ResourceExhausted, false}, {"stream", 2, tensor.ResourceExhausted, false},
		{"event", 2, tensor.ResourceExhausted, false}, {"record", 1, tensor.Internal, false}, {"launch", 701, tensor.Internal, true}, {"copy", 1, tensor.Internal, false},
		{"graph", 2, tensor.ResourceExhausted, false}, {"wait", 1, tensor.Internal, false}, {"sync", 1, tensor.Internal, false}, {"load", 2, tensor.InvalidArgument, true},
	} {
		failed := 0
		for k := 1; k < 200; k++ {
			control.Inject(fmt.Sprintf("%s:%d=%d", c.kind, k, c.code))
			wrong, err := attempt(t, fmt.Sprintf("%s, call %d", c.kind, k))
			control.Inject("")
			if wrong > 1 {
				t.Errorf("%s, call %d: %d runs failed", c.kind, k, wrong)
			}
			var e *tensor.Error
			if wrong > 0 && (!errors.As(err, &e) || e.Code != c.want || c.node && e.Node == "") {
				t.Errorf("%s, call %d: %v", c.kind, k, err)
			}
			if failed += wrong; wrong == 0 {
				break
			}
		}
		if failed == 0 {
			t.Errorf("%s: no call failed", c.kind)
		}
		if now := left(); now != before {
			t.Fatalf("%s: %s are left, %s before", c.kind, now, before)
		}
	}
}

// attempt opens a model, runs all steps three times and closes the model. It returns the number of
// errors and the last error.
func attempt(t *testing.T, what string) (wrong int, err error) {
	m, d, err := onCUDA(cuda.Options{NoBLAS: true})
	if err != nil {
		wrong++
	} else {
		for range 3 { // the second run replays work that the first run recorded
			for _, s := range steps {
				e := s.run(t.Context(), m, 4)
				if e == nil {
					continue
				}
				err = e
				wrong++
				if e := s.run(t.Context(), m, 4); e != nil {
					t.Errorf("%s: the next run of %s: %v", what, s.name, e)
				}
			}
		}
		if e := m.Close(); e != nil && wrong == 0 {
			err = e
			wrong++
		}
	}
	if d.Err() != nil {
		t.Fatalf("%s: %v", what, d.Err())
	}
	if u := d.Usage(); u.InUse != 0 {
		t.Errorf("%s: %d bytes are left", what, u.InUse)
	}
	return wrong, err
}

// TestCUDALost: after a kernel that fails while it runs, the device is unusable, and every run
// returns the reason.
func TestCUDALost(t *testing.T) {
	if !control.Fake() {
		t.Skip("this is a real driver, which cannot be told to fail")
	}
	defer control.Mend()
	for _, o := range []cuda.Options{{}, {Check: true}} {
		control.Inject("run:2=700")
		m, d, err := onCUDA(o)
		if err != nil {
			t.Fatal(err)
		}
		failed := false
		for range 2 {
			for _, s := range steps {
				err := s.run(t.Context(), m, 4)
				if failed && err == nil {
					t.Errorf("%s works on a useless device", s.name)
				}
				if err != nil && !strings.Contains(err.Error(), "ILLEGAL_ADDRESS") {
					t.Errorf("%s: %v", s.name, err)
				}
				var e *tensor.Error
				if err != nil && !failed && o.Check && (!errors.As(err, &e) || e.Node == "") {
					t.Errorf("the first error names no node: %v", err)
				}
				failed = failed || err != nil
			}
		}
		if !failed || d.Err() == nil {
			t.Error("nothing failed")
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		control.Inject("")
		control.Mend()
	}
}

// TestCUDAMissingWait is TestMissingWait through the driver.
func TestCUDAMissingWait(t *testing.T) {
	if !control.Fake() {
		t.Skip("a real GPU may be fast enough")
	}
	missingWait(t, func(uint64) error {
		d, err := cuda.New(0, cuda.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(parts.WithDevices(devicetest.Hasty{Device: d}))
		if err != nil {
			t.Fatal(err)
		}
		defer closeModel(t, m)
		return steps[1].run(t.Context(), m, 5)
	})
}
