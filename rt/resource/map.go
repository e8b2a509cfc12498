package resource

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Key is a tensor that is a key of a Map. Keys with the same type, shape and bytes are equal.
type Key struct {
	Part
	text string
}

// NewKey returns a key. The error is Unimplemented if the elements are handles.
func NewKey(d tensor.DType, shape []int, data Data) (*Key, error) {
	if d.Opaque() {
		return nil, tensor.Errorf(tensor.Unimplemented, "a tensor of type %v cannot be a key", d)
	}
	k := &Key{Part: NewPart(d, shape, data)}
	b := append(make([]byte, 0, 16+len(data.B)), byte(d), byte(len(shape)))
	for _, n := range shape {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = append(b, data.B...)
	for _, s := range data.S {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	k.text = string(b)
	return k, nil
}

// Map is a value of TensorFlow's TensorMap. It is immutable: a change creates another version, which
// shares its tensors with the earlier versions.
//
// As for a List, only the entries of the newest version are stored. For each change, a log records
// the key and the entry that was replaced. An older version looks for a key first in the later part
// of the log, and then in the stored entries. Therefore the cost of a change does not depend on the
// map's size, as long as the newest version is changed.
type Map struct {
	st      *mapVersions
	version int
	n       int
}

// mapVersions is the state that the versions of a map share.
type mapVersions struct {
	mu   sync.Mutex
	m    map[string]mapEntry
	log  []mapChange // all changes, in order
	next int
}

type mapEntry struct {
	key   *Key
	value *Part
	order int // a number that increases with each inserted key
}

type mapChange struct {
	key string
	was mapEntry // the replaced entry; it has no value if the key was new
}

// NewMap returns an empty map.
func NewMap() *Map { return &Map{st: &mapVersions{m: map[string]mapEntry{}}} }

// MapOf returns the map that h holds. The error is InvalidArgument if h holds anything else.
func MapOf(h []tensor.Handle) (*Map, error) {
	if len(h) == 1 {
		if m, ok := h[0].V.(*Map); ok {
			return m, nil
		}
		return nil, tensor.Errorf(tensor.InvalidArgument, "Input handle is not a map. Saw: %T", h[0].V)
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "Input map must be a scalar, not %d elements", len(h))
}

// Len returns the number of tensors.
func (m *Map) Len() int { return m.n }

// entry returns the entry of a key in this version. The caller holds the lock.
func (m *Map) entry(key string) mapEntry {
	for _, c := range m.st.log[m.version:] {
		if c.key == key {
			return c.was
		}
	}
	return m.st.m[key]
}

// all returns the entries of this version. The caller holds the lock.
func (m *Map) all() map[string]mapEntry {
	old := m.st.log[m.version:]
	if len(old) == 0 {
		return m.st.m
	}
	now := maps.Clone(m.st.m)
	for _, c := range slices.Backward(old) {
		if c.was.value == nil {
			delete(now, c.key)
		} else {
			now[c.key] = c.was
		}
	}
	return now
}

// Get returns the tensor that belongs to the key k, or nil if the map does not contain k.
func (m *Map) Get(k *Key) *Part {
	m.st.mu.Lock()
	defer m.st.mu.Unlock()
	return m.entry(k.text).value
}

// Set returns the map with the given value for the key k. A nil value removes the key.
func (m *Map) Set(k *Key, value *Part) *Map {
	m.st.mu.Lock()
	defer m.st.mu.Unlock()
	st, version := m.st, m.version
	if version < len(st.log) || len(st.log) > 2*len(st.m)+64 {
		st, version = &mapVersions{m: maps.Clone(m.all()), next: st.next}, 0
	}
	was := st.m[k.text]
	n := m.n
	e := mapEntry{k, value, was.order}
	switch {
	case value == nil && was.value != nil:
		n--
	case value != nil && was.value == nil:
		n++
		e.order = st.next
		st.next++
	}
	if value == nil {
		delete(st.m, k.text)
	} else {
		st.m[k.text] = e
	}
	st.log = append(st.log, mapChange{k.text, was})
	return &Map{st: st, version: version + 1, n: n}
}

// Keys returns all keys in the order of their insertion.
func (m *Map) Keys() []*Key {
	m.st.mu.Lock()
	defer m.st.mu.Unlock()
	es := slices.SortedFunc(maps.Values(m.all()), func(a, b mapEntry) int { return cmp.Compare(a.order, b.order) })
	keys := make([]*Key, len(es))
	for i, e := range es {
		keys[i] = e.key
	}
	return keys
}

// add returns a map with the entries of m and o. If both maps contain a key, the two values are added.
func (m *Map) add(o *Map) (*Map, error) {
	sum := m
	for _, k := range o.Keys() {
		v := o.Get(k)
		if was := m.Get(k); was != nil {
			var err error
			if v, err = was.plus(v); err != nil {
				return nil, err
			}
		}
		sum = sum.Set(k, v)
	}
	return sum, nil
}

// plus returns the sum of two tensors. The error is InvalidArgument if their types or shapes
// differ.
func (p *Part) plus(q *Part) (*Part, error) {
	if p.DType != q.DType || !slices.Equal(p.Shape, q.Shape) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "tensors of %v %v and %v %v cannot be added", p.DType, tensor.Shape(slices.Clone(p.Shape)), q.DType, tensor.Shape(slices.Clone(q.Shape)))
	}
	sum := NewPart(p.DType, p.Shape, p.Data)
	return &sum, sum.Data.add(p.DType, q.Data)
}

// zeroOther does the work of ZeroVariant for values other than lists.
func zeroOther(v any) (any, error) {
	switch v := v.(type) {
	case *Map:
		return NewMap(), nil
	case *Ragged:
		z := *v
		z.Values = Part{v.Values.DType, v.Values.Shape, makeData(v.Values.DType, elements(v.Values.Shape))}
		return &z, nil
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "%T has no zero value", v)
}

// addOther does the work of AddVariants for values other than lists.
func addOther(x, y any) (any, error) {
	switch a := x.(type) {
	case *Map:
		if b, ok := y.(*Map); ok {
			return a.add(b)
		}
	case *Ragged:
		b, ok := y.(*Ragged)
		if !ok {
			break
		}
		if len(a.Nested) != len(b.Nested) || !slices.EqualFunc(a.Nested, b.Nested, slices.Equal[[]int64]) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Can't add RaggedTensorVariants with different row_splits.")
		}
		v, err := a.Values.plus(&b.Values)
		if err != nil {
			return nil, err
		}
		return &Ragged{a.Splits, a.Nested, *v}, nil
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "%T and %T cannot be added", x, y)
}
