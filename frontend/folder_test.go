package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

// savedModelText is a SavedModel with an asset.
const savedModelText = `saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: "serve" }
  graph_def {
    node { name: "file" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "" } } } }
    node { name: "y" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
  }
  signature_def { key: "serving_default" value { outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT tensor_shape {} } } } }
  asset_file_def { tensor_info { name: "file:0" } filename: "words.txt" }
}
`

// tree writes files with slash-separated names below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// link replaces the file dir/name by a symbolic link. The parameter to is the target of the link.
func link(t *testing.T, dir, to, name string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err)
	}
}

// readAll loads a model and reads all its files.
func readAll(path string) error {
	m, err := Load([]string{path}, Options{})
	if err != nil {
		return err
	}
	for _, a := range m.Assets {
		if _, err := a.Read(); err != nil {
			return err
		}
	}
	if m.checkpoint == nil {
		return nil
	}
	_, err = m.checkpoint.Read("v")
	return err
}

// TestLinks: no symbolic link in a model's folder makes Load read files outside of the folder. The
// folder itself, and the file that the user names, may be symbolic links. Files in the folder may
// be links to other files in it.
func TestLinks(t *testing.T) {
	saved := func() string {
		dir := tree(t, map[string]string{"in/saved_model.pbtxt": savedModelText, "in/assets/words.txt": "a", "in/variables/x": ""})
		v := tensor.Must(tensor.From(tensor.Shape{1}, []float32{1}))
		if err := bundle.Write(filepath.Join(dir, "in/variables/variables"), []bundle.Named{{Key: "v", Tensor: v}}); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, "out"), os.DirFS(filepath.Join(dir, "in"))); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	tfjs := func() string {
		model := string(jsonModel(t, weight("a", "DT_BOOL"), `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[],"dtype":"bool"}]}]`, ""))
		return tree(t, map[string]string{"in/model.json": model, "in/a.bin": "\x01", "out/model.json": model, "out/a.bin": "\x01"})
	}
	data := "variables/variables.data-00000-of-00001"
	for _, c := range []struct {
		what     string
		make     func() string
		to, name string
		path     string // of the model
		ok       bool
	}{
		{"tfjs", tfjs, "../out/a.bin", "in/link", "in", true},
		{"tfjs: shard", tfjs, "../out/a.bin", "in/a.bin", "in", false},
		{"tfjs: shard by a file that is named", tfjs, "../out/a.bin", "in/a.bin", "in/model.json", false},
		{"tfjs: absolute", tfjs, "/dev/null", "in/a.bin", "in", false},
		{"tfjs: model.json", tfjs, "../out/model.json", "in/model.json", "in", false},
		{"tfjs: model.json that is named", tfjs, "../out/model.json", "in/model.json", "in/model.json", true},
		{"tfjs: folder", tfjs, "in", "link", "link", true},
		{"tfjs: model.json of a folder that is a link", tfjs, "in", "link", "link/model.json", true},
		{"tfjs: inside", tfjs, "a.bin", "in/b.bin", "in", true},
		{"SavedModel", saved, "../out/saved_model.pbtxt", "in/link", "in", true},
		{"SavedModel: graph", saved, "../out/saved_model.pbtxt", "in/saved_model.pbtxt", "in", false},
		{"SavedModel: graph that is named", saved, "../out/saved_model.pbtxt", "in/saved_model.pbtxt", "in/saved_model.pbtxt", true},
		{"SavedModel: folder", saved, "in", "link", "link", true},
		{"SavedModel: variables", saved, "../out/variables", "in/variables", "in", false},
		{"SavedModel: index", saved, "../../out/variables/variables.index", "in/variables/variables.index", "in", false},
		{"SavedModel: data", saved, "../../out/" + data, "in/" + data, "in", false},
		{"SavedModel: assets", saved, "../out/assets", "in/assets", "in", false},
		{"SavedModel: asset", saved, "../../out/assets/words.txt", "in/assets/words.txt", "in", false},
		{"SavedModel: asset inside", saved, "../saved_model.pbtxt", "in/assets/words.txt", "in", true},
	} {
		dir := c.make()
		link(t, dir, c.to, c.name)
		err := readAll(filepath.Join(dir, c.path))
		if c.ok && err != nil || !c.ok && (tensor.CodeOf(err) != tensor.PermissionDenied || !strings.Contains(err.Error(), "symbolic link that leads out of it")) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	// A relative path of the model works like an absolute one.
	t.Chdir(tfjs())
	for _, path := range []string{"in", "./in/model.json", "in/../in"} {
		if err := readAll(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Chdir("in")
	for _, path := range []string{".", "model.json"} {
		if err := readAll(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
