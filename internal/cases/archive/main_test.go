package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// TestArchive extracts an archive, builds one from its cases, and removes a case.
func TestArchive(t *testing.T) {
	committed := filepath.Join(testkit.Root(t), "testdata", "cases", "ops", "audio.zip")
	text := func(args ...string) string {
		t.Helper()
		var b bytes.Buffer
		if err := run(args, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	dir := t.TempDir()
	text("extract", committed, filepath.Join(dir, "cases"))
	listed := text("list", committed)
	names := strings.Fields(listed)
	if len(names) < 2 {
		t.Fatalf("the cases are %q", names)
	}
	made := filepath.Join(dir, "made.zip")
	for _, name := range names {
		text("add", made, "-name", name, filepath.Join(dir, "cases", name))
	}
	if got := text("list", made); got != listed {
		t.Errorf("%q, not %q", got, listed)
	}
	before, err := read(committed)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := read(made); err != nil || !maps.EqualFunc(before, after, bytes.Equal) {
		t.Errorf("the archive has other files than the committed one: %v", err)
	}
	first, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	text("remove", made, names[0])
	if got := text("list", made); got != strings.Join(names[1:], "\n")+"\n" {
		t.Errorf("without %s: %q", names[0], got)
	}
	// without -name, the name of the case is the last two elements of the path
	text("add", made, filepath.Join(dir, "cases", names[0]))
	if got := text("list", made); got != listed {
		t.Errorf("added again: %q, not %q", got, listed)
	}
	if again, err := os.ReadFile(made); err != nil || !bytes.Equal(again, first) {
		t.Errorf("added again it has other bytes: %v", err)
	}
	for _, args := range [][]string{{}, {"list"}, {"extract", made}, {"remove", made, "none"}, {"add", made}, {"add", made, dir}, {"list", dir + "/none.zip"}} {
		if err := run(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
