package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSaver: the names in the saver must not be empty. If there is a checkpoint to restore, the
// graph must also have these names.
func TestSaver(t *testing.T) {
	for _, c := range []struct {
		name       string
		edit       func(s *pb.SaverDef)
		checkpoint bool
		says       string // "": loads
	}{
		{"restore op", func(s *pb.SaverDef) { s.RestoreOpName = "q" }, true, `restore_op_name is "q"`},
		{"restore op, nothing to restore", func(s *pb.SaverDef) { s.RestoreOpName = "q" }, false, ""},
		{"no restore op", func(s *pb.SaverDef) { s.RestoreOpName = "" }, false, "no restore_op_name"},
		{"file name", func(s *pb.SaverDef) { s.FilenameTensorName = "q:0" }, true, `filename_tensor_name is "q:0"`},
		{"file name is a node", func(s *pb.SaverDef) { s.FilenameTensorName = "x" }, true, `filename_tensor_name is "x"`},
		{"file name is junk", func(s *pb.SaverDef) { s.FilenameTensorName = "x:0:0" }, true, `filename_tensor_name is "x:0:0"`},
		{"no file name", func(s *pb.SaverDef) { s.FilenameTensorName = "" }, true, "no filename_tensor_name"},
		{"save tensor", func(s *pb.SaverDef) { s.SaveTensorName = "q:0" }, true, ""},
	} {
		raw, err := os.ReadFile("testdata/v1/saved_model.pb")
		if err != nil {
			t.Fatal(err)
		}
		sm := &pb.SavedModel{}
		if err := proto.Unmarshal(raw, sm); err != nil {
			t.Fatal(err)
		}
		c.edit(sm.MetaGraphs[0].SaverDef)
		if raw, err = proto.Marshal(sm); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if c.checkpoint {
			if err := os.CopyFS(filepath.Join(dir, "variables"), os.DirFS("testdata/v1/variables")); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "saved_model.pb"), raw, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = Load([]string{dir}, Options{})
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.says != "" && (tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
