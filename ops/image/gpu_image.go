package image

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/image"
	cpu "github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuImages resize and crop images and change their contrast. As for TensorFlow's GPU kernels, the
// host checks the image indices of boxes.
func gpuImages() []*lower.GPU {
	of := func(name string, choose func(tensor.DType) any, lowering func(*lower.Builder) error) *lower.GPU {
		return &lower.GPU{Op: name, Types: map[string][]tensor.DType{"T": kit.GPUTypes(choose)}, Lower: lowering}
	}
	by := func(kernel string) func(tensor.DType) any {
		return func(d tensor.DType) any { return kit.GPUKernel(kernel, d) }
	}
	return []*lower.GPU{
		of("ResizeBilinear", by("image.Bilinear"), resizeOnGPU),
		of("ResizeNearestNeighbor", nearestGPU, resizeOnGPU),
		of("ResizeBilinearGrad", by("image.BilinearGrad"), resizeGradOnGPU),
		of("ResizeNearestNeighborGrad", by("image.NearestGrad"), resizeGradOnGPU),
		of("CropAndResize", by("image.Crop"), cropOnGPU),
		{Op: "CropAndResizeGradBoxes", Types: map[string][]tensor.DType{"T": kit.GPUTypesOf("image.CropGradBoxes")}, Lower: cropGradBoxesOnGPU},
		of("CropAndResizeGradImage", by("image.CropGrad"), cropGradOnGPU),
		{Op: "ImageProjectiveTransformV2", Types: map[string][]tensor.DType{"dtype": kit.GPUTypesOf("image.Project")}, Lower: projectOnGPU},
		{Op: "ImageProjectiveTransformV3", Types: map[string][]tensor.DType{"dtype": kit.GPUTypesOf("image.Project")}, Lower: projectOnGPU},
		{Op: "AdjustContrastv2", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half}}, Lower: contrastOnGPU},
		{Op: "AdjustContrast", Types: contrastTypes1, Lower: contrastOnGPU},
	}
}

func nearestGPU(d tensor.DType) any { return kit.GPUBytes("image.Nearest", d, "") }

func resizeParams(p plan.Struct) plan.Struct {
	v := p.V.(cpu.ResizeParams)
	p.V = image.ResizeParams{AlignCorners: v.AlignCorners, HalfPixel: v.HalfPixel}
	return p
}

func resizeOnGPU(b *lower.Builder) error {
	p, err := Resize(b)
	if err != nil {
		return err
	}
	fn := nearestGPU(b.InFact(0).DType)
	if b.Node.Op == "ResizeBilinear" {
		fn = kit.GPUKernel("image.Bilinear", b.InFact(0).DType)
	}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), resizeParams(p))
	return nil
}

func resizeGradOnGPU(b *lower.Builder) error {
	p, err := resizeGrad(b)
	if err != nil {
		return err
	}
	name := "image.NearestGrad"
	if b.Node.Op == "ResizeBilinearGrad" {
		name = "image.BilinearGrad"
	}
	b.Call(kit.GPUKernel(name, b.OutFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), resizeParams(p))
	return nil
}

func cropParams(p plan.Struct) plan.Struct {
	v := p.V.(cpu.CropParams)
	p.V = image.CropParams{Nearest: v.Nearest, Outside: v.Outside}
	return p
}

func cropOnGPU(b *lower.Builder) error {
	p, err := cropSizes(b)
	if err != nil {
		return err
	}
	b.Call(cpu.BoxNumbers, b.In(2), b.InShape(0)[0])
	b.Call(kit.GPUKernel("image.Crop", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), cropParams(p))
	return nil
}

func cropGradOnGPU(b *lower.Builder) error {
	p, err := cropGradParams(b)
	if err != nil {
		return err
	}
	b.Call(cpu.BoxNumbers, b.In(2), b.OutShape(0)[0])
	b.Call(kit.GPUKernel("image.CropGrad", b.OutFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), cropParams(p))
	return nil
}

func cropGradBoxesOnGPU(b *lower.Builder) error {
	p, err := cropGradBoxesParams(b)
	if err != nil {
		return err
	}
	b.Call(cpu.BoxNumbers, b.In(3), b.InShape(1)[0])
	b.Call(kit.GPUKernel("image.CropGradBoxes", b.InFact(1).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), b.DevIn(3), cropParams(p))
	return nil
}

// contrastOnGPU lowers AdjustContrastv2 and AdjustContrast for GPUs. It computes the same as
// contrastLower and contrastClipLower.
func contrastOnGPU(b *lower.Builder) error {
	s := b.InShape(0)
	r := len(s)
	images, c := sym.Product(s[:r-3]), s[r-1]
	in, err := kit.DevCast(b, tensor.Float32, b.DevIn(0))
	if err != nil {
		return err
	}
	out, direct := b.DevOut(0), b.Node.Op == "AdjustContrastv2" && b.OutFact(0).DType == tensor.Float32
	sum := out
	if !direct {
		sum = kit.Writes(b.DevTemp(tensor.Float32, out.Len))
	}
	b.Call(bytype.GPU["image.Contrast"], b.Queue(), sum, in, b.DevIn(1), b.DevTemp(tensor.Float32, images.Mul(c)),
		plan.Lit(image.ContrastParams{}, "Images", images, "Pixels", s[r-3].Mul(s[r-2]), "C", c))
	if direct {
		return nil
	}
	m := kit.DevWork(b, out.Len)
	v := m.ItemOf(sum)
	if b.Node.Op == "AdjustContrast" { // min_value, max_value
		v = m.Bin(scalar.Max, m.Bin(scalar.Min, v, m.NumberOf(b.DevIn(3))), m.NumberOf(b.DevIn(2)))
	}
	m.Out(out, v)
	return m.Append()
}

func projectOnGPU(b *lower.Builder) error {
	q, err := projectParams(b)
	if err != nil {
		return err
	}
	v := q.V.(cpu.ProjectParams)
	q = plan.Struct{V: image.ProjectParams{Bilinear: v.Bilinear, Fill: int(v.Fill)}, Fields: q.Fields}
	if b.NumIn() > 3 {
		q = q.With("Outside", b.DevIn(3))
	}
	b.Call(kit.GPUKernel("image.Project", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), q)
	return nil
}
