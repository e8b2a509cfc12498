package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/graphc/graphc/internal/benchreport"
)

// curve has cases of one model, measured with the same number of threads, that differ in only one
// size. The field axis is the name of that size.
type curve struct {
	model, axis, threads string
	cases                []*benchreport.Case
}

// curves groups the cases that belong to a curve, and returns one curve for each group. The curves
// and their cases keep the order of the parameter cases.
func curves(cases []*benchreport.Case) []*curve {
	var out []*curve
	for _, c := range cases {
		if c.Sweep == nil {
			continue
		}
		for _, n := range benchreport.Counts([]*benchreport.Case{c}) {
			i := slices.IndexFunc(out, func(v *curve) bool { return v.model == c.Sweep.Model && v.axis == c.Sweep.Axis && v.threads == n })
			if i < 0 {
				i = len(out)
				out = append(out, &curve{model: c.Sweep.Model, axis: c.Sweep.Axis, threads: n})
			}
			out[i].cases = append(out[i].cases, c)
		}
	}
	for _, v := range out {
		slices.SortFunc(v.cases, func(a, b *benchreport.Case) int { return a.Sweep.Value - b.Sweep.Value })
	}
	slices.SortFunc(out, func(a, b *curve) int { return strings.Compare(a.file(), b.file()) })
	return out
}

func (v *curve) file() string { return fmt.Sprintf("growth-%s-%s-%s", v.model, v.axis, v.threads) }

// draw returns a picture with one line for each runtime. The x axis is the size, and the y axis is
// the median time of a run in milliseconds.
func (v *curve) draw() (*picture, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s by %s, %s", v.model, v.axis, threadsText(v.threads))
	p.X.Label.Text, p.Y.Label.Text = v.axis, "ms a run, median"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = steps{}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	least, most := math.Inf(1), 0.0
	var sizes values
	for _, c := range v.cases {
		sizes = append(sizes, float64(c.Sweep.Value))
	}
	for _, peer := range benchreport.Peers(v.cases) {
		var points plotter.XYs
		for _, c := range v.cases {
			if t := c.Threads[v.threads][peer]; t.OK() {
				ms := t.MedianUS / 1e3
				points = append(points, plotter.XY{X: float64(c.Sweep.Value), Y: ms})
				least, most = math.Min(least, ms), math.Max(most, ms)
			}
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = colorOf(peer), vg.Points(1)
		if peer == benchreport.Self {
			line.Width = vg.Points(2)
		}
		marks.GlyphStyle = glyph(peer)
		p.Add(line, marks)
		p.Legend.Add(benchreport.Title(peer), line, marks)
	}
	if most == 0 {
		return nil, fmt.Errorf("%s: nothing was measured", v.file())
	}
	p.X.Tick.Marker = sizes
	p.X.Min, p.X.Max = sizes[0]*0.9, sizes[len(sizes)-1]*1.1
	p.Y.Min, p.Y.Max = least*0.8, most*1.5
	return &picture{p, 6 * vg.Inch, 4.5 * vg.Inch}, nil
}
