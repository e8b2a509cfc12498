// Package emitted compiles the models of tests that import emitted packages. An overlay of the go
// command (its flag -overlay) puts the packages where the tests import them. Therefore git does not
// store emitted code for these tests, and the tests always use the code of the current compiler.
//
// The tests have the build tag "emitted". The command overlay prints the flags that go test needs;
// internal/corpus runs the tests.
package emitted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Folders lists the folders of packages whose tests import emitted packages, relative to the
// module's root. Each has a graphc.yaml and its models in testdata.
var Folders = []string{"internal/accelerated", "internal/behaviours", "internal/hammer", "internal/partial"}

// Replacements maps paths in the module's tree to the paths of the files that the go command reads
// instead.
type Replacements map[string]string

// Generate runs "graphc generate" in copies of the folders. The copies are below dir. root is the
// module's root, and tool is the path of the graphc command. The result adds the emitted files to
// the module.
func Generate(root, tool, dir string, folders ...string) (Replacements, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	// The copy of go.mod makes the packages part of this module.
	if err := copyFile(filepath.Join(root, "go.mod"), filepath.Join(dir, "go.mod")); err != nil {
		return nil, err
	}
	r := Replacements{}
	for _, folder := range folders {
		from, to := filepath.Join(root, filepath.FromSlash(folder)), filepath.Join(dir, filepath.FromSlash(folder))
		if err := copyFile(filepath.Join(from, "graphc.yaml"), filepath.Join(to, "graphc.yaml")); err != nil {
			return nil, err
		}
		if err := os.CopyFS(filepath.Join(to, "testdata"), os.DirFS(filepath.Join(from, "testdata"))); err != nil {
			return nil, err
		}
		cmd := exec.Command(tool, "generate")
		cmd.Dir = to
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("graphc generate in %s: %w\n%s", folder, err, bytes.TrimSpace(out))
		}
		err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || path == filepath.Join(to, "graphc.yaml"):
				return nil
			}
			rel, err := filepath.Rel(to, path)
			r[filepath.Join(from, rel)] = path
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Flags writes the overlay below dir and returns the flags with which the go command
// builds and tests packages that import the emitted ones.
func (r Replacements) Flags(dir string) ([]string, error) {
	text, err := json.Marshal(map[string]Replacements{"Replace": r})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return nil, err
	}
	return []string{"-tags=emitted", "-overlay=" + file}, nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
