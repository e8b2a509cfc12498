package bundle

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Merge makes one checkpoint of several: it renames their data files, writes an
// index of all their tensors and removes their indices. Slices of one tensor may
// come from several checkpoints; any other tensor that is in two of them is
// InvalidArgument, as is a checkpoint that is missing. With allowMissing it is
// left out, unless all are missing. A tensor that is there in part can be read in part.
func Merge(fs Files, prefixes []string, to string, allowMissing bool) error {
	m := &merger{h: header{producer: version}, entries: map[string]*entry{}, shards: map[string]int32{}}
	found := 0
	for _, p := range prefixes {
		r, err := OpenIn(fs, p)
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
		return tensor.Errorf(tensor.InvalidArgument, "none of the %d checkpoints to merge is there", len(prefixes))
	}
	if err := makeDir(fs, to); err != nil {
		return err
	}
	n := int32(len(m.shards))
	var old *checkpoint
	if !slices.ContainsFunc(prefixes, func(p string) bool { return filepath.Clean(p) == filepath.Clean(to) }) {
		old = replaced(fs, to)
		n = old.other(n)
	}
	for _, from := range slices.Sorted(maps.Keys(m.shards)) {
		if name := dataName(to, m.shards[from], n); name != from {
			if err := fs.Rename(from, name); err != nil {
				return fileError(err)
			}
		}
	}
	m.h.shards = n
	temp := indexName(to) + tempSuffix()
	if err := writeFile(fs, temp, index(&m.h, m.entries)); err != nil {
		fs.Remove(temp)
		return fileError(err)
	}
	if err := fs.Rename(temp, indexName(to)); err != nil {
		fs.Remove(temp)
		return fileError(err)
	}
	old.drop(fs)
	for _, p := range prefixes {
		if filepath.Clean(p) != filepath.Clean(to) {
			fs.Remove(indexName(p))
		}
	}
	return nil
}

type merger struct {
	h       header
	entries map[string]*entry
	shards  map[string]int32 // data file → its number
}

func (m *merger) add(r *Reader, first bool) error {
	if first {
		m.h.big = r.header.big
	} else if m.h.big != r.header.big {
		return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: its numbers have another order of bytes than those it is merged with", r.prefix)
	}
	for _, k := range slices.Sorted(maps.Keys(r.entries)) {
		e := *r.entries[k]
		have := m.entries[k]
		if have != nil {
			switch {
			case len(have.slices) == 0 || len(e.slices) == 0:
				return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is in another of those it is merged with", r.prefix, k)
			case have.dtype != e.dtype || !slices.Equal(have.dims, e.dims):
				return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is of another type or shape in another of those it is merged with", r.prefix, k)
			}
			for _, s := range e.slices {
				if slices.ContainsFunc(have.slices, func(t []extent) bool { return slices.Equal(s, t) }) {
					return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: a slice of %q is in another of those it is merged with", r.prefix, k)
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
