package devicetest

import (
	"bytes"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// Peers tests messages between two devices: the parameter from is the sender's device, and the
// parameter to is the receiver's device. It does several runs. Each run sends messages of several
// sizes, some of which are in progress at the same time. The sender overwrites a tensor after
// sending it. The result named right reports whether all messages arrived unchanged.
func Peers(from, to device.Device) (right bool, err error) {
	x := rendezvous.NewExchange(2, 2)
	defer x.Drop()
	return send(x, from, to)
}

func send(x *rendezvous.Exchange, from, to device.Device) (right bool, err error) {
	const most, count, runs = 1000, 6, 3
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	a, e := device.NewQueue(from, 0)
	if e != nil {
		return false, e
	}
	defer func() { keep(from.Run(a.Release)) }()
	b, e := device.NewQueue(to, 0)
	if e != nil {
		return false, e
	}
	defer func() { keep(to.Run(b.Release)) }()
	src, e := from.Alloc(most)
	if e != nil {
		return false, e
	}
	defer func() { keep(src.Free()) }()
	dst, e := to.Alloc(count * most)
	if e != nil {
		return false, e
	}
	defer func() { keep(dst.Free()) }()
	at := func(i int) device.Ptr { return dst.Addr() + device.Ptr(i*most) }
	size := func(run, i int) int { return (i*most/count + run*400) % (most + 1) }
	right = true
	for run := range runs {
		for i := range count {
			n := size(run, i)
			keep(from.Run(func() error {
				a.At("up", "_Send")
				if err := device.Put(a, src.Addr(), pattern(n, 10*run+i)); err != nil {
					return err
				}
				return device.SendPeer(a, x, i%2, tensor.Uint8, n, src.Addr())
			}))
			if b.At("up", "_Recv"); err != nil {
				return false, err // the sending failed, so there is no message to receive
			}
			if i < 4 { // receive this message before the next one is sent
				keep(to.Run(func() error { return device.RecvPeer(b, at(i), x, i%2, tensor.Uint8, n) }))
			}
		}
		for i := 4; i < count; i++ {
			keep(to.Run(func() error { return device.RecvPeer(b, at(i), x, i%2, tensor.Uint8, size(run, i)) }))
		}
		if run%2 == 1 { // in runs with odd numbers, the sender finishes before the receiver reads the results
			keep(from.Run(a.Finish))
		}
		for i := range count {
			got := make([]byte, size(run, i))
			keep(to.Run(func() error { return device.Get(b, got, at(i)) }))
			if !bytes.Equal(got, pattern(len(got), 10*run+i)) {
				right = false
			}
		}
		keep(from.Run(a.Finish))
		keep(to.Run(b.Finish))
		if err != nil {
			return right, err
		}
		x.Renew()
	}
	return right, nil
}

// Hasty is a device for tests. Its streams never wait for events. A program that relies on such a
// wait must fail on this device.
type Hasty struct{ device.Device }

// NewStream returns a stream that does not wait for events.
func (d Hasty) NewStream() (device.Stream, error) {
	s, err := d.Device.NewStream()
	return hasty{s}, err
}

type hasty struct{ device.Stream }

func (hasty) Wait(device.Event) error { return nil }
