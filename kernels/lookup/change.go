package lookup

import (
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// open locks the table for a change and checks the types and shapes of keys and values. It returns
// the number of keys. If it returns an error, the table is not locked.
func open[K Key, V any](h []tensor.Handle, keys []K, p *Params) (*resource.Table, int, error) {
	t, err := resource.TableOf(h)
	if err != nil {
		return nil, 0, err
	}
	t.Lock()
	n, err := check[K, V](t, keys, p)
	if err != nil {
		t.Unlock()
	}
	return t, n, err
}

func check[K Key, V any](t *resource.Table, keys []K, p *Params) (int, error) {
	if err := typeCheck[K, V](t); err != nil {
		return 0, err
	}
	if t.Kind == resource.Dense && !t.Ready {
		return 0, notInitialized()
	}
	n, err := rows(t, keys, p)
	if err != nil {
		return 0, err
	}
	lead, v := outer(t, p), p.values()
	if len(v) != len(lead)+len(t.ValueShape) || !slices.Equal(v[:len(lead)], lead) || !slices.Equal(v[len(lead):], t.ValueShape) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Expected shape %v for value, got %v", append(slices.Clone(lead), t.ValueShape...), slices.Clone(v))
	}
	return n, nil
}

// editor changes the entries of a locked table.
type editor[K Key, V any] struct {
	t      *resource.Table
	find   finder[K]
	keys   []K
	values []V
}

func edit[K Key, V any](t *resource.Table) editor[K, V] {
	if t.Index == nil {
		if t.KeyWidth == 1 {
			t.Index = map[K]int{}
		} else {
			t.Index = map[string]int{}
		}
	}
	e := editor[K, V]{t: t, find: newFinder[K](t)}
	e.keys, _ = t.Keys.([]K)
	e.values, _ = t.Values.([]V)
	return e
}

// add appends a row to the table for the key with the index i in keys, and returns the number of
// the row. The caller must set the value of the row.
func (e *editor[K, V]) add(keys []K, i int) int {
	r, k := e.t.N, e.find.width
	if k == 1 {
		e.find.one[keys[i]] = r
	} else {
		e.find.many[string(resource.EncodeKey(nil, keys[i*k:][:k]))] = r
	}
	e.keys = append(e.keys, keys[i*k:][:k]...)
	e.values = append(e.values, make([]V, e.t.ValueWidth)...)
	e.t.N++
	return r
}

// remove removes row r and moves the last row to its place.
func (e *editor[K, V]) remove(r int) {
	k, w, last := e.find.width, e.t.ValueWidth, e.t.N-1
	if k == 1 {
		delete(e.find.one, e.keys[r])
	} else {
		delete(e.find.many, string(resource.EncodeKey(nil, e.keys[r*k:][:k])))
	}
	if r != last {
		copy(e.keys[r*k:][:k], e.keys[last*k:])
		copy(e.values[r*w:][:w], e.values[last*w:])
		if k == 1 {
			e.find.one[e.keys[r]] = r
		} else {
			e.find.many[string(resource.EncodeKey(nil, e.keys[r*k:][:k]))] = r
		}
	}
	clear(e.keys[last*k:])
	clear(e.values[last*w:])
	e.keys, e.values = e.keys[:last*k], e.values[:last*w]
	e.t.N = last
}

func (e *editor[K, V]) store() { e.t.Keys, e.t.Values = e.keys, e.values }

// put stores the values of n keys in the table. A dense table reserves two keys. If one of them
// occurs in keys, put skips it if skip is set, and returns an error otherwise.
func (e *editor[K, V]) put(keys []K, values []V, n int, skip bool) error {
	defer e.store()
	w := e.t.ValueWidth
	for i := range n {
		if err := e.find.allowed(keys, i); err != nil {
			if skip {
				continue
			}
			return err
		}
		r := e.find.row(keys, i)
		if r < 0 {
			r = e.add(keys, i)
		}
		copy(e.values[r*w:][:w], values[i*w:])
	}
	return nil
}

func insert[K Key, V any](h []tensor.Handle, keys []K, values []V, p Params) error {
	t, n, err := open[K, V](h, keys, &p)
	if err != nil {
		return err
	}
	defer t.Unlock()
	if t.Kind == resource.Hash {
		return tensor.Errorf(tensor.Unimplemented, "Insert not supported by InitializableLookupTable implementations")
	}
	if t.Kind == resource.Dense {
		t.Grow(n)
	}
	e := edit[K, V](t)
	return e.put(keys, values, n, false)
}

func load[K Key, V any](h []tensor.Handle, keys []K, values []V, p Params) error {
	if t, err := resource.TableOf(h); err == nil && t.Kind == resource.Dense {
		return loadBuckets(t, keys, values, &p)
	}
	t, n, err := open[K, V](h, keys, &p)
	if err != nil {
		return err
	}
	defer t.Unlock()
	if t.Kind == resource.Hash {
		return fill(t, keys, values, &p)
	}
	t.Index, t.Keys, t.Values, t.N = nil, nil, nil, 0
	e := edit[K, V](t)
	return e.put(keys, values, n, true)
}

