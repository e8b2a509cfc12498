// Package files holds the kernels that read and write files. They access only files below
// the directory that the program's caller has opened: see rt.WithFiles.
package files

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Read stores the contents of the file name[0] in dst[0]. It returns NotFound for a missing file,
// FailedPrecondition if it is not a regular file, PermissionDenied if it is not below root, and
// ResourceExhausted if it has more than files.MaxBytes bytes.
func Read(run *mem.Budget, dst []string, root *os.Root, name []string) error {
	s, err := read(run, root, name[0])
	if err == nil {
		err = run.Make(len(s))
	}
	dst[0] = s
	return err
}

// read calls files.Read for at most as many bytes as the run's budget allows.
func read(run *mem.Budget, root *os.Root, name string) (string, error) {
	return files.Read(root, name, int64(min(files.MaxBytes, run.Left())))
}

// Write replaces the contents of the file name[0] by contents[0], and creates its directories. At
// any time the file has either all of its old contents or all of the new.
func Write(root *os.Root, name, contents []string) error {
	return files.Write(root, name[0], contents[0])
}

// Match finds the files that match at least one of the patterns. It stores their sorted names as a
// list in found[0] and returns their number: see files.Match.
func Match(run *mem.Budget, found []tensor.Handle, root *os.Root, patterns []string) (int, error) {
	return match(run, found, root, patterns, maxNames)
}

// match does the work of Match. It returns ResourceExhausted if the patterns match more names than the
// parameter limit allows.
func match(run *mem.Budget, found []tensor.Handle, root *os.Root, patterns []string, limit int) (int, error) {
	var all []string
	for _, p := range patterns {
		if err := run.Err(); err != nil {
			return 0, err
		}
		names, err := files.Match(root, p)
		if err != nil {
			return 0, err
		}
		if all = append(all, names...); len(all) > limit {
			return 0, tensor.Errorf(tensor.ResourceExhausted, "the patterns match more than %d files", limit)
		}
	}
	n := 0
	for _, name := range all {
		n += len(name) + 2*tensor.String.Size()
	}
	if err := run.Make(n); err != nil {
		return 0, err
	}
	slices.Sort(all)
	found[0] = tensor.Handle{V: all}
	return len(all), nil
}

const maxNames = 1 << 20

// Names copies the names that Match stored in found[0].
func Names(dst []string, found []tensor.Handle) {
	l, _ := found[0].V.([]string)
	copy(dst, l)
}

// Print appends text[0]+end to a file. The parameter stream is file:// followed by the file's name
// below root.
func Print(root *os.Root, text []string, stream, end string) error {
	f, err := files.Append(root, strings.TrimPrefix(stream, "file://"))
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text[0]+end)
	if e := f.Close(); err == nil {
		err = e
	}
	return files.Error(err)
}
