package gputest

import (
	"errors"

	"github.com/graphc/graphc/rt/device"
)

// allocGPU takes memory of the GPU for b, which is copied there and back with each launch.
func (r *Rig) allocGPU(b []byte) block {
	r.T.Helper()
	m, err := r.gpu.Alloc(max(len(b), 1)) // memory of no bytes has no address
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() {
		if err := m.Free(); err != nil {
			r.T.Error(err)
		}
	})
	return block{uint64(m.Addr()), b, m}
}

// onGPU does one launch on the GPU.
func (r *Rig) onGPU(b *device.Batch, it *device.Item) error {
	var one device.Batch
	one.Add(*it, b.Arguments(it)...)
	return r.gpu.Run(func() error {
		s, err := r.gpu.NewStream()
		if err != nil {
			return err
		}
		for _, m := range r.blocks {
			if err == nil {
				err = s.CopyIn(m.m, 0, m.b)
			}
		}
		if err == nil {
			err = s.Launch(&one)
		}
		if err == nil {
			err = s.Sync()
		}
		for _, m := range r.blocks {
			if err == nil {
				err = s.CopyOut(m.b, m.m, 0)
			}
		}
		return errors.Join(err, s.Close())
	})
}
