package main

import (
	"errors"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/graphc/graphc/internal/benchreport"
)

// picture is a plot with its size.
type picture struct {
	*plot.Plot
	w, h vg.Length
}

// save writes the picture to a file, in the format given by the extension of the file's name.
// Unlike the method Save of plot.Plot, it leaves a margin around the picture.
func (p *picture) save(name string) error {
	c, err := draw.NewFormattedCanvas(p.w, p.h, strings.TrimPrefix(filepath.Ext(name), "."))
	if err != nil {
		return err
	}
	all := draw.New(c)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	const margin = 8
	p.Draw(draw.Crop(all, margin, -margin, margin, -margin))
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := c.WriteTo(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// colors are the colors of the runtimes, from the palette of Okabe and Ito for the color-blind.
var colors = map[string]color.Color{
	"tf":             color.RGBA{0xe6, 0x9f, 0x00, 255},
	"xla":            color.RGBA{0xcc, 0x79, 0xa7, 255},
	"litert":         color.RGBA{0x00, 0x9e, 0x73, 255},
	"ort":            color.RGBA{0x56, 0xb4, 0xe9, 255},
	"openvino":       color.RGBA{0x00, 0x72, 0xb2, 255},
	benchreport.Self: color.RGBA{0xd5, 0x5e, 0x00, 255},
}

var shapes = map[string]draw.GlyphDrawer{
	"tf": draw.CircleGlyph{}, "xla": draw.CrossGlyph{}, "litert": draw.SquareGlyph{}, "ort": draw.TriangleGlyph{},
	"openvino": draw.PlusGlyph{}, benchreport.Self: draw.CircleGlyph{},
}

func colorOf(peer string) color.Color {
	if c, ok := colors[peer]; ok {
		return c
	}
	return color.Gray{0x80}
}

func glyph(peer string) draw.GlyphStyle {
	g := draw.GlyphStyle{Color: colorOf(peer), Radius: vg.Points(3.5), Shape: shapes[peer]}
	if g.Shape == nil {
		g.Shape = draw.RingGlyph{}
	}
	return g
}

// steps is a plot.Ticker for a logarithmic axis. It puts ticks at 1, 2 and 5 times the powers of
// ten.
type steps struct{}

// Ticks implements plot.Ticker.
func (steps) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for e := math.Floor(math.Log10(low)); math.Pow(10, e) <= high; e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= low*0.999 && v <= high*1.001 {
				out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return out
}

// values is a plot.Ticker that puts a tick at each of its elements.
type values []float64

// Ticks implements plot.Ticker.
func (v values) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for _, x := range v {
		if x >= low && x <= high {
			out = append(out, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', -1, 64)})
		}
	}
	return out
}
