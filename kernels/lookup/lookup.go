// Package lookup holds the kernels of lookup tables, which map keys to values.
package lookup

import (
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Params are the shapes of the tensors of keys and of values in the graph. The keys have the shape
// [KeyDims…]. The values, or the default values, have the shape [ValueDims…]. Ranks above 8 are
// allowed only where a kernel ignores the shape.
type Params struct {
	KeyRank, ValueRank int
	KeyDims, ValueDims [8]int
	// Lenient says what happens if a table is initialized again with a different number of keys. If it
	// is set, the table stays unchanged; otherwise an error is returned.
	Lenient bool
}

func (p *Params) keys() []int   { return p.KeyDims[:min(p.KeyRank, 8)] }
func (p *Params) values() []int { return p.ValueDims[:min(p.ValueRank, 8)] }

// rows returns the number of keys. A key may be a vector or a larger tensor, so the shape of keys
// must end with the shape of the table's keys. Otherwise, rows returns InvalidArgument.
func rows[K any](t *resource.Table, keys []K, p *Params) (int, error) {
	k := p.keys()
	if len(k) < len(t.KeyShape) || !slices.Equal(k[len(k)-len(t.KeyShape):], t.KeyShape) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Input key shape must end with %v, got %v", t.KeyShape, slices.Clone(k))
	}
	if t.KeyWidth == 1 {
		return len(keys), nil
	}
	n := 1
	for _, d := range k[:len(k)-len(t.KeyShape)] {
		n *= d
	}
	return n, nil
}

// outer returns the first dimensions of the tensor of keys, without the last dimensions, which are
// the shape of a single key.
func outer(t *resource.Table, p *Params) []int {
	k := p.keys()
	return k[:len(k)-len(t.KeyShape)]
}

// Key is the element type of keys.
type Key interface{ int32 | int64 | string }

// typeCheck returns InvalidArgument unless K and V are the table's types of keys and values.
func typeCheck[K Key, V any](t *resource.Table) error {
	var k []K
	var v []V
	if _, ok := keyType(t.Key).([]K); !ok {
		return tensor.Errorf(tensor.InvalidArgument, "Key must be type %v but got %T", t.Key, k)
	}
	if g := t.Value.GoType(); g == nil || !sameType[V](t.Value) {
		return tensor.Errorf(tensor.InvalidArgument, "Value must be type %v but got %T", t.Value, v)
	}
	return nil
}

// keyType returns a nil slice whose element type is the Go type of keys with the type d. If d is
// not a type of keys, it returns nil.
func keyType(d tensor.DType) any {
	switch d {
	case tensor.Int32:
		return []int32(nil)
	case tensor.Int64:
		return []int64(nil)
	case tensor.String:
		return []string(nil)
	}
	return nil
}

// sameType reports whether values of the type d are stored as the Go type V.
func sameType[V any](d tensor.DType) bool {
	var ok bool
	switch any((*V)(nil)).(type) {
	case *float32:
		ok = d == tensor.Float32
	case *float64:
		ok = d == tensor.Float64
	case *int32:
		ok = d == tensor.Int32
	case *int64:
		ok = d == tensor.Int64
	case *bool:
		ok = d == tensor.Bool
	case *string:
		ok = d == tensor.String
	case *tensor.Handle:
		ok = d.Opaque()
	}
	return ok
}

// finder finds the rows of keys in a table.
type finder[K Key] struct {
	one            map[K]int
	many           map[string]int
	width          int
	empty, deleted []K // the two keys that a dense table reserves; nil for other tables
	buf            []byte
}

func newFinder[K Key](t *resource.Table) finder[K] {
	f := finder[K]{width: t.KeyWidth}
	f.one, _ = t.Index.(map[K]int)
	if t.KeyWidth != 1 {
		f.one = nil
		f.many, _ = t.Index.(map[string]int)
	}
	f.empty, _ = t.Empty.([]K)
	f.deleted, _ = t.Deleted.([]K)
	return f
}

// row returns the number of the table row that holds the key with the index i in keys. It returns
// -1 if the table does not have this key.
func (f *finder[K]) row(keys []K, i int) int {
	if f.width == 1 {
		if r, ok := f.one[keys[i]]; ok {
			return r
		}
		return -1
	}
	f.buf = resource.EncodeKey(f.buf[:0], keys[i*f.width:][:f.width])
	if r, ok := f.many[string(f.buf)]; ok {
		return r
	}
	return -1
}

