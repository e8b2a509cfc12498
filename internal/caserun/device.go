package caserun

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/devwork"
)

// Devices is the answer to "devices MS" and "kernels MS": the work of devices other than CPUs in
// the runs that were made in MS milliseconds.
type Devices struct {
	Devices []DeviceTimes `json:"devices"`
}

// DeviceTimes has the times of one device for each run.
type DeviceTimes struct {
	Device string  `json:"device"`     // full name
	NS     []int64 `json:"ns"`         // from the beginning of the run to the end of all work, by the device's clock
	Host   []int64 `json:"enqueue_ns"` // host time to enqueue the work
	// Kernels lists kernels, copies and fills by node, in the order of the first run. It is only
	// set in the answer to "kernels".
	Kernels []KernelTime `json:"kernels,omitempty"`
}

// KernelTime is the time of a kernel, a copy or a fill for one node in a run.
type KernelTime struct {
	Kernel   string `json:"kernel"`
	Node     string `json:"node"`
	Op       string `json:"op"`
	Stream   string `json:"stream"`
	Times    int    `json:"times"` // calls in a run
	Bytes    int    `json:"bytes"` // bytes copied or filled in a run
	MinNS    int64  `json:"min_ns"`
	MedianNS int64  `json:"median_ns"`
}

// deviceHook collects the times of devices. Runs that it observes must not overlap.
type deviceHook struct {
	items bool
	of    map[string]*deviceRuns // by name
}

// deviceRuns has the collected times of one device.
type deviceRuns struct {
	took, host []int64
	kernels    map[kernelKey]*kernelRuns
	order      []kernelKey
}

type kernelKey struct{ kernel, node, op, stream string }

// kernelRuns has the total time of a kernel in each run.
type kernelRuns struct {
	ns           []int64
	run          int // the run to which the last element of ns belongs
	times, bytes int
}

// Begin implements rt.Hook. Partitions of a run may call it concurrently.
func (h *deviceHook) Begin(_ context.Context, info *rt.Info) rt.Observer {
	r := h.of[info.Device]
	if r == nil {
		return nil
	}
	return &deviceObserver{h.items, r}
}

// deviceObserver observes one partition in one run.
type deviceObserver struct {
	items bool
	r     *deviceRuns
}

func (*deviceObserver) Step(int)          {}
func (*deviceObserver) Grown(int, int)    {}
func (*deviceObserver) Fork() rt.Observer { return nil }
func (*deviceObserver) End(error)         {}
func (o *deviceObserver) Items() bool     { return o.items }

// Worked implements devwork.DeviceObserver.
func (o *deviceObserver) Worked(w *devwork.DeviceWork) {
	r := o.r
	r.took, r.host = append(r.took, int64(w.Took)), append(r.host, int64(w.Enqueue))
	for _, it := range w.Items {
		k := kernelKey{it.What, it.Node, it.Op, it.Stream}
		c := r.kernels[k]
		if c == nil {
			c = &kernelRuns{run: -1}
			r.kernels[k] = c
			r.order = append(r.order, k)
		}
		if n := len(r.took); c.run != n {
			c.run = n
			c.ns = append(c.ns, 0)
			c.times, c.bytes = 0, 0
		}
		c.ns[len(c.ns)-1] += int64(it.End - it.Start)
		c.times++
		c.bytes += it.Bytes
	}
}

// devices runs the signature repeatedly for ms milliseconds. Meanwhile the named devices measure
// their total time or, if items is set, the time of each kernel.
func devices(b *rt.Bound, names []string, ms string, items bool) (Devices, error) {
	n, err := milliseconds("devices", ms)
	if err != nil {
		return Devices{}, err
	}
	h := &deviceHook{items: items, of: map[string]*deviceRuns{}}
	for _, name := range names {
		h.of[name] = &deviceRuns{kernels: map[kernelKey]*kernelRuns{}}
	}
	ctx := rt.WithRun(context.Background(), rt.Observe(h))
	for runs, end := 0, time.Now().Add(time.Duration(n*float64(time.Millisecond))); runs < 3 || time.Now().Before(end); runs++ {
		if err := b.Run(ctx); err != nil {
			return Devices{}, err
		}
	}
	var out Devices
	for _, name := range slices.Sorted(slices.Values(names)) {
		r := h.of[name]
		d := DeviceTimes{Device: name, NS: r.took, Host: r.host}
		for _, k := range r.order {
			c := r.kernels[k]
			slices.Sort(c.ns)
			d.Kernels = append(d.Kernels, KernelTime{k.kernel, k.node, k.op, k.stream, c.times, c.bytes, c.ns[0], c.ns[len(c.ns)/2]})
		}
		out.Devices = append(out.Devices, d)
	}
	return out, nil
}

// deviceVerb answers "devices MS NAME…" and "kernels MS NAME…"; each NAME is the name of a device.
func deviceVerb(b *rt.Bound, fields []string, items bool) (Devices, error) {
	if len(fields) < 2 {
		return Devices{}, fmt.Errorf("devices: want MS NAME…")
	}
	for _, name := range fields[1:] {
		if device.IsCPU(name) {
			return Devices{}, fmt.Errorf("devices: %s does not have its own clock", cmp.Or(name, "a CPU"))
		}
	}
	return devices(b, fields[1:], fields[0], items)
}
