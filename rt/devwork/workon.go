package devwork

import (
	"io"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/tensor"
)

// WorkOn makes the states of a pool work on the device d, which is not a CPU. It copies the weights
// to the device unless another partition of the instance has done so. It also loads kernels in
// advance, as described at WorkCode.Typical. The function record enqueues the work of the segments
// that depend only on the sizes of feeds; if it is nil, no kernels are loaded in advance. The
// parameter handles contains the handles of the variables that c.Vars refers to by index. If WorkOn
// fails, it closes the instance.
func WorkOn[D comparable, V, I, M any](p *rt.Pool[D, V, I, M, Link], d device.Device, c *WorkCode[D], record func(*rt.State[D, V, I, M, Link]), handles ...[]tensor.Handle) error {
	b := p.Base()
	w := &works[D]{code: c, dev: d, limit: b.MaxBytes(), steps: p.Code().Steps, handles: handles}
	err := w.open(b)
	if err == nil && record != nil {
		err = preload(p, w, record)
	}
	if err != nil {
		_ = b.Close() // this also frees the instance's device memory
		return err
	}
	p.Works(w)
	return nil
}

// open prepares the instance's state on the device.
func (p *works[D]) open(b *rt.Base) error {
	if len(p.handles) > 0 {
		s, err := b.Own(varsOn{p.dev}, func() (io.Closer, error) { return devvar.NewStore(p.dev), nil })
		if err != nil {
			return err
		}
		p.store = s.(*devvar.Store)
	}
	if p.code.Const {
		m, err := b.Own(weightsOn{p.dev}, func() (io.Closer, error) { return copyWeights(p.dev, b.Weights()) })
		if err != nil {
			return err
		}
		p.weights = m.(block).Addr()
	}
	return nil
}

// Keys of an instance's state on a device; see rt.Base.Own.
type (
	varsOn    struct{ d device.Device }
	weightsOn struct{ d device.Device }
)

// block is an instance's memory on a device.
type block struct{ device.Memory }

// Close implements io.Closer.
func (b block) Close() error { return b.Free() }

// copyWeights copies the weights to a device's memory.
func copyWeights(d device.Device, weights []byte) (io.Closer, error) {
	m, err := d.Alloc(len(weights))
	if err != nil {
		return nil, err
	}
	err = d.Run(func() error {
		q, err := device.NewQueue(d, 0)
		if err != nil {
			return err
		}
		err = device.Put(q, m.Addr(), weights)
		if err != nil {
			_ = q.Reset() // Reset fails only if the device is unusable, and then err is the cause
		}
		if e := q.Release(); err == nil {
			err = e
		}
		return err
	})
	if err != nil {
		_ = m.Free() // err is the error to return
		return nil, err
	}
	return block{m}, nil
}
