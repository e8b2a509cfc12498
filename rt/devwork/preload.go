package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// preload loads the kernels of the segments that depend only on the sizes of feeds, so that the
// time for loading is spent in New and not in a run. The function record makes the calls of these
// segments, which choose kernels by sizes. A kernel that no typical size uses is loaded when it is
// first launched. If the device does not accept a kernel, the error names its node.
func preload[D comparable, V, I, M any](p *rt.Pool[D, V, I, M, Link], w *works[D], record func(*rt.State[D, V, I, M, Link])) error {
	check := p.Code().Check
	for _, dims := range w.code.Typical {
		err := w.dev.Run(func() error {
			return device.Preload(w.dev, w.code.Segments, func(q *device.Queue) {
				defer func() { _ = recover() }() // the feeds cannot have this size
				step := 0
				if check != nil && check(&dims, &step) != nil {
					return
				}
				const some = device.Ptr(1 << 20) // any address: the memory is not accessed
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
