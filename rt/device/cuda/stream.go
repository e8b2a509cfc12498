//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// stream is a stream of the driver that does not synchronize with other streams implicitly.
type stream struct {
	d   *dev
	own *owned
	err error
	// taking is the capture in progress, or nil.
	taking *captured
	gone   runtime.Cleanup // frees own if Close is never called
	// flight refers to memory that the driver may still use, so that this memory stays reachable:
	// batches, captured work and blocks of host memory. It is cleared when the stream's work is
	// known to be done.
	flight map[any]struct{}
}

// owned are the resources of a stream.
type owned struct {
	d    *dev
	cu   cu.Stream
	blas unsafe.Pointer // a handle of cuBLAS, nil before the first product
	work device.Memory  // its workspace
}

func (d *dev) NewStream() (device.Stream, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	o := &owned{d: d}
	if err := d.within(func() (err error) {
		o.cu, err = cu.MakeStream(cu.NonBlocking)
		return d.did(err, "a stream is made")
	}); err != nil {
		return nil, err
	}
	s := &stream{d: d, own: o, flight: map[any]struct{}{}}
	s.gone = runtime.AddCleanup(s, func(o *owned) { _ = o.close() }, o)
	return s, nil
}

// close frees all resources. The driver destroys the stream after the stream's work is done.
func (o *owned) close() error {
	if o.d.Err() != nil {
		return nil
	}
	return o.d.within(func() error {
		o.free()
		return o.d.did(o.cu.Destroy(), "a stream is ended")
	})
}

// Close waits for the stream's work and frees the stream. If the device is unusable, it does
// nothing.
func (s *stream) Close() error {
	s.gone.Stop()
	if s.d.Err() != nil {
		return nil
	}
	err := s.d.within(s.finish)
	if e := s.own.close(); err == nil {
		err = e
	}
	return err
}

// raw returns the driver's handle.
func (s *stream) raw() C.CUstream { return C.CUstream(unsafe.Pointer(s.own.cu.C())) }

// fail stores err in the stream, unless the stream already has an error. It returns err.
func (s *stream) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// The method named do calls f, which appends work to the stream. During a capture, the work is
// captured. The parameter keep refers to host memory that the driver may use until the work is
// done, so this memory must stay reachable.
func (s *stream) do(keep any, f func(s *stream) error) error {
	if err := s.failed(); err != nil {
		return err
	}
	if s.taking != nil {
		return s.taking.add(s, keep, f)
	}
	if keep != nil {
		s.flight[keep] = struct{}{}
	}
	return s.fail(f(s))
}

// failed returns the error that prevents further work on the stream, or nil.
func (s *stream) failed() error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.d.Err())
}

func (s *stream) Launch(w device.Work) error {
	if err := s.failed(); err != nil {
		return err
	}
	switch w := w.(type) {
	case device.Func:
		if s.taking != nil {
			return s.taking.call(s, w)
		}
		return s.call(w)
	case *device.Batch:
		p, err := s.d.prepare(w)
		if err == nil && p.gemms && s.own.blas == nil {
			if err = s.taking.cut(s); err == nil { // cuBLAS cannot be started during a capture of the driver
				_, err = s.multiplier()
			}
		}
		if err != nil {
			return s.fail(err)
		}
		return s.do(p, func(s *stream) error { return s.run(p) })
	case *captured:
		if w.d != s.d {
			return s.fail(tensor.Errorf(tensor.Internal, "work of %s is launched on %s", w.d.name, s.d.name))
		}
		if s.taking != nil {
			return s.taking.append(s, w)
		}
		s.flight[w] = struct{}{}
		return s.fail(w.launch(s))
	}
	return tensor.Errorf(tensor.Unimplemented, "a GPU does not support work of type %T", w)
}

// The method call waits for all earlier work and then calls the host function f.
func (s *stream) call(f device.Func) error {
	if err := s.Sync(); err != nil {
		return err
	}
	return s.fail(f())
}

