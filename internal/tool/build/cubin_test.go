package build

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc"
)

// TestPtxasPath checks where graphc looks for the assembler ptxas: first the flag, then
// GRAPHC_PTXAS, then PATH, and last the folder of the CUDA toolkit.
func TestPtxasPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", filepath.Join(dir, "path"))
	t.Setenv("CUDA_HOME", filepath.Join(dir, "toolkit"))
	t.Setenv("GRAPHC_PTXAS", "")
	add := func(name string) string {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var f CubinFlags
	_, err := f.ptxasPath()
	if err == nil || !strings.Contains(err.Error(), "nvidia-cuda-nvcc-cu12") || !strings.Contains(err.Error(), filepath.Join(dir, "toolkit", "bin")) {
		t.Error(err)
	}
	want := func(name string) {
		t.Helper()
		if got, err := f.ptxasPath(); got != name || err != nil {
			t.Errorf("%s, %v, want %s", got, err, name)
		}
	}
	want(add("toolkit/bin/ptxas"))
	want(add("path/ptxas"))
	t.Setenv("GRAPHC_PTXAS", add("env"))
	want(filepath.Join(dir, "env"))
	f.Ptxas = add("flag")
	want(f.Ptxas)
	f.Ptxas = filepath.Join(dir, "none")
	if _, err := f.ptxasPath(); err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

// ptxas returns the path of an installed ptxas, or of the ptxas that scripts/nvrtc has downloaded.
// If there is no ptxas, the test is skipped.
func ptxas(t *testing.T) string {
	p, err := new(CubinFlags).ptxasPath()
	if err != nil {
		cache, e := os.UserCacheDir()
		if e == nil {
			p, err = exec.LookPath(filepath.Join(cache, "graphc-cuda/nvidia/cuda_nvcc/bin/ptxas"))
		}
	}
	if err != nil {
		t.Skip("there is no ptxas here: scripts/nvrtc fetches it")
	}
	return p
}

// TestAssemble assembles PTX twice with an installed ptxas. The machine code must be the same both
// times. It also checks the errors for invalid PTX.
func TestAssemble(t *testing.T) {
	program := ptxas(t)
	list, err := processorsOf([]string{"sm_80", "sm_90", "sm_80"})
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\nret;\n}\n"
	texts := []graphc.PTX{{Name: "a.ptx", Text: text}, {Name: "b.ptx", Text: strings.Replace(text, " k(", " l(", 1)}}
	first, err := assemble(context.Background(), program, texts, list)
	if err != nil {
		t.Fatal(err)
	}
	again, err := assemble(context.Background(), program, texts, list)
	if err != nil {
		t.Fatal(err)
	}
	for i, ms := range first {
		for k, m := range ms {
			if m.Major != list[k].major || m.Minor != 0 || !bytes.HasPrefix(m.Code, []byte("\x7fELF")) || !bytes.Equal(m.Code, again[i][k].Code) {
				t.Errorf("%s for %s: %d bytes, then %d", texts[i].Name, list[k].name, len(m.Code), len(again[i][k].Code))
			}
		}
	}
	texts[1].Text = "nonsense"
	if _, err := assemble(context.Background(), program, texts, list); err == nil || !strings.Contains(err.Error(), "b.ptx: ptxas for sm_80") {
		t.Error(err)
	}
	gone, stop := context.WithCancel(context.Background())
	stop()
	if _, err := assemble(gone, program, texts, list); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Error(err)
	}
}
