package codegen

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/rt/device/packed"
)

// sources holds the sources of the run time and the kernels.
var sources fs.FS = runTime{os.DirFS("..")}

// runTime restricts a file system to the folders rt and kernels and the files LICENSE and NOTICE.
type runTime struct{ all fs.FS }

// Open implements fs.FS.
func (r runTime) Open(name string) (fs.File, error) {
	if top, _, _ := strings.Cut(name, "/"); top != "rt" && top != "kernels" && name != "LICENSE" && name != "NOTICE" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return r.all.Open(name)
}

// TestCopiedPTX: PTX is copied with the functions that launch it, with a comment on its copyright.
func TestCopiedPTX(t *testing.T) {
	const runtime = "example.com/p/internal"
	const file = "kernels/gpu/softmax/ptx/softmax_f32.ptx.gz"
	src := "package p\n\nimport \"" + runtime + "/kernels/gpu/softmax\"\n\nvar f = softmax.SoftmaxF32\n"
	e := &emitter{Package: &Package{Sources: sources, Version: "v1.2.3"}, runtime: runtime, files: map[string][]byte{"p.go": []byte(src)}}
	if err := e.copySources(); err != nil {
		t.Fatal(err)
	}
	b, err := fs.ReadFile(sources, file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := packed.Unpack(string(b))
	if err != nil {
		t.Fatal(err)
	}
	made := e.files["internal/"+file]
	if got, err := packed.Unpack(string(made)); got != want || err != nil {
		t.Errorf("the copy holds %d bytes (%v), the original %d", len(got), err, len(want))
	}
	if !emitdir.Ours(made) || emitdir.Ours(b) {
		t.Errorf("ours: the copy %v, the original %v", emitdir.Ours(made), emitdir.Ours(b))
	}
	for name, text := range e.files {
		if strings.HasPrefix(name, "internal/") && strings.HasSuffix(name, ".go") && !strings.Contains(string(text), copyright) {
			t.Errorf("%s does not say whose it is", name)
		}
		if strings.HasSuffix(name, "_f64.ptx.gz") {
			t.Errorf("%s is copied, which nothing launches", name)
		}
	}
	licence, err := fs.ReadFile(sources, "LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for folder, parts := range map[string][]string{
		"rt":      {"Copyright 2026", "TensorFlow"},
		"kernels": {"Copyright 2026", "TensorFlow", "libdevice", "Norbert Juffa"},
	} {
		if text := e.files["internal/"+folder+"/LICENSE"]; !emitdir.Ours(text) || !strings.HasSuffix(string(text), string(licence)) {
			t.Errorf("internal/%s/LICENSE is not the licence: %.200s", folder, text)
		}
		notice := string(e.files["internal/"+folder+"/NOTICE"])
		if !emitdir.Ours([]byte(notice)) {
			t.Errorf("internal/%s/NOTICE does not say that graphc wrote it: %.200s", folder, notice)
		}
		for _, part := range []string{"Copyright 2026", "TensorFlow", "libdevice", "Norbert Juffa", "FarmHash", "Eigen"} {
			if want := slices.Contains(parts, part); strings.Contains(notice, part) != want {
				t.Errorf("internal/%s/NOTICE has %q: %v, want %v", folder, part, !want, want)
			}
		}
	}
}
