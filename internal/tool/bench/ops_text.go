package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/timing"
	"github.com/graphc/graphc/internal/tool/tune"
)

func (r *opsResult) text(out io.Writer, top int) error {
	m := r.Machine
	fmt.Fprintf(out, "%s, %s, kernels up to %s\n", r.Case, base.Plural(r.Threads, "thread"), r.Level)
	fmt.Fprintf(out, "  limits   ")
	if m.GFLOPs > 0 {
		fmt.Fprintf(out, "%.0f GFLOP/s, ", m.GFLOPs)
	}
	if m.GOPs > 0 {
		fmt.Fprintf(out, "%.0f GOP/s of bytes, ", m.GOPs)
	}
	var levels []string
	for _, l := range m.Levels {
		levels = append(levels, fmt.Sprintf("%s %.0f", l.Name, l.GBs))
	}
	fmt.Fprintf(out, "reads %s GB/s\n", strings.Join(levels, ", "))
	fmt.Fprintf(out, "  run      %s, with the clock on %s, %s before the first step\n", timing.Micros(r.RunUS), timing.Micros(r.TimedUS), timing.Micros(r.OutsideUS))
	for _, l := range base.SortedKeys(r.LevelsUS) {
		fmt.Fprintf(out, "  %-8s %s, %.2f times\n", l, timing.Micros(r.LevelsUS[l]), r.LevelsUS[l]/r.RunUS)
	}
	fmt.Fprintf(out, "  accuracy largest difference %.3g of the largest value\n\n", r.MaxErr)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	lower := base.SortedKeys(r.LevelsUS)
	fmt.Fprintf(w, "µs\tshare\ttimes\tGFLOP/s\tGB/s\tof roof\t")
	for _, l := range lower {
		fmt.Fprintf(w, "%s\t", l)
	}
	fmt.Fprintf(w, " kernel, node\t\n")
	rows := r.Calls
	if top > 0 && len(rows) > top {
		rows = rows[:top]
	}
	for _, row := range rows {
		fmt.Fprintf(w, "%.1f\t%.1f%%\t%d\t%s\t%s\t%s\t", row.MinUS, 100*row.Share, row.Times, optional(row.gflops(), "%.1f"), optional(row.gbs(), "%.1f"), optional(100*row.OfRoof, "%.0f%%"))
		for _, l := range lower {
			fmt.Fprintf(w, "%.1f\t", row.Levels[l])
		}
		fmt.Fprintf(w, "  %s  %s (%s) %s\n", row.Kernel, row.Node, row.Op, row.Shape)
	}
	if left := len(r.Calls) - len(rows); left > 0 {
		us := 0.0
		for _, row := range r.Calls[len(rows):] {
			us += row.MinUS
		}
		fmt.Fprintf(w, "%.1f\t\t\t\t\t\t%s  %s more\n", us, strings.Repeat("\t", len(lower)), base.Plural(left, "call"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := r.kernels(out); err != nil {
		return err
	}
	if len(r.Methods) > 0 {
		if err := tune.Text(out, r.Methods); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	if r.Simulated == nil {
		return nil
	}
	return r.Simulated.text(out)
}

// kernels prints a table with one row for each kernel. A row has the sums over all calls of the
// kernel.
func (r *opsResult) kernels(out io.Writer) error {
	type sum struct {
		name               string
		us, roof, flops, n float64
		all                bool // whether the roofline time of each call is known
	}
	by := map[string]*sum{}
	total := r.OutsideUS
	for _, row := range r.Calls {
		s := by[row.Kernel]
		if s == nil {
			s = &sum{name: row.Kernel, all: true}
			by[row.Kernel] = s
		}
		s.us, s.flops, s.roof, s.n = s.us+row.MinUS, s.flops+row.FLOPs, s.roof+row.RoofUS, s.n+1
		s.all = s.all && row.Known
		total += row.MinUS
	}
	var sums []*sum
	for _, k := range base.SortedKeys(by) {
		sums = append(sums, by[k])
	}
	slices.SortStableFunc(sums, func(a, b *sum) int { return int(math.Copysign(1, b.us-a.us)) })
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nµs\tshare\tcalls\tGFLOP/s\tof roof\t kernel\t\n")
	for _, s := range sums {
		roof := 0.0
		if s.all {
			roof = 100 * s.roof / s.us
		}
		fmt.Fprintf(w, "%.1f\t%.1f%%\t%.0f\t%s\t%s\t  %s\n", s.us, 100*s.us/total, s.n, optional(s.flops/s.us/1e3, "%.1f"), optional(roof, "%.0f%%"), s.name)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func optional(v float64, format string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
