package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/internal/tool/timing"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/npy"
)

// result has the measurements of one case.
type result struct {
	Case       string  `json:"case"`
	Threads    int     `json:"threads"`
	Calls      int     `json:"calls"`
	MinUS      float64 `json:"min_us"`
	MedianUS   float64 `json:"median_us"`
	P99US      float64 `json:"p99_us"`
	Allocs     float64 `json:"allocs_per_run"`
	AllocBytes float64 `json:"alloc_bytes_per_run"`
	RSSKB      int     `json:"rss_kb"`
	PeakKB     int     `json:"peak_rss_kb"`
	MaxErr     float64 `json:"max_err"`
	// StartMS is the time from the start of a process of the emitted program to its end. The
	// process reads feeds, makes one run, and writes fetches.
	StartMS      float64 `json:"start_to_first_result_ms"`
	ExeBytes     int64   `json:"executable_bytes"`
	WeightsBytes int64   `json:"weights_bytes"`
	BufferBytes  int     `json:"buffer_bytes"` // bytes of the buffers of a run with one thread, except those whose sizes depend on tensor values
	GraphcS      float64 `json:"graphc_s"`
	GoBuildS     float64 `json:"go_build_s"`
	// Devices has the measurements of devices other than CPUs.
	Devices []timing.Device `json:"devices,omitempty"`
}

