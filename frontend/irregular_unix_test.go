//go:build unix

package frontend

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestPipes: a pipe in place of any file of a model is rejected without waiting for a writer.
func TestPipes(t *testing.T) {
	model := string(jsonModel(t, weight("a", "DT_BOOL"), `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[],"dtype":"bool"}]}]`, ""))
	for _, c := range []struct{ pipe, path string }{
		{"graph.pb", "graph.pb"}, {"tfjs/model.json", "tfjs"}, {"tfjs/model.json", "tfjs/model.json"}, {"tfjs/a.bin", "tfjs"},
		{"saved/saved_model.pbtxt", "saved"}, {"saved/assets/words.txt", "saved"}, {"saved/variables/variables.index", "saved"},
	} {
		dir := tree(t, map[string]string{"tfjs/model.json": model, "tfjs/a.bin": "\x01", "saved/saved_model.pbtxt": savedModelText, "saved/assets/words.txt": "a", "saved/variables/x": ""})
		name := filepath.Join(dir, filepath.FromSlash(c.pipe))
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skip(err)
		}
		if err := readAll(filepath.Join(dir, filepath.FromSlash(c.path))); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Errorf("%s is a pipe: %v", c.pipe, err)
		}
	}
	dir := tree(t, map[string]string{"saved_model.pbtxt": savedModelText})
	for _, config := range []string{os.DevNull, dir} {
		if _, err := Load([]string{dir}, Options{Config: config}); err == nil {
			t.Errorf("%s is taken for a config", config)
		}
	}
	if err := readAll(os.DevNull); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("a device: %v", err)
	}
}
