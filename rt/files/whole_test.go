package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, e := io.WriteString(w, s)
			return errors.Join(e, err)
		}
	}
	holds := func(what, want string, n int) {
		t.Helper()
		data, err := os.ReadFile(name)
		es, _ := os.ReadDir(dir)
		if err != nil || string(data) != want || len(es) != n {
			t.Errorf("%s: %q, %d files, %v", what, data, len(es), err)
		}
	}
	if err := WriteWhole(name, text("one", nil)); err != nil {
		t.Error(err)
	}
	holds("new", "one", 1)
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteWhole(name, text(strings.Repeat("x", 1<<20), errors.New("no more"))); err == nil || err.Error() != "no more" {
		t.Error(err)
	}
	holds("an error", "one", 1)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Skip(err)
	}
	if err := WriteWhole(link, text("two", nil)); err != nil {
		t.Error(err)
	}
	holds("a link", "two", 2)
	if st, err := os.Lstat(link); err != nil || st.Mode().IsRegular() {
		t.Errorf("the link is replaced: %v, %v", st, err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := WriteWhole(os.DevNull, text("gone", nil)); err != nil {
		t.Errorf("a device: %v", err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Errorf("a device is replaced: %v, %v", st, err)
	}
	for _, bad := range []string{filepath.Join(dir, "no", "a"), dir} {
		if err := WriteWhole(bad, text("", nil)); err == nil {
			t.Errorf("%s is written", bad)
		}
	}
}
