package main

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestCommitted checks that THIRD_PARTY_NOTICES has the licences of the modules that are linked
// into the command graphc, with their current versions and texts.
func TestCommitted(t *testing.T) {
	want, err := write(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, output))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date: go run ./internal/notices", output)
	}
	for _, part := range []string{"== github.com/spf13/cobra ", "(Apache-2.0)", "== github.com/inconshreveable/mousetrap ", "(MIT)", "(BSD-3-Clause)"} {
		if !strings.Contains(want, part) {
			t.Errorf("%s lacks %q", output, part)
		}
	}
}

// TestRequired checks the modules in go.mod. Each is linked into the command graphc, or is one of
// those in the list others, which only tests, generators and programs for GPUs import.
func TestRequired(t *testing.T) {
	others := map[string]bool{
		"github.com/rogpeppe/go-internal": true, // tests
		"gorgonia.org/cu":                 true, // imported by programs with the tag cuda; material.txt lists this module
		"github.com/google/uuid":          true, // likewise
		"github.com/pkg/errors":           true, // likewise
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	notices, err := os.ReadFile(filepath.Join(root, output))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.HasPrefix(line, "\t") {
			continue
		}
		seen++
		listed := strings.Contains(string(notices), "\n== "+f[0]+" "+f[1]+" (")
		if listed == others[f[0]] {
			t.Errorf("%s: listed as linked into the command: %v", f[0], listed)
		}
		if others[f[0]] && f[0] != "github.com/rogpeppe/go-internal" && !strings.Contains(material, f[0]+" "+f[1]) {
			t.Errorf("material.txt lacks %s %s", f[0], f[1])
		}
	}
	if seen < 10 {
		t.Errorf("go.mod has %d modules only", seen)
	}
}

// TestLibdevice: NOTICE contains the notice for PTX that includes functions of NVIDIA's libdevice.
func TestLibdevice(t *testing.T) {
	notice, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "plan/ptx/libdevice/notice.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(notice), string(text)) {
		t.Error("NOTICE lacks the text of plan/ptx/libdevice/notice.txt")
	}
}

// TestCases: recorded cases are under the licences that material.txt names.
func TestCases(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(filepath.Join(root, "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".zip" {
			return err
		}
		z, err := zip.OpenReader(path)
		if err != nil {
			return err
		}
		defer z.Close()
		for _, f := range z.File {
			if filepath.Base(f.Name) != "case.json" {
				continue
			}
			seen++
			r, err := f.Open()
			if err != nil {
				return err
			}
			var c struct{ Licence string }
			if err := json.NewDecoder(r).Decode(&c); err != nil {
				return err
			}
			if c.Licence != "Apache-2.0" && !(filepath.Base(path) == "face.zip" && strings.HasPrefix(c.Licence, "MIT ")) {
				t.Errorf("%s: %s: material.txt does not name the licence %q", path, f.Name, c.Licence)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 1000 {
		t.Errorf("%d cases only were looked at", seen)
	}
}

// TestKindOf: licences of unknown kinds are errors.
func TestKindOf(t *testing.T) {
	if kind, err := kindOf("GNU GENERAL PUBLIC LICENSE Version 3"); err == nil {
		t.Errorf("the GPL is taken for %s", kind)
	}
	if _, err := licences(t.TempDir()); err == nil {
		t.Error("a module without a licence is accepted")
	}
}
