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

// TestWriteAsTensorFlow reads testdata/tf, which TensorFlow 2.21 wrote with one data file. This
// checkpoint has every element type, a tensor in two slices, and more keys than a restart interval.
// Writing its tensors again produces the same bytes.
func TestWriteAsTensorFlow(t *testing.T) {
	r, err := Open("testdata/tf")
	if err != nil {
		t.Fatal(err)
	}
	var list []Named
	for _, k := range r.Keys() {
		if k != "part" {
			x, err := r.Read(k)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, Named{Key: k, Tensor: x})
		}
	}
	for _, s := range []string{"4 3 0,1:-", "4 3 1,3:0,3"} {
		p, err := ParseSpec(s)
		if err != nil {
			t.Fatal(err)
		}
		x, err := r.ReadSlice("part", p)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Named{"part", x, p})
	}
	// TensorFlow's data file has the tensors in the order of its Save op.
	slices.SortStableFunc(list, func(a, b Named) int {
		at := func(n Named) int64 {
			e := r.entries[n.Key]
			if n.Spec != nil {
				e = r.entries[sliceKey(n.Key, n.Spec.raw)]
			}
			return e.offset<<8 + e.size
		}
		return int(at(a) - at(b))
	})
	prefix := filepath.Join(t.TempDir(), "new", "copy")
	if err := Write(prefix, list); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{".index", ".data-00000-of-00001"} {
		want, err := os.ReadFile("testdata/tf" + suffix)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(prefix + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, TensorFlow's are %d others\n%q\n%q", suffix, len(got), len(want), got, want)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(prefix)); len(left) != 2 {
		t.Errorf("files are left: %v", left)
	}
}

