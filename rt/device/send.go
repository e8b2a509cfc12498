package device

import (
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// sending is the state that a queue needs for the messages it sends in one slot.
type sending struct {
	host  []byte
	batch Batch
	// The fields made and sent are events. The first event happens when the device has computed the
	// tensor. The second event happens when the tensor has been copied to the host.
	made, sent Event
	later      rendezvous.Later
	then       func(error)
	busy       bool
}

// sendingOf returns the state for a slot's next message, with host memory for n bytes. It waits
// until the slot's previous message no longer uses the state.
func (q *Queue) sendingOf(slot, n int) (*sending, error) {
	var err error
	for len(q.sends) <= slot {
		q.sends = append(q.sends, nil)
	}
	if q.out == nil {
		if q.out, err = q.dev.NewStream(); err != nil {
			return nil, err
		}
	}
	t := q.sends[slot]
	if t == nil {
		t = &sending{}
		q.sends[slot] = t
	}
	for _, e := range []*Event{&t.made, &t.sent} {
		if *e == nil {
			if *e, err = q.dev.NewEvent(); err != nil {
				*e = nil
				return nil, err
			}
		}
	}
	if t.then == nil {
		t.then = func(err error) {
			if err == nil {
				copy(t.later.Bytes(), t.host)
			}
			t.later.Done(err)
			q.under.Done()
		}
	}
	// In a loop, the slot's previous message may still be in progress.
	if t.busy {
		if err := t.sent.Wait(); err != nil {
			return nil, err
		}
		q.under.Wait()
		t.busy = false
	}
	if len(t.host) < n {
		if t.host, err = q.dev.AllocHost(n); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// SendFrom sends the n elements of type d at src to the host and does not wait. A separate stream
// copies the elements after the device has computed them. The message is complete when the copy is
// done. The parameter free says whether later work of the queue may write to src. If so, that work
// waits until the copy is done.
func SendFrom(q *Queue, x *rendezvous.Exchange, slot int, d tensor.DType, n int, src Ptr, free bool) error {
	if q.err != nil {
		return q.err
	}
	size := n * d.Size()
	t, err := q.sendingOf(slot, size)
	if err != nil {
		return q.fail(err)
	}
	if t.later, err = x.SendLater(slot, d, n); err != nil {
		return q.fail(err)
	}
	t.batch.Clear()
	if size > 0 {
		t.batch.Add(Item{Kind: OutItem, Node: q.node, Op: q.op, Src: src, Host: t.host[:size], N: size})
	}
	err = q.compute.Record(t.made)
	if err == nil {
		err = q.out.Wait(t.made)
	}
	if err == nil && size > 0 {
		err = q.do(q.out, &t.batch)
	}
	if err == nil {
		err = q.out.Record(t.sent)
	}
	if err == nil && free {
		err = q.compute.Wait(t.sent)
	}
	if err != nil {
		t.later.Done(err)
		return q.fail(err)
	}
	t.busy = true
	q.under.Add(1)
	t.sent.Then(t.then)
	return nil
}

// RecvTo receives n elements of type d from the host and enqueues a copy to dst, after all work
// enqueued before. It waits for the message, but not for the copy.
func RecvTo(q *Queue, dst Ptr, x *rendezvous.Exchange, slot int, d tensor.DType, n int) error {
	if q.err != nil {
		return q.err
	}
	size := n * d.Size()
	h, err := q.next(size)
	if err != nil {
		return err
	}
	if err := x.RecvInto(h.host[:size], slot, d); err != nil {
		return err
	}
	if size == 0 {
		return nil
	}
	return q.start(h, Item{Kind: InItem, Dst: dst, Host: h.host[:size], N: size})
}
