package state

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/lookup"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// lookupDefs are tables that map keys to values. In TensorFlow 1, the handle of a table is a
// reference to strings; here it is a resource.
var lookupDefs = []*lower.Def{
	{Name: "HashTable", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "HashTableV2", Level: lower.Source, Flags: lower.Leaves | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "AnonymousHashTable", Level: lower.Source, Flags: kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "MutableHashTable", Level: lower.Source, Flags: lower.SavedTable | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "MutableHashTableV2", Level: lower.Source, Flags: lower.SavedTable | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "AnonymousMutableHashTable", Level: lower.Reads, Flags: kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "MutableHashTableOfTensors", Level: lower.Source, Flags: lower.SavedTable | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "MutableHashTableOfTensorsV2", Level: lower.Source, Flags: lower.SavedTable | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "AnonymousMutableHashTableOfTensors", Level: lower.Reads, Flags: kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "MutableDenseHashTable", Level: lower.Source, Flags: lower.SavedTable | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "MutableDenseHashTableV2", Level: lower.Source, Flags: lower.SavedTable | lower.Kept | kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "AnonymousMutableDenseHashTable", Level: lower.Reads, Flags: kit.Looks, Shape: HandleShape, Lower: tableLower},
	{Name: "LookupTableFind", Level: lower.Reads, Flags: lower.Leaves | kit.Looks, Shape: findShape, Lower: findLower},
	{Name: "LookupTableFindV2", Level: lower.Reads, Flags: lower.Leaves | kit.Looks, Shape: findShape, Lower: findLower},
	{Name: "LookupTableInsert", Flags: kit.Changes, Shape: WithoutOutputs, Lower: insertLower},
	{Name: "LookupTableInsertV2", Flags: kit.Changes, Shape: WithoutOutputs, Lower: insertLower},
	{Name: "LookupTableImport", Flags: kit.Changes, Shape: tableImportShape, Lower: insertLower},
	{Name: "LookupTableImportV2", Flags: kit.Changes, Shape: tableImportShape, Lower: insertLower},
	{Name: "InitializeTable", Flags: kit.Changes, Shape: initializeShape, Lower: insertLower},
	{Name: "InitializeTableV2", Flags: kit.Changes, Shape: initializeShape, Lower: insertLower},
	{Name: "InitializeTableFromTextFile", Flags: kit.Changes, Shape: WithoutOutputs, Lower: textTableLower, Limits: "the file is read when compiling"},
	{Name: "InitializeTableFromTextFileV2", Flags: kit.Changes, Shape: WithoutOutputs, Lower: textTableLower, Limits: "the file is read when compiling"},
	{Name: "LookupTableRemoveV2", Flags: kit.Changes, Shape: tableRemoveShape, Lower: removeLower},
	{Name: "LookupTableSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int64), Lower: tableSizeLower},
	{Name: "LookupTableSizeV2", Level: lower.Reads, Flags: lower.Leaves | kit.Looks, Shape: ScalarShape(tensor.Int64), Lower: tableSizeLower},
	{Name: "LookupTableExport", Level: lower.Reads, Flags: kit.Looks, Shape: exportShape, Lower: exportLower},
	{Name: "LookupTableExportV2", Level: lower.Reads, Flags: kit.Looks, Shape: exportShape, Lower: exportLower},
}

// tableSpec holds the properties of a table that are known at compile time.
type tableSpec struct {
	node       *ir.Node
	params     resource.TableParams
	anonymous  bool
	keyShape   ir.Shape
	valueShape ir.PartialShape
}

// tableOf describes the table with the handle o; it returns nil if the table is unknown.
func tableOf(o ir.Out) *tableSpec {
	n := kit.HandleMaker(o)
	if n == nil {
		return nil
	}
	t := &tableSpec{node: n, keyShape: ir.ShapeOf()}
	t.params = resource.TableParams{Name: ResourceName(n), Key: n.DType("key_dtype"), Value: n.DType("value_dtype")}
	switch n.Op {
	case "AnonymousHashTable", "AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors", "AnonymousMutableDenseHashTable":
		t.anonymous = true
	}
	switch n.Op {
	case "HashTable", "HashTableV2", "AnonymousHashTable":
		return t
	case "MutableHashTable", "MutableHashTableV2", "AnonymousMutableHashTable":
		t.params.Kind = resource.Mutable
		return t
	case "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "AnonymousMutableHashTableOfTensors":
		t.params.Kind = resource.Mutable
	case "MutableDenseHashTable", "MutableDenseHashTableV2", "AnonymousMutableDenseHashTable":
		t.params.Kind = resource.Dense
		t.params.Key = n.Ins[0].Fact().DType
		t.keyShape = n.Ins[0].Fact().Shape
	default:
		return nil
	}
	t.valueShape, _ = n.Attrs["value_shape"].(ir.PartialShape)
	if t.params.Kind == resource.Dense {
		t.params.FirstBuckets, t.params.MaxLoad = n.Int("initial_num_buckets"), n.Float("max_load_factor")
	}
	return t
}

// check rejects invalid tables, as TensorFlow does when it creates them, and returns the shape of a
// value.
func (t *tableSpec) check() ([]int, error) {
	n, s := t.node, t.valueShape
	if s.UnknownRank || !staticDims(s) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "value_shape must be fully defined")
	}
	shape := make([]int, len(s.Dims))
	for i, d := range s.Dims {
		shape[i] = int(d)
	}
	switch {
	case strings.Contains(n.Op, "OfTensors") && len(shape) != 1:
		return nil, tensor.Errorf(tensor.InvalidArgument, "Default value must be a vector, got shape %v", shape)
	case t.params.Kind != resource.Dense:
		return shape, nil
	}
	buckets, load := n.Int("initial_num_buckets"), n.Float("max_load_factor")
	if _, ok := n.Attrs["initial_num_buckets"]; ok && (buckets < 4 || buckets&(buckets-1) != 0) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Number of buckets must be at least 4 and a power of 2, got: %d", buckets)
	}
	if _, ok := n.Attrs["max_load_factor"]; ok && !(load > 0 && load < 1) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "max_load_factor must be between 0 and 1, got: %v", load)
	}
	return shape, nil
}