// CopyIn appends a copy from the host to the device. If src is not locked memory, CopyIn waits
// until the copy is done, because the driver may read src until then. During a capture, CopyIn
// copies src to locked memory, and captures a copy from this memory.
func (s *stream) CopyIn(dst device.Memory, off int, src []byte) error {
	m, to, err := window(dst, off, len(src))
	if err = s.mine(m, err); err != nil || len(src) == 0 {
		return err
	}
	s.uses(m)
	direct := locked(src)
	if !direct && s.taking != nil {
		kept, err := s.d.AllocHost(len(src))
		if err != nil {
			return s.fail(err)
		}
		copy(kept, src)
		src, direct = kept, true
	}
	err = s.do(unsafe.SliceData(src), func(s *stream) error {
		return s.d.did(cu.MemcpyHtoDAsync(to, unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)), s.own.cu), "a copy to the device")
	})
	if err == nil && !direct {
		err = s.Sync()
	}
	return err
}

// The method named uses records that the work being captured uses m. If there is no capture in
// progress, it does nothing.
func (s *stream) uses(m *memory) {
	if s.taking != nil {
		s.taking.uses = append(s.taking.uses, m)
	}
}

// mine checks that the stream can copy between the host and m. It returns the stream's earlier
// error if there is one, otherwise the parameter err if it is not nil. If m is memory of another
// device, it returns an error, too. It stores the returned error in the stream.
func (s *stream) mine(m *memory, err error) error {
	if e := s.failed(); e != nil {
		return e
	}
	if err == nil && m.d.id != s.d.id {
		err = tensor.Errorf(tensor.Internal, "a stream of %s cannot copy between the host and %s", s.d.name, m.d.name)
	}
	return s.fail(err)
}

// CopyOut appends a copy from the device to the host. If dst is not locked memory, CopyOut waits
// until the copy is done. Such a copy cannot be captured.
func (s *stream) CopyOut(dst []byte, src device.Memory, off int) error {
	m, from, err := window(src, off, len(dst))
	if err = s.mine(m, err); err != nil || len(dst) == 0 {
		return err
	}
	s.uses(m)
	direct := locked(dst)
	if !direct && s.taking != nil {
		return waits
	}
	err = s.do(unsafe.SliceData(dst), func(s *stream) error {
		return s.d.did(cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), from, int64(len(dst)), s.own.cu), "a copy from the device")
	})
	if err == nil && !direct {
		err = s.Sync()
	}
	return err
}

func (s *stream) CopyPeer(dst device.Memory, dstOff int, src device.Memory, srcOff, n int) error {
	if err := s.failed(); err != nil {
		return err
	}
	a, to, err := window(dst, dstOff, n)
	if err != nil {
		return s.fail(err)
	}
	b, from, err := window(src, srcOff, n)
	if err != nil {
		return s.fail(err)
	}
	if n == 0 || a == b && to == from {
		return nil
	}
	if a.d.id != b.d.id {
		if err := s.fail(a.d.reach(b.d)); err != nil {
			return err
		}
	}
	s.uses(a)
	s.uses(b)
	return s.do(nil, func(s *stream) error {
		if a.d.id == b.d.id {
			return s.d.did(cu.MemcpyDtoDAsync(to, from, int64(n), s.own.cu), "a copy on the device")
		}
		return s.d.did(cu.MemcpyPeerAsync(to, a.d.ctx, from, b.d.ctx, int64(n), s.own.cu), "a copy between devices")
	})
}

// reach enables direct access from d to the memory of another GPU, if the machine supports it.
// Otherwise copies go through the host.
func (d *dev) reach(other *dev) error {
	if _, done := d.peers.LoadOrStore(other.id, true); done {
		return nil
	}
	can, err := d.cu.CanAccessPeer(other.cu)
	if err != nil || can == 0 {
		return d.did(err, "access to another device is requested")
	}
	return d.within(func() error {
		err := other.ctx.EnablePeerAccess(0)
		if number(err) == peerEnabled {
			return nil
		}
		return d.did(err, "access to another device is requested")
	})
}

// The variable named waits is the error for waiting for a stream during a capture of the stream.
var waits error = tensor.Errorf(tensor.FailedPrecondition, "a stream that is captured cannot be waited for")

func (s *stream) Sync() error {
	if s.taking != nil {
		return waits
	}
	if err := s.failed(); err != nil {
		return err
	}
	return s.fail(s.finish())
}

// finish waits for all enqueued work.
func (s *stream) finish() error {
	err := s.d.did(s.own.cu.Synchronize(), "a stream is waited for")
	clear(s.flight)
	return err
}

func (s *stream) Err() error { return s.err }

func (s *stream) Reset() {
	// If this fails, the device is unusable, and its method Err returns the error.
	_ = s.d.within(s.finish)
	s.err = nil
}
