package bundle

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// The files in testdata/v1 were written by a Saver of TensorFlow 2.21 from one session. The
// checkpoint named ck has format V1. The checkpoint named sharded also has format V1, but was saved
// with sharded=True. The checkpoint named new has format V2. The variable p is partitioned.

func allOf(r *Reader) (map[string]*tensor.Tensor, error) {
	all := map[string]*tensor.Tensor{}
	for _, k := range r.Keys() {
		t, err := r.Read(k)
		if err != nil {
			return nil, err
		}
		all[k] = t
	}
	return all, nil
}

func TestV1(t *testing.T) {
	r, err := Open("testdata/v1/new")
	if err != nil {
		t.Fatal(err)
	}
	want, err := allOf(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 10 {
		t.Fatalf("%d tensors", len(want))
	}
	for _, prefix := range []string{"testdata/v1/ck", "testdata/v1/sharded", "testdata/v1/sharded-?????-of-00001", "testdata/v1/sharded-00000-of-00001"} {
		check := func(r *Reader) error {
			if !slices.Equal(r.Keys(), slices.Sorted(func(yield func(string) bool) {
				for k := range want {
					if !yield(k) {
						return
					}
				}
			})) {
				t.Errorf("%s has %q", prefix, r.Keys())
			}
			got, err := allOf(r)
			if err != nil {
				return err
			}
			for k, w := range want {
				if !reflect.DeepEqual(got[k], w) {
					t.Errorf("%s: %s is %v, want %v", prefix, k, got[k], w)
				}
				if e, ok := r.Entry(k); !ok || e.DType != w.DType || !e.Shape.Equal(w.Shape) {
					t.Errorf("%s: %s is said to be %v", prefix, k, e)
				}
			}
			p, err := ParseSpec("4 2 1,2:-")
			if err != nil {
				return err
			}
			part, err := r.ReadSlice("p", p)
			if err != nil || !reflect.DeepEqual(part.Data, []float32{2, 3, 4, 5}) {
				t.Errorf("%s: a part of p is %v, %v", prefix, part, err)
			}
			return nil
		}
		r, err := Open(prefix)
		if err == nil {
			err = check(r)
		}
		if err == nil {
			err = View(System{}, prefix, check)
		}
		if err != nil {
			t.Errorf("%s: %v", prefix, err)
		}
	}
}

// TestV1Damage: a flipped bit or a truncation leads neither to a wrong value nor to a panic.
func TestV1Damage(t *testing.T) {
	raw, err := os.ReadFile("testdata/v1/ck")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open("testdata/v1/ck")
	if err != nil {
		t.Fatal(err)
	}
	want, err := allOf(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ck")
	try := func(b []byte, what string, at int) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			return
		}
		if got, err := allOf(r); err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s %d gives other values", what, at)
		}
	}
	for i := range raw {
		b := slices.Clone(raw)
		b[i] ^= 1 << (i % 8)
		try(b, "bit", i)
		if i%7 == 0 {
			try(raw[:i], "cut", i)
		}
	}
}

