package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/device"
)

// benchDevice is what a device that is no CPU takes in a run, in microseconds.
type benchDevice struct {
	Device    string      `json:"device"`
	MinUS     float64     `json:"min_us"`     // by its own clock, from the begin of the run to the end of its work
	MedianUS  float64     `json:"median_us"`  // the same
	EnqueueUS float64     `json:"enqueue_us"` // of the host's, for handing over the work; median
	Kernels   []kernelRow `json:"kernels,omitempty"`
}

// kernelRow is a kernel, a copy or a fill of one node's, with its time in a run.
type kernelRow struct {
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

// gpusOf are the devices of the program's first signature that are no CPUs, by full names.
func gpusOf(p *pipeline.Program) []string {
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

// deviceTimes asks a program for the times of devices: as a whole, or of each kernel.
func (t *timed) deviceTimes(verb string, length time.Duration, names []string) ([]benchDevice, error) {
	var got caserun.Devices
	if err := t.ask(&got, "%s %d %s", verb, length.Milliseconds(), strings.Join(names, " ")); err != nil {
		return nil, err
	}
	var out []benchDevice
	for _, d := range got.Devices {
		if len(d.NS) == 0 { // another variant's
			continue
		}
		_, name, _ := strings.Cut(d.Device, "/device:")
		b := benchDevice{Device: name, MinUS: microseconds(slices.Min(d.NS)), MedianUS: microseconds(median(d.NS)), EnqueueUS: microseconds(median(d.Host))}
		total := 0.0
		for _, k := range d.Kernels {
			b.Kernels = append(b.Kernels, kernelRow{Kernel: k.Kernel, Node: k.Node, Op: k.Op, Stream: k.Stream, Times: k.Times, Bytes: k.Bytes, MinUS: microseconds(k.MinNS), MedianUS: microseconds(k.MedianNS)})
			total += microseconds(k.MinNS)
		}
		for i := range b.Kernels {
			b.Kernels[i].Share = b.Kernels[i].MinUS / max(total, 1e-3)
		}
		slices.SortStableFunc(b.Kernels, func(x, y kernelRow) int {
			switch {
			case x.MinUS > y.MinUS:
				return -1
			case x.MinUS < y.MinUS:
				return 1
			}
			return 0
		})
		out = append(out, b)
	}
	return out, nil
}

func microseconds(ns int64) float64 { return float64(ns) / 1e3 }

// text is the line of a device among what is measured of a case.
func (d *benchDevice) text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "  %-13s min %s, median %s by the device's clock; the host hands over in %s\n", d.Device, micros(d.MinUS), micros(d.MedianUS), micros(d.EnqueueUS))
	return err
}

// kernelsResult is what bench --ops measures of a case on GPUs.
type kernelsResult struct {
	Case    string        `json:"case"`
	Threads int           `json:"threads"`
	RunUS   float64       `json:"run_us"` // least, with nothing measured
	MaxErr  float64       `json:"max_err"`
	Devices []benchDevice `json:"devices"`
}

// benchKernels times the kernels of the cases' programs on GPUs, each between two events.
func (a *app) benchKernels(ctx context.Context, dirs []string, f opFlags, threads []int, run int, length time.Duration, o compileFlags, asJSON bool) error {
	if len(f.levels) > 0 || f.others {
		return usagef("--levels and --alternatives compare kernels of CPUs, --devices names a GPU")
	}
	ctx = o.devices.forGPUs(ctx, "cuda")
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	return eachResult(ctx, a, cs, func(c *cases.Case) ([]*kernelsResult, error) {
		return benchKernelsOf(ctx, c, threads, run, length, o)
	}, func(_ *cases.Case, r *kernelsResult) error {
		if asJSON {
			return json.NewEncoder(a.out).Encode(r)
		}
		return r.text(a.out, f.top)
	})
}

func benchKernelsOf(ctx context.Context, c *cases.Case, threads []int, run int, length time.Duration, o compileFlags) ([]*kernelsResult, error) {
	if err := benchable(c); err != nil {
		return nil, err
	}
	dir, err := tempModule("", gpuKind(ctx))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p, _, err := o.compiler(c).compile(1)
	if err != nil {
		return nil, err
	}
	names := gpusOf(p)
	if len(names) == 0 {
		return nil, fmt.Errorf("no node is placed on a GPU")
	}
	exe, err := buildBench(ctx, c, p, dir, nil)
	if err != nil {
		return nil, err
	}
	var out []*kernelsResult
	for _, n := range threads {
		r := &kernelsResult{Case: caseName(c, run), Threads: n}
		if err := r.measure(ctx, exe, c.Dir, names, length); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// measure runs the program with nothing measured, then with the device's time measured, then item by item.
func (r *kernelsResult) measure(ctx context.Context, exe, dir string, names []string, length time.Duration) error {
	t, err := startTimed(ctx, exe, dir, r.Threads)
	if err != nil {
		return err
	}
	var burst caserun.Burst
	var whole []benchDevice
	err = t.ask(&burst, "burst %d", length.Milliseconds()/3)
	if err == nil {
		whole, err = t.deviceTimes("devices", length/3, names)
	}
	if err == nil {
		r.Devices, err = t.deviceTimes("kernels", length/3, names)
	}
	if err := t.end(err); err != nil {
		return err
	}
	for i := range r.Devices { // runs that are measured item by item are slower
		r.Devices[i].MinUS, r.Devices[i].MedianUS, r.Devices[i].EnqueueUS = whole[i].MinUS, whole[i].MedianUS, whole[i].EnqueueUS
	}
	r.RunUS, r.MaxErr = microseconds(slices.Min(burst.NS)), t.ready.MaxErr
	return nil
}

func (r *kernelsResult) text(out io.Writer, top int) error {
	fmt.Fprintf(out, "%s, %s\n  run           min %s\n", r.Case, plural(r.Threads, "thread"), micros(r.RunUS))
	for i := range r.Devices {
		if err := r.Devices[i].text(out); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "  accuracy      largest difference %.3g of the largest value\n", r.MaxErr)
	for _, d := range r.Devices {
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(w, "\nµs\tmedian\tshare\ttimes\tGB/s\t kernel on %s, node\t\n", d.Device)
		rows := d.Kernels
		if top > 0 && len(rows) > top {
			rows = rows[:top]
		}
		for _, k := range rows {
			fmt.Fprintf(w, "%.1f\t%.1f\t%.1f%%\t%d\t%s\t  %s  %s (%s)\n", k.MinUS, k.MedianUS, 100*k.Share, k.Times, optional(float64(k.Bytes)/max(k.MinUS, 1e-3)/1e3, "%.1f"), k.Kernel, k.Node, k.Op)
		}
		if left := len(d.Kernels) - len(rows); left > 0 {
			sum := 0.0
			for _, k := range d.Kernels[len(rows):] {
				sum += k.MinUS
			}
			fmt.Fprintf(w, "%.1f\t\t\t\t\t  %s more\n", sum, plural(left, "kernel"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}
