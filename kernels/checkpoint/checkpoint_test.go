package checkpoint

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func box[T tensor.Elem](shape []int, data ...T) tensor.Handle {
	return tensor.Handle{V: &resource.Box{DType: tensor.DTypeOf[T](), Shape: shape, Data: data}}
}

func open(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// TestSaveLoad: the error codes equal those of TensorFlow's kernels.
func TestSaveLoad(t *testing.T) {
	root := open(t)
	x, s := box([]int{2}, int32(1), 2), box([]int{2}, float32(3), 4)
	for _, c := range []struct {
		names, slices []string
		parts         []tensor.Handle
		want          tensor.Code
	}{
		{[]string{"x", "s"}, []string{"", "4 0,2"}, []tensor.Handle{x, s}, tensor.OK},
		{[]string{"x", "x"}, []string{"", ""}, []tensor.Handle{x, x}, tensor.InvalidArgument},
		{[]string{"x"}, []string{"", ""}, []tensor.Handle{x}, tensor.InvalidArgument},
		{[]string{"x", "y"}, []string{"", ""}, []tensor.Handle{x}, tensor.InvalidArgument},
		{[]string{"x"}, []string{"3 0,1"}, []tensor.Handle{x}, tensor.InvalidArgument},
		{[]string{"x"}, []string{"no"}, []tensor.Handle{x}, tensor.InvalidArgument},
		{[]string{"s", "s"}, []string{"4 0,2", "4 0,2"}, []tensor.Handle{s, s}, tensor.InvalidArgument},
		{[]string{""}, []string{""}, []tensor.Handle{s}, tensor.InvalidArgument},
	} {
		if err := Save(root, []string{"one/ck"}, c.names, c.slices, c.parts); tensor.CodeOf(err) != c.want {
			t.Errorf("save %q %q: %v, want %v", c.names, c.slices, err, c.want)
		}
	}
	if err := Save(root, []string{"a", "b"}, nil, nil, nil); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("two prefixes: %v", err)
	}
	if err := Save(root, []string{"ck"}, []string{"x"}, []string{""}, []tensor.Handle{{V: 5}}); tensor.CodeOf(err) != tensor.Internal {
		t.Errorf("what is no tensor: %v", err)
	}
	if err := Save(root, []string{"../ck"}, nil, nil, nil); tensor.CodeOf(err) != tensor.PermissionDenied {
		t.Errorf("outside of the directory: %v", err)
	}
	for _, prefix := range [][]string{nil, {"one/ck", "one/ck"}} {
		if err := Load(nil, nil, root, prefix, nil, nil, nil); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("prefixes %q: %v", prefix, err)
		}
	}
	if err := Load(nil, make([]tensor.Handle, 1), root, []string{"one/ck"}, []string{"x", "y"}, []string{""}, []int{1}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("two names: %v", err)
	}
	i32, f32 := int(tensor.Int32), int(tensor.Float32)
	for _, c := range []struct {
		prefix, name, slice string
		typ                 int
		want                tensor.Code
		data                any
	}{
		{"one/ck", "x", "", i32, tensor.OK, []int32{1, 2}},
		{"one/ck", "x", "2 1,1", i32, tensor.OK, []int32{2}},
		{"one/ck", "s", "4 0,2", f32, tensor.OK, []float32{3, 4}},
		{"one/ck", "s", "4 1,1", f32, tensor.OK, []float32{4}},
		{"one/ck", "s", "", f32, tensor.InvalidArgument, nil}, // only half of tensor s is saved
		{"one/ck", "x", "", f32, tensor.InvalidArgument, nil},
		{"one/ck", "y", "", i32, tensor.NotFound, nil},
		{"one/ck", "x", "3 -", i32, tensor.InvalidArgument, nil},
		{"one/none", "x", "", i32, tensor.NotFound, nil},
		{"one", "x", "", i32, tensor.NotFound, nil},
		{filepath.Join(root.Name(), "one/ck"), "x", "", i32, tensor.OK, []int32{1, 2}},
		{"../one/ck", "x", "", i32, tensor.PermissionDenied, nil},
	} {
		dst := make([]tensor.Handle, 1)
		err := Load(nil, dst, root, []string{c.prefix}, []string{c.name}, []string{c.slice}, []int{c.typ})
		if tensor.CodeOf(err) != c.want {
			t.Errorf("load %q %q: %v, want %v", c.name, c.slice, err, c.want)
		}
		if err == nil {
			if b := dst[0].V.(*resource.Box); !reflect.DeepEqual(b.Data, c.data) {
				t.Errorf("load %q %q: %v, want %v", c.name, c.slice, b.Data, c.data)
			}
		}
	}
}

func TestMerge(t *testing.T) {
	root := open(t)
	save := func(name, key string) {
		t.Helper()
		if err := Save(root, []string{name}, []string{key}, []string{""}, []tensor.Handle{box([]int{1}, key)}); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(name string) bool { _, err := root.Stat(name); return err == nil }
	save("temp/a", "x")
	save("temp/b", "y")
	for _, c := range []struct {
		from []string
		to   string
		want tensor.Code
	}{
		{[]string{"temp/a", "none"}, "all", tensor.InvalidArgument},
		{[]string{"temp/a", "temp/a"}, "all", tensor.InvalidArgument},
		{[]string{"../a"}, "all", tensor.PermissionDenied},
		{[]string{"temp/a"}, "../all", tensor.PermissionDenied},
		{[]string{"temp/a", "temp/b"}, "all", tensor.OK},
	} {
		if err := Merge(root, c.from, []string{c.to}, MergeParams{DeleteDirs: true}); tensor.CodeOf(err) != c.want {
			t.Errorf("%q: %v, want %v", c.from, err, c.want)
		}
	}
	if exists("temp") || !exists("all.index") || !exists("all.data-00001-of-00002") {
		t.Error("the directory is left, or the merged files are not there")
	}
	dst := make([]tensor.Handle, 2)
	str := int(tensor.String)
	if err := Load(nil, dst, root, []string{"all"}, []string{"y", "x"}, []string{"", ""}, []int{str, str}); err != nil {
		t.Fatal(err)
	}
	if got := dst[0].V.(*resource.Box).Data; !reflect.DeepEqual(got, []string{"y"}) {
		t.Errorf("%v", got)
	}
	if err := Merge(root, []string{"all"}, []string{"a", "b"}, MergeParams{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("two destinations: %v", err)
	}
	if err := Merge(root, []string{"none"}, []string{"all"}, MergeParams{AllowMissing: true}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("nothing to merge: %v", err)
	}
}
