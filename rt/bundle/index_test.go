package bundle

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// tableOf returns an index with these alternating keys and values.
func tableOf(kv ...string) []byte {
	t := &tableWriter{}
	for i := 0; i < len(kv); i += 2 {
		t.add(kv[i], []byte(kv[i+1]))
	}
	return t.finish()
}

// TestIndex: the header and the entries of an index are checked, even if their checksums are
// valid.
func TestIndex(t *testing.T) {
	// The header says that there is one shard, and that version 1 wrote the checkpoint.
	const header = "\x08\x01\x1a\x02\x08\x01"
	// The entry describes a float tensor of shape [4], which has 16 bytes.
	const entry = "\x08\x01\x12\x04\x12\x02\x08\x04\x28\x10\x35\x78\x56\x34\x12"
	for _, c := range []struct {
		name string
		kv   []string
		code tensor.Code
		says string
	}{
		{"sound", []string{"", header, "a", entry}, tensor.OK, ""},
		{"unknown fields", []string{"", header + "\x49\x00\x00\x00\x00\x00\x00\x00\x00", "a", entry + "\x78\x05\x7d\x00\x00\x00\x00"}, tensor.OK, ""},
		{"nothing", nil, tensor.DataLoss, "the index has no header"},
		{"no header", []string{"a", entry}, tensor.DataLoss, "the index has no header"},
		{"header", []string{"", "\xff"}, tensor.DataLoss, "the header does not parse: a field's number"},
		{"version of the reader", []string{"", "\x1a\x02\x10\x02"}, tensor.InvalidArgument, "requires a reader of version 2 or later, this is 1"},
		{"reader refused", []string{"", "\x1a\x02\x18\x01"}, tensor.InvalidArgument, "refuses readers of version 1"},
		{"readers refused", []string{"", "\x1a\x04\x1a\x02\x05\x01"}, tensor.InvalidArgument, "refuses readers of version 1"},
		{"another reader refused", []string{"", "\x1a\x02\x18\x02"}, tensor.OK, ""},
		{"list of readers", []string{"", "\x1a\x03\x1a\x01\xff"}, tensor.DataLoss, "the list of bad consumers"},
		{"twice", []string{"", header, "a", entry, "a", entry}, tensor.DataLoss, `"a" has two entries`},
		{"number cut off", []string{"", header, "a", "\x08\xff"}, tensor.DataLoss, `the entry of "a" does not parse: a number of field 1`},
		{"64 bits cut off", []string{"", header, "a", "\x49\x00"}, tensor.DataLoss, "field 9 is cut off"},
		{"32 bits cut off", []string{"", header, "a", "\x35\x00"}, tensor.DataLoss, "field 6 is cut off"},
		{"bytes cut off", []string{"", header, "a", "\x12\x05\x00"}, tensor.DataLoss, "field 2 is cut off"},
		{"length cut off", []string{"", header, "a", "\x12\xff"}, tensor.DataLoss, "field 2 is cut off"},
		{"group", []string{"", header, "a", "\x0b"}, tensor.DataLoss, "field 1 has wire type 3"},
		{"field 0", []string{"", header, "a", "\x00"}, tensor.DataLoss, "a field's number"},
		{"shape", []string{"", header, "a", "\x12\x01\xff"}, tensor.DataLoss, "a field's number"},
		{"dimension", []string{"", header, "a", "\x12\x03\x12\x01\xff"}, tensor.DataLoss, "a field's number"},
		{"slice", []string{"", header, "a", "\x3a\x03\x0a\x01\xff"}, tensor.DataLoss, "a field's number"},
		{"slice's unknown field", []string{"", header, "a", "\x3a\x02\x10\x01"}, tensor.OK, ""},
	} {
		r, err := parse(tableOf(c.kv...))
		if tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %q expected, got %v", c.name, c.code, c.says, err)
		}
		if c.name == "sound" || c.name == "unknown fields" {
			if e, ok := r.Entry("a"); !ok || e.DType != tensor.Float32 || !e.Shape.Equal(tensor.Shape{4}) || !reflect.DeepEqual(r.Keys(), []string{"a"}) {
				t.Errorf("%s: %+v, keys %q", c.name, e, r.Keys())
			}
		}
	}
	if r, err := parse(tableOf("", "", "a", "\x12\x02\x18\x01")); err != nil {
		t.Error(err)
	} else if e, ok := r.Entry("a"); ok {
		t.Errorf("an entry of unknown rank: %+v", e)
	}
}

// TestIndexHandles: a handle is the offset and the size of a block. The sizes of all blocks that a
// table names must add up to at most the file's size. Therefore a small file cannot name one block
// many times.
func TestIndexHandles(t *testing.T) {
	for name, b := range map[string]string{"nothing": "", "offset": "\xff", "no size": "\x01", "size": "\x01\xff"} {
		if _, _, err := readHandle([]byte(b)); tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("%s: %v", name, err)
		}
	}
	footer := func(handles string) []byte {
		b := append([]byte(handles), bytes.Repeat([]byte{0xff}, footerLen-8-len(handles))...)
		return binary.LittleEndian.AppendUint64(b, tableMagic)
	}
	for _, handles := range []string{"", "\x00\x00"} {
		if err := readTable(footer(handles), nil); tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("footer of %q: %v", handles, err)
		}
	}
	if err := entries([]byte{0xff, 0, 0, 0, 0}, nil); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("an entry that is cut off: %v", err)
	}
	again := func(n int) []byte {
		w := &tableWriter{}
		w.block.interval = restartInterval
		w.block.add("", make([]byte, 1000)) // an empty key
		at := w.put(&w.block)
		for range n {
			w.index.interval = 1
			w.index.add("k", at.append(nil))
		}
		return w.finish()
	}
	for n, code := range map[int]tensor.Code{1: tensor.OK, 50: tensor.DataLoss} {
		read := 0
		err := readTable(again(n), func(string, []byte) error { read++; return nil })
		if tensor.CodeOf(err) != code || read > 3 {
			t.Errorf("a block %d times: read %d times, %v", n, read, err)
		}
	}
	w := &tableWriter{}
	w.index.interval = 1
	w.index.add("k", []byte{0xff})
	if err := readTable(w.finish(), nil); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("a handle in the index: %v", err)
	}
}

