package frontend

import (
	"reflect"
	"testing"

	"github.com/graphc/graphc/frontend/pb"
)

// TestObjectKeys: objects are found by their paths, whatever their numbers are, and
// numbers that lead nowhere lead to nothing.
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
