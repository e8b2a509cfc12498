package bundle

import (
	"errors"
	"os"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// A checkpoint is an index and data files, and two files cannot be renamed at once. So
// each new checkpoint has data files whose names no file has, whatever other
// goroutines and processes save at the same time: the number of shards in the name is
// the first that is free. Only the rename of the index makes the new checkpoint of
// them, and until then the old one is whole. The last rename wins.
//
// A writer holds a lock on its files until the index is renamed. The system gives the
// lock up when a process ends, so that a file which is not locked, and which the index
// does not name, is nobody's: sweep removes it. Nobody waits for a lock.

// maxNames bounds the search for a free name.
const maxNames = 10_000

// held is a file that this process is writing.
type held struct {
	*os.File
	fs     Files
	name   string
	locked bool
}

// create makes a file that is not there yet and locks it. The error is os.ErrExist
// also where a sweep has taken the new file for one that nobody has.
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

// Sync puts what was written on the disk.
func (h *held) Sync() error { return syncFile(h.fs, h.File) }

func syncFile(fs Files, f *os.File) error {
	if x, ok := fs.(faults); ok {
		return x.Sync(f)
	}
	return f.Sync()
}

// faults is what a Files of tests has besides, to fail where a disk does.
type faults interface {
	Write(f *os.File, b []byte) (int, error)
	Sync(f *os.File) error
}

// discard removes the file, with its lock held: without it the name may be another's.
func (h *held) discard() {
	gone := h.fs.Remove(h.name) == nil
	h.File.Close()
	if !gone && !h.locked { // some systems do not remove files that are open
		h.fs.Remove(h.name)
	}
}

// same reports whether the file of that name is f.
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

// claim makes the data files of a new checkpoint and returns them with their number
// in its header.
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

// unlocked orders the commits of this process where files cannot be locked.
var unlocked sync.Mutex

// commit makes these bytes the index of a checkpoint of these data files, gives them
// up and sweeps. placed reports whether the checkpoint has been replaced, also after an
// error.
func commit(fs Files, prefix string, index []byte, shards int32, data []*held) (placed bool, err error) {
	f, err := create(fs, indexName(prefix)+savingSuffix())
	for try := 0; errors.Is(err, os.ErrExist) && try < maxNames; try++ { // a sweep was quicker
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
			err = nil // it can be written, but not read: nor synced
		}
	}
	if dir != nil {
		defer dir.Close()
	}
	if err == nil {
		err = syncDir(fs, dir) // the names of the data files
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
		f.Close() // some systems do not rename files that are open
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
		h.Close() // before the sweep, which may find that another commit came after this one
	}
	drop(fs, prefix, old)
	sweep(fs, prefix)
	return true, nil
}
