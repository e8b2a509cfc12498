package devwork

import (
	"io"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/tensor"
)

// WorkOn has a pool's states work on d, which is no CPU. It copies the weights
// to the device where no other partition of the instance has done so, and loads the kernels that
// record asks for, nil for none: it makes the calls of the segments that depend on the sizes of feeds
// alone. The handles are those of c's variables.
func WorkOn[D comparable, V, I, M any](p *rt.Pool[D, V, I, M, Link], d device.Device, c *WorkCode[D], record func(*rt.State[D, V, I, M, Link]), handles ...[]tensor.Handle) error {
	b := p.Base()
	w := &works[D]{code: c, dev: d, limit: b.MaxBytes(), steps: p.Code().Steps, handles: handles}
	err := w.open(b)
	if err == nil && record != nil {
		err = preload(p, w, record)
	}
	if err != nil {
		_ = b.Close() // what it has on devices is given back
		return err
	}
	p.Works(w)
	return nil
}

// open readies what the instance has on the device.
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

// The keys of what an instance has on a device.
type (
	varsOn    struct{ d device.Device }
	weightsOn struct{ d device.Device }
)

// block is a device's memory of an instance.
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
			_ = q.Reset() // its error is the device's, which is of no use then
		}
		if e := q.Release(); err == nil {
			err = e
		}
		return err
	})
	if err != nil {
		_ = m.Free() // the error before counts
		return nil, err
	}
	return block{m}, nil
}
