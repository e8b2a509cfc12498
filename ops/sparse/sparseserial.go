package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseSerialDefs describes the ops that convert sparse tensors to strings or variants, and back.
// A sparse tensor becomes a vector of three elements: its indices, values and shape. If the
// elements are strings, each is a serialized TensorProto with tensor_content; if they are variants,
// each contains a tensor. The op fails with InvalidArgument if an element cannot be parsed or if
// the three elements are inconsistent.
var sparseSerialDefs = []*lower.Def{
	{Name: "SerializeSparse", Flags: lower.NoFold, Makes: lower.SerializedSparse, Types: serialTypes("T"), Limits: "resources and variants only as variants", Shape: serializeShape, Lower: serializeLower},
	{Name: "SerializeManySparse", Flags: lower.NoFold, Makes: lower.SerializedSparse, Types: serialTypes("T"), Limits: "resources and variants only as variants", Shape: serializeManyShape, Lower: serializeManyLower},
	{Name: "DeserializeSparse", Flags: lower.NoFold, Wants: lower.SerializedSparse, Types: serialTypes("dtype"), Shape: deserializeShape, Lower: deserializeLower},
	{Name: "DeserializeManySparse", Flags: lower.NoFold, Types: map[string][]tensor.DType{"dtype": kit.DataTypes}, Shape: deserializeShape, Lower: deserializeLower},
	{Name: "AddSparseToTensorsMap", Flags: kit.Changes, Types: serialTypes("T"), Shape: sparseMapAddShape, Lower: sparseMapAddLower},
	{Name: "AddManySparseToTensorsMap", Flags: kit.Changes, Types: sparseMoves, Shape: sparseMapAddManyShape, Lower: sparseMapAddManyLower},
	{Name: "TakeManySparseFromTensorsMap", Flags: kit.Changes, Types: map[string][]tensor.DType{"dtype": sparseMoves["T"]}, Shape: sparseMapTakeShape, Lower: sparseMapTakeLower},
}

func serialTypes(attr string) map[string][]tensor.DType {
	return map[string][]tensor.DType{attr: append([]tensor.DType{tensor.Resource, tensor.Variant}, kit.DataTypes...)}
}

// serialType returns the type that sparse tensors are serialized to.
func serialType(c *lower.Shaper) (tensor.DType, error) {
	d := c.Node.DType("out_type")
	if d == tensor.Invalid {
		d = tensor.String
	}
	if v := c.In(1).DType; d == tensor.String && v.Opaque() {
		return d, tensor.Errorf(tensor.Unimplemented, "values of the type %v have no serialized form", v)
	}
	return d, nil
}

func serializeShape(c *lower.Shaper) error {
	d, err := serialType(c)
	if err != nil {
		return err
	}
	if err := ranks(c, 2, 1, 1); err != nil {
		return err
	}
	c.Set(0, d, ir.StaticShape(3))
	return nil
}

// serializeLower does not check whether the parts of the sparse tensor fit together.
func serializeLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return err
	}
	packOne(b, b.Out(0))
	return nil
}

// packOne appends the call that converts the sparse tensor in inputs 0 to 2 to three strings or
// variants, and stores them in dst.
func packOne(b *lower.Builder, dst plan.View) {
	d := b.InFact(1).DType
	fn := lower.ByKind(d, sparse.PackRaw, sparse.PackStr, sparse.PackHnd)
	if dst.Buf.DType == tensor.String {
		fn = lower.ByKind(d, sparse.SerializeRaw, sparse.SerializeStr, nil)
	}
	b.Call(fn, dst, b.Raw(b.In(0)), b.Raw(b.In(1)), b.Raw(b.In(2)), b.InShape(0)[0], b.InShape(0)[1], d)
}

func serializeManyShape(c *lower.Shaper) error {
	d, err := serialType(c)
	if err != nil {
		return err
	}
	if _, rank, err := sparseShapes(c, 0, 1, 2); err != nil {
		return err
	} else if err := batchRank(rank); err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(c.NewSize(0), sym.Int(3)))
	return nil
}

// batchRank returns an error if the rank of a batch of sparse tensors is known to be less than 2.
func batchRank(rank *sym.Expr) error {
	if rank == nil {
		return nil
	}
	if r, ok := rank.IsInt(); ok && r < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "Rank of input SparseTensor should be > 1, but saw rank: %d", r)
	}
	return nil
}

func serializeManyLower(b *lower.Builder) error {
	if _, _, err := sparseParts(b, 0, 1, 2); err != nil {
		return err
	}
	b.CallSizes(sparse.Batch, []*sym.Expr{b.NewSize(0)}, b.In(0), b.In(2))
	packMany(b, b.Out(0))
	return nil
}

// packMany appends the call that converts the batch of sparse tensors in inputs 0 to 2, and stores
// the result in dst. Each sparse tensor becomes three strings or variants.
func packMany(b *lower.Builder, dst plan.View) {
	d := b.InFact(1).DType
	fn := lower.ByKind(d, sparse.PackManyRaw, sparse.PackManyStr, sparse.PackManyHnd)
	if dst.Buf.DType == tensor.String {
		fn = lower.ByKind(d, sparse.SerializeManyRaw, sparse.SerializeManyStr, nil)
	}
	b.Call(fn, dst, b.In(0), b.Raw(b.In(1)), b.In(2), d)
}

