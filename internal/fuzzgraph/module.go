package fuzzgraph

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// WriteModule replaces the contents of dir by a module with the given name. The module contains the
// emitted packages as p0, p1 and so on, and requires graphc's own module from this repository.
func WriteModule(dir, name string, packages []map[string][]byte) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": fmt.Appendf(nil, "module %s\n\ngo 1.24\n\nrequire github.com/graphc/graphc v0.0.0\n\nreplace github.com/graphc/graphc => %s\n", name, strings.TrimSpace(string(root)))}
	for i, p := range packages {
		for file, data := range p {
			files[filepath.Join(fmt.Sprintf("p%d", i), file)] = data
		}
	}
	for file, data := range files {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
