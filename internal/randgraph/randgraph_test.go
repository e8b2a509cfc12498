package randgraph

import (
	"archive/zip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// The tool is built by a process of its own, whose sources the cache of test
	// results does not see.
	_ "github.com/graphc/graphc"
	_ "github.com/graphc/graphc/codegen"
	_ "github.com/graphc/graphc/internal/caserun"
	_ "github.com/graphc/graphc/internal/pipeline"
)

// TestSample verifies the graphs of the sample in every mode.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "graphc")
	if out, err := exec.Command("go", "build", "-o", tool, "github.com/graphc/graphc/cmd/graphc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cases := filepath.Join(dir, "cases")
	// fixed.zip holds graphs that were wrong once.
	for _, batch := range []string{"sample.zip", "fixed.zip"} {
		if err := Extract(filepath.Join("testdata", batch), cases); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range Modes {
		t.Run(m.Name, func(t *testing.T) {
			if m.Name == "emitted" && os.Getenv("RANDGRAPH_EMIT") == "" {
				t.Skip("builds hundreds of packages: set RANDGRAPH_EMIT")
			}
			vs, err := Verify(context.Background(), tool, m, nil, cases)
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
	entries, err := os.ReadDir(cases)
	if err != nil {
		t.Fatal(err)
	}
	if ops, err := Ops(filepath.Join(cases, entries[0].Name())); err != nil || len(ops) == 0 {
		t.Errorf("the ops of %s: %v, %v", entries[0].Name(), ops, err)
	}
	if _, err := Verify(context.Background(), tool, Modes[0], nil, filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was verified")
	}
}

func TestExtract(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.zip")
	f, err := os.Create(bad)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	if _, err := z.Create("../out"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := Extract(bad, filepath.Join(dir, "x")); err == nil || !strings.Contains(err.Error(), "out of the batch") {
		t.Errorf("a name that leads out of the batch: %v", err)
	}
	if err := Extract(filepath.Join(dir, "none.zip"), dir); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := Ops(dir); err == nil {
		t.Error("a folder without a case has ops")
	}
}