// deserializeShape infers the shapes of the outputs of DeserializeSparse and DeserializeManySparse.
// The last dimension of the input has three elements, which are one sparse tensor. The op stacks
// all these sparse tensors. They may differ in shape, but not in rank.
func deserializeShape(c *lower.Shaper) error {
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
		if _, err := kit.JoinDim(s.Dims[len(s.Dims)-1], sym.Int(3), "the last dimension of serialized sparse"); err != nil {
			return err
		}
	}
	stackShape(c, c.Node.DType("dtype"), s.Rank()-1)
	return nil
}

// stackShape sets the types and shapes of outputs 0 to 2, which are a sparse tensor of type d. It
// consists of sparse tensors that are stacked along new dimensions. lead is the number of new
// dimensions, or -1 if this number is unknown.
func stackShape(c *lower.Shaper, d tensor.DType, lead int) {
	n, rank := c.NewSize(0), c.NewSize(2)
	if lead > 0 {
		rank = rank.AddInt(lead)
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(n, rank))
	c.Set(1, d, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.ShapeOf(rank))
}

func deserializeLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	s := b.InShape(0)
	last := len(s) - 1
	if err := kit.RequireSame(b, s[last], sym.Int(3), "the last dimension of serialized sparse"); err != nil {
		return err
	}
	stack(b, b.In(0), s[:last])
	return nil
}

// stack appends the calls that compute outputs 0 to 2, a sparse tensor. It consists of the sparse
// tensors in src, stacked along new dimensions with the sizes dims. Each sparse tensor in src
// consists of three strings or three variants.
func stack(b *lower.Builder, src plan.View, dims []*sym.Expr) {
	d := b.OutFact(1).DType
	n, rank := b.NewSize(0), b.NewSize(2)
	sizes, indices, values := any(sparse.PartSizes), any(sparse.StackParts), lower.ByKind(d, sparse.PartValuesRaw, sparse.PartValuesStr, sparse.PartValuesHnd)
	if src.Buf.DType == tensor.String {
		sizes, indices, values = sparse.TextSizes, sparse.StackTexts, lower.ByKind(d, sparse.TextValuesRaw, sparse.TextValuesStr, nil)
	}
	b.CallSizes(sizes, []*sym.Expr{n, rank}, src, d)
	b.Call(indices, b.Raw(b.Out(0)), b.Out(2), src, append([]*sym.Expr{}, dims...), rank)
	if values != nil {
		b.Call(values, b.Raw(b.Out(1)), src, d.Size())
	}
}

// sparseMap returns the handle of the map of sparse tensors that a node uses: the one with its
// shared name or, if that is empty, with the node's name.
func sparseMap(b *lower.Builder) plan.View {
	return b.Kept(kit.ResourceKey(b.Node, "sparse", b.Node.Op == "TakeManySparseFromTensorsMap"), sparse.NewMap)
}

// sparseMapAddShape infers the shape of the output of AddSparseToTensorsMap(sparse_indices,
// sparse_values, sparse_shape). The output is the number by which the sparse tensor can be found in
// the map.
func sparseMapAddShape(c *lower.Shaper) error {
	c.Set(0, tensor.Int64, ir.ShapeOf())
	_, _, err := sparseShapes(c, 0, 1, 2)
	return err
}

func sparseMapAddLower(b *lower.Builder) error {
	if _, _, err := sparseParts(b, 0, 1, 2); err != nil {
		return err
	}
	b.Call(sparse.Shape, b.In(2))
	parts := b.Temp(tensor.Variant, sym.Int(3))
	packOne(b, kit.Writes(parts))
	b.Call(sparse.MapAdd, b.Out(0), sparseMap(b), kit.Reads(parts))
	return nil
}

// sparseMapAddManyShape infers the shape of the output of AddManySparseToTensorsMap, which adds
// each sparse tensor of a batch to the map. The output holds a number for each of them.
func sparseMapAddManyShape(c *lower.Shaper) error {
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(c.NewSize(0)))
	return batchRank(rank)
}

// mapEntry is the approximate size in bytes of a map entry besides the tensor.
const mapEntry = 128

func sparseMapAddManyLower(b *lower.Builder) error {
	if _, _, err := sparseParts(b, 0, 1, 2); err != nil {
		return err
	}
	n := b.NewSize(0)
	b.CallSizes(sparse.Batch, []*sym.Expr{n}, b.In(0), b.In(2))
	reserve(b, n.MulInt(mapEntry))
	parts := b.Temp(tensor.Variant, n.MulInt(3))
	packMany(b, kit.Writes(parts))
	b.Call(sparse.MapAddMany, b.Out(0), sparseMap(b), kit.Reads(parts))
	return nil
}

// sparseMapTakeShape infers the shapes of the outputs of
// TakeManySparseFromTensorsMap(sparse_handles). The op removes the sparse tensors with these
// numbers from the map, stacks them along a new dimension, and returns the result.
func sparseMapTakeShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	stackShape(c, c.Node.DType("dtype"), 1)
	return nil
}

func sparseMapTakeLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	n := b.InLen(0)
	parts := b.Temp(tensor.Variant, n.MulInt(3))
	b.Call(sparse.MapTake, kit.Writes(parts), sparseMap(b), b.In(0))
	stack(b, kit.Reads(parts), []*sym.Expr{n})
	return nil
}
