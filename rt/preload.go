package rt

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Preload loads the kernels that d, no CPU, will be asked for by the segments that depend on
// the sizes of feeds alone: New takes the time for it, and no run. record makes the calls of these
// segments. They choose kernels by sizes; a kernel that no typical size takes is loaded when it
// is first launched. The error names the node of a kernel that the device does not take.
func Preload[D comparable, V, I, M any](p *Pool[D, V, I, M], d device.Device, c *WorkCode[D], record func(*State[D, V, I, M])) error {
	w, ok := p.worker.(*works[D])
	if !ok {
		return tensor.Errorf(tensor.Internal, "kernels are loaded before the pool works on %s", d.Name())
	}
	for _, dims := range c.Typical {
		err := d.Run(func() error {
			return device.Preload(d, c.Segments, func(q *device.Queue) {
				defer func() { _ = recover() }() // a size that the feeds cannot have
				step := 0
				if p.code.Check != nil && p.code.Check(&dims, &step) != nil {
					return
				}
				const some = device.Ptr(1 << 20) // nothing looks at the memory
				g := &Work{Queue: q, Base: some, Weights: w.weights, Grown: make([]device.Ptr, c.Grow), Vars: make([]device.Ptr, len(w.handles))}
				if _, err := w.lay(g, &dims); err == nil {
					record(&State[D, V, I, M]{D: dims, Work: g})
				}
			})
		})
		if err != nil {
			p.base.shut()
			return err
		}
	}
	return nil
}
