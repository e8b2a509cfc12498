package random

import (
	"strings"

	"github.com/graphc/graphc/kernels/gpu/random"
	cpurandom "github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuRandoms returns the GPU lowerings of the ops that draw random numbers. As in TensorFlow, the
// host keeps the state of the random streams; each run copies the state to the device.
func gpuRandoms() []*lower.GPU {
	var list []*lower.GPU
	for _, op := range []string{"RandomUniform", "RandomStandardNormal", "TruncatedNormal", "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
		"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"dtype": kit.GPUTypes(func(d tensor.DType) any { return drawGPU(op, d) })}, Lower: drawOnGPU})
	}
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	for _, op := range []string{"RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"dtype": ints, "Tout": ints}, Lower: drawIntsOnGPU})
	}
	for _, op := range []string{"Multinomial", "StatelessMultinomial"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}, "output_dtype": ints}, Lower: multinomialOnGPU})
	}
	for _, op := range []string{"StatelessRandomGammaV2", "StatelessRandomGammaV3"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Lower: gammaOnGPU})
	}
	return list
}

// drawGPU returns the kernel of a distribution, or nil.
func drawGPU(op string, d tensor.DType) any {
	switch {
	case strings.Contains(op, "FullInt"):
		switch d {
		case tensor.Int32, tensor.Uint32:
			return bytype.GPU["random.Full32"]
		case tensor.Int64, tensor.Uint64:
			return bytype.GPU["random.Full64"]
		}
		return nil
	case strings.Contains(op, "Uniform"):
		return kit.GPUKernel("random.Uniform", d)
	case strings.Contains(op, "Truncated"):
		return kit.GPUKernel("random.Truncated", d)
	}
	return kit.GPUKernel("random.Normal", d)
}

func drawOnGPU(b *lower.Builder) error {
	if err := sizes(b); err != nil {
		return err
	}
	s, err := seedingOf(b.Node).Stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	b.Call(drawGPU(b.Node.Op, b.OutFact(0).DType), b.Queue(), b.DevOut(0), kit.Uploaded(b, kit.Reads(s)), b.OutLen(0))
	return nil
}

// drawIntsOnGPU lowers ops such as RandomUniformInt for a GPU, as uniformIntLower does for the CPU.
// The host checks that minval is less than maxval.
func drawIntsOnGPU(b *lower.Builder) error {
	if err := sizes(b); err != nil {
		return err
	}
	fn, ranged := random.Ints32, any(cpurandom.RangeI32)
	if b.OutFact(0).DType == tensor.Int64 {
		fn, ranged = random.Ints64, cpurandom.RangeI64
	}
	s, err := seedingOf(b.Node).Stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	r, _ := rangeInputs(b.Node)
	b.Call(ranged, b.In(r), b.In(r+1), b.OutLen(0))
	b.Call(fn, b.Queue(), b.DevOut(0), kit.Uploaded(b, kit.Reads(s)), b.DevIn(r), b.DevIn(r+1), b.OutLen(0))
	return nil
}

// multinomialOnGPU: see multinomialLower.
func multinomialOnGPU(b *lower.Builder) error {
	p, skip, err := multinomialParams(b)
	if err != nil {
		return err
	}
	logits, err := kit.DevCast(b, tensor.Float32, b.DevIn(0))
	if err != nil {
		return err
	}
	t, err := seedingOf(b.Node).Stream(b, skip)
	if err != nil {
		return err
	}
	fn := random.Multinomial32
	if b.OutFact(0).DType == tensor.Int64 {
		fn = random.Multinomial64
	}
	q := plan.Lit(random.Classes{}, "Rows", p.Fields["Rows"][0], "N", p.Fields["Classes"][0], "Samples", p.Fields["Samples"][0])
	b.Call(fn, b.Queue(), b.DevOut(0), logits, b.DevTemp(tensor.Float64, b.InLen(0)), kit.Uploaded(b, kit.Reads(t)), q)
	return nil
}

// gammaOnGPU: see distributedLower.
func gammaOnGPU(b *lower.Builder) error {
	d := drawingOf(b.Node)
	params, samples, err := layout(b, &d)
	if err != nil {
		return err
	}
	alpha, err := kit.DevCast(b, tensor.Float64, b.DevIn(d.params[0]))
	if err != nil {
		return err
	}
	t, err := d.seeds.Stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	out := b.DevOut(0)
	wide := out
	if out.Buf.DType != tensor.Float64 {
		wide = kit.Writes(b.DevTemp(tensor.Float64, out.Len))
	}
	b.Call(random.Gamma, b.Queue(), wide, alpha, kit.Uploaded(b, kit.Reads(t)), plan.Lit(random.Draws{}, "Params", params, "Samples", samples))
	if wide.Buf == out.Buf {
		return nil
	}
	m := kit.DevWork(b, out.Len)
	m.Out(out, m.ItemOf(wide))
	return m.Append()
}
