package bundle

import (
	"encoding/binary"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// A checkpoint of format V1 is a single table, or one table for each shard. In each table, the
// entry with the empty key lists the table's tensors and their slices. Each slice has a separate
// entry, which contains a TensorProto. This package reads the format but does not write it.

// tableV1 is one table of a checkpoint of format V1.
type tableV1 struct {
	from   source
	path   string
	f      file // the open file during a call of View, otherwise nil
	size   int64
	last   []string // for each block, a key that is not less than the block's last key
	blocks []handle
}

// openV1 opens the checkpoint of format V1 with the given prefix. If there is no such checkpoint,
// it returns nil. If the parameter keep is true, the files stay open.
func openV1(from source, prefix string, keep bool) (r *Reader, err error) {
	paths := pathsV1(from, prefix)
	if len(paths) == 0 {
		return nil, nil
	}
	r = &Reader{files: from, prefix: prefix, entries: map[string]*entry{}}
	opened := r
	defer func() {
		if err != nil {
			opened.unpin()
		}
	}()
	for _, path := range paths {
		t := &tableV1{from: from, path: path}
		f, size, err := from.open(path)
		if err != nil {
			return nil, err
		}
		t.f, t.size = f, size
		r.v1 = append(r.v1, t)
		if err = t.readIndex(); err == nil {
			err = r.readMeta(len(r.v1) - 1)
		}
		if err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "%s: %s", path, message(err))
		}
	}
	if !keep {
		r.unpin()
	}
	for k := range r.entries {
		if k != "" && k[0] != 0 {
			r.keys = append(r.keys, k)
		}
	}
	sort.Strings(r.keys)
	return r, nil
}

// pathsV1 returns the paths of the files of a checkpoint of format V1: the file named prefix, or
// all shards. The prefix may also end with the pattern that TensorFlow uses for the names of all
// shards, such as -?????-of-00002.
func pathsV1(from source, prefix string) []string {
	if base, _, ok := strings.Cut(prefix, "-?????-of-"); ok {
		prefix = base
	} else if f, _, err := from.open(prefix); err == nil {
		f.Close()
		return []string{prefix}
	}
	names, err := from.names(filepath.Dir(prefix))
	if err != nil {
		return nil
	}
	var paths []string
	shards := ""
	for _, name := range names {
		rest, ours := strings.CutPrefix(name, filepath.Base(prefix)+"-")
		k, of, two := strings.Cut(rest, "-of-")
		if _, err := strconv.ParseUint(k+of, 10, 64); !ours || !two || err != nil || len(k) != 5 || len(of) != 5 {
			continue
		}
		if shards != "" && of != shards {
			return nil // the directory contains shards of two checkpoints
		}
		shards = of
		paths = append(paths, filepath.Join(filepath.Dir(prefix), name))
	}
	if n, err := strconv.Atoi(shards); err != nil || n != len(paths) {
		return nil
	}
	sort.Strings(paths)
	return paths
}

