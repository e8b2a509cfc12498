package state

import (
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// keepTable creates a table that the model keeps, with its initial contents.
func keepTable(b *lower.Builder, t *tableSpec, shape []int) error {
	key := kit.ResourceKey(b.Node, "table", !b.Node.Bool("use_node_name_sharing"))
	keys, _ := b.Node.Attrs[lower.TableKeys].(*tensor.Tensor)
	values, _ := b.Node.Attrs[lower.TableValues].(*tensor.Tensor)
	o := ir.Out{Node: b.Node}
	own, keyShape := denseKeys(b.Node, t)
	if keys != nil && values != nil {
		if err := t.holds(keys, values, shape); err != nil {
			return err
		}
	}
	switch {
	case own != nil:
		if keys != nil {
			keys, values = usedBuckets(own, keys, values)
		}
		if keys == nil || keys.Len() == 0 {
			b.Object(0, key, resource.NewDense, t.params, shape, append([]int{}, keyShape...), b.Const("", own))
			break
		}
		b.Object(0, key, resource.NewDenseOf, t.params, shape, append([]int{}, keyShape...), b.Const("", own), b.Const("", keys), b.Const("", values))
	case keys == nil || keys.Len() == 0:
		b.Object(0, key, resource.NewTable, t.params, shape)
	case t.params.Kind == resource.Dense:
		return b.Errorf(tensor.Unimplemented, "the checkpoint has contents for the table, so its empty_key and deleted_key must be constants")
	default:
		b.Object(0, key, resource.NewTableOf, t.params, shape, b.Const("", keys), b.Const("", values))
	}
	if !b.Def().Has(lower.SavedTable) || !t.params.Value.IsData() {
		return nil
	}
	obj := b.Buf(o).Object
	name := ResourceName(b.Node)
	obj.Checkpoint, obj.Values = name+"-keys", name+"-values"
	if names, told := b.Node.Attrs[lower.TableCheckpoint].([]string); told && len(names) == 2 {
		obj.Checkpoint, obj.Values = names[0], names[1]
	}
	return nil
}

// holds returns an error if the given keys and values cannot be the contents of the table. For a
// Dense table, keys and values are matrices: each key and each value is flattened to a row.
func (t *tableSpec) holds(keys, values *tensor.Tensor, shape []int) error {
	wantK, wantV := []int{}, shape
	if t.params.Kind == resource.Dense {
		s, ok := t.keyShape.Static()
		if !ok {
			return tensor.Errorf(tensor.Unimplemented, "the checkpoint has contents for the table, but the shape of its keys is unknown")
		}
		k, v := 1, 1
		for _, d := range s {
			k *= d
		}
		for _, d := range shape {
			v *= d
		}
		wantK, wantV = []int{k}, []int{v}
	}
	if keys.DType != t.params.Key || len(keys.Shape) != 1+len(wantK) || !slices.Equal(keys.Shape[1:], wantK) {
		return tensor.Errorf(tensor.InvalidArgument, "the checkpoint's keys are %v, but the table's are %v of the shape [n] followed by %v", keys, t.params.Key, tensor.Shape(wantK))
	}
	if values.DType != t.params.Value || len(values.Shape) != 1+len(wantV) || values.Shape[0] != keys.Shape[0] || !slices.Equal(values.Shape[1:], wantV) {
		return tensor.Errorf(tensor.InvalidArgument, "the checkpoint's values are %v, but the table's are %v of the shape [%d] followed by %v", values, t.params.Value, keys.Shape[0], tensor.Shape(wantV))
	}
	return nil
}

// denseKeys returns a tensor with the two keys that a Dense table reserves, the empty key and the
// deleted key, and the shape of a key. It returns nil if the two keys are unknown at compile time
// or invalid.
func denseKeys(n *ir.Node, t *tableSpec) (own *tensor.Tensor, keyShape tensor.Shape) {
	if t.params.Kind != resource.Dense || len(n.Ins) < 2 {
		return nil, nil
	}
	empty, deleted := n.Ins[0].Fact().Const, n.Ins[1].Fact().Const
	if empty == nil || deleted == nil || empty.DType != deleted.DType || !slices.Equal(empty.Shape, deleted.Shape) ||
		empty.Len() == 0 || reflect.DeepEqual(empty.Data, deleted.Data) {
		return nil, nil
	}
	all := reflect.AppendSlice(reflect.ValueOf(tensor.MakeSlice(empty.DType, 0)), reflect.ValueOf(empty.Data))
	all = reflect.AppendSlice(all, reflect.ValueOf(deleted.Data))
	return &tensor.Tensor{DType: empty.DType, Shape: tensor.Shape{2, empty.Len()}, Data: all.Interface()}, empty.Shape
}

// usedBuckets returns those rows of keys and values whose key is neither the empty key nor the
// deleted key. Parameter own holds these two keys.
func usedBuckets(own, keys, values *tensor.Tensor) (k, v *tensor.Tensor) {
	w := own.Shape[1]
	n := keys.Len() / w
	o, from, val := reflect.ValueOf(own.Data), reflect.ValueOf(keys.Data), reflect.ValueOf(values.Data)
	vw := 0
	if n > 0 {
		vw = val.Len() / n
	}
	is := func(i, which int) bool {
		for j := range w {
			if !from.Index(i*w + j).Equal(o.Index(which*w + j)) {
				return false
			}
		}
		return true
	}
	outK, outV := reflect.MakeSlice(from.Type(), 0, 0), reflect.MakeSlice(val.Type(), 0, 0)
	count := 0
	for i := range n {
		if is(i, 0) || is(i, 1) {
			continue
		}
		count++
		outK = reflect.AppendSlice(outK, from.Slice(i*w, (i+1)*w))
		outV = reflect.AppendSlice(outV, val.Slice(i*vw, (i+1)*vw))
	}
	return &tensor.Tensor{DType: keys.DType, Shape: tensor.Shape{count, w}, Data: outK.Interface()},
		&tensor.Tensor{DType: values.DType, Shape: tensor.Shape{count, vw}, Data: outV.Interface()}
}
