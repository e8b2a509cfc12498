package devvar

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// rig is a store with two users of one variable, each with a queue.
type rig struct {
	t *testing.T
	d *sim.Device
	s *Store
	v *resource.Var
	q [2]*device.Queue
	u [2]*User
}

func newRig(t *testing.T, o sim.Options) *rig {
	d := sim.New(0, o)
	v := &resource.Var{Name: "v", DType: tensor.Float32, Declared: []int{3}, Set: true, Shape: []int{3}, Data: []float32{1, 2, 3}}
	r := &rig{t: t, d: d, s: NewStore(d), v: v}
	r.within(func() error {
		for i := range r.q {
			q, err := device.NewQueue(d, 1)
			if err != nil {
				return err
			}
			r.q[i], r.u[i] = q, NewUser(r.s, q, [][]tensor.Handle{{{V: v}}})
		}
		return nil
	})
	return r
}

func (r *rig) within(f func() error) {
	r.t.Helper()
	if err := r.d.Run(f); err != nil {
		r.t.Error(err)
	}
}

// close frees everything and checks that nothing is left.
func (r *rig) close() {
	r.t.Helper()
	for i, q := range r.q {
		r.within(q.Release)
		r.u[i].Close()
	}
	if err := r.s.Close(); err != nil {
		r.t.Error(err)
	}
	if l := r.d.Leaks(); len(l) > 0 {
		r.t.Errorf("left: %v", l)
	}
}

// fill launches a segment that uses the variable. The segment belongs to user number i. If
// use.Write is set, the segment fills the variable's value with copies of one byte. The last
// parameter is this byte.
func (r *rig) fill(i int, use Use, with byte) error {
	return r.d.Run(func() error {
		if err := r.u[i].Hold([]Use{use}); err != nil {
			return err
		}
		r.q[i].Begin(0, false)
		if use.Write {
			r.q[i].Fill(r.u[i].At[0], 12, with)
		}
		return r.u[i].Release(r.q[i].End())
	})
}

// end ends the run of user i.
func (r *rig) end(i int) (err error) {
	_ = r.d.Run(func() error {
		if err = r.q[i].Finish(); err != nil {
			_ = r.q[i].Reset()
		}
		r.u[i].End(err != nil)
		return nil
	})
	return err
}

// The method named is checks that the variable has the wanted value on the host.
func (r *rig) is(want ...float32) {
	r.t.Helper()
	r.v.Lock()
	defer r.v.Unlock()
	got, err := resource.Values[float32](r.v)
	if err != nil || !slices.Equal(got, want) {
		r.t.Errorf("%v, %v: want %v", got, err, want)
	}
}

func use(k Kind, write bool, shape ...int) Use {
	return Use{Node: "n", Op: "Op", Kind: k, Write: write, DType: tensor.Float32, Shape: shape}
}

// TestCopies: the host sees the device's writes, and the device sees the host's writes.
func TestCopies(t *testing.T) {
	r := newRig(t, sim.Options{})
	for k := range 3 {
		for _, err := range []error{r.fill(0, use(Read, false, 3), 0), r.fill(1, use(Update, true, 3), 0), r.fill(0, use(Read, false, 3), 0)} {
			if err != nil {
				t.Error(err)
			}
		}
		r.is(0, 0, 0)
		if err := r.end(k % 2); err != nil {
			t.Error(err)
		}
		r.v.Lock()
		x, err := resource.Change[float32](r.v)
		if err != nil {
			t.Error(err)
		}
		x[k] = 7
		r.v.Unlock()
		if err := r.fill(0, use(Read, false, 3), 0); err != nil {
			t.Error(err)
		}
		want := make([]float32, 3)
		want[k] = 7
		r.is(want...)
	}
	if err := r.fill(0, use(Assign, true, 3), 0); err != nil {
		t.Error(err)
	}
	r.v.Lock()
	r.v.Forget()
	r.v.Unlock()
	if err := r.fill(1, use(Assign, true, 3), 0); err != nil {
		t.Error(err)
	}
	r.is(0, 0, 0)
	r.close()
}

// TestRefused checks that an invalid use of a variable causes the same error as it does on the
// host, and that this error names the node.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		use   Use
		unset bool
		code  tensor.Code
	}{
		{use(Read, false, 3), true, tensor.FailedPrecondition},
		{use(Update, true, 3), true, tensor.NotFound},
		{use(Read, false, 4), false, tensor.InvalidArgument},
		{use(Reassign, true, 4), false, tensor.InvalidArgument},
		{use(Assign, true, 4), false, tensor.InvalidArgument},
		{Use{DType: tensor.Float64, Shape: []int{3}}, false, tensor.InvalidArgument},
	} {
		r := newRig(t, sim.Options{})
		if c.unset {
			r.v.Set = false
		}
		err := r.fill(0, c.use, 0)
		if tensor.CodeOf(err) != c.code || c.use.Node != "" && !strings.Contains(err.Error(), `"n" (Op)`) {
			t.Errorf("%+v: %v", c.use, err)
		}
		_ = r.end(0)
		r.v.Set = true
		r.is(1, 2, 3)
		r.close()
	}
}

// TestFails: after any fault the variable has either the old or the new value.
func TestFails(t *testing.T) {
	for _, call := range []sim.Call{sim.AllocFault, sim.HostFault, sim.EventFault, sim.RecordFault, sim.LaunchFault, sim.CopyFault} {
		for k := 1; k < 6; k++ {
			r := newRig(t, sim.Options{})
			r.close()
			r = newRig(t, sim.Options{Faults: []sim.Fault{{Call: call, At: k}}})
			err := r.fill(0, use(Update, true, 3), 0)
			if e := r.end(0); err == nil {
				err = e
			}
			r.v.Lock()
			got, home := resource.Values[float32](r.v)
			// The injected fault has made resource.Values fail. The second call must succeed.
			if home != nil {
				got, home = resource.Values[float32](r.v)
			}
			if old := slices.Equal(got, []float32{1, 2, 3}); home != nil || err == nil == old || !old && !slices.Equal(got, []float32{0, 0, 0}) {
				t.Errorf("%v %d: %v: %v, %v", call, k, err, got, home)
			}
			r.v.Unlock()
			r.close()
		}
	}
}

// TestMemory: the error names the variable for which there is too little memory.
func TestMemory(t *testing.T) {
	r := newRig(t, sim.Options{Limit: 8})
	if err := r.fill(0, use(Read, false, 3), 0); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), `the variable "v"`) {
		t.Error(err)
	}
	_ = r.end(0)
	r.close()
}

// TestSteady: a repeated run allocates nothing in package devvar.
func TestSteady(t *testing.T) {
	r := newRig(t, sim.Options{})
	uses := []Use{use(Update, true, 3)}
	if err := r.fill(0, uses[0], 0); err != nil {
		t.Fatal(err)
	}
	r.within(func() error {
		n := testing.AllocsPerRun(20, func() {
			if err := r.u[0].Hold(uses); err != nil {
				t.Fatal(err)
			}
			r.u[0].unlock()
		})
		if n > 0 {
			t.Errorf("%v allocations", n)
		}
		return nil
	})
	r.close()
}
