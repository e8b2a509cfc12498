package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// TestDirect tests receives that begin before the message is sent, and receives that begin later. The
// sizes of the messages are below and above the size from which a receiver offers its memory to the
// sender.
func TestDirect(t *testing.T) {
	none(t)
	sizes := []int{worthOffering/4 - 1, worthOffering / 4, 5000, 10, 70000}
	x := NewExchange(2, 2)
	// 0: neither of the two partitions is late; 1: the receiver is late; -1: the sender is late
	for _, late := range []int{0, 1, -1} {
		laps := 300
		if late != 0 {
			laps = 20
		}
		g := NewGroup(x, []func() error{
			func() error {
				v := make([]float32, 70000)
				for i := range laps {
					if late < 0 {
						time.Sleep(50 * time.Microsecond)
					}
					n := sizes[i%len(sizes)]
					v[0], v[n-1] = float32(i), float32(-i)
					if err := SendF32(x, 0, v[:n]); err != nil {
						return err
					}
					if i%7 == 6 {
						if err := Wait(x, 1); err != nil {
							return err
						}
					}
				}
				return nil
			},
			func() error {
				v := make([]float32, 70000)
				for i := range laps {
					if late > 0 {
						time.Sleep(50 * time.Microsecond)
					}
					n := sizes[i%len(sizes)]
					if err := RecvF32(v[:n], x, 0); err != nil {
						return err
					}
					if v[0] != float32(i) || v[n-1] != float32(-i) {
						return fmt.Errorf("message %d holds %v … %v", i, v[0], v[n-1])
					}
					v[0], v[n-1] = 0, 0
					if i%7 == 6 {
						if err := Signal(x, 1); err != nil {
							return err
						}
					}
				}
				return nil
			},
		})
		for threads := range 3 {
			if err := g.Run(context.Background(), threads); err != nil {
				t.Fatal(late, threads, err)
			}
		}
	}
}

// TestDirectMismatch: if the offered memory has another size or type than the message, the receive
// returns Internal.
func TestDirectMismatch(t *testing.T) {
	x := NewExchange(1, 2)
	for name, send := range map[string]func() error{
		"length": func() error { return SendF32(x, 0, make([]float32, 50000)) },
		"less":   func() error { return SendF32(x, 0, make([]float32, 3)) },
		"type":   func() error { return SendI32(x, 0, make([]int32, 40000)) },
	} {
		x.Renew()
		got := make(chan error)
		go func() { got <- RecvF32(make([]float32, 40000), x, 0) }()
		for x.slots[0].direct.state.Load() != offered {
			time.Sleep(10 * time.Microsecond)
		}
		if err := send(); err != nil {
			t.Error(name, err)
		}
		if err := <-got; tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDirectAbort: after an abort, the sender leaves the receiver's memory alone.
func TestDirectAbort(t *testing.T) {
	none(t)
	why := errors.New("why")
	x := NewExchange(1, 2)
	for i := range 200 {
		v := make([]float32, 40000)
		got := make(chan error)
		go func() {
			err := RecvF32(v, x, 0)
			v[39999] = 5 // v belongs to the caller again
			got <- err
		}()
		go x.Abort(why)
		if i%2 == 0 {
			time.Sleep(time.Duration(i) * 100 * time.Nanosecond)
		}
		full := make([]float32, 40000)
		err := SendF32(x, 0, full)
		if e := <-got; e != why && (e != nil || err != nil) {
			t.Fatal(e, err)
		}
		if v[39999] != 5 {
			t.Fatal("written after the receive has ended")
		}
		for x.Aborted() == nil {
			time.Sleep(time.Microsecond)
		}
		time.Sleep(time.Microsecond)
		x = NewExchange(1, 2)
	}
}
