package files

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// In returns an error whose text is the given name of a file, ": " and the text of err. The text
// contains the name only once, even if err already contains it, as errors of package os do. A nil err
// stays nil.
func In(name string, err error) error {
	if err == nil {
		return nil
	}
	return &namedError{name, err}
}

type namedError struct {
	name string
	err  error
}

// Error returns "name: text" with the name that was passed to In. If the text of the system's error
// contains another path of the same file, Error removes that path.
func (e *namedError) Error() string {
	text := e.err.Error()
	var pe *fs.PathError
	if errors.As(e.err, &pe) && filepath.Base(pe.Path) == filepath.Base(e.name) {
		text = Without(pe.Path, text)
	}
	return e.name + ": " + Without(e.name, text)
}

// Unwrap returns the error of the file.
func (e *namedError) Unwrap() error { return e.err }

// fileCalls are the names of operations that errors of package os contain, each followed by a path.
var fileCalls = [...]string{"open", "openat", "stat", "statat", "lstat", "read", "write", "readdirent", "mkdir", "mkdirat", "remove", "readlink", "fdopendir"}

// Without removes a file's name from the text of an error, for a message that contains the name
// elsewhere.
func Without(name, text string) string {
	for _, call := range fileCalls {
		for _, n := range []string{name, filepath.Clean(name)} {
			text = strings.ReplaceAll(text, call+" "+n+": ", "")
		}
	}
	for _, n := range []string{name, filepath.Base(name)} {
		text = strings.TrimPrefix(text, n+": ")
		// turn a text such as `"x.npy" is not a regular file` into `it is not a regular file`
		if rest, ok := strings.CutPrefix(text, `"`+n+`" `); ok {
			text = "it " + rest
		}
		text = strings.ReplaceAll(text, `: "`+n+`" `, ": it ")
	}
	return text
}
