package bundle

import (
	"os"
	"path/filepath"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// Files is the file system for checkpoints: the host's file system, or a directory in it. *os.Root
// implements it.
type Files interface {
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Mkdir(name string, perm os.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
}

// System is the host's file system.
type System struct{}

// OpenFile implements Files.
func (System) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// Mkdir implements Files.
func (System) Mkdir(name string, perm os.FileMode) error { return os.Mkdir(name, perm) }

// Rename implements Files.
func (System) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements Files.
func (System) Remove(name string) error { return os.Remove(name) }

// open opens a file for reading and returns its size. The error is FailedPrecondition if the file
// is not regular.
func open(fs Files, path string) (*os.File, int64, error) {
	f, err := fs.OpenFile(path, os.O_RDONLY|files.DontWait, 0)
	if err != nil {
		return nil, 0, fileError(err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		err = fileError(err)
	case st.IsDir():
		err = tensor.Errorf(tensor.FailedPrecondition, "%s is a directory", path)
	case !st.Mode().IsRegular():
		err = tensor.Errorf(tensor.FailedPrecondition, "%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// read returns the bytes of a file. The error is ResourceExhausted for more than limit bytes.
func read(from source, path string, limit int64) ([]byte, error) {
	f, size, err := from.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, size, limit)
}

// readAll returns the bytes of a file with the given size. The error is ResourceExhausted beyond
// limit.
func readAll(f file, path string, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "%s: %d bytes; at most %d are read", path, size, limit)
	}
	b := make([]byte, size)
	n, err := f.ReadAt(b, 0)
	if n < len(b) {
		return nil, fileError(err)
	}
	return b, nil
}

// makeDir creates the directory of a file. Like TensorFlow, it creates only the last directory of
// the path.
func makeDir(fs Files, path string) error {
	dir := filepath.Dir(path)
	if err := fs.Mkdir(dir, 0o777); err != nil && !os.IsExist(err) && dir != "." {
		return fileError(err)
	}
	return nil
}
