package ops

import (
	"strings"

	"github.com/graphc/graphc/kernels/gpu/random"
	cpurandom "github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuRandoms draw numbers. Streams are the host's, as TensorFlow has it, and go to the
// device with each run.
func gpuRandoms() []*GPU {
	var list []*GPU
	for _, op := range []string{"RandomUniform", "RandomStandardNormal", "TruncatedNormal", "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
		"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2"} {
		list = append(list, &GPU{Name: op, Types: map[string][]tensor.DType{"dtype": gpuTypes(func(d tensor.DType) any { return drawGPU(op, d) })}, Lower: drawOnGPU})
	}
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	for _, op := range []string{"RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2"} {
		list = append(list, &GPU{Name: op, Types: map[string][]tensor.DType{"dtype": ints, "Tout": ints}, Lower: drawIntsOnGPU})
	}
	for _, op := range []string{"Multinomial", "StatelessMultinomial"} {
		list = append(list, &GPU{Name: op, Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}, "output_dtype": ints}, Lower: multinomialOnGPU})
	}
	for _, op := range []string{"StatelessRandomGammaV2", "StatelessRandomGammaV3"} {
		list = append(list, &GPU{Name: op, Types: map[string][]tensor.DType{"dtype": floatTypes}, Lower: gammaOnGPU})
	}
	return list
}

// drawGPU is the kernel of a distribution, nil for none.
func drawGPU(op string, d tensor.DType) any {
	switch {
	case strings.Contains(op, "FullInt"):
		switch d {
		case tensor.Int32, tensor.Uint32:
			return gpuKernels["random.Full32"]
		case tensor.Int64, tensor.Uint64:
			return gpuKernels["random.Full64"]
		}
		return nil
	case strings.Contains(op, "Uniform"):
		return gpuKernel("random.Uniform", d)
	case strings.Contains(op, "Truncated"):
		return gpuKernel("random.Truncated", d)
	}
	return gpuKernel("random.Normal", d)
}

func drawOnGPU(b *Builder) error {
	if err := b.sizes(); err != nil {
		return err
	}
	s, err := seedingOf(b.Node).stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	b.Call(drawGPU(b.Node.Op, b.OutFact(0).DType), b.Queue(), b.DevOut(0), b.uploaded(reads(s)), b.OutLen(0))
	return nil
}

// uploaded is scratch in the device's memory with what v, of the host's, holds.
func (b *Builder) uploaded(v plan.View) plan.View {
	t := b.DevTemp(v.Buf.DType, v.Len)
	b.l.step(b.l.put(b.Node, writes(t), reads(v)))
	return reads(t)
}

// drawIntsOnGPU: see uniformIntLower. The host looks at the range.
func drawIntsOnGPU(b *Builder) error {
	if err := b.sizes(); err != nil {
		return err
	}
	fn, ranged := random.Ints32, any(cpurandom.RangeI32)
	if b.OutFact(0).DType == tensor.Int64 {
		fn, ranged = random.Ints64, cpurandom.RangeI64
	}
	s, err := seedingOf(b.Node).stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	r, _ := rangeInputs(b.Node)
	b.Call(ranged, b.In(r), b.In(r+1), b.OutLen(0))
	b.Call(fn, b.Queue(), b.DevOut(0), b.uploaded(reads(s)), b.DevIn(r), b.DevIn(r+1), b.OutLen(0))
	return nil
}

// devCast is v's elements as type d.
func (b *Builder) devCast(d tensor.DType, v plan.View) (plan.View, error) {
	if v.Buf.DType == d {
		return v, nil
	}
	t := b.DevTemp(d, v.Len)
	m := b.devWork(v.Len)
	m.out(t, m.item(v))
	return reads(t), m.call()
}

// multinomialOnGPU: see multinomialLower.
func multinomialOnGPU(b *Builder) error {
	p, skip, err := b.multinomialParams()
	if err != nil {
		return err
	}
	logits, err := b.devCast(tensor.Float32, b.DevIn(0))
	if err != nil {
		return err
	}
	t, err := seedingOf(b.Node).stream(b, skip)
	if err != nil {
		return err
	}
	fn := random.Multinomial32
	if b.OutFact(0).DType == tensor.Int64 {
		fn = random.Multinomial64
	}
	q := plan.Lit(random.Classes{}, "Rows", p.Fields["Rows"][0], "N", p.Fields["Classes"][0], "Samples", p.Fields["Samples"][0])
	b.Call(fn, b.Queue(), b.DevOut(0), logits, b.DevTemp(tensor.Float64, b.InLen(0)), b.uploaded(reads(t)), q)
	return nil
}

// gammaOnGPU: see distributedLower.
func gammaOnGPU(b *Builder) error {
	d := drawingOf(b.Node)
	params, samples, err := b.layout(&d)
	if err != nil {
		return err
	}
	alpha, err := b.devCast(tensor.Float64, b.DevIn(d.params[0]))
	if err != nil {
		return err
	}
	t, err := d.seeds.stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	out := b.DevOut(0)
	wide := out
	if out.Buf.DType != tensor.Float64 {
		wide = writes(b.DevTemp(tensor.Float64, out.Len))
	}
	b.Call(random.Gamma, b.Queue(), wide, alpha, b.uploaded(reads(t)), plan.Lit(random.Draws{}, "Params", params, "Samples", samples))
	if wide.Buf == out.Buf {
		return nil
	}
	m := b.devWork(out.Len)
	m.out(out, m.item(wide))
	return m.call()
}
