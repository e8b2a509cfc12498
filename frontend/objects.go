package frontend

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// variableValue is the name of a variable's tensor in its object.
const variableValue = "VARIABLE_VALUE"

// readObjects fills m.objects and m.bound from the objects of a TensorFlow 2 checkpoint and the
// objects of the SavedModel (saved, which may be nil). It ignores a full name that several objects
// have, because TensorFlow 2 does not make names unique.
//
// A function has hidden arguments for the variables that it uses. The SavedModel records the
// objects that its loader in Python binds to these arguments. The restore graph alone is not
// enough, because it may restore only copies of these objects, as in models of Keras 3.
func (m *Model) readObjects(saved *pb.SavedObjectGraph) {
	m.objects, m.bound = map[string]string{}, map[string]string{}
	t, err := m.checkpoint.Read(objectGraphKey)
	if err != nil {
		return // a checkpoint of TensorFlow 1
	}
	var g pb.TrackableObjectGraph
	raw := tensor.Data[string](t)
	if len(raw) != 1 || (proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 100}).Unmarshal([]byte(raw[0]), &g) != nil {
		return
	}
	for _, o := range g.Nodes {
		for _, a := range o.GetAttributes() {
			if a.GetName() != variableValue || a.GetFullName() == "" {
				continue
			}
			key := a.GetCheckpointKey()
			if other, taken := m.objects[a.FullName]; taken && other != key {
				key = ""
			}
			m.objects[a.FullName] = key
		}
	}
	m.bind(saved, objectKeys(saved, &g))
}

// objectKey is the key of an object's state in a checkpoint, with the attribute's name.
type objectKey struct{ name, key string }

// objectKeys returns the keys of the states of the SavedModel's objects. The result is indexed by
// the number of the object in the SavedModel. An object in the SavedModel and an object in the
// checkpoint are the same if the same path of names leads to each of them from the root.
func objectKeys(saved *pb.SavedObjectGraph, g *pb.TrackableObjectGraph) map[int32][]objectKey {
	keys := map[int32][]objectKey{}
	if len(saved.GetNodes()) == 0 || len(g.Nodes) == 0 {
		return keys
	}
	// number of an object in the SavedModel → number of the same object in the checkpoint
	there := map[int32]int32{0: 0}
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		o := g.Nodes[there[queue[0]]]
		for _, a := range o.GetAttributes() {
			keys[queue[0]] = append(keys[queue[0]], objectKey{a.GetName(), a.GetCheckpointKey()})
		}
		children := map[string]int32{}
		for _, c := range o.GetChildren() {
			children[c.GetLocalName()] = c.GetNodeId()
		}
		for _, c := range saved.Nodes[queue[0]].GetChildren() {
			to, ok := children[c.GetLocalName()]
			from := c.GetNodeId()
			if _, seen := there[from]; seen || !ok || int(uint32(from)) >= len(saved.Nodes) || int(uint32(to)) >= len(g.Nodes) {
				continue
			}
			there[from] = to
			queue = append(queue, from)
		}
	}
	return keys
}

// bind looks for calls of functions whose last inputs are resources. If the SavedModel has objects
// for these resources, bind records the keys of the objects' states: in m.bound for variables, and
// in m.tables and m.unloaded for resources that have no entry there yet.
func (m *Model) bind(saved *pb.SavedObjectGraph, keys map[int32][]objectKey) {
	for _, n := range m.Graph.Nodes {
		name := n.Op
		if f, ok := n.Attrs["f"].(ir.Func); ok {
			name = f.Name
		}
		f := saved.GetConcreteFunctions()[name]
		first := len(n.Ins) - len(f.GetBoundInputs())
		if f == nil || first < 0 {
			continue
		}
		for i, id := range f.BoundInputs {
			for _, k := range keys[id] {
				m.bindTo(n.Ins[first+i].Node, k)
			}
		}
	}
}

// bindTo records that the node of a resource belongs to the object whose state has the given key.
func (m *Model) bindTo(n *ir.Node, k objectKey) {
	if k.name == variableValue {
		if k.key != "" && IsVariable(n) && m.bound[n.Name] == "" {
			m.bound[n.Name] = k.key
		}
		return
	}
	if IsVariable(n) || len(n.Outs) == 0 || !n.Outs[0].DType.Opaque() {
		// The node is not a resource that could hold this state. The state may be, for example, a
		// description of a Keras object.
		return
	}
	if _, ok := m.tables[n.Name]; ok {
		return
	}
	keys, values := k.key+"-keys", k.key+"-values"
	_, hasKeys := m.checkpoint.Entry(keys)
	_, hasValues := m.checkpoint.Entry(values)
	if strings.Contains(n.Op, "HashTable") && hasKeys && hasValues {
		m.tables[n.Name] = [2]restored{{key: keys}, {key: values}}
		return
	}
	at := m.checkpoint.Keys()
	from, _ := slices.BinarySearch(at, k.key)
	if _, noted := m.unloaded[n.Name]; !noted && k.key != "" && from < len(at) && strings.HasPrefix(at[from], k.key) {
		m.unloaded[n.Name] = unloaded{at[from], "is the state " + strconv.Quote(k.name) + " of the object"}
	}
}
