package device

import (
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// parcel is a message from one device to another. It consists of memory of the sender's device and
// two events. The sender's event is in the field made: it happens when the parcel has been filled.
// The receiver's event is in the field taken: it happens when the contents have been copied.
//
// The sender copies the tensor into the parcel's memory. Therefore the sender may reuse the
// tensor's memory immediately, and its run may end before the message is received. The receiver's
// stream waits for the sender's event and then copies the parcel's contents. In a loop, the sender
// may send again while the receiver's copy is in progress. Therefore the sender's stream waits for
// the receiver's event before it fills the parcel again. Between runs no copy is in progress,
// because each run ends by waiting for its streams.
type parcel struct {
	dev         Device // the sender's device
	mem         Memory
	made, taken Event
	batch       Batch // fills the parcel
	// The fields out and host are the stream and the host memory for copying through the host. This
	// is needed if the receiver's device does not reach the memory mem.
	out  Stream
	host []byte
}

// Drop frees the device resources of the parcel.
func (p *parcel) Drop() {
	for _, e := range []Event{p.made, p.taken} {
		if e != nil {
			// No stream uses the event any more, and no caller could handle the error. Errors below
			// are ignored for the same reasons.
			_ = e.Close()
		}
	}
	if p.out != nil {
		_ = p.out.Close()
	}
	if p.mem != nil {
		_ = p.mem.Free()
	}
	*p = parcel{}
}

// fits ensures that the parcel has memory for n bytes. The second parameter is true if this run has
// used the parcel before. If so, and if fits must replace the memory, it first waits for the copies
// that use the old memory.
func (p *parcel) fits(n int, again bool) error {
	if p.mem != nil && p.mem.Size() >= n {
		return nil
	}
	if p.mem != nil {
		for _, e := range []Event{p.made, p.taken} {
			if again && e != nil {
				if err := e.Wait(); err != nil {
					return err
				}
			}
		}
		m := p.mem
		p.mem = nil
		p.batch.Clear()
		if err := m.Free(); err != nil {
			return err
		}
	}
	var err error
	if p.mem, err = p.dev.Alloc(n); err != nil {
		p.mem = nil
	}
	return err
}

// SendPeer sends the n elements of type d at src to a partition on another device, which receives
// them with RecvPeer. It does not wait for the copy. Later work of the queue may write to src.
func SendPeer(q *Queue, x *rendezvous.Exchange, slot int, d tensor.DType, n int, src Ptr) error {
	if q.err != nil {
		return q.err
	}
	held, again, err := x.Parcel(slot)
	if err != nil {
		return err // the error ends the run, but is not an error of the queue
	}
	p, _ := held.(*parcel)
	if p == nil {
		p = &parcel{dev: q.dev}
		x.Keep(slot, p)
	}
	if err := q.pack(p, n*d.Size(), src, again); err != nil {
		q.Fail(err)
		return q.err
	}
	return x.SendParcel(slot, d, n, p)
}

// pack enqueues a copy of `size` bytes at src into a parcel. The last parameter is true if this run
// has used the parcel before.
func (q *Queue) pack(p *parcel, size int, src Ptr, again bool) error {
	if err := p.fits(max(1, size), again); err != nil {
		return err
	}
	if p.made == nil {
		e, err := q.dev.NewEvent()
		if err != nil {
			return err
		}
		p.made = e
	}
	if again && p.taken != nil {
		if err := q.compute.Wait(p.taken); err != nil {
			return err
		}
	}
	if size > 0 {
		if err := q.one(&p.batch, Item{Kind: MoveItem, Node: q.node, Op: q.op, Dst: p.mem.Addr(), Src: src, N: size}); err != nil {
			return err
		}
	}
	return q.compute.Record(p.made)
}

// The method named one enqueues a single item on the compute stream. It puts the item into batch b.
// If b already contains the same item, b is launched again without a change.
func (q *Queue) one(b *Batch, it Item) error {
	if len(b.Items) != 1 || !b.Items[0].same(&it) || b.Items[0].Node != it.Node {
		b.Clear()
		b.Add(it)
	}
	return q.do(q.compute, b)
}

// RecvPeer receives n elements of type d from a partition on another device and makes the device
// copy them to dst, after all work enqueued before. It waits for the message, but not until the
// device has computed or copied the message's contents.
func RecvPeer(q *Queue, dst Ptr, x *rendezvous.Exchange, slot int, d tensor.DType, n int) error {
	if q.err != nil {
		return q.err
	}
	held, err := x.RecvParcel(slot, d, n)
	if err != nil {
		return err
	}
	p, ok := held.(*parcel)
	if !ok {
		return q.fail(tensor.Errorf(tensor.Internal, "slot %d: a message in a %T", slot, held))
	}
	if err := q.unpack(p, slot, dst, n*d.Size()); err != nil {
		q.Fail(err)
		return q.err
	}
	x.Reuse(slot, p)
	return nil
}

// unpack makes the device copy the first `size` bytes of a parcel to dst.
func (q *Queue) unpack(p *parcel, slot int, dst Ptr, size int) error {
	if size == 0 {
		return nil
	}
	if !q.dev.Reaches(p.mem) {
		if err := p.toHost(size, q.node, q.op); err != nil {
			return err
		}
		return Put(q, dst, p.host[:size])
	}
	if p.taken == nil {
		e, err := q.dev.NewEvent()
		if err != nil {
			return err
		}
		p.taken = e
	}
	for len(q.peers) <= slot {
		q.peers = append(q.peers, new(Batch))
	}
	err := q.compute.Wait(p.made)
	if err == nil {
		err = q.one(q.peers[slot], Item{Kind: PeerItem, Node: q.node, Op: q.op, Dst: dst, Src: p.mem.Addr(), N: size, From: p.mem})
	}
	if err == nil {
		err = q.compute.Record(p.taken)
	}
	return err
}

// toHost copies the first `size` bytes of the parcel to the host, on a stream of the sender's
// device, and waits for the end of the copy. It is used if the receiver's device does not reach the
// parcel's memory.
func (p *parcel) toHost(size int, node, op string) error {
	return p.dev.Run(func() (err error) {
		if p.out == nil {
			if p.out, err = p.dev.NewStream(); err != nil {
				p.out = nil
				return err
			}
		}
		if len(p.host) < size {
			if p.host, err = p.dev.AllocHost(size); err != nil {
				p.host = nil
				return err
			}
		}
		var b Batch
		b.Add(Item{Kind: OutItem, Node: node, Op: op, Src: p.mem.Addr(), Host: p.host[:size], N: size})
		if err = p.out.Wait(p.made); err == nil {
			if err = p.out.Launch(&b); err == nil {
				err = p.out.Sync()
			}
		}
		if err != nil {
			p.out.Reset()
		}
		return err
	})
}
