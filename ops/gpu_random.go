package ops

import (
	"strings"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/device"
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
	bytes := b.l.bytesOf(v.Buf)
	b.l.step(&plan.Call{Node: b.Node.Name, Op: b.Node.OpName(), Fn: device.Put,
		Args: []plan.Arg{plan.Queue{}, writes(t), plan.View{Buf: bytes, Len: bytes.Len, Mode: plan.Read}}})
	return reads(t)
}
