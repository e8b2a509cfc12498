package rt

import (
	"os"

	"github.com/graphc/graphc/rt/tensor"
)

// openRegular opens a file for reading and returns its size: FailedPrecondition for what is no regular
// file, which is not waited for. It is files.OpenFile of package rt/files, which programs that read
// nothing but weights do without.
func openRegular(name string) (*os.File, int64, error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, 0, err
	case !st.Mode().IsRegular(): // opening a device can do something
		return nil, 0, tensor.Errorf(tensor.FailedPrecondition, "%q is no regular file", name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, 0, err
	}
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() { // another file has the name by now
		err = tensor.Errorf(tensor.FailedPrecondition, "%q is no regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}
