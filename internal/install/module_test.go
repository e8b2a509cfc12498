package install

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/graphc/graphc/internal/testkit"
)

const modulePath = "github.com/graphc/graphc"

// largestZip is the maximum size in bytes of the module zip, which every user downloads. At present
// the zip has 12 MB.
const largestZip = 16_000_000

// sourceFile is a file of the working tree in the form that package zip needs.
type sourceFile struct{ root, name string }

func (f sourceFile) full() string                 { return filepath.Join(f.root, filepath.FromSlash(f.name)) }
func (f sourceFile) Path() string                 { return f.name }
func (f sourceFile) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.full()) }
func (f sourceFile) Open() (io.ReadCloser, error) { return os.Open(f.full()) }

// workingTree returns the files of the repository as they are now, without those that git
// ignores or that are deleted.
func workingTree(t *testing.T) []sourceFile {
	t.Helper()
	root := testkit.Root(t)
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: the test needs a clone made by git", cmd, err)
	}
	var files []sourceFile
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		f := sourceFile{root, name}
		if _, err := f.Lstat(); err == nil {
			files = append(files, f)
		}
	}
	if len(files) < 1000 {
		t.Fatalf("git lists %d files only", len(files))
	}
	return files
}

// TestModuleZip checks that proxies accept the repository as a module: all systems allow the file
// names, no file is a symbolic link, and the zip is small. The zip must contain the licence
// and all files that the command embeds.
func TestModuleZip(t *testing.T) {
	var files []modzip.File
	for _, f := range workingTree(t) {
		files = append(files, f)
	}
	var b bytes.Buffer
	if err := modzip.Create(&b, module.Version{Path: modulePath, Version: "v0.1.0"}, files); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d bytes", len(files), b.Len())
	if b.Len() > largestZip {
		t.Errorf("the module zip has %d bytes, more than %d: keep test data small", b.Len(), largestZip)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, strings.TrimPrefix(f.Name, modulePath+"@v0.1.0/"))
	}
	for _, name := range append(embedded(t), "LICENSE", "NOTICE", "go.mod", "cmd/graphc/main.go") {
		if !slices.Contains(names, name) {
			t.Errorf("the module zip lacks %s", name)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "kernels/_gen/") {
			t.Errorf("the module zip has %s, of a nested module", name)
		}
	}
}

// embedded returns the files that sources.gen.go embeds.
func embedded(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.Root(t), "sources.gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if list, ok := strings.CutPrefix(line, "//go:embed "); ok {
			names = append(names, strings.Fields(list)...)
		}
	}
	if len(names) < 500 {
		t.Fatalf("sources.gen.go embeds %d files only", len(names))
	}
	return names
}