// TestV1Crafted: wrong contents of a table cause an error even if the checksums are valid.
func TestV1Crafted(t *testing.T) {
	str := func(num int, s string) []byte { return messageField(nil, num, []byte(s)) }
	join := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	shape := func(dims ...int) []byte {
		var b []byte
		for _, d := range dims {
			b = messageField(b, 2, number(nil, 1, uint64(d)))
		}
		return b
	}
	whole := func(rank int) []byte {
		var b []byte
		for range rank {
			b = messageField(b, 1, nil)
		}
		return b
	}
	meta := func(dtype int, s []byte, slices ...[]byte) []byte {
		b := join(str(1, "x"), messageField(nil, 2, s), number(nil, 3, uint64(dtype)))
		for _, x := range slices {
			b = messageField(b, 4, x)
		}
		return messageField(nil, 1, messageField(nil, 1, b))
	}
	data := func(name string, t []byte) []byte {
		return messageField(nil, 2, join(str(1, name), messageField(nil, 3, t)))
	}
	floats := func(n int) []byte {
		return join(number(nil, 1, 1), messageField(nil, 5, make([]byte, 4*n)))
	}
	key := func(rank int) string { return sliceKey("x", make([]extent, rank)) }
	for _, c := range []struct {
		name string
		meta []byte
		key  string
		data []byte
		code tensor.Code
	}{
		{"sound", meta(1, shape(2), whole(1)), key(1), data("x", floats(2)), tensor.OK},
		{"no elements", meta(1, shape(2), whole(1)), key(1), data("x", floats(0)), tensor.DataLoss},
		{"too many elements", meta(1, shape(2), whole(1)), key(1), data("x", floats(3)), tensor.DataLoss},
		{"content of another length", meta(1, shape(2), whole(1)), key(1), data("x", messageField(nil, 4, make([]byte, 9))), tensor.DataLoss},
		{"another tensor's data", meta(1, shape(2), whole(1)), key(1), data("y", floats(2)), tensor.DataLoss},
		{"another type's data", meta(1, shape(2), whole(1)), key(1), data("x", join(number(nil, 1, 3), floats(2)[2:])), tensor.DataLoss},
		{"no data", meta(1, shape(2), whole(1)), key(1), nil, tensor.DataLoss},
		{"more than memory has", meta(1, shape(1<<40), whole(1)), key(1), data("x", floats(2)), tensor.DataLoss},
		{"more than can be counted", meta(1, shape(1<<40, 1<<40), whole(2)), key(2), data("x", floats(2)), tensor.DataLoss},
		{"a slice of another rank", meta(1, shape(2), whole(2)), key(1), data("x", floats(2)), tensor.DataLoss},
		{"a slice twice", meta(1, shape(2), whole(1), whole(1)), key(1), data("x", floats(2)), tensor.DataLoss},
		{"a slice without an entry", meta(1, shape(2), whole(1)), "z", nil, tensor.NotFound},
		{"no type", meta(0, shape(2), whole(1)), key(1), data("x", floats(2)), tensor.InvalidArgument},
	} {
		var w tableWriter
		w.add("", c.meta)
		w.add(c.key, c.data)
		path := filepath.Join(t.TempDir(), "ck")
		if err := os.WriteFile(path, w.finish(), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err == nil {
			_, err = r.Read("x")
		}
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %v", c.name, err, c.code)
		}
	}
	// The footer of this table gives the size of a block, and this size is larger than the file.
	var w tableWriter
	w.add("", meta(1, shape(2), whole(1)))
	b := w.finish()
	huge := handle{0, 1 << 50}
	copy(b[len(b)-footerLen:], append(huge.append(huge.append(nil)), 0))
	path := filepath.Join(t.TempDir(), "ck")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); tensor.CodeOf(err) != tensor.DataLoss {
		t.Error(err)
	}
}

// FuzzV1 reads checkpoints that are valid tables with arbitrary contents: the list of tensors, the
// key of a slice, and the value of the slice.
func FuzzV1(f *testing.F) {
	r, err := Open("testdata/v1/ck")
	if err != nil {
		f.Fatal(err)
	}
	meta, err := r.v1[0].find("")
	if err != nil {
		f.Fatal(err)
	}
	for _, k := range r.Keys() {
		for _, s := range r.entries[k].slices {
			key := sliceKey(k, s)
			value, err := r.v1[0].find(key)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(meta, []byte(key), value)
		}
	}
	path := filepath.Join(f.TempDir(), "ck")
	f.Fuzz(func(t *testing.T, meta, key, value []byte) {
		if len(key) == 0 {
			return
		}
		if err := os.WriteFile(path, tableOf("", string(meta), string(key), string(value)), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			return
		}
		for _, k := range r.Keys() {
			r.Entry(k)
			if got, err := r.Read(k); err == nil && got.Len() > len(value) {
				t.Fatalf("%s: %d elements from %d bytes", k, got.Len(), len(value))
			}
		}
	})
}
