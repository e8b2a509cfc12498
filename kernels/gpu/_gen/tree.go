package main

import (
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

// tree is where generated files go; with check they are only compared.
type tree struct {
	root  string
	check bool
	made  map[string]bool
	errs  []error
}

func (t *tree) write(name, text string) {
	if t.made == nil {
		t.made = map[string]bool{}
	}
	t.made[name] = true
	path := filepath.Join(t.root, name)
	have, err := os.ReadFile(path)
	if err == nil && string(have) == text {
		return
	}
	if t.check {
		t.errs = append(t.errs, fmt.Errorf("%s is not what its source says", name))
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.errs = append(t.errs, err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.errs = append(t.errs, err)
	}
}

func (t *tree) writeGo(name, text string) {
	b, err := format.Source([]byte(text))
	if err != nil {
		t.errs = append(t.errs, fmt.Errorf("%s: %w", name, err))
		return
	}
	t.write(name, string(b))
}

// only removes from a folder what was not written.
func (t *tree) only(dir string) {
	files, err := os.ReadDir(filepath.Join(t.root, dir))
	if err != nil {
		t.errs = append(t.errs, err)
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Name())
		switch {
		case t.made[name]:
		case t.check:
			t.errs = append(t.errs, fmt.Errorf("%s has no source", name))
		default:
			if err := os.Remove(filepath.Join(t.root, name)); err != nil {
				t.errs = append(t.errs, err)
			}
		}
	}
}

func (t *tree) done() error { return errors.Join(t.errs...) }
