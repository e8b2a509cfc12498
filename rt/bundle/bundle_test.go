package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestRead reads a checkpoint that TensorFlow 2.21 wrote. The checkpoint has tensors of every
// element type, three data files, a variable in three slices, and a compressed index.
func TestRead(t *testing.T) {
	r, err := Open("testdata/all")
	if err != nil {
		t.Fatal(err)
	}
	part := make([]float32, 200)
	for i := range part {
		part[i] = float32(i)
	}
	want := map[string]any{
		"f32": []float32{0, .5, 1, 1.5, 2, 2.5}, "f64": []float64{1.5, -2.5}, "i32": []int32{7}, "i64": []int64{-1, 1 << 40},
		"i8": []int8{-5, 5}, "u8": []uint8{1, 255}, "i16": []int16{-300}, "u16": []uint16{65535}, "u32": []uint32{1<<32 - 1},
		"u64": []uint64{1<<64 - 1}, "bool": []bool{true, false}, "c64": []complex64{1 + 2i}, "c128": []complex128{3 - 4i},
		"half": []tensor.F16{tensor.ToF16(1.5), tensor.ToF16(.1)}, "bf16": []tensor.BF16{tensor.ToBF16(1.5), tensor.ToBF16(.1)},
		"str": []string{"a", "\x00\xff", "", strings.Repeat("long", 50)}, "empty": []float32{}, "s/part": part,
	}
	var names []string
	for k := range want {
		names = append(names, k)
	}
	slices.Sort(names)
	if !slices.Equal(r.Keys(), names) {
		t.Errorf("keys %q, want %q", r.Keys(), names)
	}
	for k, w := range want {
		got, err := r.Read(k)
		if err != nil {
			t.Error(err)
			continue
		}
		if !reflect.DeepEqual(got.Data, w) {
			t.Errorf("%s: %v, want %v", k, got.Data, w)
		}
		if e, ok := r.Entry(k); !ok || e.DType != got.DType || !e.Shape.Equal(got.Shape) {
			t.Errorf("%s: entry %+v, tensor %v", k, e, got)
		}
	}
	if _, err := r.Read("none"); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("a missing key: %v", err)
	}
}

