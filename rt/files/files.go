// Package files reads and writes files for the ops of a program: only below the directory that the
// program's caller has opened, only regular files, and at most as many bytes as a limit allows.
// See rt.WithFiles.
package files

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/graphc/graphc/rt/tensor"
)

// MaxBytes bounds the size of a file that is read as a whole.
const MaxBytes = 512 << 20

// Local converts a name to a path relative to root. An absolute name must begin with the path of
// root. The prefix file:// is allowed, other schemes are refused. The error is PermissionDenied if
// the name is not below root or root is nil, and InvalidArgument for an empty name or a name that
// contains a zero byte.
func Local(root *os.Root, name string) (string, error) {
	switch {
	case root == nil:
		return "", tensor.Errorf(tensor.PermissionDenied, "%q: no directory is open for files: see rt.WithFiles", name)
	case name == "":
		return "", tensor.Errorf(tensor.InvalidArgument, "the name of a file is empty")
	case strings.IndexByte(name, 0) >= 0:
		return "", tensor.Errorf(tensor.InvalidArgument, "%q: a file's name may not hold a byte 0", name)
	}
	local := name
	if scheme, rest, ok := strings.Cut(name, "://"); ok && !strings.Contains(scheme, "/") {
		if scheme != "file" {
			return "", tensor.Errorf(tensor.PermissionDenied, "%q: %s:// is not supported: names are those of the directory that is open for files", name, scheme)
		}
		local = rest
	}
	if filepath.IsAbs(local) {
		dir, err := filepath.Abs(root.Name())
		if err == nil {
			if rel, err := filepath.Rel(dir, local); err == nil {
				local = rel
			}
		}
	}
	local = filepath.Clean(local)
	if !filepath.IsLocal(local) {
		return "", tensor.Errorf(tensor.PermissionDenied, "%q does not lie below the directory that is open for files", name)
	}
	return local, nil
}

// Error adds a code of TensorFlow to err, the error of a file operation. An error that already has a
// code is returned unchanged.
func Error(err error) error {
	var own *tensor.Error
	code := tensor.Unknown
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return err
	case escapes(err):
		code = tensor.PermissionDenied
	case errors.Is(err, fs.ErrNotExist):
		code = tensor.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = tensor.PermissionDenied
	case errors.Is(err, fs.ErrExist):
		code = tensor.AlreadyExists
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENOTEMPTY):
		code = tensor.FailedPrecondition
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		code = tensor.ResourceExhausted
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		code = tensor.InvalidArgument
	}
	return tensor.Errorf(code, "%v", err)
}

// Open opens the file with that name below root for reading, and returns the file's size. The error
// is FailedPrecondition if the file is not regular: for example, a directory, a pipe or a device.
// Open does not wait for any of these.
func Open(root *os.Root, name string) (*os.File, int64, error) {
	local, err := Local(root, name)
	if err != nil {
		return nil, 0, err
	}
	f, size, err := open(root.Stat, root.OpenFile, local)
	if err == errIrregular {
		err = irregular(name)
	}
	return f, size, Error(err)
}

func irregular(name string) error {
	return tensor.Errorf(tensor.FailedPrecondition, "%q is not a regular file", name)
}

// Read returns the contents of the file with that name below root. The error is ResourceExhausted
// for more than limit bytes.
func Read(root *os.Root, name string, limit int64) (string, error) {
	f, size, err := Open(root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if size > limit {
		return "", large(name, limit)
	}
	var b strings.Builder
	b.Grow(int(size))
	n, err := io.Copy(&b, io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return "", Error(err)
	case n > limit: // the file has grown meanwhile
		return "", large(name, limit)
	}
	return b.String(), nil
}

func large(name string, limit int64) error {
	return tensor.Errorf(tensor.ResourceExhausted, "%q has more than %d bytes, the most that is read", name, limit)
}

// Write replaces the contents of the file with that name below root by data, and creates its
// directories if they are missing. At any time the file has either its old contents or all of data.
func Write(root *os.Root, name, data string) error {
	local, err := Local(root, name)
	if err != nil {
		return err
	}
	if err := makeDirs(root, local); err != nil {
		return err
	}
	if st, err := root.Stat(local); err == nil && !st.Mode().IsRegular() {
		return irregular(name)
	}
	return Replace(root, local, func(f *os.File) error {
		_, err := io.WriteString(f, data)
		return err
	})
}

// makeDirs creates the directories of a file. The error is FailedPrecondition if a file has the
// name of one of these directories.
func makeDirs(root *os.Root, local string) error {
	dir := filepath.Dir(local)
	if dir == "." {
		return nil
	}
	err := root.MkdirAll(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return tensor.Errorf(tensor.FailedPrecondition, "%v", err)
	}
	return Error(err)
}

// Replace replaces the contents of a file. The parameter local is the file's path relative to root, as
// the function Local returns it. Replace creates a new file, and calls write to fill it. When all bytes
// are on disk, the new file replaces the old one. If write or the replacement fails, the old file is
// unchanged.
func Replace(root *os.Root, local string, write func(f *os.File) error) error {
	temp := local + ".tempstate" + strconv.FormatUint(rand.Uint64(), 10)
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return Error(err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = root.Rename(temp, local)
	}
	if err != nil {
		_ = root.Remove(temp)
		return Error(err)
	}
	return syncDir(root, filepath.Dir(local))
}

// syncDir flushes the names in a directory to disk.
func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return Error(err)
	}
	defer d.Close()
	_ = d.Sync() // not all file systems support this
	return nil
}

// Append opens the file with that name below root for appending. It creates the file and its
// directories if they are missing.
func Append(root *os.Root, name string) (*os.File, error) {
	local, err := Local(root, name)
	if err != nil {
		return nil, err
	}
	if err := makeDirs(root, local); err != nil {
		return nil, err
	}
	if st, err := root.Stat(local); err == nil && !st.Mode().IsRegular() {
		return nil, irregular(name)
	}
	f, err := root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_APPEND|DontWait, 0o666)
	if err != nil {
		return nil, Error(err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, irregular(name)
	}
	return f, nil
}
