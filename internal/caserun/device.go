package caserun

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/devwork"
)

// Devices is the answer to "devices MS" and "kernels MS": what devices that are no CPUs do in
// runs for so many milliseconds.
type Devices struct {
	Devices []DeviceTimes `json:"devices"`
}

// DeviceTimes is what one device does in each run.
type DeviceTimes struct {
	Device string  `json:"device"`     // the full name
	NS     []int64 `json:"ns"`         // by its clock, from the run's begin to the end of all work
	Host   []int64 `json:"enqueue_ns"` // of the host's, for handing work over
	// Kernels are its kernels, copies and fills by node, in the order of the first run; of "kernels" only.
	Kernels []KernelTime `json:"kernels,omitempty"`
}

// KernelTime is what a kernel, a copy or a fill takes in a run for one node.
type KernelTime struct {
	Kernel   string `json:"kernel"`
	Node     string `json:"node"`
	Op       string `json:"op"`
	Stream   string `json:"stream"`
	Times    int    `json:"times"` // in a run
	Bytes    int    `json:"bytes"` // that a run copies or fills
	MinNS    int64  `json:"min_ns"`
	MedianNS int64  `json:"median_ns"`
}

// deviceHook collects what devices do in one run at a time.
type deviceHook struct {
	items bool
	of    map[string]*deviceRuns // by name
}

// deviceRuns is what was collected of one device.
type deviceRuns struct {
	took, host []int64
	kernels    map[kernelKey]*kernelRuns
	order      []kernelKey
}

type kernelKey struct{ kernel, node, op, stream string }

// kernelRuns are the times of a kernel, a sum for each run.
type kernelRuns struct {
	ns           []int64
	run          int // that the last of ns is of
	times, bytes int
}

// Begin implements rt.Hook. Partitions of one run may begin at once.
func (h *deviceHook) Begin(_ context.Context, info *rt.Info) rt.Observer {
	r := h.of[info.Device]
	if r == nil {
		return nil
	}
	return &deviceObserver{h.items, r}
}

// deviceObserver is told of one run of one partition.
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

// devices runs for ms milliseconds and has the devices named measure themselves, with items each kernel.
func devices(b *rt.Bound, names []string, ms string, items bool) (Devices, error) {
	n, err := strconv.ParseFloat(ms, 64)
	if err != nil || !(n >= 0 && n < 1e9) {
		return Devices{}, fmt.Errorf("devices: %q is no time", ms)
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

// deviceVerb answers "devices MS NAME…" and "kernels MS NAME…", with the names of devices.
func deviceVerb(b *rt.Bound, fields []string, items bool) (Devices, error) {
	if len(fields) < 2 {
		return Devices{}, fmt.Errorf("devices: MS NAME… are wanted")
	}
	for _, name := range fields[1:] {
		if device.IsCPU(name) {
			return Devices{}, fmt.Errorf("devices: %s has no clock of its own", cmp.Or(name, "a CPU"))
		}
	}
	return devices(b, fields[1:], fields[0], items)
}
