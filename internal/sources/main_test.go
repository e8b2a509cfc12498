package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCommitted checks that the committed sources.gen.go is up to date, and lists no tests or files
// that no build needs.
func TestCommitted(t *testing.T) {
	root := os.DirFS("../..")
	want, err := list(root)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../" + output)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != want {
		t.Errorf("%s is not what the folders hold: go run ./internal/sources", output)
	}
	for _, f := range embedded(string(b)) {
		if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "/testdata/") || strings.HasSuffix(f, ".cu") || strings.HasSuffix(f, ".cuh") {
			t.Errorf("%s names %s, which no program is built of: go run ./internal/sources", output, f)
		}
	}
}

// embedded returns the names of the files in the go:embed directives of a Go file.
func embedded(text string) (files []string) {
	for line := range strings.Lines(text) {
		if names, ok := strings.CutPrefix(line, "//go:embed "); ok {
			files = append(files, strings.Fields(names)...)
		}
	}
	return files
}

// TestList checks that the function list leaves out tests, their data and their helper packages,
// and files that no build needs.
func TestList(t *testing.T) {
	src := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, err := list(fstest.MapFS{
		"go.sum": src(""), "LICENSE": src(""), "internal/cases/cases.go": src("package cases\n"), "internal/caserun/run.go": src("package caserun\n"),
		"rt/rt.go": src("package rt\n"), "rt/rt_test.go": src("package rt\n"), "rt/testdata/x.go": src("package x\n"), "rt/README.md": src(""),
		"rt/help/help.go": src("package help\n\nimport \"testing\"\n\nvar _ testing.TB\n"), "rt/help/x.gz": src(""), "rt/a/a.s": src(""),
		"kernels/_gen/main.go": src("package main\n"), "kernels/gpu/k/k.go": src("package k\n"), "kernels/gpu/k/k.cu": src(""), "kernels/gpu/k/ptx/k.ptx.gz": src(""),
		"passes/passes.go": src("package passes\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"LICENSE", "NOTICE", "THIRD_PARTY_NOTICES", "go.sum", "internal/caserun/run.go", "internal/cases/cases.go", "kernels/gpu/k/k.go", "kernels/gpu/k/ptx/k.ptx.gz", "rt/rt.go", "rt/a/a.s"}
	if files := embedded(got); !slices.Equal(files, want) {
		t.Errorf("%q", files)
	}
	if _, err := list(fstest.MapFS{"rt/rt.go": src("no Go")}); err == nil {
		t.Error("a file that is no Go is accepted")
	}
}
