package rendezvous

import (
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// crate counts how often it is dropped.
type crate struct{ dropped int }

func (c *crate) Drop() { c.dropped++ }

// TestParcels sends messages in parcels. A slot uses a returned parcel again in the same run. In the
// next run it uses all of its parcels again.
func TestParcels(t *testing.T) {
	x := NewExchange(2, 2)
	var all []*crate
	send := func(n int) (again bool) {
		t.Helper()
		p, again, err := x.Parcel(1)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			c := &crate{}
			all, p = append(all, c), c
			x.Keep(1, c)
		}
		if err := x.SendParcel(1, tensor.Float32, n, p); err != nil {
			t.Fatal(err)
		}
		return again
	}
	recv := func(n int) Parcel {
		t.Helper()
		p, err := x.RecvParcel(1, tensor.Float32, n)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for run := range 3 {
		// Send four messages, so that four parcels are in use at the same time. The loop ends after
		// message 3.
		for i := range 5 {
			if send(i) {
				t.Errorf("run %d: message %d is in a parcel of this run", run, i)
			}
			if i == 3 {
				break
			}
		}
		for i := range 3 {
			if p := recv(i); run == 0 && p != all[i] {
				t.Errorf("message %d comes in another parcel", i)
			} else {
				x.Reuse(1, p)
			}
		}
		if !send(7) {
			t.Errorf("run %d: a parcel of this run is taken for one of another", run)
		}
		if run == 1 { // in the other runs, the last two messages stay unreceived
			x.Reuse(1, recv(3))
		}
		x.Renew()
		if len(all) != 4 {
			t.Fatalf("run %d: there are %d parcels", run, len(all))
		}
	}
	x.Drop()
	for i, c := range all {
		if c.dropped != 1 {
			t.Errorf("parcel %d is dropped %d times", i, c.dropped)
		}
	}
	if p, _, err := x.Parcel(1); p != nil || err != nil {
		t.Error("a parcel that was dropped:", p, err)
	}
}

// TestParcelErrors: mismatches are refused, and every call fails after an abort.
func TestParcelErrors(t *testing.T) {
	x := NewExchange(1, 2)
	c := &crate{}
	code := func(what string, err error, want tensor.Code) {
		t.Helper()
		if tensor.CodeOf(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	code("strings", x.SendParcel(0, tensor.String, 1, c), tensor.Internal)
	code("a negative size", x.SendParcel(0, tensor.Int8, -1, c), tensor.Internal)
	code("another slot", x.SendParcel(3, tensor.Int8, 1, c), tensor.Internal)
	_, _, err := x.Parcel(3)
	code("another slot", err, tensor.Internal)
	_, err = x.RecvParcel(3, tensor.Int8, 1)
	code("another slot", err, tensor.Internal)
	send := func() { code("a message", x.SendParcel(0, tensor.Int8, 2, c), tensor.OK) }
	send()
	_, err = x.RecvParcel(0, tensor.Int8, 3)
	code("another size", err, tensor.Internal)
	x.Renew()
	send()
	code("a receiver on the host", x.RecvInto(make([]byte, 2), 0, tensor.Int8), tensor.Internal)
	x.Renew()
	x.Abort(tensor.Errorf(tensor.Cancelled, "enough"))
	code("after an abort", x.SendParcel(0, tensor.Int8, 2, c), tensor.Cancelled)
	_, err = x.RecvParcel(0, tensor.Int8, 2)
	code("after an abort", err, tensor.Cancelled)
	_, _, err = x.Parcel(0)
	code("after an abort", err, tensor.Cancelled)
}
