package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseSerialDefs are sparse tensors as strings and variants. A string is a
// serialized TensorProto with tensor_content; a variant is a tensor. Three of them,
// in the last dimension, are a sparse tensor: indices, values and shape. What does
// not parse or fit together is InvalidArgument.
var sparseSerialDefs = []*Def{
	{Name: "SerializeSparse", Flags: NoFold, Types: serialTypes("T"), Limits: "resources and variants only as variants", Shape: serializeShape, Lower: serializeLower},
	{Name: "SerializeManySparse", Flags: NoFold, Types: serialTypes("T"), Limits: "resources and variants only as variants", Shape: serializeManyShape, Lower: serializeManyLower},
	{Name: "DeserializeSparse", Flags: NoFold, Types: serialTypes("dtype"), Shape: deserializeShape, Lower: deserializeLower},
	{Name: "DeserializeManySparse", Flags: NoFold, Types: map[string][]tensor.DType{"dtype": dataTypes}, Shape: deserializeShape, Lower: deserializeLower},
	{Name: "AddSparseToTensorsMap", Flags: changes, Types: serialTypes("T"), Shape: sparseMapAddShape, Lower: sparseMapAddLower},
	{Name: "AddManySparseToTensorsMap", Flags: changes, Types: sparseMoves, Shape: sparseMapAddManyShape, Lower: sparseMapAddManyLower},
	{Name: "TakeManySparseFromTensorsMap", Flags: changes, Types: map[string][]tensor.DType{"dtype": sparseMoves["T"]}, Shape: sparseMapTakeShape, Lower: sparseMapTakeLower},
}

func serialTypes(attr string) map[string][]tensor.DType {
	return map[string][]tensor.DType{attr: append([]tensor.DType{tensor.Resource, tensor.Variant}, dataTypes...)}
}

// serialType is what a sparse tensor is stored as.
func (c *Shaper) serialType() (tensor.DType, error) {
	d := c.Node.DType("out_type")
	if d == tensor.Invalid {
		d = tensor.String
	}
	if v := c.In(1).DType; d == tensor.String && v.Opaque() {
		return d, tensor.Errorf(tensor.Unimplemented, "values of the type %v have no serialized form", v)
	}
	return d, nil
}

func serializeShape(c *Shaper) error {
	d, err := c.serialType()
	if err != nil {
		return err
	}
	if err := c.ranks(2, 1, 1); err != nil {
		return err
	}
	c.Set(0, d, ir.StaticShape(3))
	return nil
}

// serializeLower: parts that do not fit together are stored too.
func serializeLower(b *Builder) error {
	if err := b.ranked(0, 1, 2); err != nil {
		return err
	}
	b.packOne(b.Out(0))
	return nil
}

// packOne stores the inputs 0 to 2, a sparse tensor, in dst, three strings or variants.
func (b *Builder) packOne(dst plan.View) {
	d := b.InFact(1).DType
	fn := byKind(d, sparse.PackRaw, sparse.PackStr, sparse.PackHnd)
	if dst.Buf.DType == tensor.String {
		fn = byKind(d, sparse.SerializeRaw, sparse.SerializeStr, nil)
	}
	b.Call(fn, dst, b.raw(b.In(0)), b.raw(b.In(1)), b.raw(b.In(2)), b.InShape(0)[0], b.InShape(0)[1], d)
}

func serializeManyShape(c *Shaper) error {
	d, err := c.serialType()
	if err != nil {
		return err
	}
	if _, rank, err := c.sparseParts(0, 1, 2); err != nil {
		return err
	} else if err := batchRank(rank); err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(c.NewSize(0), sym.Int(3)))
	return nil
}

// batchRank refuses the rank of a batch of sparse tensors that is known to be too small.
func batchRank(rank *sym.Expr) error {
	if rank == nil {
		return nil
	}
	if r, ok := rank.IsInt(); ok && r < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "Rank of input SparseTensor should be > 1, but saw rank: %d", r)
	}
	return nil
}

func serializeManyLower(b *Builder) error {
	if _, _, err := b.sparseParts(0, 1, 2); err != nil {
		return err
	}
	b.CallSizes(sparse.Batch, []*sym.Expr{b.NewSize(0)}, b.In(0), b.In(2))
	b.packMany(b.Out(0))
	return nil
}

// packMany stores the inputs 0 to 2, a batch of sparse tensors, in dst, three
// strings or variants each.
func (b *Builder) packMany(dst plan.View) {
	d := b.InFact(1).DType
	fn := byKind(d, sparse.PackManyRaw, sparse.PackManyStr, sparse.PackManyHnd)
	if dst.Buf.DType == tensor.String {
		fn = byKind(d, sparse.SerializeManyRaw, sparse.SerializeManyStr, nil)
	}
	b.Call(fn, dst, b.In(0), b.raw(b.In(1)), b.In(2), d)
}

