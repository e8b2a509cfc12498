package frontend

import (
	"strings"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/tensor"
)

// readSaver makes the checks that TensorFlow's loader makes first: it checks the names in the saver
// and in the collections. restores is true if there is a checkpoint to restore.
func (m *Model) readSaver(mg *pb.MetaGraphDef, restores bool, fail func(error)) {
	for _, c := range sortedKeys(mg.CollectionDef) {
		for _, name := range mg.CollectionDef[c].GetNodeList().GetValue() {
			if !m.names(name) {
				fail(invalid("the collection %s names %q, which is not a node", tensor.Clip(c), tensor.Clip(name)))
			}
		}
	}
	s := mg.GetSaverDef()
	if s == nil {
		return
	}
	for _, f := range []struct {
		field, name string
		tensor      bool
	}{{"restore_op_name", s.GetRestoreOpName(), false}, {"filename_tensor_name", s.GetFilenameTensorName(), true}} {
		switch {
		case f.name == "":
			fail(invalid("saver_def has no %s", f.field))
		case restores && (f.tensor && !strings.Contains(f.name, ":") || !m.names(f.name)):
			fail(invalid("saver_def's %s is %q, which the graph does not have", f.field, tensor.Clip(f.name)))
		}
	}
}

// names reports whether the graph has a tensor or node with this name. If the name has a colon, it
// must be the name of a tensor; otherwise it must be the name of a node.
func (m *Model) names(name string) bool {
	if strings.Contains(name, ":") {
		_, err := m.Graph.Lookup(name)
		return err == nil
	}
	return m.Graph.Node(name) != nil
}
