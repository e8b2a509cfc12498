package resource

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// NewTableOf returns a table whose values have the given shape. It copies the table's contents from
// the slice keys, a []K, and the slice values, a []V. Here K and V are the Go types for p.Key and
// p.Value; the slices contain one row for each entry.
func NewTableOf(p TableParams, valueShape []int, keys, values any) tensor.Handle {
	h := NewTable(p, valueShape)
	h.V.(*Table).put(keys, values)
	return h
}

// NewDense returns a Dense table whose values and keys have the given shapes. The parameter own is a
// []K that contains the two reserved keys. The first half are the elements of the key for empty
// buckets, the second half those of the key for deleted entries.
func NewDense(p TableParams, valueShape, keyShape []int, own any) tensor.Handle {
	h := NewTable(p, valueShape)
	t := h.V.(*Table)
	o := reflect.ValueOf(own)
	n := o.Len() / 2
	t.KeyShape, t.KeyWidth = slices.Clone(keyShape), n
	t.Empty, t.Deleted = copyOf(o.Slice(0, n)), copyOf(o.Slice(n, 2*n))
	t.Ready = true
	return h
}

// NewDenseOf returns a table like NewDense, but with initial entries. It copies the entries from the
// slices keys and values, which are as for NewTableOf.
func NewDenseOf(p TableParams, valueShape, keyShape []int, own, keys, values any) tensor.Handle {
	h := NewDense(p, valueShape, keyShape, own)
	t := h.V.(*Table)
	t.put(keys, values)
	t.Grow(0)
	return h
}

// copyOf copies a slice.
func copyOf(v reflect.Value) any {
	c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(c, v)
	return c.Interface()
}

// put replaces the contents of the table by copies of the rows in keys and values. If several keys
// are equal, the table gets the value of the last one. Rows with a reserved key are left out.
func (t *Table) put(keys, values any) {
	switch k := keys.(type) {
	case []int32:
		putRows(t, k, values)
	case []int64:
		putRows(t, k, values)
	case []string:
		putRows(t, k, values)
	}
}

func putRows[K int32 | int64 | string](t *Table, keys []K, values any) {
	v := reflect.ValueOf(values)
	n := len(keys) / max(t.KeyWidth, 1)
	outK := make([]K, 0, len(keys))
	outV := reflect.MakeSlice(v.Type(), n*t.ValueWidth, n*t.ValueWidth)
	one, many := map[K]int{}, map[string]int{}
	empty, _ := t.Empty.([]K)
	deleted, _ := t.Deleted.([]K)
	var buf []byte
	for i := range n {
		k := keys[i*t.KeyWidth:][:t.KeyWidth]
		if empty != nil && (slices.Equal(k, empty) || slices.Equal(k, deleted)) {
			continue
		}
		var r int
		var ok bool
		next := len(outK) / max(t.KeyWidth, 1)
		if t.KeyWidth == 1 {
			if r, ok = one[k[0]]; !ok {
				r, one[k[0]] = next, next
			}
		} else {
			buf = EncodeKey(buf[:0], k)
			if r, ok = many[string(buf)]; !ok {
				r, many[string(buf)] = next, next
			}
		}
		if !ok {
			outK = append(outK, k...)
		}
		reflect.Copy(outV.Slice(r*t.ValueWidth, (r+1)*t.ValueWidth), v.Slice(i*t.ValueWidth, (i+1)*t.ValueWidth))
	}
	t.N = len(outK) / max(t.KeyWidth, 1)
	t.Keys, t.Values = outK, outV.Slice(0, t.N*t.ValueWidth).Interface()
	if t.Index = any(one); t.KeyWidth != 1 {
		t.Index = many
	}
}