// deserializeShape: the sparse tensors of all but the last dimension of the input
// are stacked; their shapes may differ, their ranks not.
func deserializeShape(c *Shaper) error {
	s := c.Shape(0)
	if c.Node.Op == "DeserializeManySparse" {
		if _, err := c.WithRank(0, 2); err != nil {
			return err
		}
	}
	if s.Known {
		if len(s.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Serialized sparse should have non-zero rank")
		}
		if _, err := sameDim(s.Dims[len(s.Dims)-1], sym.Int(3), "the last dimension of serialized sparse"); err != nil {
			return err
		}
	}
	c.stackShape(c.Node.DType("dtype"), s.Rank()-1)
	return nil
}

// stackShape describes sparse tensors stacked in lead dimensions; -1 is any number.
func (c *Shaper) stackShape(d tensor.DType, lead int) {
	n, rank := c.NewSize(0), c.NewSize(2)
	if lead > 0 {
		rank = rank.AddInt(lead)
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(n, rank))
	c.Set(1, d, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.ShapeOf(rank))
}

func deserializeLower(b *Builder) error {
	if err := b.ranked(0); err != nil {
		return err
	}
	s := b.InShape(0)
	last := len(s) - 1
	if err := b.sameDim(s[last], sym.Int(3), "the last dimension of serialized sparse"); err != nil {
		return err
	}
	b.stack(b.In(0), s[:last])
	return nil
}

// stack sets the outputs 0 to 2 to the sparse tensors in src, three strings or
// variants each, stacked in the dimensions dims.
func (b *Builder) stack(src plan.View, dims []*sym.Expr) {
	d := b.OutFact(1).DType
	n, rank := b.NewSize(0), b.NewSize(2)
	sizes, indices, values := any(sparse.PartSizes), any(sparse.StackParts), byKind(d, sparse.PartValuesRaw, sparse.PartValuesStr, sparse.PartValuesHnd)
	if src.Buf.DType == tensor.String {
		sizes, indices, values = sparse.TextSizes, sparse.StackTexts, byKind(d, sparse.TextValuesRaw, sparse.TextValuesStr, nil)
	}
	b.CallSizes(sizes, []*sym.Expr{n, rank}, src, d)
	b.Call(indices, b.raw(b.Out(0)), b.Out(2), src, append([]*sym.Expr{}, dims...), rank)
	if values != nil {
		b.Call(values, b.raw(b.Out(1)), src, d.Size())
	}
}

// sparseMap is the handle of the map of sparse tensors that a node uses: that of
// its shared name, and without one of its own name.
func (b *Builder) sparseMap() plan.View {
	return b.Kept(resourceKey(b.Node, "sparse", b.Node.Op == "TakeManySparseFromTensorsMap"), sparse.NewMap)
}

// sparseMapAddShape: AddSparseToTensorsMap(sparse_indices, sparse_values,
// sparse_shape): the number the sparse tensor is kept by.
func sparseMapAddShape(c *Shaper) error {
	c.Set(0, tensor.Int64, ir.ShapeOf())
	_, _, err := c.sparseParts(0, 1, 2)
	return err
}

func sparseMapAddLower(b *Builder) error {
	if _, _, err := b.sparseParts(0, 1, 2); err != nil {
		return err
	}
	b.Call(sparse.Shape, b.In(2))
	parts := b.Temp(tensor.Variant, sym.Int(3))
	b.packOne(writes(parts))
	b.Call(sparse.MapAdd, b.Out(0), b.sparseMap(), reads(parts))
	return nil
}

// sparseMapAddManyShape: a number for each element of a batch.
func sparseMapAddManyShape(c *Shaper) error {
	_, rank, err := c.sparseParts(0, 1, 2)
	if err != nil {
		return err
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(c.NewSize(0)))
	return batchRank(rank)
}

// mapEntry is about how many bytes it takes to keep a sparse tensor by a number.
const mapEntry = 128

func sparseMapAddManyLower(b *Builder) error {
	if _, _, err := b.sparseParts(0, 1, 2); err != nil {
		return err
	}
	n := b.NewSize(0)
	b.CallSizes(sparse.Batch, []*sym.Expr{n}, b.In(0), b.In(2))
	b.reserve(n.MulInt(mapEntry))
	parts := b.Temp(tensor.Variant, n.MulInt(3))
	b.packMany(writes(parts))
	b.Call(sparse.MapAddMany, b.Out(0), b.sparseMap(), reads(parts))
	return nil
}

// sparseMapTakeShape: TakeManySparseFromTensorsMap(sparse_handles): the sparse
// tensors of those numbers, stacked, which are not kept any more.
func sparseMapTakeShape(c *Shaper) error {
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	c.stackShape(c.Node.DType("dtype"), 1)
	return nil
}

func sparseMapTakeLower(b *Builder) error {
	if err := b.ranked(0); err != nil {
		return err
	}
	n := b.InLen(0)
	parts := b.Temp(tensor.Variant, n.MulInt(3))
	b.Call(sparse.MapTake, writes(parts), b.sparseMap(), b.In(0))
	b.stack(reads(parts), []*sym.Expr{n})
	return nil
}
