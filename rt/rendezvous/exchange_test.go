package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// elems are the element types of messages.
var elems = []tensor.DType{tensor.Bool, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128, tensor.String, tensor.Resource, tensor.Variant,
	tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32}

// sample returns n elements of type d, all different if the type has enough values.
func sample(d tensor.DType, n, seed int) reflect.Value {
	v := reflect.MakeSlice(reflect.SliceOf(d.GoType()), n, n)
	for i := range n {
		e, k := v.Index(i), seed+i
		switch {
		case d == tensor.Bool:
			e.SetBool(k%3 == 0)
		case d == tensor.String:
			e.SetString(fmt.Sprint(k))
		case d.Opaque():
			e.Set(reflect.ValueOf(tensor.Handle{V: k}))
		case e.CanInt():
			e.SetInt(int64(k % 100))
		case e.CanUint():
			e.SetUint(uint64(k % 100))
		case e.CanFloat():
			e.SetFloat(float64(k))
		case e.CanComplex():
			e.SetComplex(complex(float64(k), -1))
		}
	}
	return v
}

func send(x *Exchange, slot int, d tensor.DType, v reflect.Value) error {
	out := reflect.ValueOf(SendOf(d)).Call([]reflect.Value{reflect.ValueOf(x), reflect.ValueOf(slot), v})
	err, _ := out[0].Interface().(error)
	return err
}

func recv(x *Exchange, slot int, d tensor.DType, n int) (reflect.Value, error) {
	v := reflect.MakeSlice(reflect.SliceOf(d.GoType()), n, n)
	out := reflect.ValueOf(RecvOf(d)).Call([]reflect.Value{v, reflect.ValueOf(x), reflect.ValueOf(slot)})
	err, _ := out[0].Interface().(error)
	return v, err
}

// TestTypes sends messages of every element type before it receives them. Short messages are stored
// inside the message struct; the lengths include shorter and longer ones.
func TestTypes(t *testing.T) {
	lengths := []int{0, 1, 2, 5, 10, 11, 40, 41, 1000, 3, 0}
	for _, d := range elems {
		x := NewExchange(1, 2)
		for run := range 3 {
			for i, n := range lengths {
				if err := send(x, 0, d, sample(d, n, 100*i+run)); err != nil {
					t.Fatal(d, err)
				}
			}
			for i, n := range lengths {
				got, err := recv(x, 0, d, n)
				if want := sample(d, n, 100*i+run); err != nil || !reflect.DeepEqual(got.Interface(), want.Interface()) {
					t.Fatalf("%s, message %d: %v, %v, want %v", d, i, got, err, want)
				}
			}
			x.Renew()
		}
	}
	for d := range tensor.DType(40) {
		if has := SendOf(d) != nil && RecvOf(d) != nil; has != (d.GoType() != nil) {
			t.Errorf("%s can be sent: %v", d, has)
		}
	}
}

