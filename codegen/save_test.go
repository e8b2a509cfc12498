package codegen

import (
	"strings"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/save"
	"github.com/graphc/graphc/rt/tensor"
)

// savedPackage has variables (two of them are the parts of one variable in checkpoints), a table,
// and other tensors that checkpoints contain. The name of its signature, save, is also the name of
// a method of the model.
func savedPackage() *Package {
	m := newPlan("save")
	by := m.feed("by:0", "by", tensor.Float32, two)
	variable := func(name, key, slice string, start ...float32) *plan.Buf {
		b := m.object("variable /"+name, kern.NewVar, r(m.constant(name, f32(start...))))
		b.Object.Checkpoint, b.Object.Slice = key, slice
		return b
	}
	for _, v := range []*plan.Buf{
		variable("dense/kernel", "model/kernel/.ATTRIBUTES/VARIABLE_VALUE", "", 1, 2),
		variable("part_0", "part", "4 0,2", 3, 4),
		variable("part_1", "part", "4 2,2", 5, 6),
	} {
		y := m.buf(v.Name+":0", plan.Arena, tensor.Float32, two)
		m.call(v.Name, "AssignAddVariableOp", kern.Grow, plan.View{Buf: y, Len: two, Mode: plan.Write}, r(v), r(by))
		m.fetch(v.Name+":0", strings.TrimPrefix(v.Name, "variable /"), y, two)
	}
	ages := m.object("table /ages", kern.NewTable, r(m.constant("ages/keys", tensor.Must(tensor.From(tensor.Shape{3}, []int64{1, 2, 3})))), r(m.constant("ages/values", tensor.Must(tensor.From(tensor.Shape{3}, []int64{10, 20, 30})))))
	ages.Object.Checkpoint, ages.Object.Values = "ages-keys", "ages-values"
	rows := m.scalar("rows:0", tensor.Int64)
	m.call("rows", "LookupTableSizeV2", kern.Rows, w(rows), r(ages))
	m.fetch("rows:0", "rows", rows)
	open := m.scalar("open:0", tensor.Bool)
	m.call("open", "SaveV2", kern.IsOpen, w(open), plan.Files{})
	m.fetch("open:0", "open", open)
	return &Package{Name: "saved", Plans: []*plan.Plan{m.p}, Carried: []save.Carried{
		{Key: "_CHECKPOINTABLE_OBJECT_GRAPH", Tensor: &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{}, Data: []string{"graph"}}},
		{Key: "frozen", Slice: "2 3 0,1:-", Tensor: tensor.Must(tensor.From(tensor.Shape{1, 3}, []int16{7, 8, 9}))},
		{Key: "none", Tensor: tensor.Must(tensor.From(tensor.Shape{0, 3}, []bool{}))},
	}}
}
