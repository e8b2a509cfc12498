package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// preload loads kernels when an instance is created, so that runs need not wait for them. It does
// this for the segments that depend only on the sizes of feeds. The function record enqueues the work
// of these segments; preload calls it once for each element of Typical, because the choice of a
// kernel may depend on the sizes. A kernel that is not used for any typical size is loaded when it is
// first launched. If the device does not accept a kernel, the error names the kernel's node.
func preload[D comparable, V, I, M any](p *rt.Pool[D, V, I, M, Link], w *works[D], record func(*rt.State[D, V, I, M, Link])) error {
	check := p.Code().Check
	for _, dims := range w.code.Typical {
		err := w.dev.Run(func() error {
			return device.Preload(w.dev, w.code.Segments, func(q *device.Queue) {
				defer func() { _ = recover() }() // a panic means that feeds cannot have these sizes
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
