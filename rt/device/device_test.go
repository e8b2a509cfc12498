package device_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/rendezvous"
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

// TestCPUCosts shows that a CPU's streams allocate nothing.
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

// worker is a partition of a program on a device.
type worker struct {
	d             device.Device
	compute, copy device.Stream
	in, out       []byte // staging
	sent, ready   device.Event
	m             device.Memory
}

const elems = 100

func newWorker(d device.Device) (w *worker, err error) {
	w = &worker{d: d}
	errs := make([]error, 7)
	w.compute, errs[0] = d.NewStream()
	w.copy, errs[1] = d.NewStream()
	w.in, errs[2] = d.AllocHost(8 * elems)
	w.out, errs[3] = d.AllocHost(8 * elems)
	w.sent, errs[4] = d.NewEvent()
	w.ready, errs[5] = d.NewEvent()
	w.m, errs[6] = d.Alloc(8 * elems)
	return w, errors.Join(errs...)
}

// add puts v + add, for each element of the memory, into it, in the order of the
// compute stream: by way of host memory, since no device here has kernels.
func (w *worker) add(by uint64, tmp []byte) error {
	return errors.Join(
		w.compute.CopyOut(tmp, w.m, 0),
		w.compute.Launch(device.Func(func() error {
			for i := range elems {
				binary.NativeEndian.PutUint64(tmp[8*i:], binary.NativeEndian.Uint64(tmp[8*i:])+by)
			}
			return nil
		})),
		w.compute.CopyIn(w.m, 0, tmp))
}

// send sends the memory when what computes it is done, by the stream for copies.
func (w *worker) send(x *rendezvous.Exchange, slot int) error {
	return errors.Join(
		w.compute.Record(w.ready),
		w.copy.Wait(w.ready),
		device.Send(x, slot, tensor.Uint64, elems, w.copy, w.m, 0, w.out, w.sent))
}

// recv receives into the memory, and what computes waits for that.
func (w *worker) recv(x *rendezvous.Exchange, slot int) error {
	return errors.Join(
		device.Recv(x, slot, tensor.Uint64, elems, w.copy, w.m, 0, w.in),
		w.copy.Record(w.ready),
		w.compute.Wait(w.ready))
}

// TestPartitions has partitions on devices of every kind send to each other: the
// first to the second, which adds and sends back, and a partition of plain slices
// that receives the sum.
func TestPartitions(t *testing.T) {
	kinds := map[string]func(i int) device.Device{"cpu": device.CPU, "lazy": devicetest.Lazy}
	for na, a := range kinds {
		for nb, b := range kinds {
			t.Run(na+" and "+nb, func(t *testing.T) {
				x := rendezvous.NewExchange(3, 3)
				wa, err := newWorker(a(0))
				if err != nil {
					t.Fatal(err)
				}
				wb, err := newWorker(b(1))
				if err != nil {
					t.Fatal(err)
				}
				tmpA, _ := wa.d.AllocHost(8 * elems)
				tmpB, _ := wb.d.AllocHost(8 * elems)
				start, got := make([]byte, 8*elems), make([]uint64, elems)
				var seed uint64
				g := rendezvous.NewGroup(x, []func() error{
					func() error {
						return wa.d.Run(func() error {
							for i := range elems {
								binary.NativeEndian.PutUint64(start[8*i:], uint64(i)+seed)
							}
							err := errors.Join(wa.compute.CopyIn(wa.m, 0, start), wa.add(1, tmpA), wa.send(x, 0))
							if err != nil {
								return err
							}
							if err := wa.sent.Wait(); err != nil { // before the memory is written again
								return err
							}
							return errors.Join(wa.recv(x, 1), wa.add(100, tmpA), wa.send(x, 2), wa.sent.Wait())
						})
					},
					func() error {
						return wb.d.Run(func() error {
							return errors.Join(wb.recv(x, 0), wb.add(10, tmpB), wb.send(x, 1), wb.sent.Wait())
						})
					},
					func() error { return rendezvous.RecvU64(got, x, 2) },
				})
				for run := range 30 {
					seed = uint64(1000 * run)
					if err := g.Run(context.Background(), run%4); err != nil {
						t.Fatal(err)
					}
					for i, v := range got {
						if v != uint64(i)+seed+111 {
							t.Fatalf("run %d: element %d is %d", run, i, v)
						}
					}
				}
			})
		}
	}
}

// TestSendFails shows that a device's error ends the run with the node's name.
func TestSendFails(t *testing.T) {
	for _, open := range []func(i int) device.Device{device.CPU, devicetest.Lazy} {
		w, err := newWorker(open(0))
		if err != nil {
			t.Fatal(err)
		}
		broken := tensor.AtNode(tensor.Errorf(tensor.DataLoss, "broken"), "a/b", "Op")
		x := rendezvous.NewExchange(1, 2)
		g := rendezvous.NewGroup(x, []func() error{
			func() error {
				_ = w.compute.Launch(device.Func(func() error { return broken }))
				_ = w.send(x, 0)
				return nil
			},
			func() error { return rendezvous.RecvU64(make([]uint64, elems), x, 0) },
		})
		err = g.Run(context.Background(), 0)
		if te := (*tensor.Error)(nil); !errors.As(err, &te) || te.Code != tensor.DataLoss || te.Node != "a/b" {
			t.Errorf("%s: %v", w.d.Name(), err)
		}
		if err := device.Recv(x, 0, tensor.Uint64, elems+1, w.copy, w.m, 0, w.in); tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: staging memory that is too small: %v", w.d.Name(), err)
		}
		if err := device.Send(x, 0, tensor.Uint64, elems+1, w.copy, w.m, 0, w.in, w.sent); tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: staging memory that is too small: %v", w.d.Name(), err)
		}
	}
}
