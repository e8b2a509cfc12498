package codegen

import "testing"

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
	e := &emitter{Package: &Package{}, files: map[string][]byte{}}
	const pkg = "kernels/gpu/softmax"
	if err := e.copyEmbedded(pkg, []byte("package p\n\n//go:embed ptx/softmax_f32.ptx\nvar s string\n")); err != nil {
		t.Fatal(err)
	}
	if len(e.files["internal/"+pkg+"/ptx/softmax_f32.ptx"]) == 0 {
		t.Error("the file is not there")
	}
	if err := e.copyEmbedded(pkg, []byte("//go:embed ptx/none.ptx\n")); err == nil {
		t.Error("a file that does not exist is copied")
	}
}
