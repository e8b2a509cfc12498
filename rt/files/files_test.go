package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// tree creates a directory with files, and returns this directory. It also creates a second directory
// beside the first one; the files of the second directory must not be accessible.
func tree(t *testing.T) (root *os.Root, dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "in")
	for _, d := range []string{"in/dir/deep", "out"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"in/a": "abc", "in/dir/b.txt": "b", "in/dir/.hid": "", "in/dir/deep/c": "c", "out/secret": "no"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in/inside": "a", "in/outside": "../out/secret", "in/outdir": "../out", "in/absolute": filepath.Join(top, "out/secret"), "in/loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Skip(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func TestRead(t *testing.T) {
	root, dir := tree(t)
	cases := []struct {
		name, want string
		code       tensor.Code
	}{
		{"a", "abc", tensor.OK}, {"./dir/../a", "abc", tensor.OK}, {filepath.Join(dir, "a"), "abc", tensor.OK}, {"file://" + filepath.Join(dir, "a"), "abc", tensor.OK},
		{"file://a", "abc", tensor.OK}, {"inside", "abc", tensor.OK},
		{"", "", tensor.InvalidArgument}, {"a\x00b", "", tensor.InvalidArgument}, {"none", "", tensor.NotFound}, {"none/a", "", tensor.NotFound},
		{"dir", "", tensor.FailedPrecondition}, {".", "", tensor.FailedPrecondition}, {"a/b", "", tensor.FailedPrecondition},
		{"../out/secret", "", tensor.PermissionDenied}, {"dir/../../out/secret", "", tensor.PermissionDenied}, {"/etc/hostname", "", tensor.PermissionDenied},
		{"file:///etc/hostname", "", tensor.PermissionDenied}, {"gs://bucket/a", "", tensor.PermissionDenied}, {"outside", "", tensor.PermissionDenied},
		{"absolute", "", tensor.PermissionDenied}, {"outdir/secret", "", tensor.PermissionDenied}, {dir + "/../out/secret", "", tensor.PermissionDenied},
		{"/dev/zero", "", tensor.PermissionDenied},
	}
	for _, c := range cases {
		if got, err := Read(root, c.name, MaxBytes); got != c.want || tensor.CodeOf(err) != c.code {
			t.Errorf("%q: %q, %v, want %v", c.name, got, err, c.code)
		}
	}
	if _, err := Read(root, "loop", MaxBytes); err == nil {
		t.Error("a link to itself is read")
	}
	if _, err := Read(nil, "a", MaxBytes); tensor.CodeOf(err) != tensor.PermissionDenied {
		t.Errorf("no directory: %v", err)
	}
	if got, err := Read(root, "a", 3); got != "abc" || err != nil {
		t.Errorf("three bytes: %q %v", got, err)
	}
	if _, err := Read(root, "a", 2); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("two bytes: %v", err)
	}
}

func TestWrite(t *testing.T) {
	root, dir := tree(t)
	for _, c := range []struct {
		name string
		code tensor.Code
	}{
		{"a", tensor.OK}, {"new/x/y", tensor.OK}, {"file://new/z", tensor.OK}, {"inside", tensor.OK},
		{"dir", tensor.FailedPrecondition}, {"a/b", tensor.FailedPrecondition}, {"../out/x", tensor.PermissionDenied}, {"outdir/x", tensor.PermissionDenied}, {"", tensor.InvalidArgument},
	} {
		if err := Write(root, c.name, "text"); tensor.CodeOf(err) != c.code {
			t.Errorf("%q: %v, want %v", c.name, err, c.code)
		}
		if c.code != tensor.OK {
			continue
		}
		if got, err := Read(root, c.name, MaxBytes); got != "text" || err != nil {
			t.Errorf("%q holds %q, %v", c.name, got, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "../out/secret")); string(b) != "no" || err != nil {
		t.Errorf("the file outside: %q %v", b, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.tempstate*"))
	if len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestReplaceFails: a failed write leaves the old contents and no other files.
func TestReplaceFails(t *testing.T) {
	root, dir := tree(t)
	err := Replace(root, "a", func(f *os.File) error {
		_, _ = io.WriteString(f, "half")
		return syscall.ENOSPC
	})
	if tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Error(err)
	}
	if got, err := Read(root, "a", MaxBytes); got != "abc" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if err := Replace(root, "dir", func(f *os.File) error { return nil }); err == nil {
		t.Error("a directory is replaced")
	}
	if err := Replace(root, "none/a", nil); tensor.CodeOf(err) != tensor.NotFound {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tempstate*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAppend(t *testing.T) {
	root, _ := tree(t)
	for range 2 {
		f, err := Append(root, "logs/a")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "x\n")
		f.Close()
	}
	if got, _ := Read(root, "logs/a", MaxBytes); got != "x\nx\n" {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]tensor.Code{"dir": tensor.FailedPrecondition, "../x": tensor.PermissionDenied, "a/b": tensor.FailedPrecondition, "outside": tensor.PermissionDenied} {
		if _, err := Append(root, name); tensor.CodeOf(err) != want {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	root, dir := tree(t)
	for _, c := range []struct {
		pattern string
		want    []string
		code    tensor.Code
	}{
		{"dir/*", []string{"dir/.hid", "dir/b.txt", "dir/deep"}, tensor.OK}, {"*/*.txt", []string{"dir/b.txt"}, tensor.OK}, {"a", []string{"a"}, tensor.OK},
		{"dir//b.txt", []string{"dir//b.txt"}, tensor.OK}, {"none", nil, tensor.OK}, {"none/*", nil, tensor.OK}, {"a/*", nil, tensor.OK}, {"[", nil, tensor.OK},
		{"dir/b.[a-t]xt", []string{"dir/b.txt"}, tensor.OK}, {"dir/[!b.]*", []string{"dir/deep"}, tensor.OK}, {"d?r/deep/*", []string{"dir/deep/c"}, tensor.OK},
		{dir + "/dir/b*", []string{dir + "/dir/b.txt"}, tensor.OK}, {"outdir/*", nil, tensor.OK}, {"out*/s*", nil, tensor.OK}, {`dir/\b.txt`, []string{"dir/b.txt"}, tensor.OK},
		{"../*", nil, tensor.PermissionDenied}, {"/etc/*", nil, tensor.PermissionDenied}, {"", nil, tensor.InvalidArgument},
	} {
		got, err := Match(root, c.pattern)
		if !reflect.DeepEqual(got, c.want) || tensor.CodeOf(err) != c.code {
			t.Errorf("%q: %q, %v, want %q %v", c.pattern, got, err, c.want, c.code)
		}
	}
}

// TestMatchLimits: Match fails if it would read too many directory entries or return too many
// names.
func TestMatchLimits(t *testing.T) {
	root, _ := tree(t)
	for _, c := range []struct {
		pattern         []string
		matches, looked int
		says            string
	}{
		{[]string{"dir", "*"}, 3, 3, ""}, {[]string{"dir", "*"}, 2, 3, "matches more than 2 files"}, {[]string{"dir", "*"}, 3, 2, "looks at more than 2 files"},
		{[]string{"*", "deep", "c"}, 0, 100, "matches more than 0 files"}, {[]string{"*", "*", "c"}, 5, 9, "looks at more than 9 files"},
	} {
		m := &matcher{root: root, maxMatches: c.matches, maxLooked: c.looked}
		err := m.in(".", c.pattern)
		if (err == nil) != (c.says == "") || err != nil && (tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q: %q, %v", c.pattern, m.found, err)
		}
	}
}

// TestReadGrown: a file that has more bytes than the size that the system reports is not read
// beyond the limit.
func TestReadGrown(t *testing.T) {
	root, err := os.OpenRoot("/proc/self")
	if err != nil {
		t.Skip("no files that grow as they are read: ", err)
	}
	defer root.Close()
	if s, err := Read(root, "status", MaxBytes); err != nil || !strings.Contains(s, "Name:") {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := Read(root, "status", 3); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("three bytes: %v", err)
	}
	if _, err := Read(root, "mem", MaxBytes); err == nil { // reading the first byte of mem fails
		t.Error("a file is read that cannot be")
	}
	if _, err := Append(root, "none/x"); err == nil {
		t.Error("a file is made where none can be")
	}
	if err := Write(root, "none", "x"); err == nil {
		t.Error("a file is written where none can be")
	}
}

func TestError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want tensor.Code
	}{
		{nil, tensor.OK}, {syscall.EEXIST, tensor.AlreadyExists}, {syscall.EACCES, tensor.PermissionDenied}, {syscall.EINVAL, tensor.InvalidArgument}, {syscall.EMFILE, tensor.ResourceExhausted},
		{errors.New("other"), tensor.Unknown}, {tensor.Errorf(tensor.DataLoss, ""), tensor.DataLoss},
	} {
		if got := tensor.CodeOf(Error(c.err)); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

func FuzzLocal(f *testing.F) {
	for _, s := range []string{"a", "../a", "/a", "file:///a", "a/../..", "x://y", "."} {
		f.Add(s)
	}
	root, err := os.OpenRoot(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer root.Close()
	f.Fuzz(func(t *testing.T, s string) {
		if local, err := Local(root, s); err == nil && (!filepath.IsLocal(local) || strings.Contains(local, "\x00")) {
			t.Errorf("%q becomes %q", s, local)
		}
	})
}
