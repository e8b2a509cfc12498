package frontend

import (
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

// TestObjectKeys: objects are found by their paths, independently of their numbers. Invalid numbers
// are ignored.
func TestObjectKeys(t *testing.T) {
	type ref = pb.TrackableObjectGraph_TrackableObject_ObjectReference
	child := func(name string, id int32) *ref { return &ref{LocalName: name, NodeId: id} }
	value := func(key string) []*pb.TrackableObjectGraph_TrackableObject_SerializedTensor {
		return []*pb.TrackableObjectGraph_TrackableObject_SerializedTensor{{Name: "STATE", CheckpointKey: "no"}, {Name: variableValue, CheckpointKey: key}}
	}
	saved := &pb.SavedObjectGraph{Nodes: []*pb.SavedObject{
		{Children: []*ref{child("dense", 1), child("f", 3), child("far", 99), child("minus", -1), child("odd", 2)}},
		{Children: []*ref{child("kernel", 2), child("root", 0)}},
		{}, {},
	}}
	g := &pb.TrackableObjectGraph{Nodes: []*pb.TrackableObjectGraph_TrackableObject{
		{Children: []*ref{child("dense", 2), child("far", 1), child("minus", 1), child("odd", 77)}},
		{Attributes: value("dense/kernel")},
		{Children: []*ref{child("kernel", 1), child("root", 0)}, Attributes: value("dense/of its own")},
	}}
	of := func(key string) []objectKey { return []objectKey{{"STATE", "no"}, {variableValue, key}} }
	want := map[int32][]objectKey{1: of("dense/of its own"), 2: of("dense/kernel")}
	if got := objectKeys(saved, g); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, none := range []*pb.SavedObjectGraph{nil, {}} {
		if got := objectKeys(none, g); len(got) != 0 {
			t.Errorf("without objects: %v", got)
		}
	}
	if got := objectKeys(saved, &pb.TrackableObjectGraph{}); len(got) != 0 {
		t.Errorf("without a checkpoint's objects: %v", got)
	}
}

// TestBindTo: nodes that are bound to objects get the objects' states: variables, tables, and
// states that cannot be loaded.
func TestBindTo(t *testing.T) {
	r, err := bundle.Open("../internal/pipeline/testdata/tables/tables2")
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{checkpoint: r, tables: map[string][2]restored{}, unloaded: map[string]unloaded{}, bound: map[string]string{}}
	handle := func(name, op string) *ir.Node {
		return &ir.Node{Name: name, Op: op, Outs: []ir.Fact{{DType: tensor.Resource}}}
	}
	const values = "words/.ATTRIBUTES/table"
	m.bindTo(handle("v", "VarHandleOp"), objectKey{variableValue, "v/.ATTRIBUTES/VARIABLE_VALUE"})
	m.bindTo(handle("v", "VarHandleOp"), objectKey{"OBJECT_CONFIG_JSON", values})
	m.bindTo(handle("t", "MutableHashTableV2"), objectKey{"table", values})
	m.bindTo(handle("i", "IteratorV2"), objectKey{"ITERATOR_STATE", values})
	m.bindTo(handle("none", "IteratorV2"), objectKey{"ITERATOR_STATE", "none"})
	m.bindTo(&ir.Node{Name: "k", Op: "Const", Outs: []ir.Fact{{DType: tensor.Float32}}}, objectKey{"table", values})
	if len(m.bound) != 1 || m.bound["v"] == "" || len(m.tables) != 1 || m.tables["t"][1].key != values+"-values" {
		t.Errorf("%v %v", m.bound, m.tables)
	}
	if got := m.Needed("i"); len(m.unloaded) != 1 || tensor.CodeOf(got) != tensor.Unimplemented || !strings.Contains(got.Error(), `is the state "ITERATOR_STATE" of the object`) {
		t.Errorf("%v, %v", m.unloaded, got)
	}
}