func (r *result) text(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d threads\n  run           min %s, median %s, p99 %s (%d calls)\n", r.Case, r.Threads, timing.Micros(r.MinUS), timing.Micros(r.MedianUS), timing.Micros(r.P99US), r.Calls)
	for i := range r.Devices {
		if err := r.Devices[i].Text(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, `  allocations   %.4g a run, %.4g bytes
  memory        %.1f MB resident, %.1f MB at most; buffers %.1f MB
  start         %.1f ms from process start to first result
  executable    %.2f MB, of which weights %.2f MB
  build         graphc %.2f s, go build %.2f s
  accuracy      largest difference %.3g of the largest value
`, r.Allocs, r.AllocBytes,
		float64(r.RSSKB)/1024, float64(r.PeakKB)/1024, float64(r.BufferBytes)/(1<<20), r.StartMS, float64(r.ExeBytes)/1e6, float64(r.WeightsBytes)/1e6, r.GraphcS, r.GoBuildS, r.MaxErr)
	return err
}

// row writes the result as a row of the Markdown table that begins with tableHead.
func (r *result) row(w io.Writer) error {
	_, err := fmt.Fprintf(w, "| %s | %d | %s | %s | %.4g | %.1f | %.1f | %.1f | %.2f | %.2f | %.1f | %.1f |\n", r.Case, r.Threads, timing.Micros(r.MinUS), timing.Micros(r.MedianUS),
		r.Allocs, r.StartMS, float64(r.RSSKB)/1024, float64(r.BufferBytes)/(1<<20), float64(r.ExeBytes)/1e6, float64(r.WeightsBytes)/1e6, r.GraphcS, r.GoBuildS)
	return err
}

const tableHead = `| case | threads | least | median | allocations | start to first result, ms | resident, MB | buffers, MB | executable, MB | weights in it, MB | graphc, s | go build, s |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

func benchCase(ctx context.Context, a *base.App, c *cases.Case, threads []int, run int, length time.Duration, o casebuild.Options) ([]*result, error) {
	if err := casebuild.Benchable(c); err != nil {
		return nil, err
	}
	dir, err := casebuild.TempModule("", base.GPUKind(ctx))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &result{Case: caseName(c, run)}
	start := time.Now()
	base.Doing(ctx, "compile")
	p, _, err := o.Compiler(c).Compile(1)
	if err != nil {
		return nil, err
	}
	program, err := benchProgram(ctx, c, p, dir, start, r)
	if err != nil {
		return nil, err
	}
	exe, err := timing.Build(ctx, c, p, dir, nil)
	if err != nil {
		return nil, err
	}
	if r.BufferBytes, err = bufferBytes(c, p); err != nil {
		return nil, err
	}
	var out []*result
	for _, n := range threads {
		r := *r
		r.Threads = n
		if err := r.start(ctx, c, program, dir); err != nil {
			return nil, err
		}
		if err := r.steady(ctx, exe, c.Dir, length, timing.GPUsOf(p)); err != nil {
			return nil, err
		}
		out = append(out, &r)
	}
	return out, nil
}

// bufferBytes returns the size of the memory block that holds the buffers of the case's first run.
func bufferBytes(c *cases.Case, p *pipeline.Program) (int, error) {
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return 0, err
	}
	_, pl := cost.VariantFor(p.Signatures[0], feeds)
	l, err := pl.Layout(0)
	if err != nil {
		return 0, err
	}
	if l.Static {
		return l.Bytes, nil
	}
	env := cost.DimsOfFeeds(pl, feeds)
	sizes := make([]int, len(l.Sizes))
	for i, e := range l.Sizes {
		if sizes[i], err = e.Eval(env); err != nil {
			return 0, err
		}
	}
	return mem.Pack(sizes, l.Lives, make([]int, len(sizes)), math.MaxInt)
}

// benchProgram emits and builds the case's package as a user would, and returns the path of the executable. It
// stores sizes and build times in r. The parameter start is the time at which compiling began.
func benchProgram(ctx context.Context, c *cases.Case, p *pipeline.Program, dir string, start time.Time, r *result) (string, error) {
	files, err := casebuild.EmitPackage("program", c, p, true)
	if err != nil {
		return "", err
	}
	if err := casebuild.WriteFiles(filepath.Join(dir, "check", "program"), files); err != nil {
		return "", err
	}
	r.GraphcS = time.Since(start).Seconds()
	for name, data := range files {
		if filepath.Ext(name) == ".bin" {
			r.WeightsBytes += int64(len(data))
		}
	}
	exe := filepath.Join(dir, "program.exe")
	start = time.Now()
	if err := base.GoRun(ctx, dir, true, "build", "-trimpath", "-o", exe, "./check/program"); err != nil {
		return "", err
	}
	r.GoBuildS = time.Since(start).Seconds()
	st, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	r.ExeBytes = st.Size()
	return exe, nil
}

// start runs the program in several processes, each with one run of the case. It stores in
// r.StartMS the median time from the start to the end of a process.
func (r *result) start(ctx context.Context, c *cases.Case, exe, dir string) error {
	args, err := programArgs(c, dir)
	if err != nil {
		return err
	}
	var times []float64
	for range 5 {
		cmd := exec.CommandContext(ctx, exe, args...)
		cmd.Env = append(cmd.Environ(), "GOMAXPROCS="+strconv.Itoa(r.Threads))
		var talk bytes.Buffer
		cmd.Stderr = &talk
		start := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("the emitted program: %w: %s", err, talk.Bytes())
		}
		times = append(times, float64(time.Since(start).Microseconds())/1e3)
	}
	r.StartMS = timing.Median(times)
	return nil
}

// programArgs returns the command line with which an emitted program runs the case once. It also
// writes the file of feeds that the program reads. The program writes its fetches to another file.
func programArgs(c *cases.Case, dir string) ([]string, error) {
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return nil, err
	}
	in := filepath.Join(dir, "feeds.npz")
	if err := npy.WriteZip(in, feeds); err != nil {
		return nil, err
	}
	return []string{"--feed", in, "--out", filepath.Join(dir, "fetches.npz")}, nil
}

// steady makes repeated runs in one process of the program. It stores in r the times of the runs,
// the memory that they use, and the times of GPUs.
func (r *result) steady(ctx context.Context, exe, dir string, length time.Duration, gpus []string) error {
	t, err := timing.Start(ctx, exe, dir, r.Threads)
	if err != nil {
		return err
	}
	var burst caserun.Burst
	var stats caserun.Stats
	err = t.Ask(&burst, "burst %d", length.Milliseconds())
	if err == nil {
		err = t.Ask(&stats, "allocs %d", min(len(burst.NS), 50))
	}
	if err == nil && len(gpus) > 0 {
		r.Devices, err = t.DeviceTimes("devices", length/3, gpus)
	}
	if err := t.End(err); err != nil {
		return err
	}
	ns := slices.Sorted(slices.Values(burst.NS))
	r.Calls, r.MinUS, r.MedianUS, r.P99US = len(ns), float64(ns[0])/1e3, float64(ns[len(ns)/2])/1e3, float64(ns[len(ns)*99/100])/1e3
	r.Allocs, r.AllocBytes, r.RSSKB, r.PeakKB, r.MaxErr = stats.Allocs, stats.Bytes, stats.RSSKB, stats.PeakKB, t.Ready.MaxErr
	return nil
}
