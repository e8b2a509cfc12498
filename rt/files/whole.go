package files

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// WriteWhole writes a file. It calls the function print, which must write the contents to its
// argument. At any time the file has either all of its old contents or all of the new ones, even if
// print fails or the process is killed. A file that is not regular, such as a pipe or a terminal, is
// written directly. If name is a symbolic link, WriteWhole writes the file to which the link leads.
func WriteWhole(name string, print func(io.Writer) error) error {
	mode := os.FileMode(0o666)
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	st, err := os.Stat(name)
	switch {
	case err == nil && !st.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(buffered(f, print), f.Close())
	case err == nil:
		mode = st.Mode().Perm()
	}
	f, err := os.OpenFile(name+".tempstate"+strconv.FormatUint(rand.Uint64(), 10), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	tmp := f.Name()
	if err = buffered(f, print); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, name)
	}
	if err != nil {
		_ = os.Remove(tmp) // has no effect after the rename
	}
	return err
}

func buffered(f io.Writer, print func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	if err := print(w); err != nil {
		return err
	}
	return w.Flush()
}
