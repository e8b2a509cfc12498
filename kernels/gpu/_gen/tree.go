package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
)

// tree is the directory tree to which generated files are written. If check is set, the files are
// only compared with the existing ones.
type tree struct {
	root  string
	check bool
	made  map[string]bool
	errs  []error
}

func (t *tree) write(name, text string) {
	t.put(name, []byte(text), func(have []byte) bool { return string(have) == text })
}

// writeGzip writes a compressed file. A file that already holds the text stays unchanged,
// since Go versions may compress differently.
func (t *tree) writeGzip(name, text string) {
	t.put(name, pack(text), func(have []byte) bool {
		got, err := unpack(have)
		return err == nil && got == text
	})
}

// pack compresses a text. The result depends on the text only: the gzip header has neither a name nor
// a time.
func pack(text string) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = io.WriteString(z, text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err) // a write to a bytes.Buffer never fails
	}
	return b.Bytes()
}

// unpack returns the text of a file that pack wrote.
func unpack(data []byte) (string, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	if h := z.Header; h.Name != "" || h.Comment != "" || len(h.Extra) > 0 || !h.ModTime.IsZero() {
		return "", errors.New("the gzip header has more than the format asks for")
	}
	text, err := io.ReadAll(z)
	return string(text), err
}

// put writes data to a file. It passes the file's present contents to the function `same`, and leaves
// the file unchanged if the result is true. If check is set, put reports an error instead of writing.
func (t *tree) put(name string, data []byte, same func(have []byte) bool) {
	if t.made == nil {
		t.made = map[string]bool{}
	}
	t.made[name] = true
	path := filepath.Join(t.root, name)
	have, err := os.ReadFile(path)
	if err == nil && same(have) {
		return
	}
	if t.check {
		t.errs = append(t.errs, fmt.Errorf("%s is not what its source says", name))
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.errs = append(t.errs, err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
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

// only(dir) removes from the folder dir every file that this run did not generate. If check is set,
// it reports these files as errors instead.
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
