package device

import (
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// Send sends n elements of type d, which begin at byte off of src, when the stream
// has come so far, and does not wait for that. staging is memory of AllocHost for n
// elements that no other transfer uses until the run is over; e is an event of its own,
// too. s had better be a stream for copies that has been made to wait for src.
func Send(x *rendezvous.Exchange, slot int, d tensor.DType, n int, s Stream, src Memory, off int, staging []byte, e Event) error {
	l, err := x.SendLater(slot, d, n)
	if err != nil {
		return err
	}
	staging, err = stage(staging, d, n)
	if err == nil {
		err = s.CopyOut(staging, src, off)
	}
	if err == nil {
		err = s.Record(e)
	}
	if err != nil {
		l.Done(err)
		return err
	}
	e.Then(func(err error) {
		if err == nil {
			copy(l.Bytes(), staging)
		}
		l.Done(err)
	})
	return nil
}

// Recv receives n elements of type d and appends their copy to dst[off:] to the
// stream. staging is as Send wants it, and must be free until the copy is done.
func Recv(x *rendezvous.Exchange, slot int, d tensor.DType, n int, s Stream, dst Memory, off int, staging []byte) error {
	staging, err := stage(staging, d, n)
	if err != nil {
		return err
	}
	if err := x.RecvInto(staging, slot, d); err != nil {
		return err
	}
	return s.CopyIn(dst, off, staging)
}

// stage returns the part of staging that n elements take.
func stage(staging []byte, d tensor.DType, n int) ([]byte, error) {
	if size := d.Size(); n < 0 || size == 0 || n > len(staging)/size {
		return nil, tensor.Errorf(tensor.Internal, "%d elements of %s do not fit %d bytes of staging memory", n, d, len(staging))
	}
	return staging[:n*d.Size()], nil
}
