package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestOpenFile(t *testing.T) {
	_, dir := tree(t)
	for name, code := range map[string]tensor.Code{"a": tensor.OK, "inside": tensor.OK, "outside": tensor.OK, "dir": tensor.FailedPrecondition, "none": tensor.NotFound, "a/b": tensor.FailedPrecondition} {
		f, size, err := OpenFile(filepath.Join(dir, name))
		if tensor.CodeOf(Error(err)) != code {
			t.Errorf("%s: %v, want %v", name, err, code)
		}
		if err == nil {
			if st, err := f.Stat(); err != nil || st.Size() != size {
				t.Errorf("%s: %d bytes, %v", name, size, err)
			}
			f.Close()
		}
	}
	if _, _, err := OpenFile(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	opened := false
	if _, _, err := open(os.Stat, func(string, int, os.FileMode) (*os.File, error) { opened = true; return nil, fs.ErrPermission }, os.DevNull); err != errIrregular || opened {
		t.Errorf("a device: %v, and it is opened: %v", err, opened)
	}
	for limit, code := range map[int64]tensor.Code{2: tensor.ResourceExhausted, 3: tensor.OK, 4: tensor.OK} {
		b, err := ReadFile(filepath.Join(dir, "a"), limit)
		if tensor.CodeOf(err) != code || err == nil && string(b) != "abc" {
			t.Errorf("at most %d bytes: %q, %v", limit, b, err)
		}
	}
}

// TestSwapped: a file that is replaced after the check is also refused.
func TestSwapped(t *testing.T) {
	_, dir := tree(t)
	st, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(func(string) (os.FileInfo, error) { return st, nil }, os.OpenFile, filepath.Join(dir, "dir")); err != errIrregular {
		t.Errorf("a folder that was a file: %v", err)
	}
}

func TestDir(t *testing.T) {
	_, dir := tree(t)
	if err := os.Symlink(dir, filepath.Join(dir, "../link")); err != nil {
		t.Skip(err)
	}
	for _, base := range []string{dir, filepath.Join(dir, "../link")} {
		d := Dir(base)
		for name, code := range map[string]tensor.Code{"a": tensor.OK, "inside": tensor.OK, "dir/deep/../b.txt": tensor.OK, "none": tensor.NotFound, "dir": tensor.FailedPrecondition,
			"outside": tensor.PermissionDenied, "outdir/secret": tensor.PermissionDenied, "absolute": tensor.PermissionDenied, "../out/secret": tensor.PermissionDenied} {
			full := filepath.Join(base, name)
			b, err := d.ReadFile(full, 10)
			if tensor.CodeOf(Error(err)) != code || err == nil && len(b) == 0 {
				t.Errorf("%s: %q, %v, want %v", full, b, err, code)
			}
			var pe *fs.PathError
			if errors.As(err, &pe) && pe.Path != full {
				t.Errorf("%s: the error names %s", full, pe.Path)
			}
		}
	}
	d, at := Dir(dir), func(name string) string { return filepath.Join(dir, name) }
	if err := d.Mkdir(at("new"), 0o777); err != nil {
		t.Error(err)
	}
	print := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	for _, name := range []string{"new/w", "a", "outside"} {
		if err := d.WriteWhole(at(name), print); err != nil {
			t.Error(err)
		}
		if b, err := d.ReadFile(at(name), 10); err != nil || string(b) != "text" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if b, err := os.ReadFile(at("../out/secret")); err != nil || string(b) != "no" {
		t.Errorf("beside the folder: %q, %v", b, err)
	}
	for name, code := range map[string]tensor.Code{"dir": tensor.FailedPrecondition, "outdir/x": tensor.PermissionDenied, "../out/x": tensor.PermissionDenied, "none/x": tensor.NotFound} {
		if err := d.WriteWhole(at(name), print); tensor.CodeOf(Error(err)) != code {
			t.Errorf("%s: %v, want %v", name, err, code)
		}
	}
	f, err := d.OpenFile(at("new/x"), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := d.Rename(at("new/x"), at("new/y")); err != nil {
		t.Error(err)
	}
	if err := d.Remove(at("new/y")); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{"folder": d.Mkdir(at("outdir/x"), 0o777), "to": d.Rename(at("a"), at("../x")), "from": d.Rename(at("../out/secret"), at("x")), "removed": d.Remove(at("outdir/secret"))} {
		if tensor.CodeOf(Error(err)) != tensor.PermissionDenied {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := d.OpenFile(at("outdir/x"), os.O_WRONLY|os.O_CREATE, 0o666); tensor.CodeOf(Error(err)) != tensor.PermissionDenied {
		t.Errorf("a new file outside: %v", err)
	}
	if _, err := Dir(at("none")).ReadFile(at("none/a"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
