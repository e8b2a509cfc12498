package emitdir

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
)

// disk changes files below a folder, one step at a time. No step changes a file outside of the
// folder, whatever symbolic links the folder contains. Tests inject faults into steps.
type disk struct {
	root *os.Root
	// fault returns the error to inject into the next step, or nil for no error. If the function
	// itself is nil, no errors are injected.
	fault func(step string) error
	piece int // size in bytes of the pieces in which a file is written; 0 means pieceBytes
}

func (d disk) step(name string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(name)
}

// pieceBytes is the size of the pieces in which a file is written and synced. A process cannot be
// ended while it waits for the disk: small pieces keep that wait short.
const pieceBytes = 4 << 20

// write creates or replaces a file and syncs it.
func (d disk) write(name string, data []byte, mode fs.FileMode) error {
	if err := d.step("create"); err != nil {
		return err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	if mode.Perm() != 0o666 { // with 0o666, the umask determines the mode
		err = f.Chmod(mode)
	}
	for done := false; err == nil && !done; {
		piece := data[:min(len(data), cmp.Or(d.piece, pieceBytes))]
		data = data[len(piece):]
		done = len(data) == 0
		if err = d.step("write"); err == nil {
			_, err = f.Write(piece)
		}
		if err == nil {
			if err = d.step("sync"); err == nil {
				err = f.Sync()
			}
		}
	}
	if e := errors.Join(d.step("close"), f.Close()); err == nil {
		err = e
	}
	return err
}

func (d disk) rename(from, to string) error {
	if err := d.step("rename"); err != nil {
		return err
	}
	return d.root.Rename(from, to)
}

func (d disk) remove(name string) error {
	if err := d.step("remove"); err != nil {
		return err
	}
	return d.root.Remove(name)
}

// tempName returns a random name for a temporary file or folder.
func tempName() string { return tempPrefix + strconv.FormatUint(rand.Uint64(), 10) }

// isTemp reports whether name has the form of tempName's results.
func isTemp(name string) bool {
	if len(name) <= len(tempPrefix) || name[:len(tempPrefix)] != tempPrefix {
		return false
	}
	_, err := strconv.ParseUint(name[len(tempPrefix):], 10, 64)
	return err == nil
}

func (d disk) tempDir() (string, error) {
	if err := d.step("mkdir"); err != nil {
		return "", err
	}
	name := tempName()
	return name, d.root.Mkdir(name, 0o700)
}

// tempFile creates an empty file in a folder.
func (d disk) tempFile(in string) (string, error) {
	if err := d.step("create"); err != nil {
		return "", err
	}
	name := in + "/" + tempName()
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	return name, f.Close()
}

// syncDir syncs the list of files of a folder. It ignores errors of Sync, because some systems
// cannot sync folders.
func (d disk) syncDir(name string) error {
	if err := d.step("sync"); err != nil {
		return err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	_ = f.Sync() // not every system can sync folders
	return f.Close()
}

// makeDirs creates a folder and its missing parents, and returns those it created, outermost first.
func (d disk) makeDirs(name string) (made []string, err error) {
	for _, dir := range parents(name) {
		st, err := d.root.Lstat(dir)
		switch {
		case err == nil && st.IsDir():
			continue
		case err == nil:
			err = d.notFolder(dir)
		case errors.Is(err, fs.ErrNotExist):
			err = d.root.Mkdir(dir, 0o777)
		}
		if err != nil {
			d.removeDirs(made)
			return nil, err
		}
		made = append(made, dir)
	}
	return made, nil
}

// removeDirs removes folders that makeDirs created, if they are empty.
func (d disk) removeDirs(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if d.root.Remove(made[i]) != nil {
			return
		}
	}
}
