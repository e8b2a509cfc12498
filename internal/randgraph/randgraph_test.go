package randgraph

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	// A separate process builds the command graphc, so the go command does not count graphc's
	// sources as inputs of this test. Because of the blank import, go test does not use cached
	// results after a change of these sources.
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	_ "github.com/graphc/graphc/internal/tool/verify"
)

// TestSample verifies the recorded graphs in testdata in every mode.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	tool := testkit.Tool(t)
	folder := filepath.Join(dir, "cases")
	// fixed.zip has graphs for which graphc was wrong once.
	for _, batch := range []string{"sample.zip", "fixed.zip"} {
		if err := cases.Extract(filepath.Join("testdata", batch), folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range Modes {
		t.Run(m.Name, func(t *testing.T) {
			if m.Name == "emitted" && os.Getenv("RANDGRAPH_EMIT") == "" {
				t.Skip("builds hundreds of packages: set RANDGRAPH_EMIT")
			}
			vs, err := Verify(context.Background(), tool, m, nil, folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(vs) < 400 {
				t.Errorf("%d graphs, 400 are expected", len(vs))
			}
			for _, v := range vs {
				if v.Status != "ok" {
					t.Errorf("%s: %s", filepath.Base(v.Path), v.Reason)
				}
			}
		})
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if ops, err := Ops(filepath.Join(folder, entries[0].Name())); err != nil || len(ops) == 0 {
		t.Errorf("the ops of %s: %v, %v", entries[0].Name(), ops, err)
	}
	if _, err := Verify(context.Background(), tool, Modes[0], nil, filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was verified")
	}
	if _, err := Ops(dir); err == nil {
		t.Error("a folder without a case has ops")
	}
}
