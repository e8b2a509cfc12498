package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// preload loads the kernels that a device will be asked for by the segments that depend on
// the sizes of feeds alone: New takes the time for it, and no run. record makes the calls of these
// segments. They choose kernels by sizes; a kernel that no typical size takes is loaded when it
// is first launched. The error names the node of a kernel that the device does not take.
func preload[D comparable, V, I, M any](p *rt.Pool[D, V, I, M, Link], w *works[D], record func(*rt.State[D, V, I, M, Link])) error {
	check := p.Code().Check
	for _, dims := range w.code.Typical {
		err := w.dev.Run(func() error {
			return device.Preload(w.dev, w.code.Segments, func(q *device.Queue) {
				defer func() { _ = recover() }() // a size that the feeds cannot have
				step := 0
				if check != nil && check(&dims, &step) != nil {
					return
				}
				const some = device.Ptr(1 << 20) // nothing looks at the memory
				g := &Work{Queue: q, Base: some, Weights: w.weights, Grown: make([]device.Ptr, w.code.Grow), Vars: make([]device.Ptr, len(w.handles))}
				if _, err := w.lay(g, &dims); err == nil {
					record(&rt.State[D, V, I, M, Link]{D: dims, X: Link{Work: g}})
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
