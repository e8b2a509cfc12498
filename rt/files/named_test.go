package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestIn: the error that In returns contains the file's name once, whatever name the original error
// contains.
func TestIn(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.npy")
	_, missing := os.Open(name)
	_, _, irregular := OpenFile(dir)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{name, missing, ": no such file or directory"},
		{name, Error(missing), ": NotFound: no such file or directory"},
		{dir, irregular, ": FailedPrecondition: it is not a regular file"},
		{name, tensor.Errorf(tensor.InvalidArgument, "no header"), ": InvalidArgument: no header"},
		{name, errors.New("x.npy: no header"), ": no header"},
		{name, In(name, errors.New("no header")), ": no header"},
	} {
		got := In(c.name, c.err)
		if got.Error() != c.name+c.want {
			t.Errorf("%v, want %s%s", got, c.name, c.want)
		}
		if !errors.Is(got, c.err) {
			t.Errorf("%v does not wrap %v", got, c.err)
		}
	}
	if In(name, nil) != nil || !errors.Is(In(name, missing), fs.ErrNotExist) {
		t.Error("no error, or one that does not exist")
	}
}
