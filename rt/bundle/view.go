package bundle

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

const (
	maxPinned = 256 // the largest number of data files that a call of View keeps open
	// maxViews is the largest number of attempts to open all files of a checkpoint. View tries again
	// if a writer has replaced the checkpoint during an attempt.
	maxViews = 100
)

// View calls f with a reader for one complete checkpoint, even if other writers replace the
// checkpoint during the call. It opens the data files that the index names, and then checks that
// the index has not been replaced. If it has been replaced, View tries again. After 100 attempts,
// the error is Unavailable. The reader must not be used after f returns.
func View(fs Files, prefix string, f func(*Reader) error) error {
	for try := 1; ; try++ {
		r, changed, err := pin(fs, prefix)
		if changed && try < maxViews {
			continue
		}
		if changed {
			return tensor.Errorf(tensor.Unavailable, "checkpoint %s is replaced more often than it can be read", prefix)
		}
		if err != nil {
			return err
		}
		defer r.unpin()
		return f(r)
	}
}

// pin opens a checkpoint and its data files. The result changed reports whether the checkpoint was
// replaced meanwhile.
func pin(fs Files, prefix string) (r *Reader, changed bool, err error) {
	path := indexName(prefix)
	index, size, err := open(fs, path)
	if tensor.CodeOf(err) == tensor.NotFound {
		if old, e := openV1(onDisk{fs}, prefix, true); old != nil || e != nil {
			return old, false, e
		}
	}
	if err != nil {
		return nil, false, err
	}
	// While the file is open, no other file gets its inode number. The function same relies on this
	// below.
	defer index.Close()
	raw, err := readAll(index, path, size, maxIndex)
	if err != nil {
		return nil, false, err
	}
	if r, err = parseAt(onDisk{fs}, prefix, raw); err != nil {
		return nil, false, err
	}
	r.pinData()
	if now, err := same(fs, path, index); !now || err != nil {
		r.unpin()
		return nil, err == nil, err
	}
	return r, false, nil
}

// pinned is a data file that is kept open.
type pinned struct {
	f    file
	size int64
}

// pinData opens the data files of the tensors. It ignores errors: a later read of a tensor tries to
// open the file again and returns the error.
func (r *Reader) pinData() {
	var shards []int32
	seen := map[int32]bool{}
	for _, e := range r.entries {
		if len(e.slices) == 0 && !seen[e.shard] {
			seen[e.shard] = true
			shards = append(shards, e.shard)
		}
	}
	slices.Sort(shards)
	r.pinned = map[int32]pinned{}
	for _, k := range shards[:min(len(shards), maxPinned)] {
		if f, size, err := r.files.open(dataName(r.prefix, k, r.header.shards)); err == nil {
			r.pinned[k] = pinned{f, size}
		}
	}
}

func (r *Reader) unpin() {
	for _, p := range r.pinned {
		p.f.Close()
	}
	r.pinned = nil
	for _, t := range r.v1 {
		if t.f != nil {
			t.f.Close()
			t.f = nil
		}
	}
}
