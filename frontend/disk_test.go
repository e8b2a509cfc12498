package frontend

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/graphc/graphc/rt/tensor"
)

// TestFS: a model in an fs.FS equals the same model in the file system, with its assets and
// variables.
func TestFS(t *testing.T) {
	n := 0
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && !(disk{}).isSavedModel(path) || !d.IsDir() && base != "model.json" && !isMetaGraph(base) {
			return nil
		}
		want, err := Load([]string{path}, Options{})
		if err != nil {
			return nil // some models are rejected
		}
		n++
		rel, err := filepath.Rel("testdata", path)
		if err != nil {
			return err
		}
		got, err := Load([]string{rel}, Options{FS: os.DirFS("testdata")})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		sameModel(t, path, got, want)
		return nil
	})
	if err != nil || n < 2 {
		t.Errorf("%d models, %v", n, err)
	}
	for path, prefix := range map[string]string{"savedmodel/half_plus_two": "", "training/moons.pbtxt": "training/testdata/start"} {
		o := Options{}
		if prefix != "" {
			o.Checkpoint = filepath.Join("../examples", prefix)
		}
		want, err := Load([]string{filepath.Join("../examples", path)}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Load([]string{path}, Options{FS: os.DirFS("../examples"), Checkpoint: prefix})
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, path, got, want)
		if want.Checkpoint() == nil {
			t.Errorf("%s has no checkpoint", path)
		}
	}
}

// sameModel reports differences between two models loaded from the same path.
func sameModel(t *testing.T, path string, got, want *Model) {
	t.Helper()
	if got.SHA256 != want.SHA256 || got.Kind != want.Kind || !reflect.DeepEqual(got.Signatures, want.Signatures) || len(got.Assets) != len(want.Assets) {
		t.Errorf("%s: %s %s, want %s %s", path, got.Kind, got.SHA256, want.Kind, want.SHA256)
	}
	for name, a := range want.Assets {
		w, err := a.Read()
		g, e := got.Assets[name].Read()
		if string(g) != string(w) || (e == nil) != (err == nil) {
			t.Errorf("%s: asset %s: %q %v, want %q %v", path, name, g, e, w, err)
		}
	}
	if (got.Checkpoint() == nil) != (want.Checkpoint() == nil) {
		t.Errorf("%s: only one has a checkpoint", path)
	} else if want.Checkpoint() != nil {
		for _, k := range want.Checkpoint().Keys() {
			w, err := want.Checkpoint().Read(k)
			g, e := got.Checkpoint().Read(k)
			if !reflect.DeepEqual(g, w) || (e == nil) != (err == nil) {
				t.Errorf("%s: %s is %v %v, want %v %v", path, k, g, e, w, err)
			}
		}
	}
}

// TestDisk: only regular files below the folder are read from an fs.FS, and no more bytes than the
// limit.
func TestDisk(t *testing.T) {
	d := disk{fstest.MapFS{"m/a": {Data: []byte("abc")}, "m/dir/b": {}, "m/pipe": {Mode: fs.ModeNamedPipe}, "other": {Data: []byte("x")}}}
	for _, c := range []struct {
		name  string
		limit int64
		want  string
		code  tensor.Code
	}{
		{"m/a", 3, "abc", tensor.OK}, {"m/./a", 3, "abc", tensor.OK}, {"m/dir/../a", 3, "abc", tensor.OK},
		{"m/a", 2, "", tensor.ResourceExhausted}, {"m/none", 9, "", tensor.NotFound}, {"m/dir", 9, "", tensor.FailedPrecondition},
		{"m/pipe", 9, "", tensor.FailedPrecondition}, {"other", 9, "", tensor.PermissionDenied}, {"m/../other", 9, "", tensor.PermissionDenied}, {"../x", 9, "", tensor.PermissionDenied},
	} {
		if got, err := d.readPart("m", filepath.FromSlash(c.name), c.limit); string(got) != c.want || tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %q, %v, want %v", c.name, got, err, c.code)
		}
	}
	for _, name := range []string{"/etc/hostname", "../x", ""} {
		if _, err := d.readFile(name); err == nil {
			t.Errorf("%q is read", name)
		}
	}
	if _, err := Load([]string{"../m"}, Options{FS: d.fsys}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a name that leads out: %v", err)
	}
}