// TestWriteLarge writes and reads a checkpoint with so many keys that its index has several blocks.
func TestWriteLarge(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "large")
	var list []Named
	for i := range 9000 {
		list = append(list, Named{Key: strings.Repeat("x", i%40) + string(rune('a'+i%26)) + strings.Repeat("y", i/26), Tensor: tensor.Must(tensor.From(tensor.Shape{}, []int32{int32(i)}))})
	}
	if err := Write(prefix, list); err != nil {
		t.Fatal(err)
	}
	r, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list {
		got, err := r.Read(n.Key)
		if err != nil || !reflect.DeepEqual(got, n.Tensor) {
			t.Fatalf("%q: %v, %v", n.Key, got, err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "c")
	x := tensor.Must(tensor.From(tensor.Shape{2}, []int32{1, 2}))
	spec := func(s string) *Spec {
		p, err := ParseSpec(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if err := Write(prefix, []Named{{Key: "a", Tensor: x}}); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(prefix + ".index")
	for name, list := range map[string][]Named{
		"twice":        {{Key: "b", Tensor: x}, {Key: "b", Tensor: x}},
		"no name":      {{Tensor: x}},
		"slice twice":  {{"b", x, spec("4 0,2")}, {"b", x, spec("4 0,2")}},
		"both":         {{Key: "b", Tensor: x}, {"b", x, spec("4 0,2")}},
		"other wholes": {{"b", x, spec("4 0,2")}, {"b", x, spec("5 2,2")}},
		"other shape":  {{"b", x, spec("4 0,3")}},
		"elements":     {{Key: "b", Tensor: &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{3}, Data: []int32{1}}}},
	} {
		if err := Write(prefix, list); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, _ := os.ReadFile(prefix + ".index"); !bytes.Equal(after, before) {
		t.Error("a failed Write has changed the checkpoint")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("files are left: %v", left)
	}
	if err := Write(filepath.Join(dir, "c.index", "x"), nil); err == nil {
		t.Error("a file as a directory")
	}
	if err := Write(filepath.Join(dir, "none", "none", "x"), nil); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no directory: %v", err)
	}
}

func TestParseSpec(t *testing.T) {
	p, err := ParseSpec("10 20 0,5:-")
	if err != nil || !p.Whole.Equal(tensor.Shape{10, 20}) || !reflect.DeepEqual(p.Slice, Slice{[]int{0, 0}, []int{5, 20}}) || p.full() {
		t.Errorf("%+v, %v", p, err)
	}
	for _, s := range []string{"", " ", "-", "3", "3 0,1:0,1", "3 1,3", "3 -1,2", "3 0,0", "3 0,-1", "x -", "-1 -", "3 a,b", "3 1", "99999999999 99999999999 -:-", strings.Repeat("1 ", 300)} {
		if _, err := ParseSpec(s); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestReadSlice reads a part of a tensor that was saved in slices. A specification with the shape
// of another tensor causes an error.
func TestReadSlice(t *testing.T) {
	r, err := Open("testdata/all")
	if err != nil {
		t.Fatal(err)
	}
	e := r.entries["s/part"]
	whole := strings.Trim(strings.ReplaceAll(tensor.Shape{int(e.dims[0]), int(e.dims[1])}.String(), ",", " "), "[]")
	p, err := ParseSpec(whole + " 0,2:30,50")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.ReadSlice("s/part", p)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Read("s/part")
	if err != nil {
		t.Fatal(err)
	}
	if want := tensor.Must(Cut(all, p.Slice)); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got.Data, want.Data)
	}
	if p, err = ParseSpec("7 -"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadSlice("s/part", p); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("another shape: %v", err)
	}
}

func TestMerge(t *testing.T) {
	dir := t.TempDir()
	one := func(x ...int32) *tensor.Tensor { return tensor.Must(tensor.From(tensor.Shape{len(x)}, x)) }
	write := func(name string, list ...Named) string {
		p := filepath.Join(dir, name)
		if err := Write(p, list); err != nil {
			t.Fatal(err)
		}
		return p
	}
	spec := func(s string) *Spec { p, _ := ParseSpec(s); return p }
	a := write("temp/a", Named{Key: "x", Tensor: one(1, 2)}, Named{"s", one(1, 2), spec("5 0,2")})
	b := write("temp/b", Named{Key: "y", Tensor: one(3)}, Named{"s", one(3, 4, 5), spec("5 2,3")})
	to := filepath.Join(dir, "merged")
	if err := Merge(System{}, []string{a, filepath.Join(dir, "none")}, to, false); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a missing checkpoint: %v", err)
	}
	if err := Merge(System{}, []string{filepath.Join(dir, "none")}, to, true); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("nothing to merge: %v", err)
	}
	if err := Merge(System{}, []string{a, a}, to, true); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a tensor twice: %v", err)
	}
	for says, list := range map[string][]Named{
		// The first message contains the key under which the index holds the slice.
		`s\x00\x01\x01\x01\x80\x82" is also in another`: {{"s", one(1, 2), spec("5 0,2")}},
		"\"s\" has another type or shape":               {{"s", one(1, 2), spec("6 4,2")}},
		"\"s\" is also in another checkpoint":           {{Key: "s", Tensor: one(1, 2)}},
		"\"x\" is also in another checkpoint of":        {{"x", one(1, 2), spec("5 0,2")}},
	} {
		if err := Merge(System{}, []string{a, write("temp/c", list...)}, to, false); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
	// The entry of the tensor lists a slice, but this slice has no entry.
	lost := func() string {
		return crafted(t, nil, map[string]*entry{"s": {dtype: 3, dims: []int64{5}, slices: [][]extent{spec("5 0,2").raw}}})
	}
	if err := Merge(System{}, []string{lost(), lost()}, to, false); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), `a slice of "s" is also in another`) {
		t.Errorf("a slice twice: %v", err)
	}
	if err := Merge(System{}, []string{a, b}, filepath.Join(dir, "none", "none", "m"), false); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no directory: %v", err)
	}
	// Big-endian checkpoints merge only with other big-endian ones.
	big := func(key string) string {
		p := filepath.Join(t.TempDir(), "big")
		raw := []byte{0, 0, 0, 9}
		es := map[string]*entry{key: {dtype: 3, dims: []int64{1}, size: 4, crc: mask(crc(0, raw))}}
		for name, b := range map[string][]byte{indexName(p): index(&header{shards: 1, big: true}, es), dataName(p, 0, 1): raw} {
			if err := os.WriteFile(name, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	if err := Merge(System{}, []string{a, big("z")}, to, false); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "byte order differs") {
		t.Errorf("two orders of bytes: %v", err)
	}
	if err := Merge(System{}, []string{big("y"), big("z")}, to, false); err != nil {
		t.Error(err)
	} else if r, err := Open(to); err != nil {
		t.Error(err)
	} else if got, err := r.Read("z"); err != nil || !reflect.DeepEqual(got.Data, []int32{9}) {
		t.Errorf("the highest byte first: %v, %v", got, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "temp", "c.*"))
	for _, f := range left {
		if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
	if err := Merge(System{}, []string{a, filepath.Join(dir, "none"), b}, to, true); err != nil {
		t.Fatal(err)
	}
	r, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string][]int32{"x": {1, 2}, "y": {3}, "s": {1, 2, 3, 4, 5}} {
		if got, err := r.Read(k); err != nil || !reflect.DeepEqual(got.Data, want) {
			t.Errorf("%s: %v, %v", k, got, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "temp")); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}