func TestCut(t *testing.T) {
	whole := tensor.Must(tensor.From(tensor.Shape{2, 3, 2}, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
	p, err := Cut(whole, Slice{[]int{1, 1, 0}, []int{1, 2, 2}})
	if err != nil || !reflect.DeepEqual(p.Data, []int32{8, 9, 10, 11}) {
		t.Errorf("%v, %v", p, err)
	}
	p, err = Cut(tensor.Must(tensor.From(nil, []int32{5})), Slice{})
	if err != nil || !reflect.DeepEqual(p.Data, []int32{5}) {
		t.Errorf("scalar: %v, %v", p, err)
	}
	for _, s := range []Slice{{[]int{0}, []int{1}}, {[]int{0, 0, 1}, []int{2, 3, 2}}, {[]int{-1, 0, 0}, []int{1, 1, 1}}, {[]int{0, 0, 0}, []int{1, -1, 1}}} {
		if _, err := Cut(whole, s); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestBitFlips: a flipped bit in the index or the data either causes an error or leaves every value
// unchanged.
func TestBitFlips(t *testing.T) {
	good, err := Open("testdata/all")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*tensor.Tensor{}
	for _, k := range good.Keys() {
		if want[k], err = good.Read(k); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	files, _ := filepath.Glob("testdata/all.*")
	content := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		content[filepath.Base(f)] = b
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range content {
		path := filepath.Join(dir, name)
		for i := 0; i < len(b); i += 3 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << (i % 8)
			os.WriteFile(path, bad, 0o666)
			r, err := Open(filepath.Join(dir, "all"))
			if err != nil {
				continue
			}
			for k, w := range want {
				if got, err := r.Read(k); err == nil && !reflect.DeepEqual(got, w) {
					t.Fatalf("%s, byte %d: %s reads %v, want %v", name, i, k, got.Data, w.Data)
				}
			}
		}
		os.WriteFile(path, b, 0o666)
	}
}

func TestDecodeBigEndian(t *testing.T) {
	raw := []byte{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}
	f := make([]float32, 2)
	Decode(f, raw, true)
	c := make([]complex64, 1)
	Decode(c, raw, true)
	i := make([]int64, 1)
	Decode(i, raw, true)
	if f[0] != 1 || f[1] != -2 || c[0] != 1-2i || uint64(i[0]) != 0x3f800000c0000000 {
		t.Errorf("%v %v %x", f, c, i)
	}
}

// TestOrderedInt checks the byte strings that orderedInt writes: they must have the order of the
// encoded numbers, and the lengths that the format requires.
func TestOrderedInt(t *testing.T) {
	var last string
	for i, v := range []int64{-1 << 63, -1 << 62, -1 << 55, -1 << 40, -8193, -8192, -65, -64, -2, -1, 0, 1, 63, 64, 8191, 8192, 1 << 55, 1 << 62, 1<<63 - 1} {
		var b strings.Builder
		orderedInt(&b, v)
		if i > 0 && b.String() <= last {
			t.Errorf("%d: %x after %x", v, b.String(), last)
		}
		last = b.String()
	}
	for v, want := range map[int64]string{0: "\x80", -1: "\x7f", 63: "\xbf", 64: "\xc0\x40", -65: "\x3f\xbf", 1 << 62: "\xff\xc0\x40\x00\x00\x00\x00\x00\x00\x00"} {
		var b strings.Builder
		orderedInt(&b, v)
		if b.String() != want {
			t.Errorf("%d: %x, want %x", v, b.String(), want)
		}
	}
	p := []extent{{}, {34, 33, true}}
	if got := sliceKey("a\x00b", p); got != "\x00a\x00\xffb\x00\x01\x01\x02\x80\x7f\xa2\xa1" {
		t.Errorf("slice key %x", got)
	}
}

func TestUnsnappy(t *testing.T) {
	for in, want := range map[string]string{
		"\x00":                                   "",
		"\x05\x10hello":                          "hello",
		"\x08\x04ab\x09\x02":                     "abababab",
		"\x08\x04ab\x16\x02\x00":                 "abababab",
		"\x08\x04ab\x17\x02\x00\x00\x00":         "abababab",
		"\x3d\xf0\x3c" + strings.Repeat("x", 61): strings.Repeat("x", 61),
	} {
		if got, err := unsnappy([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "\x80", "\x05\x10hel", "\x05\x10hellox", "\x04\x10hello", "\x08\x04ab\x09\x03", "\x08\x04ab\x09\x00", "\x02\x04ab\x09\x02", "\xff\xff\xff\xff\x0f\x00a", "\x01\xfc\xff\xff", "\x03\x04ab"} {
		if got, err := unsnappy([]byte(in)); tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func FuzzBundle(f *testing.F) {
	index, err := os.ReadFile("testdata/all.index")
	if err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile("testdata/all.data-00000-of-00003")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(index, data)
	f.Add(index[len(index)-footerLen:], data)
	good, err := Open("testdata/all")
	if err != nil {
		f.Fatal(err)
	}
	for _, k := range []string{"f32", "str", "s/part"} {
		f.Add(good.entries[k].marshal(), data)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, index, data []byte) {
		// The function parse rejects most inputs because of a wrong checksum. Therefore the
		// functions that it calls after the checks are also called directly.
		_, _ = unsnappy(index)
		_ = entries(index, func(string, []byte) error { return nil })
		r, err := parse(index)
		if err != nil {
			_, _ = parseHeader(index)
			e, err := parseEntry(index)
			if err != nil {
				return
			}
			r = &Reader{header: &header{}, entries: map[string]*entry{"a": e}, keys: []string{"a"}}
			for _, s := range e.slices {
				r.entries[sliceKey("a", s)] = &entry{dtype: e.dtype, dims: e.dims, size: e.size}
			}
		}
		r.files, r.prefix = onDisk{System{}}, filepath.Join(dir, "f")
		r.header.shards = 1
		if err := os.WriteFile(r.prefix+".data-00000-of-00001", data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Keys() {
			r.Entry(k)
			if got, err := r.Read(k); err == nil && got.Len() > len(data) {
				t.Fatalf("%s: %d elements from %d bytes", k, got.Len(), len(data))
			}
		}
	})
}
