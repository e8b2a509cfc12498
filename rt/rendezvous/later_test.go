package rendezvous

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// TestSendLater sends a message that a device fills later, between two ordinary messages. The three
// messages must arrive in the order of the calls.
func TestSendLater(t *testing.T) {
	none(t)
	x := NewExchange(1, 2)
	g := NewGroup(x, []func() error{
		func() error {
			if err := SendI32(x, 0, []int32{1}); err != nil {
				return err
			}
			l, err := x.SendLater(0, tensor.Int32, 20)
			if err != nil {
				return err
			}
			go func() {
				time.Sleep(time.Millisecond)
				for i := range l.Bytes() {
					l.Bytes()[i] = 7
				}
				l.Done(nil)
			}()
			return SendI32(x, 0, []int32{3})
		},
		func() error {
			one, many := make([]int32, 1), make([]byte, 80)
			for _, f := range []func() error{
				func() error { return RecvI32(one, x, 0) },
				func() error { return x.RecvInto(many, 0, tensor.Int32) },
				func() error { return RecvI32(one, x, 0) },
			} {
				if err := f(); err != nil {
					return err
				}
			}
			if one[0] != 3 || many[0] != 7 || many[79] != 7 {
				return errors.New("the messages are in disorder")
			}
			return nil
		},
	})
	for i := range 20 {
		if err := g.Run(context.Background(), i%3); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLaterEnds: a run does not end while a device fills a message. It is not a deadlock if all
// partitions wait during that time.
func TestLaterEnds(t *testing.T) {
	none(t)
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		err  error // of the device
		recv bool
		code tensor.Code
	}{
		{"nobody receives", nil, false, tensor.OK},
		{"received", nil, true, tensor.OK},
		{"the device fails", broken, true, tensor.Unknown},
		{"the device fails and there is no receive", broken, false, tensor.Unknown},
	} {
		x := NewExchange(2, 2)
		over := false
		g := NewGroup(x, []func() error{
			func() error {
				l, err := x.SendLater(0, tensor.Float64, 1)
				go func() { time.Sleep(2 * time.Millisecond); over = true; l.Done(c.err) }()
				return err
			},
			func() error {
				if c.recv {
					return RecvF64(make([]float64, 1), x, 0)
				}
				return nil
			},
		})
		for i := range 5 {
			over = false
			if err := g.Run(context.Background(), i%3); tensor.CodeOf(err) != c.code || !over {
				t.Errorf("%s: %v, the device is done: %v", c.name, err, over)
			}
		}
	}
	x := NewExchange(2, 2)
	g := NewGroup(x, []func() error{
		func() error {
			l, err := x.SendLater(0, tensor.Float64, 1)
			go func() { time.Sleep(time.Millisecond); l.Done(nil) }()
			return err
		},
		func() error { return Wait(x, 1) }, // nothing is sent to slot 1
	})
	if err := g.Run(context.Background(), 0); tensor.CodeOf(err) != tensor.Internal {
		t.Error("nothing will be sent:", err)
	}
}

func TestLaterRefuses(t *testing.T) {
	x := NewExchange(1, 2)
	for _, c := range []struct {
		slot int
		d    tensor.DType
		n    int
	}{{0, tensor.String, 1}, {0, tensor.Variant, 1}, {0, tensor.Invalid, 1}, {0, tensor.Float32, -1}, {0, tensor.Float32, tensor.MaxBytes}, {1, tensor.Float32, 1}} {
		if _, err := x.SendLater(c.slot, c.d, c.n); tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := x.RecvInto(make([]byte, 7), 0, tensor.Float32); tensor.CodeOf(err) != tensor.Internal {
		t.Error("seven bytes of f32:", err)
	}
}