// EncodeKey appends an encoding of a key to buf. Different keys have different encodings.
func EncodeKey[K int32 | int64 | string](buf []byte, key []K) []byte {
	switch key := any(key).(type) {
	case []int32:
		for _, k := range key {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(k))
		}
	case []int64:
		for _, k := range key {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(k))
		}
	case []string:
		for _, k := range key {
			buf = append(binary.LittleEndian.AppendUint64(buf, uint64(len(k))), k...)
		}
	}
	return buf
}

// Rows returns copies of the keys and values in the form in which TensorFlow's LookupTableExport
// returns them. For a Mutable table, this is a row for each key. For a Dense table, it is two
// matrices with a row for each bucket. The caller holds the lock, at least for reading. The error
// is Unimplemented for a Hash table and FailedPrecondition for an uninitialized Dense table.
func (t *Table) Rows() (keys, values *tensor.Tensor, err error) {
	if t.Kind == Hash {
		return nil, nil, tensor.Errorf(tensor.Unimplemented, "the table %q is initialized once", t.Name)
	}
	if t.Kind == Dense {
		if !t.Ready {
			return nil, nil, tensor.Errorf(tensor.FailedPrecondition, "the table %q is not initialized", t.Name)
		}
		switch e := t.Empty.(type) {
		case []int32:
			return buckets(t, e)
		case []int64:
			return buckets(t, e)
		case []string:
			return buckets(t, e)
		}
	}
	keys = &tensor.Tensor{DType: t.Key, Shape: append([]int{t.N}, t.KeyShape...)}
	values = &tensor.Tensor{DType: t.Value, Shape: append([]int{t.N}, t.ValueShape...)}
	for _, x := range []struct {
		t    *tensor.Tensor
		from any
		n    int
	}{{keys, t.Keys, t.N * t.KeyWidth}, {values, t.Values, t.N * t.ValueWidth}} {
		if x.t.Data = tensor.MakeSlice(x.t.DType, x.n); x.n > 0 {
			reflect.Copy(reflect.ValueOf(x.t.Data), reflect.ValueOf(x.from))
		}
	}
	return keys, values, nil
}

// Grow updates the number of buckets of a Dense table to the number that TensorFlow's table needs
// for the present rows and some new ones. The parameter more is the number of new rows. The caller
// holds the lock for writing.
func (t *Table) Grow(more int) { t.Buckets = t.grown(more) }

// grown returns the number of buckets that Grow sets.
func (t *Table) grown(more int) int {
	load := t.MaxLoad
	if !(load > 0 && load < 1) {
		load = 0.8
	}
	n := t.Buckets
	if n == 0 {
		if n = t.FirstBuckets; n <= 0 {
			n = 1 << 17
		}
	}
	for n < math.MaxInt/4 && float32(t.N+more) > float32(n)*load {
		n *= 2
	}
	return n
}

// maxBucketBytes bounds the size of a Dense table's export in bytes. The number of buckets comes from
// the graph, so it may be of any size.
const maxBucketBytes = 1 << 30

// buckets returns the keys and values of a Dense table in TensorFlow's layout. The hash of a key
// determines the first bucket that is tried for the key. If that bucket is not free, the search moves
// on by 1 bucket, then by 2 more, then by 3 more, and so on.
func buckets[K int32 | int64 | string](t *Table, empty []K) (keys, values *tensor.Tensor, err error) {
	n, kw, vw := t.grown(0), t.KeyWidth, t.ValueWidth
	if n&(n-1) != 0 || n <= t.N {
		for n = 4; n <= 2*t.N; n *= 2 {
		}
	}
	if row := kw*t.Key.Size() + vw*t.Value.Size() + 1; n > maxBucketBytes/row {
		return nil, nil, tensor.Errorf(tensor.ResourceExhausted, "the table %q has %d buckets of %d bytes; at most %d bytes are exported", t.Name, n, row, maxBucketBytes)
	}
	outK := make([]K, n*kw)
	for i := range n {
		copy(outK[i*kw:], empty)
	}
	outV := reflect.ValueOf(tensor.MakeSlice(t.Value, n*vw))
	used := make([]bool, n)
	have, _ := t.Keys.([]K)
	from := reflect.ValueOf(t.Values)
	for r := range t.N {
		k := have[r*kw:][:kw]
		at, step := int(hashKey(k)&uint64(n-1)), 0
		for used[at] {
			step++
			at = (at + step) & (n - 1)
		}
		used[at] = true
		copy(outK[at*kw:], k)
		reflect.Copy(outV.Slice(at*vw, (at+1)*vw), from.Slice(r*vw, (r+1)*vw))
	}
	return &tensor.Tensor{DType: t.Key, Shape: []int{n, kw}, Data: outK}, &tensor.Tensor{DType: t.Value, Shape: []int{n, vw}, Data: outV.Interface()}, nil
}

