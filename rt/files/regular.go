package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// OpenFile opens a file for reading and returns the file's size. The error is FailedPrecondition if
// the file is not regular: for example, a directory, a pipe, a device or a socket. OpenFile does
// not wait for any of these, and does not even open a device. Other errors are those of package os,
// without a code. The function Error adds one.
func OpenFile(name string) (*os.File, int64, error) {
	f, size, err := open(os.Stat, os.OpenFile, name)
	if err == errIrregular {
		err = irregular(name)
	}
	return f, size, err
}

// ReadFile returns the contents of a file. The error is ResourceExhausted for more than limit
// bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, size, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, size, limit)
}

// errIrregular is the error of open for a file that is not regular.
var errIrregular = errors.New("not a regular file")

// open opens a regular file. It checks the file's type before opening, because opening a device can
// have effects. It checks the type again afterwards, because the file may have been replaced
// meanwhile.
func open(stat func(string) (os.FileInfo, error), openFile func(string, int, os.FileMode) (*os.File, error), name string) (*os.File, int64, error) {
	st, err := stat(name)
	switch {
	case err != nil:
		return nil, 0, err
	case !st.Mode().IsRegular():
		return nil, 0, errIrregular
	}
	f, err := openFile(name, os.O_RDONLY|DontWait, 0)
	if err != nil {
		return nil, 0, err
	}
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// readAll reads all of f. The parameter size is the size that f had when it was opened; the size
// may have changed since.
func readAll(f *os.File, name string, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, large(name, limit)
	}
	b := make([]byte, 0, size+1) // one byte more, for the read that finds the end
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, large(name, limit)
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

// Dir is a directory for files whose names come from a model, not from the user. Names given to its
// methods are paths that include the directory's path. The error is PermissionDenied if a name or a
// symbolic link leads out of the directory. The directory itself may be a symbolic link, because
// the user has named it.
type Dir string

// Open opens a file below the directory for reading, and returns the file's size. See the function
// OpenFile for files that are not regular.
func (d Dir) Open(name string) (f *os.File, size int64, err error) {
	err = d.in(name, func(root *os.Root, rel string) (err error) {
		f, size, err = open(root.Stat, root.OpenFile, rel)
		return err
	})
	return f, size, err
}

// ReadFile returns the contents of a file below the directory. The error is ResourceExhausted if the
// file has more than limit bytes.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, size, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, size, limit)
}

// OpenFile opens a file below the directory. It has the same parameters as os.OpenFile.
func (d Dir) OpenFile(name string, flag int, perm os.FileMode) (f *os.File, err error) {
	err = d.in(name, func(root *os.Root, rel string) (err error) {
		f, err = root.OpenFile(rel, flag, perm)
		return err
	})
	return f, err
}

// WriteWhole writes a file below the directory. The function print writes the contents, as for the
// function WriteWhole of this package. If name is a symbolic link, the method replaces the link by
// the new file. It refuses to replace other files that are not regular.
func (d Dir) WriteWhole(name string, print func(io.Writer) error) error {
	return d.in(name, func(root *os.Root, rel string) error {
		if st, err := root.Lstat(rel); err == nil && !st.Mode().IsRegular() && st.Mode()&fs.ModeSymlink == 0 {
			return errIrregular
		}
		return Replace(root, rel, func(f *os.File) error { return buffered(f, print) })
	})
}

// Mkdir creates a directory below d. It has the same parameters as os.Mkdir.
func (d Dir) Mkdir(name string, perm os.FileMode) error {
	return d.in(name, func(root *os.Root, rel string) error { return root.Mkdir(rel, perm) })
}

// Remove removes a file or an empty directory below the directory d.
func (d Dir) Remove(name string) error {
	return d.in(name, func(root *os.Root, rel string) error { return root.Remove(rel) })
}

// Rename renames a file below the directory d. The new name, too, must be below d.
func (d Dir) Rename(from, to string) error {
	return d.in(from, func(root *os.Root, rel string) error {
		to, err := d.rel(to)
		if err != nil {
			return err
		}
		return root.Rename(rel, to)
	})
}

// in is called with the name of a file. It opens the directory d and calls f(root, rel): root is the
// opened directory, and rel is the path of the file relative to root. Errors contain the whole name
// of the file.
func (d Dir) in(name string, f func(root *os.Root, rel string) error) error {
	rel, err := d.rel(name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close()
	err = f(root, rel)
	var pe *fs.PathError
	switch {
	case err == errIrregular:
		return irregular(name)
	case escapes(err):
		return d.outside(name)
	case errors.As(err, &pe):
		return &fs.PathError{Op: strings.TrimSuffix(pe.Op, "at"), Path: name, Err: pe.Err}
	}
	return err
}

func (d Dir) rel(name string) (string, error) {
	rel, err := filepath.Rel(string(d), name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", d.outside(name)
	}
	return rel, nil
}

func (d Dir) outside(name string) error {
	return tensor.Errorf(tensor.PermissionDenied, "%q does not lie below %q, or is a symbolic link that leads out of it: put the file itself there (cp -L)", name, string(d))
}

// escapes reports whether err means that a path leads out of an *os.Root.
func escapes(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}
