package resource

import (
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

const chargeLimit = 1 << 20

func limited() *mem.Budget {
	r := new(mem.Budget)
	r.Init(chargeLimit, nil, nil)
	r.Reset(0)
	return r
}

func row(n int) ([]int, Data) { return []int{n}, Data{B: make([]byte, 4*n)} }

// TestCharge: the tensors in arrays, stacks and lists count toward the memory limit of the run that
// created the containers. A tensor that exceeds the limit is refused.
func TestCharge(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(r *mem.Budget) (add func(k int) error, drop func() error)
	}{
		{"array", func(r *mem.Budget) (func(int) error, func() error) {
			a, err := NewArray("a", tensor.Float32, Partial{}, 0, ArrayFlags{Dynamic: true})
			if err == nil {
				err = a.Charge(r)
			}
			if err != nil {
				t.Fatal(err)
			}
			return func(k int) error {
				shape, data := row(1000 + k%2)
				return a.Write(k, shape, data)
			}, func() error { a.Close(); return nil }
		}},
		{"stack", func(r *mem.Budget) (func(int) error, func() error) {
			s := NewStack("s", tensor.Float32, -1)
			if err := s.Charge(r); err != nil {
				t.Fatal(err)
			}
			return func(k int) error {
				shape, data := row(1000 + k%2)
				return s.Push(shape, data)
			}, func() error { s.Close(); return nil }
		}},
		{"list", func(r *mem.Budget) (func(int) error, func() error) {
			l, err := NewList(tensor.Float32, Partial{}, 0, -1)
			if err == nil {
				err = l.Charge(r)
			}
			if err != nil {
				t.Fatal(err)
			}
			return func(k int) (err error) {
				shape, data := row(1000 + k%2)
				if m, err := l.Push(shape, data, false); err == nil {
					l = m
				} else {
					return err
				}
				return nil
			}, nil
		}},
	} {
		r := limited()
		add, drop := c.make(r)
		var err error
		n := 0
		for ; n < 1000 && err == nil; n++ {
			err = add(n)
		}
		if tensor.CodeOf(err) != tensor.ResourceExhausted {
			t.Errorf("%s: %d tensors of 4 kB fit into 1 MiB: %v", c.name, n, err)
		}
		// Only 60 tensors are required, although about 250 fit into 1 MiB: while a block is copied to
		// a block of twice its size, both blocks count.
		if n < 60 {
			t.Errorf("%s: only %d tensors of 4 kB fit into 1 MiB", c.name, n)
		}
		if drop == nil {
			continue
		}
		if err := drop(); err != nil {
			t.Fatal(err)
		}
		if r.Used() != 0 {
			t.Errorf("%s: %d bytes count after it is closed", c.name, r.Used())
		}
	}
}

// TestChargePops: a tensor that was removed from a stack no longer counts toward the limit of the run.
func TestChargePops(t *testing.T) {
	r := limited()
	s := NewStack("s", tensor.Float32, -1)
	if err := s.Charge(r); err != nil {
		t.Fatal(err)
	}
	push := func(n int) {
		t.Helper()
		shape, data := row(n)
		if err := s.Push(shape, data); err != nil {
			t.Fatal(err)
		}
	}
	push(1) // the block holds tensors of this shape; larger tensors become separate pieces
	for range 1000 {
		push(10000)
		if err := s.Drop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHeldLists: several versions of one list count as much memory as one version. A list counts
// together with the lists that are its elements.
func TestHeldLists(t *testing.T) {
	l, err := NewList(tensor.Float32, Partial{}, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	shape, data := row(1000)
	m, err := l.Push(shape, data, false)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := NewList(tensor.Variant, Partial{}, 0, -1)
	if err == nil {
		outer, err = outer.Push([]int{}, Data{H: []tensor.Handle{{V: m}}}, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	one := mem.Held(nil, [][]tensor.Handle{{{V: m}}})
	if one < 4000 || one > 40000 {
		t.Errorf("a list of 4000 bytes holds %d", one)
	}
	if n := mem.Held(nil, [][]tensor.Handle{{{V: l}, {V: m}}}); n != one {
		t.Errorf("two versions hold %d bytes, one %d", n, one)
	}
	if n := mem.Held(nil, [][]tensor.Handle{{{V: outer}, {V: m}}}); n < one || n > one+2000 {
		t.Errorf("a list in a list holds %d bytes beside %d", n, one)
	}
}
