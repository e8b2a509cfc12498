package rt

import (
	"os"

	"github.com/graphc/graphc/rt/tensor"
)

// openRegular opens a file for reading and returns its size. If the file is not regular, it
// returns FailedPrecondition without waiting. It is a copy of files.OpenFile of package rt/files,
// so that programs that read only weights do not need that package.
func openRegular(name string) (*os.File, int64, error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, 0, err
	case !st.Mode().IsRegular(): // even opening a device can have effects
		return nil, 0, tensor.Errorf(tensor.FailedPrecondition, "%q is not a regular file", name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, 0, err
	}
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() { // the file may have been replaced since Stat
		err = tensor.Errorf(tensor.FailedPrecondition, "%q is not a regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}