// TestSeparators: the index block has a key for each block. That key is at least the last key in
// the block, and less than the first key in the next block.
func TestSeparators(t *testing.T) {
	keys := []string{"", "a", "a\x00", "a\xfe", "a\xff", "a\xff\xff", "ab", "abc", "abe", "ad", "b", "\xff", "\xff\xff"}
	slices.Sort(keys)
	for i, a := range keys {
		if s := successor(a); s < a || len(s) > len(a) {
			t.Errorf("successor of %q: %q", a, s)
		}
		for _, b := range keys[i+1:] {
			if s := separator(a, b); s < a || s >= b || len(s) > len(a) {
				t.Errorf("between %q and %q: %q", a, b, s)
			}
		}
	}
	if s := separator("abcdef", "abgh"); s != "abd" {
		t.Errorf("not short: %q", s)
	}
	// Enough entries for several blocks.
	var kv []string
	for i := range 40 {
		kv = append(kv, strings.Repeat(string(rune('A'+i)), 3), strings.Repeat("v", 20_000))
	}
	var got []string
	if err := readTable(tableOf(kv...), func(k string, v []byte) error { got = append(got, k, string(v)); return nil }); err != nil || !slices.Equal(got, kv) {
		t.Errorf("%d of %d entries, %v", len(got)/2, len(kv)/2, err)
	}
}

// TestByteOrder: a big-endian host writes and reads the same numbers, and big-endian files are
// decoded.
func TestByteOrder(t *testing.T) {
	long := make([]int16, 3000)
	for i := range long {
		long[i] = int16(i * 77)
	}
	defer func(was bool) { littleHost = was }(littleHost)
	for _, c := range []struct {
		unit int // size of one number in bytes; a complex element has two numbers
		data any
	}{
		{1, []uint8{1, 255}}, {1, []int8{-5, 5}}, {1, []bool{true, false, true}}, {2, []int16{-300, 7}}, {2, []uint16{65535, 2}}, {2, []tensor.F16{0x3e00, 1}},
		{2, []tensor.BF16{0x3fc0, 2}}, {4, []int32{-7, 1 << 20}}, {4, []uint32{1<<32 - 2, 3}}, {4, []float32{1.5, -2}}, {8, []int64{-1 << 40, 5}}, {8, []uint64{1<<64 - 2, 1}},
		{8, []float64{1.5, -2.5}}, {4, []complex64{1 + 2i, -3.5i}}, {8, []complex128{3 - 4i, 0.5}}, {2, long}, {4, []int32{}},
	} {
		encode := func(little bool) (b []byte) {
			littleHost = little
			Encode(c.data, func(part []byte) { b = append(b, part...) })
			return b
		}
		want := encode(true)
		if got := encode(false); !bytes.Equal(got, want) {
			t.Errorf("%T is written as %x, want %x", c.data, got, want)
		}
		swapped := bytes.Clone(want)
		for i := 0; i < len(swapped); i += c.unit {
			slices.Reverse(swapped[i : i+c.unit])
		}
		for _, little := range []bool{true, false} {
			for _, big := range []bool{true, false} {
				littleHost = little
				raw := want
				if big {
					raw = swapped
				}
				got := reflect.MakeSlice(reflect.TypeOf(c.data), reflect.ValueOf(c.data).Len(), reflect.ValueOf(c.data).Len()).Interface()
				if Decode(got, raw, big); !reflect.DeepEqual(got, c.data) {
					t.Errorf("%T, host little %v, file big %v: %v, want %v", c.data, little, big, got, c.data)
				}
			}
		}
	}
}

// TestNoFiles checks the errors for an index or data file that is not a regular file.
func TestNoFiles(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "c")
	if err := os.Mkdir(indexName(prefix), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(prefix); tensor.CodeOf(err) != tensor.FailedPrecondition || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("an index that is a directory: %v", err)
	}
	if _, err := Open("/dev/null\x00"); tensor.CodeOf(err) == tensor.OK {
		t.Errorf("a name with a zero byte: %v", err)
	}
	if _, err := read(onDisk{System{}}, os.DevNull, maxIndex); tensor.CodeOf(err) != tensor.FailedPrecondition || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device: %v", err)
	}
	prefix = crafted(t, make([]byte, 16), map[string]*entry{"x": {dtype: 1, dims: []int64{4}, size: 16}})
	if _, err := read(onDisk{System{}}, indexName(prefix), 10); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("a large index: %v", err)
	}
	r, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	data := dataName(prefix, 0, 1)
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(data, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read("x"); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("data that is a directory: %v", err)
	}
}
