package gputest

import (
	"errors"
	"runtime"
	"time"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// allocGPU allocates GPU memory for a copy of b. Before each launch, b is copied to this memory,
// and after the launch, the memory is copied back to b. The memory is freed when the garbage
// collector finds that the Rig r is no longer reachable. If GPU memory runs out, allocGPU starts
// the garbage collector.
func (r *Rig) allocGPU(b []byte) block {
	r.T.Helper()
	size := max(len(b), 1) // empty memory has no address
	m, err := r.gpu.Alloc(size)
	for try := 0; try < 20 && tensor.CodeOf(err) == tensor.ResourceExhausted; try++ {
		runtime.GC()
		time.Sleep(time.Millisecond) // give the cleanups, which run on a separate goroutine, time to free memory
		m, err = r.gpu.Alloc(size)
	}
	if err != nil {
		r.T.Fatal(err)
	}
	runtime.AddCleanup(r, func(m device.Memory) { _ = m.Free() }, m)
	return block{uint64(m.Addr()), b, m}
}

// onGPU runs one launch on the GPU.
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
