package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/graphc/graphc/internal/benchreport"
)

// ratios returns a picture of the quotient of graphc's time and the time of each other runtime,
// with one row for each case. It returns nil if there is nothing to draw.
func ratios(cases []*benchreport.Case, threads string) (*picture, error) {
	p := plot.New()
	p.Title.Text = "graphc's time over a peer's, " + threadsText(threads)
	p.X.Label.Text = "ratio of medians; left of 1 graphc is faster"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = steps{}
	p.Legend.Top = true
	p.Legend.XOffs = vg.Points(-4)
	p.Add(plotter.NewGrid())
	n := len(cases)
	names := make([]string, n)
	least, most := 0.8, 1.25
	drawn := false
	for _, peer := range benchreport.Peers(cases) {
		if peer == benchreport.Self {
			continue
		}
		var points plotter.XYs
		for i, c := range cases {
			names[n-1-i] = c.Name
			if r, _, ok := c.Ratio(threads, peer); ok {
				points = append(points, plotter.XY{X: r, Y: float64(n - 1 - i)})
				least, most = math.Min(least, r), math.Max(most, r)
			}
		}
		if len(points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		s.GlyphStyle = glyph(peer)
		p.Add(s)
		p.Legend.Add(benchreport.Title(peer), s)
		drawn = true
	}
	if !drawn {
		return nil, nil
	}
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(n) - 0.5}})
	if err != nil {
		return nil, err
	}
	one.Color, one.Width = color.Black, vg.Points(1)
	p.Add(one)
	p.NominalY(names...)
	p.X.Min, p.X.Max = least*0.9, most*2.5
	p.Y.Min, p.Y.Max = -0.7, float64(n)+0.2
	return &picture{p, 8 * vg.Inch, vg.Length(n+4) * 0.3 * vg.Inch}, nil
}

func threadsText(n string) string {
	if n == "1" {
		return "one thread"
	}
	return n + " threads"
}
