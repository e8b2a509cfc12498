package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuFormats returns the GPU lowerings of DataFormatVecPermute and DataFormatDimMap, which convert
// vectors and axes between data formats, and of Conv.
func gpuFormats() []*lower.GPU {
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	return []*lower.GPU{
		{Op: "DataFormatVecPermute", Types: map[string][]tensor.DType{"T": ints}, Lower: vecPermuteOnGPU},
		{Op: "DataFormatDimMap", Types: map[string][]tensor.DType{"T": ints}, Lower: dimMapOnGPU},
		{Op: "Conv", Types: map[string][]tensor.DType{"T": kit.GPUTypesOf("conv.")}, Lower: anyConvOnGPU},
	}
}

// vecPermuteOnGPU: see vecPermuteLower.
func vecPermuteOnGPU(b *lower.Builder) error {
	all, space, err := arrayops.VecPermutations(b.Node)
	if err != nil {
		return err
	}
	x := b.InShape(0)
	if !b.InFact(0).Shape.Known {
		return lower.ErrOnHost
	}
	if len(x) == 2 && !x[1].Is(2) {
		b.Check(shape.Equal, x[1], 2, "the second dimension of input")
	}
	b.Check(array.PermutedRows, x[0], len(all), len(space))
	inner := sym.Product(x[1:])
	m := kit.DevWork(b, x[0], inner)
	few := m.Bin(scalar.Eq, m.Size(x[0]), m.Int(int64(len(space))))
	row := m.Select(few, m.ChosenInt(m.Coord(0), space), m.ChosenInt(m.Coord(0), all))
	at := m.Bin(scalar.Add, m.Bin(scalar.Mul, row, m.Size(inner)), m.Coord(1))
	m.Out(b.DevOut(0), m.LoadAt(m.Place(b.DevIn(0), scalar.Indexed), at))
	return m.Append()
}

// dimMapOnGPU lowers DataFormatDimMap for a GPU, as dimMapLower does for the CPU. An axis that is
// out of range is taken modulo the number of dimensions.
func dimMapOnGPU(b *lower.Builder) error {
	src, dst, err := arrayops.Formats(b.Node)
	if err != nil {
		return err
	}
	m := kit.DevWork(b, b.OutLen(0))
	n := m.Int(int64(len(src)))
	x := m.Bin(scalar.Rem, m.Cast(tensor.Int64, m.ItemOf(b.DevIn(0))), n)
	x = m.Select(m.Bin(scalar.Lt, x, m.Int(0)), m.Bin(scalar.Add, x, n), x)
	m.Out(b.DevOut(0), m.ChosenInt(x, arrayops.Letters(dst, src)))
	return m.Append()
}

// anyConvOnGPU: see anyConvLower.
func anyConvOnGPU(b *lower.Builder) error {
	image, n, err := anyConvStages(b)
	if err != nil {
		return err
	}
	b = b.OnDev()
	b.SetDevBuf(ir.Out{Node: image}, b.DevIn(0).Buf)
	lowering := convLower2
	if n.Op == "Conv3D" {
		lowering = volumeOnGPU
	}
	if err := kit.LowerStage(b, n, lowering); err != nil {
		return err
	}
	buf := b.DevBuf(ir.Out{Node: n})
	buf.Shape = b.OutShape(0)
	b.SetDevBuf(ir.Out{Node: b.Node}, buf)
	return nil
}
