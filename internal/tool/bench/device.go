package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/timing"
)

// kernelsResult has the times of the GPU kernels of one case, which "graphc bench --ops" prints.
type kernelsResult struct {
	Case    string          `json:"case"`
	Threads int             `json:"threads"`
	RunUS   float64         `json:"run_us"` // shortest time of a run, without measurements on the GPUs
	MaxErr  float64         `json:"max_err"`
	Devices []timing.Device `json:"devices"`
}

// Kernels measures the time of each GPU kernel of the cases' programs, with a GPU event before and
// after the kernel, and prints the results.
func Kernels(ctx context.Context, a *base.App, dirs []string, f OpFlags, threads []int, run int, length time.Duration, o casebuild.Options, asJSON bool) error {
	if len(f.Levels) > 0 || f.Others || len(f.Simulate) > 0 {
		return base.Usagef("--levels, --alternatives and --simulate are for kernels of CPUs, but --devices names a GPU")
	}
	ctx = o.Devices.ForGPUs(ctx, "cuda")
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	return eachResult(ctx, a, cs, func(ctx context.Context, c *cases.Case) ([]*kernelsResult, error) {
		return benchKernelsOf(ctx, c, threads, run, length, o)
	}, func(_ *cases.Case, r *kernelsResult) error {
		if asJSON {
			return json.NewEncoder(a.Out).Encode(r)
		}
		return r.text(a.Out, f.Top)
	})
}

func benchKernelsOf(ctx context.Context, c *cases.Case, threads []int, run int, length time.Duration, o casebuild.Options) ([]*kernelsResult, error) {
	if err := casebuild.Benchable(c); err != nil {
		return nil, err
	}
	p, dir, err := compiled(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	names := timing.GPUsOf(p)
	if len(names) == 0 {
		return nil, fmt.Errorf("no node is placed on a GPU")
	}
	exe, err := timing.Build(ctx, c, p, dir, nil)
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

// measure runs the program three times for a third of the given length. First, it measures only the
// runs. Then it also measures the total time of each device, and finally the time of each kernel
// and each copy.
func (r *kernelsResult) measure(ctx context.Context, exe, dir string, names []string, length time.Duration) error {
	t, err := timing.Start(ctx, exe, dir, r.Threads)
	if err != nil {
		return err
	}
	var burst caserun.Burst
	var whole []timing.Device
	err = t.Ask(&burst, "burst %d", length.Milliseconds()/3)
	if err == nil {
		whole, err = t.DeviceTimes("devices", length/3, names)
	}
	if err == nil {
		r.Devices, err = t.DeviceTimes("kernels", length/3, names)
	}
	if err := t.End(err); err != nil {
		return err
	}
	for i := range r.Devices { // take the total times from the second measurement, because measuring each kernel makes runs slower
		r.Devices[i].MinUS, r.Devices[i].MedianUS, r.Devices[i].EnqueueUS = whole[i].MinUS, whole[i].MedianUS, whole[i].EnqueueUS
	}
	r.RunUS, r.MaxErr = timing.Microseconds(slices.Min(burst.NS)), t.Ready.MaxErr
	return nil
}

func (r *kernelsResult) text(out io.Writer, top int) error {
	fmt.Fprintf(out, "%s, %s\n  run           min %s\n", r.Case, base.Plural(r.Threads, "thread"), timing.Micros(r.RunUS))
	for i := range r.Devices {
		if err := r.Devices[i].Text(out); err != nil {
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
			fmt.Fprintf(w, "%.1f\t\t\t\t\t  %s more\n", sum, base.Plural(left, "kernel"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}
