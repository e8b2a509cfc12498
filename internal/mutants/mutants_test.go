package mutants

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	all    = flag.Bool("mutants", false, "run the tests of every mutant, which takes minutes; without it every mutant is only looked up")
	update = flag.Bool("update", false, "rewrite docs/checks.md")
)

const root = "../.."

// TestMutants removes each check by an overlay, and runs the test that must fail.
func TestMutants(t *testing.T) {
	for _, m := range Mutants {
		t.Run(m.Kind, func(t *testing.T) {
			file, err := filepath.Abs(filepath.Join(root, m.File))
			if err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(src, []byte(m.Old)); n != 1 {
				t.Fatalf("%s has %q %d times, 1 is required", m.File, m.Old, n)
			}
			if !*all {
				return
			}
			t.Parallel()
			dir := t.TempDir()
			changed := filepath.Join(dir, filepath.Base(file))
			if err := os.WriteFile(changed, bytes.Replace(src, []byte(m.Old), []byte(m.New), 1), 0o666); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
			if err != nil {
				t.Fatal(err)
			}
			overlay := filepath.Join(dir, "overlay.json")
			if err := os.WriteFile(overlay, text, 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "test", "-count=1", "-timeout=2m", "-overlay", overlay, "-run", m.Run, "./"+m.Package)
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			switch {
			case err == nil:
				t.Errorf("without the check %s of %s passes", m.Run, m.Package)
			case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
				t.Errorf("the mutant does not compile:\n%s", out)
			case bytes.Contains(out, []byte("no tests to run")):
				t.Errorf("%s has no test %s", m.Package, m.Run)
			}
		})
	}
}

// TestDoc compares docs/checks.md with the list.
func TestDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Checks

These checks protect graphc and its programs from hostile input. For each, a test fails if the check
is removed: ` + "`go test ./internal/mutants -mutants`" + ` removes each check in turn and runs its test.
The list is in internal/mutants; a test compares it with this page.

| check | without it | file | test |
|---|---|---|---|
`)
	for _, m := range Mutants {
		fmt.Fprintf(&b, "| %s | %s | `%s` | `%s` in `%s` |\n", m.Kind, m.Breaks, m.File, strings.ReplaceAll(m.Run, "|", `\|`), m.Package)
	}
	doc := filepath.Join(root, "docs", "checks.md")
	if *update {
		if err := os.WriteFile(doc, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(doc); err != nil || string(got) != b.String() {
		t.Errorf("%s is stale (%v): go test ./internal/mutants -run TestDoc -update", doc, err)
	}
}
