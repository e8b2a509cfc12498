package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/fuzzgraph"
	"github.com/graphc/graphc/internal/testkit"
)

// TestRun tries some mutants of each class, and expects no findings.
func TestRun(t *testing.T) {
	dirs := []string{filepath.Join(testkit.Root(t), "testdata", "cases", "ops"), filepath.Join(testkit.Root(t), "testdata", "cases", "features")}
	for _, class := range fuzzgraph.Classes {
		out := t.TempDir()
		if err := run(1, 8, time.Minute, out, class, fuzzgraph.Options{Diff: true}, 0, -1, dirs); err != nil {
			t.Errorf("%s: %v", class, err)
		}
		if log, err := os.ReadFile(filepath.Join(out, "log.jsonl")); err != nil || len(log) > 0 {
			t.Errorf("%s: %v, %s", class, err, log)
		}
	}
	if err := run(1, 1, time.Minute, t.TempDir(), "struct", fuzzgraph.Options{}, 0, -1, []string{t.TempDir()}); err == nil {
		t.Error("no cases, and no error")
	}
}
