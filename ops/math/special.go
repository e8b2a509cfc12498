package math

import (
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// specialDefs describes the special functions of mathematics. They are computed in float64 even if
// the operands are float32.
var specialDefs = []*lower.Def{
	unaryDef("Lgamma").With(lower.Slow),
	unaryDef("Digamma").With(lower.Slow),
	unaryDef("Erfinv"),
	unaryDef("Ndtri"),
	unaryDef("BesselI0"),
	unaryDef("BesselI0e"),
	unaryDef("BesselI1"),
	unaryDef("BesselI1e"),
	unaryDef("BesselJ0"),
	unaryDef("BesselJ1"),
	unaryDef("BesselY0"),
	unaryDef("BesselY1"),
	unaryDef("BesselK0"),
	unaryDef("BesselK0e"),
	unaryDef("BesselK1"),
	unaryDef("BesselK1e"),
	unaryDef("Dawsn"),
	unaryDef("Expint"),
	unaryDef("FresnelCos"),
	unaryDef("FresnelSin"),
	unaryDef("Spence"),
	binaryDef("Igamma", 0).With(lower.Slow),
	binaryDef("Igammac", 0).With(lower.Slow),
	binaryDef("Zeta", 0).With(lower.Slow),
	binaryDef("Polygamma", 0).With(lower.Slow),
	{Name: "Betainc", Traits: lower.Slow | lower.ElementWise, Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}, Shape: betaincShape, Lower: betaincLower},
	{Name: "PopulationCount", Traits: lower.ElementWise, Types: TypesT("PopulationCount"), Shape: popCountShape, Lower: unaryLower},
}

func popCountShape(c *lower.Shaper) error {
	c.Set(0, tensor.Uint8, c.Shape(0))
	return nil
}

// betaincShape infers the shape of the output of Betainc. Each operand is either a scalar or has
// the shape of the result.
func betaincShape(c *lower.Shaper) error {
	out := c.Shape(0)
	for i := 1; i < 3; i++ {
		s := c.Shape(i)
		switch {
		case !out.Known || !s.Known:
			out.Known = false
		case len(out.Dims) == 0:
			out = s
		case len(s.Dims) > 0:
			m, err := kit.MergeShapes(out, s)
			if err != nil {
				return err
			}
			out = m
		}
	}
	if !out.Known {
		out.Dims = nil
	}
	c.Set(0, c.In(0).DType, out)
	return nil
}

func betaincLower(b *lower.Builder) error {
	fn, err := KernelByType(b, map[tensor.DType]any{tensor.Float32: elem.BetaincF32, tensor.Float64: elem.BetaincF64})
	if err != nil {
		return err
	}
	for i := range 3 {
		if s := b.InShape(i); len(s) > 0 {
			if err := kit.CheckSame(b, s, b.OutShape(0)); err != nil {
				return err
			}
		}
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2))
	return nil
}
