package codegen

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/rt/device/packed"
)

// sources are those of the run time and the kernels.
var sources fs.FS = runTime{os.DirFS("..")}

// runTime is the part of a file system below rt and kernels.
type runTime struct{ all fs.FS }

// Open implements fs.FS.
func (r runTime) Open(name string) (fs.File, error) {
	if top, _, _ := strings.Cut(name, "/"); top != "rt" && top != "kernels" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return r.all.Open(name)
}

// TestWantsCUDA tells the files that are built with the tag cuda only from the others.
func TestWantsCUDA(t *testing.T) {
	for src, want := range map[string]bool{
		"package p\n": false, "//go:build cuda\n\npackage p\n": true, "// A comment.\n\n//go:build cuda && cgo && linux\n\npackage p\n": true,
		"//go:build !simgpu && cuda && !(cgo && linux)\n\npackage p\n": true, "//go:build !simgpu && !cuda\n\npackage p\n": false, "//go:build simgpu\n\npackage p\n": false,
		"//go:build cuda || simgpu\n\npackage p\n": false, "//go:build !noasm\n\npackage p\n": false, "package p\n\n//go:build cuda\n": false,
	} {
		if got := wantsCUDA([]byte(src)); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}

// TestCopyEmbedded: what a copied file embeds is copied too.
func TestCopyEmbedded(t *testing.T) {
	e := &emitter{Package: &Package{Sources: sources}, files: map[string][]byte{}}
	const pkg = "kernels/gpu/softmax"
	const file = "/ptx/softmax_f32.ptx.gz"
	if err := e.copyEmbedded(pkg, []byte("package p\n\n//go:embed"+strings.Replace(file, "/", " ", 1)+"\nvar s string\n")); err != nil {
		t.Fatal(err)
	}
	b, err := fs.ReadFile(sources, pkg+file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := packed.Unpack(string(b))
	if err != nil {
		t.Fatal(err)
	}
	made := e.files["internal/"+pkg+file]
	if got, err := packed.Unpack(string(made)); got != want || err != nil {
		t.Errorf("the copy holds %d bytes (%v), the original %d", len(got), err, len(want))
	}
	if !emitdir.Ours(made) || emitdir.Ours(b) {
		t.Errorf("ours: the copy %v, the original %v", emitdir.Ours(made), emitdir.Ours(b))
	}
	if err := e.copyEmbedded(pkg, []byte("//go:embed ptx/none.ptx\n")); err == nil {
		t.Error("a file that does not exist is copied")
	}
}
