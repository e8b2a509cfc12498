package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/image"
	cpu "github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuImages resize and crop images and change their colours. The host looks at the numbers
// of boxes' images, as TensorFlow has it on GPUs, too.
func gpuImages() []*GPU {
	of := func(name string, choose func(tensor.DType) any, lower func(*Builder) error) *GPU {
		return &GPU{Name: name, Types: map[string][]tensor.DType{"T": gpuTypes(choose)}, Lower: lower}
	}
	by := func(kernel string) func(tensor.DType) any {
		return func(d tensor.DType) any { return gpuKernel(kernel, d) }
	}
	float := map[string][]tensor.DType{"T": {tensor.Float32}}
	return []*GPU{
		of("ResizeBilinear", by("image.Bilinear"), resizeOnGPU),
		of("ResizeNearestNeighbor", nearestGPU, resizeOnGPU),
		of("ResizeBilinearGrad", by("image.BilinearGrad"), resizeGradOnGPU),
		of("ResizeNearestNeighborGrad", by("image.NearestGrad"), resizeGradOnGPU),
		of("CropAndResize", by("image.Crop"), cropOnGPU),
		of("CropAndResizeGradImage", by("image.CropGrad"), cropGradOnGPU),
		of("RGBToHSV", by("image.ToHSV"), hsvOnGPU), of("HSVToRGB", by("image.FromHSV"), hsvOnGPU),
		{Name: "AdjustHue", Types: float, Lower: adjustOnGPU}, {Name: "AdjustSaturation", Types: float, Lower: adjustOnGPU},
		{Name: "AdjustContrastv2", Types: float, Lower: contrastOnGPU},
	}
}

func nearestGPU(d tensor.DType) any { return gpuBytes("image.Nearest", d, "") }

func resizeParams(p plan.Struct) plan.Struct {
	v := p.V.(cpu.ResizeParams)
	p.V = image.ResizeParams{AlignCorners: v.AlignCorners, HalfPixel: v.HalfPixel}
	return p
}

func resizeOnGPU(b *Builder) error {
	p, err := b.resize()
	if err != nil {
		return err
	}
	fn := nearestGPU(b.InFact(0).DType)
	if b.Node.Op == "ResizeBilinear" {
		fn = gpuKernel("image.Bilinear", b.InFact(0).DType)
	}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), resizeParams(p))
	return nil
}

func resizeGradOnGPU(b *Builder) error {
	p, err := b.resizeGrad()
	if err != nil {
		return err
	}
	name := "image.NearestGrad"
	if b.Node.Op == "ResizeBilinearGrad" {
		name = "image.BilinearGrad"
	}
	b.Call(gpuKernel(name, b.OutFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), resizeParams(p))
	return nil
}

func cropParams(p plan.Struct) plan.Struct {
	v := p.V.(cpu.CropParams)
	p.V = image.CropParams{Nearest: v.Nearest, Outside: v.Outside}
	return p
}

func cropOnGPU(b *Builder) error {
	p, err := b.cropParams()
	if err != nil {
		return err
	}
	b.Call(cpu.BoxNumbers, b.In(2), b.InShape(0)[0])
	b.Call(gpuKernel("image.Crop", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), cropParams(p))
	return nil
}

func cropGradOnGPU(b *Builder) error {
	p, err := b.cropGradParams()
	if err != nil {
		return err
	}
	b.Call(cpu.BoxNumbers, b.In(2), b.OutShape(0)[0])
	b.Call(gpuKernel("image.CropGrad", b.OutFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), cropParams(p))
	return nil
}

// pixels is how many pixels of three colours input 0 has.
func (b *Builder) pixels() *sym.Expr {
	s := b.InShape(0)
	if !s[len(s)-1].Is(3) {
		b.Check(cpu.Colours, s[len(s)-1])
	}
	return sym.Product(s[:len(s)-1])
}

func hsvOnGPU(b *Builder) error {
	name := "image.ToHSV"
	if b.Node.Op == "HSVToRGB" {
		name = "image.FromHSV"
	}
	b.Call(gpuKernel(name, b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.pixels())
	return nil
}

func adjustOnGPU(b *Builder) error {
	fn := gpuKernels["image.Saturation"]
	if b.Node.Op == "AdjustHue" {
		fn = gpuKernels["image.Hue"]
	}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.pixels())
	return nil
}

func contrastOnGPU(b *Builder) error {
	s := b.InShape(0)
	r := len(s)
	images, c := sym.Product(s[:r-3]), s[r-1]
	b.Call(gpuKernels["image.Contrast"], b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevTemp(tensor.Float32, images.Mul(c)),
		plan.Lit(image.ContrastParams{}, "Images", images, "Pixels", s[r-3].Mul(s[r-2]), "C", c))
	return nil
}
