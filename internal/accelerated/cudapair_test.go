//go:build emitted && cuda && cgo && linux

package accelerated

import (
	"errors"
	"fmt"
	"testing"

	"github.com/graphc/graphc/internal/accelerated/pair"
	"github.com/graphc/graphc/internal/fakegpu/control"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/cuda"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/parts"
	"github.com/graphc/graphc/rt/tensor"
)

// bothCUDA opens GPUs 0 and 1, through the driver.
func bothCUDA(t *testing.T, o cuda.Options) []device.Device {
	t.Helper()
	o.NoTF32 = true
	var out []device.Device
	for i := range 2 {
		d, err := cuda.New(i, o)
		if tensor.CodeOf(err) == tensor.NotFound && i > 0 {
			t.Skip("there is one GPU only")
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

// TestCUDAPair is TestPair through the driver.
func TestCUDAPair(t *testing.T) {
	for _, o := range []cuda.Options{{}, {Check: true}} {
		d := bothCUDA(t, o)
		m, err := pair.New(parts.WithDevices(d...))
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range []int{3, 3, 3, 17, 1, 7, 0, 40, 3} {
			for _, s := range pairSteps {
				if err := s.run(t.Context(), m, n); err != nil {
					t.Errorf("%+v: run %d: %s of %d: %v", o, i, s.name, n, err)
				}
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		for _, d := range d {
			if u := d.Usage(); u.InUse != 0 || d.Sync() != nil {
				t.Errorf("%+v: %d bytes are left on %s, %v", o, u.InUse, d.Name(), d.Err())
			}
		}
	}
}

// TestCUDAPairFaults injects faults into the driver's calls of each kind, one at a time.
func TestCUDAPairFaults(t *testing.T) {
	if !control.Fake() {
		t.Skip("this is a real driver, which cannot be told to fail")
	}
	before := left()
	for _, c := range []struct {
		kind string
		code int
		want tensor.Code
	}{{"alloc", 2, tensor.ResourceExhausted}, {"event", 2, tensor.ResourceExhausted}, {"record", 1, tensor.Internal}, {"copy", 1, tensor.Internal}, {"wait", 1, tensor.Internal}} {
		failed := 0
		for k := 1; k < 300; k += 3 {
			control.Inject(fmt.Sprintf("%s:%d=%d", c.kind, k, c.code))
			wrong, err := pairAttempt(t, fmt.Sprintf("%s, call %d", c.kind, k))
			control.Inject("")
			var e *tensor.Error
			if wrong > 1 || wrong > 0 && (!errors.As(err, &e) || e.Code != c.want) {
				t.Errorf("%s, call %d: %d failed: %v", c.kind, k, wrong, err)
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

// pairAttempt opens the program, runs everything twice and closes it. It returns the number of
// errors, and the last error.
func pairAttempt(t *testing.T, what string) (wrong int, err error) {
	d := bothCUDA(t, cuda.Options{NoBLAS: true})
	m, err := pair.New(parts.WithDevices(d...))
	if err != nil {
		return 1, err
	}
	for range 2 {
		for _, s := range pairSteps {
			e := s.run(t.Context(), m, 3)
			if e == nil {
				continue
			}
			err = e
			wrong++
			if e := s.run(t.Context(), m, 3); e != nil {
				t.Errorf("%s: the next run of %s: %v", what, s.name, e)
			}
		}
	}
	if e := m.Close(); e != nil && wrong == 0 {
		err = e
		wrong++
	}
	for _, d := range d {
		if u := d.Usage(); u.InUse != 0 || d.Err() != nil {
			t.Errorf("%s: %d bytes are left, %v", what, u.InUse, d.Err())
		}
	}
	return wrong, err
}

// TestCUDAPairMissingWait is TestPairMissingWait through the driver.
func TestCUDAPairMissingWait(t *testing.T) {
	if !control.Fake() {
		t.Skip("a real GPU may be fast enough")
	}
	missingWait(t, func(uint64) error {
		d := bothCUDA(t, cuda.Options{})
		m, err := pair.New(parts.WithDevices(d[0], devicetest.Hasty{Device: d[1]}))
		if err != nil {
			t.Fatal(err)
		}
		defer closeModel(t, m)
		return pairSteps[0].run(t.Context(), m, 5)
	})
}
