package timing

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/device"
)

// Micros returns a time in microseconds as text with a suitable unit.
func Micros(us float64) string {
	return time.Duration(us * 1e3).Round(10 * time.Nanosecond).String()
}

// Median returns the median of v, which must not be empty. If the number of elements is even, it is
// the upper of the two middle elements.
func Median[T int64 | float64](v []T) T {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// Device has times that were measured for one device, such as a GPU, in microseconds per run.
type Device struct {
	Device string `json:"device"`
	// MinUS is the shortest time from the start of a run to the end of the device's work, by the
	// device's clock.
	MinUS     float64     `json:"min_us"`
	MedianUS  float64     `json:"median_us"`  // measured like MinUS
	EnqueueUS float64     `json:"enqueue_us"` // median time that the host needs to enqueue the work
	Kernels   []KernelRow `json:"kernels,omitempty"`
}

// KernelRow has the measured times of a kernel, a copy or a fill that a node executes on a device,
// summed over one run.
type KernelRow struct {
	Kernel   string  `json:"kernel"`
	Node     string  `json:"node"`
	Op       string  `json:"op"`
	Stream   string  `json:"stream"`
	Times    int     `json:"times"` // in a run
	Bytes    int     `json:"bytes,omitempty"`
	MinUS    float64 `json:"min_us"`
	MedianUS float64 `json:"median_us"`
	Share    float64 `json:"share"` // MinUS divided by the sum of MinUS of all kernels of the device
}

// GPUsOf returns the full names of those devices that are not CPUs and that the program's first
// signature uses.
func GPUsOf(p *pipeline.Program) []string {
	var out []string
	for _, v := range p.Signatures[0].Variants {
		for _, part := range v.Plan.Parts {
			if !device.IsCPU(part.Device) && !slices.Contains(out, part.Device) {
				out = append(out, part.Device)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Microseconds converts nanoseconds to microseconds.
func Microseconds(ns int64) float64 { return float64(ns) / 1e3 }

// Text writes one line with the times of the device.
func (d *Device) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "  %-13s min %s, median %s by the device's clock; the host enqueues it in %s\n", d.Device, Micros(d.MinUS), Micros(d.MedianUS), Micros(d.EnqueueUS))
	return err
}

// DeviceTimes makes the program measure the named devices for the given length of time, and returns
// the times. The parameter verb is the kind of request. The request "devices" measures the total
// time of each device. The request "kernels" also measures the time of each kernel.
func (t *Program) DeviceTimes(verb string, length time.Duration, names []string) ([]Device, error) {
	var got caserun.Devices
	if err := t.Ask(&got, "%s %d %s", verb, length.Milliseconds(), strings.Join(names, " ")); err != nil {
		return nil, err
	}
	var out []Device
	for _, d := range got.Devices {
		if len(d.NS) == 0 { // of another variant
			continue
		}
		_, name, _ := strings.Cut(d.Device, "/device:")
		b := Device{Device: name, MinUS: Microseconds(slices.Min(d.NS)), MedianUS: Microseconds(Median(d.NS)), EnqueueUS: Microseconds(Median(d.Host))}
		total := 0.0
		for _, k := range d.Kernels {
			b.Kernels = append(b.Kernels, KernelRow{Kernel: k.Kernel, Node: k.Node, Op: k.Op, Stream: k.Stream, Times: k.Times, Bytes: k.Bytes, MinUS: Microseconds(k.MinNS), MedianUS: Microseconds(k.MedianNS)})
			total += Microseconds(k.MinNS)
		}
		for i := range b.Kernels {
			b.Kernels[i].Share = b.Kernels[i].MinUS / max(total, 1e-3)
		}
		slices.SortStableFunc(b.Kernels, func(x, y KernelRow) int { return cmp.Compare(y.MinUS, x.MinUS) })
		out = append(out, b)
	}
	return out, nil
}
