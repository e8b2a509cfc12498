package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/checkpoint"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

// checkpointDefs describes the ops that save tensors to files and restore them. The files are below
// a directory that the program's caller has opened. If the caller has not opened a directory, the
// ops fail with PermissionDenied.
var checkpointDefs = []*lower.Def{
	{Name: "SaveV2", Flags: kit.Changes, Access: lower.Touches(lower.FileAccess, "writes a checkpoint"), Shape: WithoutOutputs, Lower: saveLower},
	{Name: "RestoreV2", Level: lower.Reads, Flags: kit.Looks, Access: lower.Touches(lower.FileAccess, "reads a checkpoint"), Shape: restoreShape, Lower: restoreLower,
		Limits: "the rank is taken from the variable or table that gets the tensor, or from a constant slice"},
	{Name: "MergeV2Checkpoints", Flags: kit.Changes, Access: lower.Touches(lower.FileAccess, "moves files of checkpoints"), Shape: WithoutOutputs, Lower: mergeCheckpointsLower},
}

// savedAs sets the name that checkpoints use for a variable. The handle of the variable is o, an
// output of the node. The name is the one in the model's checkpoint or, if the model's checkpoint
// does not contain the variable, the name that TensorFlow's Saver would use.
func savedAs(b *lower.Builder, o ir.Out) {
	obj := b.Buf(o).Object
	_, obj.Checkpoint = lower.VariableName(o)
	if key, told := b.Node.Attrs[lower.VariableCheckpoint].(string); told {
		obj.Checkpoint, obj.Slice = key, b.Node.Str(lower.VariableSlice)
	}
}

// saveLower lowers SaveV2(prefix, tensor_names, shape_and_slices, tensors…).
func saveLower(b *lower.Builder) error {
	if b.NumIn() < 3 {
		return b.Errorf(tensor.InvalidArgument, "%d inputs; at least 3 are required", b.NumIn())
	}
	for i := 3; i < b.NumIn(); i++ {
		if err := kit.Ranked(b, i); err != nil {
			return err
		}
	}
	parts, err := Boxes(b, 3, b.NumIn(), false)
	if err != nil {
		return err
	}
	b.Call(checkpoint.Save, plan.Files{}, b.In(0), b.In(1), b.In(2), parts)
	return nil
}

// restoreShape infers the shapes of the outputs of RestoreV2(prefix, tensor_names,
// shape_and_slices). There is one output for each type in attribute dtypes. If shape_and_slices is
// constant and says the shape of a slice, this is the shape of the output. Otherwise, only the file
// contains the shape. restoreShape then assumes that an output has the shape of the variables to
// which it is assigned, and the run checks this.
func restoreShape(c *lower.Shaper) error {
	var specs []string
	if t := c.Node.Ins[2].Fact().Const; t != nil {
		specs = tensor.Data[string](t)
	}
	var readers map[ir.Out][]*ir.Node
	for i, d := range c.Node.DTypes("dtypes") {
		shape := ir.PartialShape{UnknownRank: true}
		if i < len(specs) && specs[i] != "" {
			p, err := bundle.ParseSpec(specs[i])
			if err != nil {
				return err
			}
			shape = ir.PartialShape{}
			for _, n := range p.Slice.Length {
				shape.Dims = append(shape.Dims, int64(n))
			}
		} else {
			if readers == nil {
				readers = c.Graph.Readers()
			}
			shape = assignedShape(readers, ir.Out{Node: c.Node, Index: i})
		}
		ElementShape(c, i, elementOf(d, shape))
	}
	return nil
}

// assignedShape returns the common declared shape of the variables to which o is assigned, or of
// the contents of tables into which it is imported.
func assignedShape(readers map[ir.Out][]*ir.Node, o ir.Out) ir.PartialShape {
	shape, found := ir.PartialShape{UnknownRank: true}, false
	var visit func(o ir.Out, depth int)
	visit = func(o ir.Out, depth int) {
		for _, n := range readers[o] {
			imported := n.Op == "LookupTableImport" || n.Op == "LookupTableImportV2"
			switch {
			case n.Op == "Identity" && depth < 16:
				visit(ir.Out{Node: n}, depth+1)
			case (n.Op == "Assign" || n.Op == "AssignVariableOp") && len(n.Ins) == 2 && n.Ins[1] == o, imported && len(n.Ins) == 3 && n.Ins[0] != o:
				var s ir.PartialShape
				if imported {
					s = importShape(n, o)
				} else {
					_, s = lower.HandleFact(n.Ins[0])
				}
				if !found {
					shape, found = s, true
				} else if s.UnknownRank || len(s.Dims) != len(shape.Dims) {
					shape = ir.PartialShape{UnknownRank: true}
				} else {
					shape = ir.PartialShape{Dims: append([]int64{}, shape.Dims...), UnknownRank: shape.UnknownRank}
					for k, d := range s.Dims {
						if shape.Dims[k] != d {
							shape.Dims[k] = -1
						}
					}
				}
			}
		}
	}
	visit(o, 0)
	return shape
}

// importShape returns the shape of o, an input of a node n that imports contents into a table. o
// has one row for each key, and the number of keys is unknown.
func importShape(n *ir.Node, o ir.Out) ir.PartialShape {
	es := exportElements(n)
	e := es[1]
	if n.Ins[1] == o {
		e = es[0]
	}
	if !e.Known {
		return ir.PartialShape{UnknownRank: true}
	}
	s := ir.PartialShape{Dims: []int64{-1}}
	for _, d := range e.Dims {
		size := int64(-1)
		if d != nil {
			if v, ok := d.IsInt(); ok {
				size = int64(v)
			}
		}
		s.Dims = append(s.Dims, size)
	}
	return s
}

func restoreLower(b *lower.Builder) error {
	types := []int{}
	es := make([]Element, len(b.Node.Outs))
	for i, d := range b.Node.DTypes("dtypes") {
		types = append(types, int(d))
		f := b.OutFact(i)
		es[i] = Element{Dtype: d, Known: f.Shape.Known}
		for _, x := range f.Shape.Dims {
			if !kit.IsInt(x) {
				x = nil
			}
			es[i].Dims = append(es[i].Dims, x)
		}
	}
	parts := b.Temp(tensor.Variant, sym.Int(len(types)))
	b.Call(checkpoint.Load, kit.Writes(parts), plan.Files{}, b.In(0), b.In(1), b.In(2), types)
	parts.Mode = plan.Read
	return UnboxAll(b, parts, es, 0)
}

// mergeCheckpointsLower: MergeV2Checkpoints(checkpoint_prefixes, destination_prefix).
func mergeCheckpointsLower(b *lower.Builder) error {
	p := checkpoint.MergeParams{DeleteDirs: true, AllowMissing: b.Node.Bool("allow_missing_files")}
	if v, given := b.Node.Attrs["delete_old_dirs"].(bool); given {
		p.DeleteDirs = v
	}
	b.Call(checkpoint.Merge, plan.Files{}, b.In(0), b.In(1), p)
	return nil
}
