package frontend

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

// objectGraphKey is the key under which a TensorFlow 2 checkpoint stores its objects.
const objectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH"

// IsDescription reports whether key is the key of the tensor in which a checkpoint describes its
// objects.
func IsDescription(key string) bool { return key == objectGraphKey }

// restored is the location of a variable's value in a checkpoint. It is a tensor, or the part of a
// tensor that a slice specification describes.
type restored struct{ key, slice string }

// variableOps are the ops that own a variable.
var variableOps = map[string]bool{"VarHandleOp": true, "VariableV2": true, "Variable": true, "AutoReloadVariable": true}

// IsVariable reports whether a node owns a variable.
func IsVariable(n *ir.Node) bool { return variableOps[n.Op] }

// HasVariables reports whether the model came with a checkpoint.
func (m *Model) HasVariables() bool { return m.checkpoint != nil }

// Checkpoint returns the checkpoint that the model came with, or nil.
func (m *Model) Checkpoint() *bundle.Reader { return m.checkpoint }

// CheckpointKey returns the location of a variable's value in the checkpoint. The parameter node is
// the name of the variable's node. The location is the tensor's name and, for a part of the tensor,
// the shape_and_slice specification. Without a checkpoint, it is the location from which the
// graph's own nodes restore the variable. The result key is "" if neither the checkpoint nor a
// restore node has the variable. In this case, the last result is true if the variable was
// certainly not saved; TensorFlow does not save local variables.
func (m *Model) CheckpointKey(node string) (key, slice string, told bool) {
	n := m.Graph.Node(node)
	if n == nil || !IsVariable(n) {
		return "", "", false
	}
	from := m.restore[node]
	if m.checkpoint != nil {
		from, _ = m.locate(n)
	}
	return from.key, from.slice, m.checkpoint != nil || from.key != ""
}

// TableNames returns the names of a table's keys and values in the checkpoint. It finds the table
// by the name of its node. Without a checkpoint, it returns the names from which the graph's own
// nodes restore the table. The names are "" if the checkpoint has no contents for the table. The
// result is nil if the names are unknown.
func (m *Model) TableNames(node string) []string {
	n := m.Graph.Node(node)
	if n == nil {
		return nil
	}
	from, ok := m.tables[node]
	if ok {
		return []string{from[0].key, from[1].key}
	}
	if m.checkpoint == nil {
		return nil
	}
	for _, name := range []string{n.Str("shared_name"), n.Name} {
		keys, values := name+"-keys", name+"-values"
		_, k := m.checkpoint.Entry(keys)
		_, v := m.checkpoint.Entry(values)
		if name != "" && k && v {
			return []string{keys, values}
		}
	}
	return []string{"", ""}
}

// Needed returns an error if the model's checkpoint has a state for the node that cannot be loaded.
// The error is Unimplemented and describes the state.
func (m *Model) Needed(node string) error {
	u, ok := m.unloaded[node]
	if !ok || m.checkpoint == nil {
		return nil
	}
	return tensor.Errorf(tensor.Unimplemented, "the checkpoint has %q for it, which %s and cannot be loaded; the values of variables and the contents of mutable tables can", u.key, u.how)
}

// unloaded is a state in a checkpoint that compiled programs cannot load.
type unloaded struct{ key, how string }

// Variable returns the checkpointed value of a variable node of Graph (VarHandleOp, VariableV2,
// Variable). The code of the error is
//   - FailedPrecondition if there is no checkpoint, or if the checkpoint has no value for the variable,
//   - NotFound if there is no such node, or if the tensor to restore, one of its slices or a file is
//     missing in the checkpoint,
//   - InvalidArgument if the type or the shape of the value does not match the variable,
//   - DataLoss or OutOfRange if the checkpoint is damaged.
func (m *Model) Variable(node string) (*tensor.Tensor, error) {
	n := m.Graph.Node(node)
	if n == nil || !IsVariable(n) {
		return nil, tensor.Errorf(tensor.NotFound, "the graph has no variable %q", node)
	}
	t, err := m.readVariable(n)
	return t, tensor.AtNode(err, n.Name, n.Op)
}

func (m *Model) readVariable(n *ir.Node) (*tensor.Tensor, error) {
	if m.checkpoint == nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value: the model has no checkpoint")
	}
	from, ok := m.locate(n)
	if !ok {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value: the checkpoint has none for it")
	}
	t, err := m.read(from)
	if err != nil {
		return nil, err
	}
	if d := n.DType("dtype"); t.DType != d {
		return nil, invalid("the checkpoint's %q is %v, but the variable is %s", from.key, t, d)
	}
	if s, ok := n.Attrs["shape"].(ir.PartialShape); ok && !fits(t.Shape, s) {
		return nil, invalid("the checkpoint's %q is %v, but the variable's shape is %v", from.key, t, s.Dims)
	}
	return t, nil
}

