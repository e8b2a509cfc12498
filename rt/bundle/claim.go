package bundle

import (
	"errors"
	"os"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// A checkpoint is an index and data files, and several files cannot be renamed atomically.
// Therefore each new checkpoint gets data files with new names, even if other goroutines and
// processes save at the same time. The name of a data file contains the number of shards. To find a
// new name, a writer increases this number until the name is unused. Only the rename of the index
// turns the new files into the new checkpoint; until then the old checkpoint stays complete. If
// several writers save at the same time, the checkpoint whose index is renamed last remains.
//
// A writer locks its files until the index is renamed. The system releases the locks of a process
// when the process ends. Therefore a file that is unlocked and not named in the index has no
// writer, and the function sweep removes the file. No call waits for a lock.

// maxNames bounds the search for an unused name.
const maxNames = 10_000

// held is a new file that this process is writing. If the system has file locks, the process holds
// the file's lock.
type held struct {
	*os.File
	fs     Files
	name   string
	locked bool
}

// create creates a new file and locks it. The error is os.ErrExist if the file exists, or if a
// concurrent sweep removed the new file before it was locked.
func create(fs Files, name string) (*held, error) {
	f, err := fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	h := &held{f, fs, name, false}
	locked, unsupported := tryLock(f)
	if unsupported {
		return h, nil
	}
	if h.locked = locked; locked {
		ours, err := same(fs, name, f)
		if err != nil {
			h.discard()
			return nil, err
		}
		if ours {
			return h, nil
		}
	}
	f.Close()
	return nil, os.ErrExist
}

// Write implements io.Writer.
func (h *held) Write(b []byte) (int, error) {
	if x, ok := h.fs.(faults); ok {
		return x.Write(h.File, b)
	}
	return h.File.Write(b)
}

// Sync flushes the file to disk.
func (h *held) Sync() error { return syncFile(h.fs, h.File) }

func syncFile(fs Files, f *os.File) error {
	if x, ok := fs.(faults); ok {
		return x.Sync(f)
	}
	return f.Sync()
}

// faults is an interface that tests add to a Files to make writes and syncs fail.
type faults interface {
	Write(f *os.File, b []byte) (int, error)
	Sync(f *os.File) error
}

// discard removes the file before it releases the lock. Without the lock, the name may already
// belong to another writer.
func (h *held) discard() {
	gone := h.fs.Remove(h.name) == nil
	h.File.Close()
	if !gone && !h.locked { // some systems cannot remove a file while it is open, so try again
		h.fs.Remove(h.name)
	}
}

// same reports whether the open file f is the file that now has the given name.
func same(fs Files, name string, f *os.File) (bool, error) {
	g, _, err := open(fs, name)
	if err != nil {
		if code := tensor.CodeOf(err); code == tensor.NotFound || code == tensor.FailedPrecondition {
			err = nil
		}
		return false, err
	}
	defer g.Close()
	a, err := f.Stat()
	if err != nil {
		return false, err
	}
	b, err := g.Stat()
	if err != nil {
		return false, err
	}
	return os.SameFile(a, b), nil
}

// claim creates the data files of a new checkpoint. It returns the files, and the number of shards
// that their names contain.
func claim(fs Files, prefix string, files int) ([]*held, int32, error) {
next:
	for n := int32(files); n < int32(files)+maxNames; n++ {
		var all []*held
		for k := range files {
			h, err := create(fs, dataName(prefix, int32(k), n))
			if err == nil {
				all = append(all, h)
				continue
			}
			for _, h := range all {
				h.discard()
			}
			if errors.Is(err, os.ErrExist) {
				continue next
			}
			return nil, 0, err
		}
		return all, n, nil
	}
	return nil, 0, tensor.Errorf(tensor.ResourceExhausted, "%s: all of %d names for data files are taken", prefix, maxNames)
}

// unlocked serializes the commits of this process on systems without file locks.
var unlocked sync.Mutex

// commit writes the index of a checkpoint with the given data files, renames it to its final name,
// closes the files and calls sweep. The result placed reports whether the new checkpoint has
// replaced the old one; it can be true even if there is an error.
func commit(fs Files, prefix string, index []byte, shards int32, data []*held) (placed bool, err error) {
	f, err := create(fs, indexName(prefix)+savingSuffix())
	// ErrExist means that a concurrent sweep removed the new file before it was locked.
	for try := 0; errors.Is(err, os.ErrExist) && try < maxNames; try++ {
		f, err = create(fs, indexName(prefix)+savingSuffix())
	}
	if err != nil {
		return false, err
	}
	if _, err = f.Write(index); err == nil {
		err = f.Sync()
	}
	var dir *os.File
	if err == nil {
		if dir, err = openDir(fs, prefix); os.IsPermission(err) {
			err = nil // a directory that can be written but not read cannot be synced
		}
	}
	if dir != nil {
		defer dir.Close()
	}
	if err == nil {
		err = syncDir(fs, dir) // makes the names of the data files durable
	}
	if err != nil {
		f.discard()
		return false, err
	}
	old := int32(0)
	if !f.locked {
		unlocked.Lock()
		defer unlocked.Unlock()
		if old = shardsOf(fs, prefix); old == shards {
			old = 0
		}
		f.Close() // some systems cannot rename open files
	}
	if err := fs.Rename(f.name, indexName(prefix)); err != nil {
		f.discard()
		return false, err
	}
	f.Close()
	if err := syncDir(fs, dir); err != nil {
		return true, tensor.Errorf(tensor.CodeOf(fileError(err)), "checkpoint %s is written, but a crash of the system may undo it: %v", prefix, err)
	}
	for _, h := range data {
		// The data files are closed, and so unlocked, before the sweep. If a later commit has
		// already replaced this checkpoint, the sweep can then remove them.
		h.Close()
	}
	drop(fs, prefix, old)
	sweep(fs, prefix)
	return true, nil
}
