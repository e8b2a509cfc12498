package bundle

import (
	"bytes"
	"errors"
	"io"
	iofs "io/fs"
	"path/filepath"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// source is a place from which checkpoints are read.
type source interface {
	// open opens a file and returns its size. The error is FailedPrecondition if the file is not
	// regular.
	open(path string) (file, int64, error)
	// names lists the entries of a directory.
	names(dir string) ([]string, error)
}

// file is a file that is open for reading.
type file interface {
	io.ReaderAt
	io.Closer
}

// onDisk is a source that reads from a file system of type Files.
type onDisk struct{ Files }

func (d onDisk) open(path string) (file, int64, error) {
	f, size, err := open(d.Files, path)
	if err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

func (d onDisk) names(dir string) ([]string, error) {
	f, err := openDir(d.Files, filepath.Join(dir, "x"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// inFS is a source that reads from an fs.FS.
type inFS struct {
	fsys iofs.FS

	mu sync.Mutex
	// kept holds the contents of files that do not support random access. The key is the file's
	// name.
	kept map[string][]byte
}

// maxKept bounds the size of a file that is kept in memory.
const maxKept = 1<<31 - 1

func (d *inFS) open(path string) (file, int64, error) {
	name := filepath.ToSlash(path)
	d.mu.Lock()
	b, ok := d.kept[name]
	d.mu.Unlock()
	if ok {
		return memory{bytes.NewReader(b)}, int64(len(b)), nil
	}
	f, err := d.fsys.Open(name)
	if err != nil {
		return nil, 0, fileError(err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		err = fileError(err)
	case !st.Mode().IsRegular():
		err = tensor.Errorf(tensor.FailedPrecondition, "%s is not a regular file", name)
	}
	if at, ok := f.(file); ok && err == nil {
		return at, st.Size(), nil
	}
	defer f.Close()
	if err != nil {
		return nil, 0, err
	}
	if b, err = io.ReadAll(io.LimitReader(f, maxKept+1)); err != nil {
		return nil, 0, fileError(err)
	}
	if len(b) > maxKept {
		return nil, 0, tensor.Errorf(tensor.ResourceExhausted, "%s: a file without random access may have at most %d bytes", name, maxKept)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept == nil {
		d.kept = map[string][]byte{}
	}
	d.kept[name] = b
	return memory{bytes.NewReader(b)}, int64(len(b)), nil
}

func (d *inFS) names(dir string) ([]string, error) {
	entries, err := iofs.ReadDir(d.fsys, filepath.ToSlash(dir))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if errors.Is(err, iofs.ErrInvalid) {
		err = iofs.ErrNotExist
	}
	return names, err
}

// memory is a file whose contents are in memory.
type memory struct{ *bytes.Reader }

// Close implements io.Closer.
func (memory) Close() error { return nil }
