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

// OpenFile opens a file of the file system for reading and returns its size:
// FailedPrecondition for what is no regular file, such as a directory, a pipe, a device
// or a socket. None of these is waited for, and a device is not even opened. Other errors
// are the system's, which Error gives a code.
func OpenFile(name string) (*os.File, int64, error) {
	f, size, err := open(os.Stat, os.OpenFile, name)
	if err == errIrregular {
		err = irregular(name)
	}
	return f, size, err
}

// ReadFile returns what a file has: ResourceExhausted for more than limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, size, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, size, limit)
}

// errIrregular is what open returns for what is no regular file.
var errIrregular = errors.New("no regular file")

// open opens a regular file. It looks before it opens, because opening a device can do
// something, and again after that, because another file may have its name by then.
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

// readAll reads a file that is said to have size bytes; it may have others by now.
func readAll(f *os.File, name string, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, large(name, limit)
	}
	b := make([]byte, 0, size+1) // the last byte is where the end is seen
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

// Dir is a directory whose files have names that are not the user's own: those that a
// model gives. Names are paths of the file system, below the directory; a name or
// a symbolic link that leads out of it is PermissionDenied. The directory itself may be
// a symbolic link, since the user has named it.
type Dir string

// Open is OpenFile of a file below the directory.
func (d Dir) Open(name string) (f *os.File, size int64, err error) {
	err = d.in(name, func(root *os.Root, rel string) (err error) {
		f, size, err = open(root.Stat, root.OpenFile, rel)
		return err
	})
	return f, size, err
}

// ReadFile is ReadFile of a file below the directory.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, size, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, size, limit)
}

// OpenFile is os.OpenFile below the directory.
func (d Dir) OpenFile(name string, flag int, perm os.FileMode) (f *os.File, err error) {
	err = d.in(name, func(root *os.Root, rel string) (err error) {
		f, err = root.OpenFile(rel, flag, perm)
		return err
	})
	return f, err
}

// WriteWhole is WriteWhole of a file below the directory: a symbolic link in its place is
// replaced, as a regular file is, and what is neither is refused.
func (d Dir) WriteWhole(name string, print func(io.Writer) error) error {
	return d.in(name, func(root *os.Root, rel string) error {
		if st, err := root.Lstat(rel); err == nil && !st.Mode().IsRegular() && st.Mode()&fs.ModeSymlink == 0 {
			return errIrregular
		}
		return Replace(root, rel, func(f *os.File) error { return buffered(f, print) })
	})
}

// Mkdir is os.Mkdir below the directory.
func (d Dir) Mkdir(name string, perm os.FileMode) error {
	return d.in(name, func(root *os.Root, rel string) error { return root.Mkdir(rel, perm) })
}

// Remove is os.Remove below the directory.
func (d Dir) Remove(name string) error {
	return d.in(name, func(root *os.Root, rel string) error { return root.Remove(rel) })
}

// Rename is os.Rename below the directory.
func (d Dir) Rename(from, to string) error {
	return d.in(from, func(root *os.Root, rel string) error {
		to, err := d.rel(to)
		if err != nil {
			return err
		}
		return root.Rename(rel, to)
	})
}

// in calls f with the directory and the name as it is below it. Errors have the whole name.
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

// escapes reports whether an error is that of an *os.Root that would be left.
func escapes(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}
