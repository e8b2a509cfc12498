package emitdir

import (
	"errors"
	"io/fs"
	"os"
)

// disk is what is done to the file system, a step at a time. Tests have steps fail.
type disk struct {
	fault func(step string) error // of the step about to be done; nil: none fails
}

func (d disk) step(name string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(name)
}

// write makes a file, or empties it, and has its bytes on the disk when it returns.
func (d disk) write(name string, data []byte, mode fs.FileMode) error {
	if err := d.step("create"); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	half := len(data) / 2
	if _, err = f.Write(data[:half]); err == nil {
		if err = d.step("write"); err == nil {
			_, err = f.Write(data[half:])
		}
	}
	if err == nil && mode.Perm() != 0o666 { // which the umask is for
		err = f.Chmod(mode)
	}
	if err == nil {
		if err = d.step("sync"); err == nil {
			err = f.Sync()
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
	return os.Rename(from, to)
}

func (d disk) remove(name string) error {
	if err := d.step("remove"); err != nil {
		return err
	}
	return os.Remove(name)
}

func (d disk) tempDir(in string) (string, error) {
	if err := d.step("mkdir"); err != nil {
		return "", err
	}
	return os.MkdirTemp(in, tempPrefix)
}

func (d disk) tempFile(in string) (string, error) {
	if err := d.step("create"); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(in, tempPrefix)
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// syncDir has a folder's names on the disk. Where folders cannot be synced they need not be.
func (d disk) syncDir(name string) error {
	if err := d.step("sync"); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = f.Sync() // not every system has it for folders
	return f.Close()
}
