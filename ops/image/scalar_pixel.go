package image

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
)

// scalarPixels are ops that map a pixel's three numbers to three numbers.
func scalarPixels() []*lower.GPU {
	return []*lower.GPU{kit.GPUMap("RGBToHSV", colourScalar), kit.GPUMap("HSVToRGB", colourScalar), kit.GPUMap("AdjustHue", colourScalar), kit.GPUMap("AdjustSaturation", colourScalar)}
}

// colourScalar returns the program of an op that converts or adjusts colours. The last dimension of
// the input holds red, green and blue, or hue, saturation and value.
func colourScalar(b *lower.Builder) (*scalar.Work, error) {
	d, s := b.InFact(0).DType, b.InShape(0)
	if !scalar.IsFloat(d) {
		return nil, lower.ErrOnHost
	}
	threeChannels(b)
	m := kit.NewScalar(b, []*sym.Expr{sym.Product(s[:len(s)-1])})
	e := m.Real(d)
	v := m.Three(0)
	for k := range v {
		v[k] = e.Cast(e.D, v[k])
	}
	switch b.Node.Op {
	case "RGBToHSV":
		v = e.ToHSV(v)
	case "HSVToRGB":
		v = e.FromHSV(v)
	case "AdjustHue":
		v = e.TurnHue(v, m.Number(1))
	default:
		v = e.ScaleSaturation(v, m.Number(1))
	}
	m.OutThree(v)
	return m.Done()
}