// allowed returns InvalidArgument if the key with the index i in keys is one of the two keys that a
// dense table reserves.
func (f *finder[K]) allowed(keys []K, i int) error {
	if f.empty == nil {
		return nil
	}
	switch k := keys[i*f.width:][:f.width]; {
	case slices.Equal(k, f.empty):
		return tensor.Errorf(tensor.InvalidArgument, "Using the empty_key as a table key is not allowed")
	case slices.Equal(k, f.deleted):
		return tensor.Errorf(tensor.InvalidArgument, "Using the deleted_key as a table key is not allowed")
	}
	return nil
}

func notInitialized() error {
	return tensor.Errorf(tensor.FailedPrecondition, "Table not initialized.")
}

func find[K Key, V any](dst []V, h []tensor.Handle, keys []K, defaults []V, p Params) error {
	t, err := resource.TableOf(h)
	if err != nil {
		return err
	}
	t.RLock()
	defer t.RUnlock()
	if err := typeCheck[K, V](t); err != nil {
		return err
	}
	waits := !t.Ready && t.Kind != resource.Mutable
	if waits && t.Kind == resource.Dense {
		return notInitialized()
	}
	n, err := rows(t, keys, &p)
	if err != nil {
		return err
	}
	v, w := p.values(), t.ValueWidth
	lead := outer(t, &p)
	full := len(v) == len(lead)+len(t.ValueShape) && slices.Equal(v[:len(lead)], lead) && slices.Equal(v[len(lead):], t.ValueShape)
	if single := slices.Equal(v, t.ValueShape); !full && !single {
		return tensor.Errorf(tensor.InvalidArgument, "Expected shape %v or %v for default value, got %v", t.ValueShape, append(slices.Clone(lead), t.ValueShape...), slices.Clone(v))
	} else if single || t.Kind != resource.Mutable {
		full = false // only Mutable tables use a separate default for each key; others use the first default for all keys
	}
	if waits {
		return notInitialized()
	}
	if len(dst) != n*w {
		return tensor.Errorf(tensor.InvalidArgument, "the table's values have shape %v; the program was compiled for %d elements", t.ValueShape, len(dst))
	}
	values, _ := t.Values.([]V)
	f := newFinder[K](t)
	for i := range n {
		if err := f.allowed(keys, i); err != nil {
			return err
		}
		from := defaults
		if r := f.row(keys, i); r >= 0 {
			from = values[r*w:]
		} else if full {
			from = defaults[i*w:]
		}
		if w == 1 {
			dst[i] = from[0]
		} else {
			copy(dst[i*w:][:w], from)
		}
	}
	return nil
}

// Size stores the number of entries of the table t in dst[0].
func Size(dst []int64, t []tensor.Handle) error {
	r, err := resource.TableOf(t)
	if err != nil {
		return err
	}
	r.RLock()
	defer r.RUnlock()
	dst[0] = 0
	if r.Kind != resource.Hash || r.Ready {
		dst[0] = int64(r.N)
	}
	return nil
}

func export[K Key, V any](dst, h []tensor.Handle) (int, error) {
	t, err := resource.TableOf(h)
	if err != nil {
		return 0, err
	}
	t.RLock()
	defer t.RUnlock()
	if err := typeCheck[K, V](t); err != nil {
		return 0, err
	}
	if t.Kind == resource.Hash && !t.Ready {
		return 0, tensor.Errorf(tensor.Aborted, "HashTable is not initialized.")
	}
	if t.Kind == resource.Dense {
		keys, values, err := t.Rows()
		if err != nil {
			return 0, err
		}
		dst[0] = tensor.Handle{V: &resource.Box{DType: keys.DType, Shape: keys.Shape, Data: keys.Data}}
		dst[1] = tensor.Handle{V: &resource.Box{DType: values.DType, Shape: values.Shape, Data: values.Data}}
		return keys.Shape[0], nil
	}
	keys, _ := t.Keys.([]K)
	values, _ := t.Values.([]V)
	dst[0] = tensor.Handle{V: &resource.Box{DType: t.Key, Shape: append([]int{t.N}, t.KeyShape...), Data: append([]K{}, keys...)}}
	dst[1] = tensor.Handle{V: &resource.Box{DType: t.Value, Shape: append([]int{t.N}, t.ValueShape...), Data: append([]V{}, values...)}}
	return t.N, nil
}

// Anonymous stores a new table in dst[0].
func Anonymous(dst []tensor.Handle, p resource.TableParams, valueShape []int) {
	dst[0] = resource.NewTable(p, valueShape)
}