// The method named at reads n bytes of the table, beginning at offset off. The error is OutOfRange
// if the file is too short.
func (t *tableV1) at(off, n uint64) ([]byte, error) {
	if off > uint64(t.size) || n > uint64(t.size)-off {
		return nil, tensor.Errorf(tensor.OutOfRange, "%d bytes at offset %d end past the file's %d bytes", n, off, t.size)
	}
	f := t.f
	if f == nil {
		var err error
		if f, _, err = t.from.open(t.path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	b := make([]byte, n)
	if m, err := f.ReadAt(b, int64(off)); m < len(b) {
		return nil, fileError(err)
	}
	return b, nil
}

// The method block reads the block at h, checks it, and returns it; see the function block.
func (t *tableV1) block(h handle) ([]byte, error) {
	if h.size > uint64(t.size) {
		return nil, dataLoss("a block of %d bytes in a file of %d", h.size, t.size)
	}
	b, err := t.at(h.offset, h.size+blockTrailer)
	if err != nil {
		return nil, err
	}
	return block(b, handle{0, h.size})
}

// readIndex reads the positions of the blocks from the index block.
func (t *tableV1) readIndex() error {
	if t.size < footerLen {
		return dataLoss("%d bytes are too short for a table", t.size)
	}
	footer, err := t.at(uint64(t.size-footerLen), footerLen)
	if err != nil {
		return err
	}
	if m := binary.LittleEndian.Uint64(footer[footerLen-8:]); m != tableMagic {
		return dataLoss("not a checkpoint: the magic number is %016x", m)
	}
	_, rest, err := readHandle(footer[:footerLen-8])
	if err != nil {
		return err
	}
	h, _, err := readHandle(rest)
	if err != nil {
		return err
	}
	index, err := t.block(h)
	if err != nil {
		return err
	}
	return entries(index, func(key string, v []byte) error {
		h, _, err := readHandle(v)
		t.last, t.blocks = append(t.last, key), append(t.blocks, h)
		return err
	})
}

// find returns the value of a key. The error is NotFound if the key is missing.
func (t *tableV1) find(key string) (value []byte, err error) {
	i := sort.SearchStrings(t.last, key)
	if i == len(t.last) {
		return nil, tensor.Errorf(tensor.NotFound, "%s has no such slice", t.path)
	}
	b, err := t.block(t.blocks[i])
	if err != nil {
		return nil, err
	}
	found := false
	err = entries(b, func(k string, v []byte) error {
		if k == key && !found {
			found, value = true, v
		}
		return nil
	})
	if err == nil && !found {
		err = tensor.Errorf(tensor.NotFound, "%s has no such slice", t.path)
	}
	return value, err
}

// readMeta reads the list of the tensors in a table. The list is the field SavedTensorSlices.meta.
func (r *Reader) readMeta(table int) error {
	value, err := r.v1[table].find("")
	if err != nil {
		return dataLoss("the table has no readable list of its tensors: %s", message(err))
	}
	return fields(value, func(num, wire int, _ uint64, b []byte) error {
		if num != 1 || wire != wireBytes {
			return nil
		}
		return fields(b, func(num, wire int, _ uint64, b []byte) error {
			switch {
			case num == 1 && wire == wireBytes:
				return r.savedTensor(table, b)
			case num == 2 && wire == wireBytes:
				h := &header{}
				if err := h.version(b); err != nil {
					return err
				}
				if h.minConsumer > version {
					return tensor.Errorf(tensor.InvalidArgument, "the checkpoint requires a reader of version %d or later, this is %d", h.minConsumer, version)
				}
			}
			return nil
		})
	})
}

// savedTensor parses a SavedSliceMeta, which describes a tensor and its slices in a table.
func (r *Reader) savedTensor(table int, b []byte) error {
	name := ""
	e := &entry{}
	err := fields(b, func(num, wire int, v uint64, b []byte) error {
		switch {
		case num == 1 && wire == wireBytes:
			name = string(b)
		case num == 2 && wire == wireBytes:
			return e.shape(b)
		case num == 3 && wire == wireVarint:
			e.dtype = int32(v)
		case num == 4 && wire == wireBytes:
			s, err := parseExtents(b)
			e.slices = append(e.slices, s)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	shape, err := e.wholeShape()
	if err != nil || name == "" || name[0] == 0 {
		return dataLoss("the tensor %q has no shape or no name", clip(name))
	}
	have := r.entries[name]
	switch {
	case have == nil:
		have = &entry{dtype: e.dtype, dims: e.dims}
		r.entries[name] = have
	case have.dtype != e.dtype || !equalDims(have.dims, e.dims):
		return dataLoss("the tensor %q is of two types or shapes", clip(name))
	}
	if len(have.slices)+len(e.slices) > maxSlices {
		return tensor.Errorf(tensor.ResourceExhausted, "%q has more than %d slices", clip(name), maxSlices)
	}
	for _, s := range e.slices {
		at, err := within(s, shape)
		if err != nil {
			return err
		}
		key := sliceKey(name, s)
		if r.entries[key] != nil {
			return dataLoss("%q has a slice twice", clip(name))
		}
		r.entries[key] = &entry{dtype: e.dtype, dims: dims(at.Length), v1: &savedSlice{table, name, key}}
		have.slices = append(have.slices, s)
	}
	return nil
}

func equalDims(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// clip shortens a name for use in an error message.
func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// savedSlice describes where a slice is in a checkpoint of format V1: the index of the table in
// Reader.v1, the tensor's name and the slice's key.
type savedSlice struct {
	table     int
	name, key string
}

// readV1 reads the elements of a slice. They are in the field SavedTensorSlices.data.
func (r *Reader) readV1(s *savedSlice, d tensor.DType, shape tensor.Shape) (t *tensor.Tensor, err error) {
	value, err := r.v1[s.table].find(s.key)
	if err != nil {
		return nil, err
	}
	err = fields(value, func(num, wire int, _ uint64, b []byte) error {
		if num != 2 || wire != wireBytes {
			return nil
		}
		name := ""
		err := fields(b, func(num, wire int, _ uint64, b []byte) (err error) {
			switch {
			case num == 1 && wire == wireBytes:
				name = string(b)
			case num == 3 && wire == wireBytes:
				t, err = parseTensor(b, d, shape)
			}
			return err
		})
		if err == nil && name != s.name {
			err = dataLoss("the entry belongs to %q", clip(name))
		}
		return err
	})
	if err == nil && t == nil {
		err = dataLoss("the slice has no data")
	}
	return t, err
}

// Files returns the names of the files of a checkpoint of format V1. It returns nil for format V2.
func (r *Reader) Files() (names []string) {
	for _, t := range r.v1 {
		names = append(names, t.path)
	}
	return names
}