// TestMismatch: a receiver that was compiled for another type or length returns Internal, and so
// does a call with an unknown slot.
func TestMismatch(t *testing.T) {
	for _, c := range []struct {
		name       string
		send, recv func(x *Exchange) error
	}{
		{"length", func(x *Exchange) error { return SendF32(x, 0, make([]float32, 3)) }, func(x *Exchange) error { return RecvF32(make([]float32, 4), x, 0) }},
		{"type", func(x *Exchange) error { return SendF32(x, 0, make([]float32, 3)) }, func(x *Exchange) error { return RecvI32(make([]int32, 3), x, 0) }},
		{"strings", func(x *Exchange) error { return SendString(x, 0, make([]string, 2)) }, func(x *Exchange) error { return RecvString(make([]string, 1), x, 0) }},
		{"handles", func(x *Exchange) error { return SendHandle(x, 0, make([]tensor.Handle, 2)) }, func(x *Exchange) error { return RecvString(make([]string, 2), x, 0) }},
		{"control", func(x *Exchange) error { return Signal(x, 0) }, func(x *Exchange) error { return RecvF32(nil, x, 0) }},
		{"no such slot to send", func(x *Exchange) error { return SendF32(x, 7, nil) }, nil},
		{"no such slot to receive", nil, func(x *Exchange) error { return Wait(x, -1) }},
	} {
		x := NewExchange(1, 2)
		var err error
		if c.send != nil {
			err = c.send(x)
		}
		if c.recv != nil && err == nil {
			err = c.recv(x)
		}
		if tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestCopies: the sender and the receiver may change their memory after the call.
func TestCopies(t *testing.T) {
	x := NewExchange(2, 2)
	v := []float32{1, 2, 3}
	_ = SendF32(x, 0, v)
	v[0] = 9
	_ = SendF32(x, 0, v)
	got := make([]float32, 3)
	if _ = RecvF32(got, x, 0); got[0] != 1 {
		t.Error(got)
	}
	if _ = RecvF32(got, x, 0); got[0] != 9 {
		t.Error(got)
	}
}

// TestKeepsNothing: messages keep nothing alive, whether or not they were received.
func TestKeepsNothing(t *testing.T) {
	type big [1 << 16]byte
	gone := func(use func(x *Exchange, h tensor.Handle)) bool {
		x := NewExchange(1, 2)
		freed := make(chan bool, 1)
		v := new(big)
		runtime.AddCleanup(v, func(c chan bool) { c <- true }, freed)
		use(x, tensor.Handle{V: v})
		v = nil
		for range 100 {
			runtime.GC()
			select {
			case <-freed:
				runtime.KeepAlive(x)
				return true
			case <-time.After(time.Millisecond):
			}
		}
		runtime.KeepAlive(x)
		return false
	}
	if !gone(func(x *Exchange, h tensor.Handle) {
		_ = SendHandle(x, 0, []tensor.Handle{h})
		_ = RecvHandle(make([]tensor.Handle, 1), x, 0)
	}) {
		t.Error("a message that was received is kept")
	}
	if !gone(func(x *Exchange, h tensor.Handle) {
		_ = SendHandle(x, 0, []tensor.Handle{{}})
		_ = SendHandle(x, 0, []tensor.Handle{h})
		x.Renew()
	}) {
		t.Error("a message that was dropped is kept")
	}
}

// TestOrder: messages arrive in order, even if the sender is far ahead of its receiver and the
// queue grows.
func TestOrder(t *testing.T) {
	x := NewExchange(1, 2)
	for range 3 {
		const n = 20000
		var bad error
		g := make(chan struct{})
		go func() {
			defer close(g)
			for i := range n {
				var v [1]int64
				if err := RecvI64(v[:], x, 0); err != nil || v[0] != int64(i) {
					bad = fmt.Errorf("%d came as %d, %v", i, v[0], err)
					return
				}
				if i%1000 == 0 {
					time.Sleep(10 * time.Microsecond)
				}
			}
		}()
		for i := range n {
			if err := SendI64(x, 0, []int64{int64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		<-g
		if bad != nil {
			t.Fatal(bad)
		}
		x.Renew()
	}
}

// TestShrinks: memory for many or large messages is released after a while.
func TestShrinks(t *testing.T) {
	x := NewExchange(1, 2)
	for range 1000 {
		_ = Signal(x, 0)
	}
	x.Renew()
	if n := len(x.slots[0].in.msgs); n < 500 {
		t.Fatalf("room for %d messages after 1000", n)
	}
	for range 20 * (patience + 1) {
		for range 3 {
			_ = Signal(x, 0)
		}
		x.Renew()
	}
	if n := len(x.slots[0].in.msgs); n > 2*shrinkable {
		t.Errorf("%d messages are kept for 3", n)
	}
	x = NewExchange(1, 2)
	for i := range patience + 3 {
		v := make([]float64, 100)
		if i == 0 {
			v = make([]float64, 1<<20)
		}
		_ = SendF64(x, 0, v)
		_ = RecvF64(v, x, 0)
	}
	if n := cap(x.slots[0].in.msgs[0].data); n > large {
		t.Errorf("%d bytes are kept for 800", n)
	}
}

func TestAbort(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	x := NewExchange(2, 2)
	_ = Signal(x, 0)
	waits := make(chan error)
	go func() { waits <- Wait(x, 1) }()
	time.Sleep(time.Millisecond)
	x.Abort(first)
	x.Abort(second)
	for name, err := range map[string]error{"a receive that waits": <-waits, "Aborted": x.Aborted(), "a later send": Signal(x, 0), "a later receive of a message": Wait(x, 0)} {
		if err != first {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.Renew()
	if err := x.Aborted(); err != nil {
		t.Error("after Renew:", err)
	}
	_ = SendI32(x, 0, []int32{5})
	v := []int32{0}
	if err := RecvI32(v, x, 0); err != nil || v[0] != 5 {
		t.Error("after Renew:", v, err)
	}
	x.Abort(nil)
	if tensor.CodeOf(x.Aborted()) != tensor.Internal {
		t.Error("aborted without an error:", x.Aborted())
	}
}

// TestBegin tests the run's context, for steps that wait for something other than messages.
func TestBegin(t *testing.T) {
	type key struct{}
	x := NewExchange(1, 2)
	for range 3 {
		parent, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
		ctx := x.Begin(parent)
		if ctx.Err() != nil || ctx.Value(key{}) != "v" {
			t.Fatal(ctx.Err(), ctx.Value(key{}))
		}
		cancel()
		<-ctx.Done()
		if ctx.Err() != context.Canceled || Wait(x, 0) != context.Canceled {
			t.Fatal(ctx.Err(), Wait(x, 0))
		}
		x.Renew()

		ctx = x.Begin(context.Background())
		x.Abort(errors.New("broken"))
		<-ctx.Done()
		if ctx.Err() != context.Canceled || x.Aborted().Error() != "broken" {
			t.Fatal(ctx.Err(), x.Aborted())
		}
		x.Renew()

		parent, cancel = context.WithCancel(context.Background())
		x.Begin(parent)
		x.Renew() // the watcher ends
		cancel()
		if x.Aborted() != nil {
			t.Fatal(x.Aborted())
		}
	}
}

// TestStuckNames checks that, if all partitions wait, the error lists the slots on which they wait.
func TestStuckNames(t *testing.T) {
	x := NewExchange(9, 2)
	g := NewGroup(x, []func() error{func() error { return Wait(x, 3) }, func() error { return Wait(x, 7) }})
	err := g.Run(context.Background(), 0)
	if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "receives are 3, 7") {
		t.Error(err)
	}
}