// read returns a tensor of the checkpoint, or the requested part of it.
func (m *Model) read(from restored) (*tensor.Tensor, error) {
	if from.slice == "" {
		return m.checkpoint.Read(from.key)
	}
	p, err := bundle.ParseSpec(from.slice)
	if err != nil {
		return nil, err
	}
	return m.checkpoint.ReadSlice(from.key, p)
}

// Table returns the keys and values of a lookup table in the checkpoint. The parameter node is the
// name of the table's node, such as a MutableHashTableV2. The error is NotFound if the checkpoint
// has no contents for the table.
func (m *Model) Table(node string) (keys, values *tensor.Tensor, err error) {
	names := m.TableNames(node)
	if m.checkpoint == nil || names == nil || names[0] == "" {
		return nil, nil, tensor.Errorf(tensor.NotFound, "the checkpoint has no content for a table %q", node)
	}
	from := [2]restored{{key: names[0]}, {key: names[1]}}
	if t, ok := m.tables[node]; ok {
		from = t
	}
	if keys, err = m.read(from[0]); err == nil {
		values, err = m.read(from[1])
	}
	if err != nil {
		return nil, nil, tensor.AtNode(err, node, m.Graph.Node(node).Op)
	}
	return keys, values, nil
}

// fits reports whether a shape matches a partial shape.
func fits(s tensor.Shape, p ir.PartialShape) bool {
	if p.UnknownRank {
		return true
	}
	if len(s) != len(p.Dims) {
		return false
	}
	for i, d := range p.Dims {
		if d >= 0 && d != int64(s[i]) {
			return false
		}
	}
	return true
}

// locate returns the location of a variable's value. It tries these possibilities in turn. First,
// it takes the value that the saver's restore graph assigns to the variable. Second, it takes the
// object that functions get as their argument for the variable. Third, it takes the tensor with the
// variable's shared name or node name. Last, it takes the checkpoint's object with that full name,
// if no other object has the name and the restore graph does not assign that object's value to
// another variable.
func (m *Model) locate(n *ir.Node) (restored, bool) {
	if r, ok := m.restore[n.Name]; ok {
		return r, true
	}
	if key, ok := m.bound[n.Name]; ok {
		return restored{key: key}, true
	}
	names := []string{n.Str("shared_name"), n.Name}
	for _, name := range names {
		if _, ok := m.checkpoint.Entry(name); ok && name != "" {
			return restored{key: name}, true
		}
	}
	for _, name := range names {
		if key := m.objects[name]; key != "" && name != "" && !m.given[key] {
			return restored{key: key}, true
		}
	}
	return restored{}, false
}

// readRestore fills m.restore and m.given, and calls readObjects to fill the maps that depend on
// the objects in the checkpoint.
func (m *Model) readRestore(mg *pb.MetaGraphDef) {
	m.restore = map[string]restored{}
	m.readCollections(mg)
	op, _ := tensorName(mg.GetSaverDef().GetRestoreOpName())
	m.walkRestore(m.Graph.Node(op))
	m.given = map[string]bool{}
	for _, r := range m.restore {
		m.given[r.key] = true
	}
	m.readObjects(mg.GetObjectGraphDef())
}

// walkRestore fills m.restore, m.tables and m.unloaded. It walks backwards from the given restore
// node, or from all nodes if the parameter is nil.
func (m *Model) walkRestore(from *ir.Node) {
	if m.restore == nil {
		m.restore = map[string]restored{}
	}
	m.tables, m.unloaded = map[string][2]restored{}, map[string]unloaded{}
	w := &walker{m: m, seen: map[place]bool{}}
	if from != nil {
		w.visit(place{from, nil})
	} else {
		for _, n := range m.Graph.Nodes {
			w.visit(place{n, nil})
		}
	}
	w.run()
}

// readCollections reads the slices of partitioned variables from TensorFlow 1's collections, for
// models whose restore graph was removed.
func (m *Model) readCollections(mg *pb.MetaGraphDef) {
	for _, c := range []string{"variables", "trainable_variables"} {
		for _, raw := range mg.CollectionDef[c].GetBytesList().GetValue() {
			var v pb.VariableDef
			if (proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 100}).Unmarshal(raw, &v) != nil {
				continue
			}
			s := v.SaveSliceInfoDef
			node, _ := tensorName(v.VariableName)
			if s == nil || m.Graph.Node(node) == nil || len(s.VarOffset) != len(s.FullShape) || len(s.VarShape) != len(s.FullShape) {
				continue
			}
			var dims, parts []string
			for i, d := range s.FullShape {
				dims = append(dims, strconv.FormatInt(d, 10))
				parts = append(parts, strconv.FormatInt(s.VarOffset[i], 10)+","+strconv.FormatInt(s.VarShape[i], 10))
			}
			m.restore[node] = restored{s.FullName, strings.Join(append(dims, strings.Join(parts, ":")), " ")}
		}
	}
}