// tableLower appends the call that creates a table. The model keeps the table from run to run,
// unless the table is anonymous; an anonymous table exists for a single run.
func tableLower(b *lower.Builder) error {
	t := tableOf(ir.Out{Node: b.Node})
	if _, err := bytype.LookupFind.Get(t.params.Key, t.params.Value); err != nil {
		return err
	}
	shape, err := t.check()
	if err != nil {
		return err
	}
	if t.anonymous {
		b.Call(lookup.Anonymous, b.Out(0), t.params, shape)
	} else if err := keepTable(b, t, shape); err != nil {
		return err
	}
	if t.params.Kind != resource.Dense {
		return nil
	}
	fn, err := bytype.LookupDense.Get(t.params.Key)
	if err != nil {
		return err
	}
	if b.NumIn() < 2 {
		return b.Errorf(tensor.InvalidArgument, "a deleted_key is required")
	}
	if len(b.InShape(0)) != len(b.InShape(1)) {
		return b.Errorf(tensor.InvalidArgument, "Empty and deleted keys must have same shape, got shapes: %v and %v", b.InFact(0).Shape, b.InFact(1).Shape)
	}
	for k, d := range b.InShape(0) {
		if err := kit.RequireSame(b, d, b.InShape(1)[k], "empty and deleted keys must have the same shape"); err != nil {
			return err
		}
	}
	h := b.Out(0)
	h.Mode = plan.Read
	b.Call(fn, h, b.In(0), b.In(1), append([]*sym.Expr{}, b.InShape(0)...))
	return nil
}

// tableParams returns the kernel parameters of an op on tables. They contain the shape of input 1,
// which holds the keys. If the parameter values is true, they also contain the shape of input 2,
// which holds the values.
func tableParams(b *lower.Builder, values bool) plan.Arg {
	p := lookup.Params{KeyRank: len(b.InShape(1))}
	dims := []any{}
	add := func(name string, s []*sym.Expr) {
		if len(s) > 0 {
			dims = append(dims, name, s[:min(8, len(s))])
		}
	}
	add("KeyDims", b.InShape(1))
	if values {
		p.ValueRank = len(b.InShape(2))
		add("ValueDims", b.InShape(2))
	}
	return plan.Lit(p, dims...)
}

// findShape infers the shape of the output of LookupTableFind. The output has the dimensions of the
// input keys, except those that belong to a single key, followed by the dimensions of a value. If
// the table is unknown, a value is assumed to have the shape of the default value.
func findShape(c *lower.Shaper) error {
	d := c.Node.DType("Tout")
	if d == tensor.Invalid {
		d = c.In(2).DType
	}
	keys, value := c.Shape(1), c.Shape(2)
	if value.Rank() > 1 && c.Node.Op != "LookupTableFindV2" {
		return tensor.Errorf(tensor.InvalidArgument, "the default value has the shape %v; at most rank 1 is supported", value)
	}
	if !keys.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	lead := keys.Dims
	if t := tableOf(c.Node.Ins[0]); t != nil {
		if !t.keyShape.Known {
			c.Set(0, d, ir.Shape{})
			return nil
		}
		n := len(lead) - len(t.keyShape.Dims)
		if n < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Input key shape must end with %v, got %v", t.keyShape, keys)
		}
		lead = lead[:n]
		value = ir.Shape{}
		if !t.valueShape.UnknownRank {
			value = lower.ShapeFromAttr(t.node.Name, t.valueShape)
		}
	}
	if !value.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	c.Set(0, d, ir.ShapeOf(append(append([]*sym.Expr{}, lead...), value.Dims...)...))
	return nil
}

