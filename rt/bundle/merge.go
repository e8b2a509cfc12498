package bundle

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Merge combines several checkpoints into one. It renames the data files of the given checkpoints,
// writes an index of all tensors and removes the old indices. It returns InvalidArgument in these
// cases:
//
//   - A checkpoint is missing. With allowMissing, this is an error only if all checkpoints are missing.
//   - Two checkpoints contain the same tensor, and not only different slices of it.
//
// The slices of a tensor may be in several checkpoints. If the checkpoints contain only some of the
// slices, ReadSlice can read the parts of the tensor that these slices cover.
func Merge(fs Files, prefixes []string, to string, allowMissing bool) error {
	m := &merger{h: header{producer: version}, entries: map[string]*entry{}, shards: map[string]int32{}}
	found := 0
	for _, p := range prefixes {
		r, err := openV2(fs, p)
		if tensor.CodeOf(err) == tensor.NotFound && allowMissing {
			continue
		}
		if tensor.CodeOf(err) == tensor.NotFound {
			return tensor.Errorf(tensor.InvalidArgument, "the checkpoint %q that is to be merged is missing: %s", p, message(err))
		}
		if err == nil {
			err = m.add(r, found == 0)
		}
		if err != nil {
			return err
		}
		found++
	}
	if found == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "all %d checkpoints to merge are missing", len(prefixes))
	}
	if err := makeDir(fs, to); err != nil {
		return err
	}
	sweep(fs, to)
	if err := m.move(fs, to); err != nil {
		return err
	}
	for _, p := range prefixes {
		if filepath.Clean(p) != filepath.Clean(to) {
			fs.Remove(indexName(p))
		}
	}
	return nil
}

// move renames the data files and writes their common index. The new checkpoint has the prefix
// given by to. If move fails, it gives the data files their old names again.
func (m *merger) move(fs Files, to string) (err error) {
	from := slices.Sorted(maps.Keys(m.shards))
	var data []*held // the files to rename, locked so that no sweep removes them
	defer func() {
		for _, h := range data {
			h.Close()
		}
	}()
	for _, name := range from {
		f, _, err := open(fs, name)
		if err != nil {
			return err
		}
		h := &held{File: f, fs: fs, name: name}
		data = append(data, h)
		if locked, unsupported := tryLock(f); !locked && !unsupported {
			return tensor.Errorf(tensor.Aborted, "%s is being written", name)
		}
	}
	places, n, err := claim(fs, to, len(from))
	if err != nil {
		return fileError(err)
	}
	m.h.shards = n
	for _, k := range m.shards {
		if !places[k].locked {
			places[k].Close() // some systems cannot rename over open files
		}
	}
	moved := 0
	for i, name := range from {
		if err = fs.Rename(name, places[m.shards[name]].name); err != nil {
			break
		}
		moved = i + 1
	}
	placed := false
	if err == nil {
		placed, err = commit(fs, to, index(&m.h, m.entries), n, data)
	}
	if !placed {
		for _, name := range from[:moved] {
			_ = fs.Rename(places[m.shards[name]].name, name)
		}
		for _, name := range from[moved:] {
			places[m.shards[name]].discard()
		}
	}
	for _, p := range places {
		p.Close()
	}
	return fileError(err)
}

type merger struct {
	h       header
	entries map[string]*entry
	// shards maps the name of each data file to its number in the merged checkpoint.
	shards map[string]int32
}

func (m *merger) add(r *Reader, first bool) error {
	if first {
		m.h.big = r.header.big
	} else if m.h.big != r.header.big {
		return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: its byte order differs from that of the checkpoints it is merged with", r.prefix)
	}
	for _, k := range slices.Sorted(maps.Keys(r.entries)) {
		e := *r.entries[k]
		have := m.entries[k]
		if have != nil {
			switch {
			case len(have.slices) == 0 || len(e.slices) == 0:
				return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is also in another checkpoint of the merge", r.prefix, k)
			case have.dtype != e.dtype || !slices.Equal(have.dims, e.dims):
				return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q has another type or shape in another checkpoint of the merge", r.prefix, k)
			}
			for _, s := range e.slices {
				if slices.ContainsFunc(have.slices, func(t []extent) bool { return slices.Equal(s, t) }) {
					return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: a slice of %q is also in another checkpoint of the merge", r.prefix, k)
				}
			}
			have.slices = append(slices.Clip(have.slices), e.slices...)
			continue
		}
		if len(e.slices) == 0 {
			file := dataName(r.prefix, e.shard, r.header.shards)
			id, ok := m.shards[file]
			if !ok {
				id = int32(len(m.shards))
				m.shards[file] = id
			}
			e.shard = id
		}
		m.entries[k] = &e
	}
	return nil
}
