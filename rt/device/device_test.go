package device_test

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func TestList(t *testing.T) {
	for _, c := range []struct {
		counts map[string]int
		n      int
		code   tensor.Code
	}{
		{nil, 1, tensor.OK},
		{map[string]int{"CPU": 3}, 3, tensor.OK},
		{map[string]int{"GPU": 0}, 1, tensor.OK},
		{map[string]int{"GPU": 1}, 0, tensor.NotFound},
		{map[string]int{"CPU": 0}, 0, tensor.InvalidArgument},
		{map[string]int{"CPU": 1 << 30}, 0, tensor.InvalidArgument},
	} {
		all, err := device.List(c.counts)
		if tensor.CodeOf(err) != c.code || len(all) != c.n {
			t.Errorf("%v: %d devices, %v", c.counts, len(all), err)
		}
		seen := map[uint64]bool{}
		for i, d := range all {
			if want := fmt.Sprintf("/job:localhost/replica:0/task:0/device:CPU:%d", i); d.Name() != want || seen[d.Attributes().Incarnation] {
				t.Errorf("%v: %+v", c.counts, d.Attributes())
			}
			seen[d.Attributes().Incarnation] = true
		}
	}
}

func TestLimit(t *testing.T) {
	d := device.CPUWithLimit(0, 1000)
	a, err := d.Alloc(600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(401); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Error(err)
	}
	if err := a.Free(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(1000); err != nil {
		t.Error(err)
	}
	if u := d.Usage(); u != (device.Usage{Limit: 1000, InUse: 1000, Peak: 1000}) {
		t.Errorf("%+v", u)
	}
}

// TestCPUCosts: a CPU's streams do not allocate.
func TestCPUCosts(t *testing.T) {
	d := device.CPU(0)
	s, _ := d.NewStream()
	e, _ := d.NewEvent()
	m, _ := d.Alloc(64)
	b := make([]byte, 64)
	f := device.Func(func() error { return nil })
	if n := testing.AllocsPerRun(100, func() {
		_ = s.Launch(f)
		_ = s.CopyIn(m, 0, b)
		_ = s.CopyOut(b, m, 0)
		_ = s.Record(e)
		_ = s.Wait(e)
		_ = s.Sync()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCubins: Find selects machine code by the hash of the module's text. The code may be made for
// a processor with the same major number and a lower minor number.
func TestCubins(t *testing.T) {
	a, b := device.Sum("a"), device.Sum("b")
	if a != 0xaf63dc4c8601ec8c || a == b {
		t.Errorf("%#x, %#x", a, b)
	}
	code := "-012345"
	c := &device.Cubins{Code: &code, List: []device.Assembled{
		{Text: a, Major: 8, Minor: 6, From: 1, To: 2}, {Text: b, Major: 8, Minor: 0, From: 2, To: 3}, {Text: a, Major: 8, Minor: 0, From: 3, To: 4},
		{Text: a, Major: 9, Minor: 0, From: 4, To: 5}, {Text: a, Major: 8, Minor: 9, From: 5, To: 7}}}
	for _, w := range []struct {
		sum          uint64
		major, minor int
		want         string
	}{{a, 8, 0, "2"}, {a, 8, 5, "2"}, {a, 8, 6, "0"}, {a, 8, 7, "0"}, {a, 8, 9, "45"}, {a, 9, 3, "3"}, {b, 8, 9, "1"}, {b, 9, 0, ""}, {a, 7, 5, ""}, {a, 10, 0, ""}, {0, 8, 0, ""}} {
		if got, ok := c.Find(w.sum, w.major, w.minor); got != w.want || ok != (w.want != "") {
			t.Errorf("%+v: %q, %v", w, got, ok)
		}
	}
	device.Use(device.CPU(0), c) // a CPU accepts the call, but does nothing
}