// tableImportShape is the shape function of LookupTableImport, which has no outputs. The inputs are
// a vector of keys and one value for each key. As in TensorFlow, the shapes are not checked if the
// keys come from a RestoreV2, because a checkpoint stores the keys and values of a dense table as
// matrices.
func tableImportShape(c *lower.Shaper) error {
	if n := c.Node.Ins[1].Node; n.Op == "RestoreV2" {
		return nil
	}
	keys, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	switch v := c.Shape(2); {
	case v.Rank() == 0:
		return tensor.Errorf(tensor.InvalidArgument, "values must be at least a vector")
	case keys.Known && v.Known && lower.Differ(keys.Dims[0], v.Dims[0]):
		return tensor.Errorf(tensor.InvalidArgument, "keys %v do not fit values %v", keys, v)
	}
	return nil
}

func tableRemoveShape(c *lower.Shaper) error {
	if c.Shape(1).Rank() == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "keys must be at least a vector")
	}
	return nil
}

func findLower(b *lower.Builder) error {
	fn, err := bytype.LookupFind.Get(b.InFact(1).DType, b.OutFact(0).DType)
	if err != nil {
		return err
	}
	if !b.InFact(1).Shape.Known || !b.InFact(2).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	p := tableParams(b, true)
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), p)
	return nil
}

// initializeShape is the shape function of InitializeTable, which has no outputs. Keys and values
// are vectors of equal length.
func initializeShape(c *lower.Shaper) error {
	for i := 1; i < 3; i++ {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	k, v := c.Shape(1), c.Shape(2)
	if k.Known && v.Known {
		_, err := kit.JoinDim(k.Dims[0], v.Dims[0], "keys and values")
		return err
	}
	return nil
}

// insertLower lowers Insert, Import and InitializeTable.
func insertLower(b *lower.Builder) error {
	table := bytype.LookupInsert
	switch b.Node.Op {
	case "LookupTableImport", "LookupTableImportV2":
		table = bytype.LookupImport
	case "InitializeTable", "InitializeTableV2":
		table = bytype.LookupInitialize
	}
	fn, err := table.Get(b.InFact(1).DType, b.InFact(2).DType)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 1, 2); err != nil {
		return err
	}
	p := tableParams(b, true)
	b.Call(fn, b.In(0), b.In(1), b.In(2), p)
	return nil
}

func removeLower(b *lower.Builder) error {
	fn, err := bytype.LookupRemove.Get(b.InFact(1).DType)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	p := tableParams(b, false)
	b.Call(fn, b.In(0), b.In(1), p)
	return nil
}

func tableSizeLower(b *lower.Builder) error {
	b.Call(lookup.Size, b.Out(0), b.In(0))
	return nil
}

// exportElements returns the types and shapes of a single key and of a single value in the outputs
// of a node that exports a table.
func exportElements(n *ir.Node) [2]Element {
	out := [2]Element{{Dtype: n.DType("Tkeys")}, {Dtype: n.DType("Tvalues")}}
	t := tableOf(n.Ins[0])
	if t == nil {
		out[0].Known = true // keys and values of an unknown table are assumed to be scalars
		out[1].Known = true
		return out
	}
	out[0].Known, out[0].Dims = t.keyShape.Known, t.keyShape.Dims
	out[1] = elementOf(out[1].Dtype, t.valueShape)
	if t.params.Kind == resource.Dense { // each key and each value is flattened to a row of a matrix
		for i := range out {
			if out[i].Known && !slices.Contains(out[i].Dims, nil) {
				out[i].Dims = []*sym.Expr{ir.ShapeOf(out[i].Dims...).Len()}
			} else {
				out[i].Known = false
			}
		}
	}
	return out
}

// exportShape infers the shapes of the outputs of LookupTableExport, which are keys [n, …] and
// values [n, …].
func exportShape(c *lower.Shaper) error {
	n := c.NewSize(0)
	for i, e := range exportElements(c.Node) {
		ElementShape(c, i, e, n)
	}
	return nil
}

func exportLower(b *lower.Builder) error {
	es := exportElements(b.Node)
	fn, err := bytype.LookupExport.Get(es[0].Dtype, es[1].Dtype)
	if err != nil {
		return err
	}
	parts := b.Temp(tensor.Variant, sym.Int(2))
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0)}, kit.Writes(parts), b.In(0))
	parts.Mode = plan.Read
	return UnboxAll(b, parts, es[:], 1)
}