// loadBuckets replaces the contents of a Dense table by keys and values that were exported from a
// Dense table. They have a row for each bucket. A row whose key is one of the table's two reserved
// keys represents a free bucket, and it is skipped.
func loadBuckets[K Key, V any](t *resource.Table, keys []K, values []V, p *Params) error {
	t.Lock()
	defer t.Unlock()
	if err := typeCheck[K, V](t); err != nil {
		return err
	}
	if !t.Ready {
		return notInitialized()
	}
	k, v := p.keys(), p.values()
	if len(k) == 0 || k[len(k)-1] != t.KeyWidth && !slices.Equal(k[max(0, len(k)-len(t.KeyShape)):], t.KeyShape) {
		return tensor.Errorf(tensor.InvalidArgument, "Input key shape must end with [%d], got %v", t.KeyWidth, slices.Clone(k))
	}
	want := append(slices.Clone(k[:len(k)-1]), t.ValueWidth)
	if !slices.Equal(v, want) {
		return tensor.Errorf(tensor.InvalidArgument, "Expected shape %v for value, got %v", want, slices.Clone(v))
	}
	if len(k) != 2 || k[1] != t.KeyWidth {
		return tensor.Errorf(tensor.InvalidArgument, "the keys to import must be a matrix of %d columns, got %v", t.KeyWidth, slices.Clone(k))
	}
	t.Index, t.Keys, t.Values, t.N = nil, nil, nil, 0
	e := edit[K, V](t)
	err := e.put(keys, values, k[0], true)
	t.SetBuckets(k[0])
	return err
}

func initialize[K Key, V any](h []tensor.Handle, keys []K, values []V, p Params) error {
	t, _, err := open[K, V](h, keys, &p)
	if err != nil {
		return err
	}
	defer t.Unlock()
	if t.Kind != resource.Hash {
		return tensor.Errorf(tensor.InvalidArgument, "Table initializer requires a table that is initialized once")
	}
	return fill(t, keys, values, &p)
}

// fill initialises a locked table with the given keys and values. It fails if the table already has
// a different number of entries, unless p.Lenient is set.
func fill[K Key, V any](t *resource.Table, keys []K, values []V, p *Params) error {
	if len(keys) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "keys and values cannot be empty tensors.")
	}
	if t.Ready {
		if len(keys) != t.N && !p.Lenient {
			return tensor.Errorf(tensor.FailedPrecondition, "Table was already initialized with different data.")
		}
		return nil
	}
	e := edit[K, V](t)
	defer e.store()
	for i, k := range keys {
		r := e.find.row(keys, i)
		if r < 0 {
			e.values[e.add(keys, i)] = values[i]
		} else if any(e.values[r]) != any(values[i]) {
			return tensor.Errorf(tensor.FailedPrecondition, "HashTable has different value for same key. Key %v has %v and trying to add value %v", k, e.values[r], values[i])
		}
	}
	t.Ready = true
	return nil
}

func remove[K Key](h []tensor.Handle, keys []K, p Params) error {
	t, err := resource.TableOf(h)
	if err != nil {
		return err
	}
	t.Lock()
	defer t.Unlock()
	if _, ok := keyType(t.Key).([]K); !ok {
		return tensor.Errorf(tensor.InvalidArgument, "Key must be type %v but got %T", t.Key, keys)
	}
	if t.Kind == resource.Hash {
		return tensor.Errorf(tensor.Unimplemented, "Remove not supported by InitializableLookupTable implementations")
	}
	n, err := rows(t, keys, &p)
	if err != nil {
		return err
	}
	switch t.Value {
	case tensor.Float32:
		return take[K, float32](t, keys, n)
	case tensor.Float64:
		return take[K, float64](t, keys, n)
	case tensor.Int32:
		return take[K, int32](t, keys, n)
	case tensor.Int64:
		return take[K, int64](t, keys, n)
	case tensor.Bool:
		return take[K, bool](t, keys, n)
	case tensor.String:
		return take[K, string](t, keys, n)
	case tensor.Resource, tensor.Variant:
		return take[K, tensor.Handle](t, keys, n)
	}
	return tensor.Errorf(tensor.Unimplemented, "a table of %v values", t.Value)
}

func take[K Key, V any](t *resource.Table, keys []K, n int) error {
	e := edit[K, V](t)
	defer e.store()
	for i := range n {
		if err := e.find.allowed(keys, i); err != nil {
			return err
		}
		if r := e.find.row(keys, i); r >= 0 {
			e.remove(r)
		}
	}
	return nil
}

func dense[K Key](h []tensor.Handle, empty, deleted []K, shape []int) error {
	t, err := resource.TableOf(h)
	if err != nil {
		return err
	}
	t.Lock()
	defer t.Unlock()
	if t.Ready {
		return nil
	}
	if _, ok := keyType(t.Key).([]K); !ok {
		return tensor.Errorf(tensor.InvalidArgument, "Key must be type %v but got %T", t.Key, empty)
	}
	if slices.Equal(empty, deleted) {
		return tensor.Errorf(tensor.InvalidArgument, "Empty and deleted keys cannot be equal")
	}
	t.KeyShape, t.KeyWidth = slices.Clone(shape), len(empty)
	t.Empty, t.Deleted = slices.Clone(empty), slices.Clone(deleted)
	t.Ready = true
	return nil
}
