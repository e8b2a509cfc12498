package timing

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/device"
)

// Micros writes a time in microseconds, with its unit.
func Micros(us float64) string {
	return time.Duration(us * 1e3).Round(10 * time.Nanosecond).String()
}

// Median is the number in the middle.
func Median[T int64 | float64](v []T) T {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// Device is what a device that is no CPU takes in a run, in microseconds.
type Device struct {
	Device    string      `json:"device"`
	MinUS     float64     `json:"min_us"`     // by its own clock, from the begin of the run to the end of its work
	MedianUS  float64     `json:"median_us"`  // the same
	EnqueueUS float64     `json:"enqueue_us"` // of the host's, for handing over the work; median
	Kernels   []KernelRow `json:"kernels,omitempty"`
}

// KernelRow is a kernel, a copy or a fill of one node's, with its time in a run.
type KernelRow struct {
	Kernel   string  `json:"kernel"`
	Node     string  `json:"node"`
	Op       string  `json:"op"`
	Stream   string  `json:"stream"`
	Times    int     `json:"times"` // in a run
	Bytes    int     `json:"bytes,omitempty"`
	MinUS    float64 `json:"min_us"`
	MedianUS float64 `json:"median_us"`
	Share    float64 `json:"share"` // of the time of all of the device's kernels
}

// GPUsOf are the devices of the program's first signature that are no CPUs, by full names.
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

// Microseconds are those of a time in nanoseconds.
func Microseconds(ns int64) float64 { return float64(ns) / 1e3 }

// Text is the line of a device among what is measured of a case.
func (d *Device) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "  %-13s min %s, median %s by the device's clock; the host hands over in %s\n", d.Device, Micros(d.MinUS), Micros(d.MedianUS), Micros(d.EnqueueUS))
	return err
}