// hashKey returns the hash that TensorFlow computes for a key of a Dense table.
func hashKey[K int32 | int64 | string](key []K) uint64 {
	scalar := func(k K) uint64 {
		switch k := any(k).(type) {
		case int32:
			return uint64(int64(k))
		case int64:
			return uint64(k)
		case string:
			return hash64(k)
		}
		return 0
	}
	if len(key) == 1 {
		return scalar(key[0])
	}
	h := uint64(0)
	for _, k := range key {
		h ^= scalar(k) + 0x9e3779b97f4a7800 + h<<10 + h>>4
	}
	return h
}

// Fits returns an error unless keys and values can be passed to Fill. The error is InvalidArgument
// for wrong types or shapes, Unimplemented for a Hash table, and FailedPrecondition for an
// uninitialized Dense table.
func (t *Table) Fits(keys, values *tensor.Tensor) error {
	t.RLock()
	defer t.RUnlock()
	switch {
	case t.Kind == Hash:
		return tensor.Errorf(tensor.Unimplemented, "the table %q is initialized once", t.Name)
	case keys.DType != t.Key || values.DType != t.Value:
		return tensor.Errorf(tensor.InvalidArgument, "the table %q maps %v to %v, and is given %v and %v", t.Name, t.Key, t.Value, keys, values)
	case t.Kind == Dense && !t.Ready:
		return tensor.Errorf(tensor.FailedPrecondition, "the table %q is not initialized", t.Name)
	}
	wantK, wantV := t.KeyShape, t.ValueShape
	if t.Kind == Dense {
		wantK, wantV = []int{t.KeyWidth}, []int{t.ValueWidth}
	}
	if len(keys.Shape) != 1+len(wantK) || !slices.Equal(keys.Shape[1:], wantK) {
		return tensor.Errorf(tensor.InvalidArgument, "the keys of the table %q are %v, want the shape [n] followed by %v", t.Name, keys, tensor.Shape(wantK))
	}
	if len(values.Shape) != 1+len(wantV) || !slices.Equal(values.Shape[1:], wantV) || values.Shape[0] != keys.Shape[0] {
		return tensor.Errorf(tensor.InvalidArgument, "the values of the table %q are %v, want the shape [%d] followed by %v", t.Name, values, keys.Shape[0], tensor.Shape(wantV))
	}
	return nil
}

// Fill replaces the contents of the table by copies of keys and values, which have the form of the
// results of Rows. The caller must have checked them with Fits.
func (t *Table) Fill(keys, values *tensor.Tensor) {
	t.Lock()
	defer t.Unlock()
	t.put(keys.Data, values.Data)
	if t.Kind == Dense {
		t.SetBuckets(keys.Shape[0])
	}
}

// SetBuckets sets the number of buckets of a Dense table whose contents were imported from n rows.
// The caller holds the lock.
func (t *Table) SetBuckets(n int) {
	if t.Buckets = n; n < 4 || n&(n-1) != 0 {
		// the rows were not exported by TensorFlow, because its tables cannot have n buckets
		t.Buckets = 0
	}
	t.Grow(0)
}
