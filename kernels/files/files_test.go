package files

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func rootOf(t *testing.T, files map[string]string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for name, text := range files {
		if err := root.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFiles(t *testing.T) {
	root := rootOf(t, map[string]string{"a": "abc", "b": ""})
	dst := make([]string, 1)
	if err := Write(root, []string{"d/c"}, []string{"text"}); err != nil {
		t.Error(err)
	}
	if err := Read(nil, dst, root, []string{"d/c"}); err != nil || dst[0] != "text" {
		t.Error(dst, err)
	}
	if err := Read(nil, dst, root, []string{"../a"}); tensor.CodeOf(err) != tensor.PermissionDenied {
		t.Error(err)
	}
	found := make([]tensor.Handle, 1)
	n, err := Match(nil, found, root, []string{"*", "a"})
	names := make([]string, n)
	Names(names, found)
	if err != nil || !reflect.DeepEqual(names, []string{"a", "a", "b", "d"}) {
		t.Error(names, err)
	}
	if n, err := match(nil, found, root, []string{"*", "a"}, 4); n != 4 || err != nil {
		t.Error(n, err)
	}
	if _, err := match(nil, found, root, []string{"*", "a"}, 3); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Error("more names than are taken:", err)
	}
	if _, err := Match(nil, found, root, []string{"../*"}); tensor.CodeOf(err) != tensor.PermissionDenied {
		t.Error(err)
	}
	for range 2 {
		if err := Print(root, []string{"line"}, "file://log", "\n"); err != nil {
			t.Error(err)
		}
	}
	if err := Read(nil, dst, root, []string{"log"}); err != nil || dst[0] != "line\nline\n" {
		t.Error(dst, err)
	}
	if err := Print(root, []string{"line"}, "file:///etc/hostname", "\n"); tensor.CodeOf(err) != tensor.PermissionDenied {
		t.Error(err)
	}
}

func TestRaw(t *testing.T) {
	root := rootOf(t, map[string]string{"a": "\x00\x01\x07z"})
	b := make([]byte, 3)
	if err := Raw(b, root, "a", false); err != nil || !reflect.DeepEqual(b, []byte{0, 1, 7}) {
		t.Error(b, err)
	}
	if err := Raw(b, root, "a", true); err != nil || !reflect.DeepEqual(b, []byte{0, 1, 1}) {
		t.Error(b, err)
	}
	if err := Raw(make([]byte, 5), root, "a", false); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := Raw(b, root, "none", false); tensor.CodeOf(err) != tensor.NotFound {
		t.Error(err)
	}
}

func TestRemapVocab(t *testing.T) {
	root := rootOf(t, map[string]string{"new": "d\na\nx\nb\n", "old": "a\nb\r\nc", "twice": "a\na", "gap": "a\n\nb\n"})
	for _, c := range []struct {
		after, before string
		n             int
		p             VocabParams
		want          []int64
		present       int32
		code          tensor.Code
	}{
		{"new", "old", 4, VocabParams{0, -1}, []int64{-1, 0, -1, 1}, 2, tensor.OK},
		{"new", "old", 2, VocabParams{1, 1}, []int64{0, -1}, 1, tensor.OK},
		{"new", "old", 4, VocabParams{1, -1}, nil, 0, tensor.InvalidArgument},
		{"new", "old", 4, VocabParams{0, 9}, nil, 0, tensor.InvalidArgument},
		{"new", "twice", 4, VocabParams{0, -1}, nil, 0, tensor.FailedPrecondition},
		{"new", "gap", 4, VocabParams{0, -1}, nil, 0, tensor.InvalidArgument},
		{"", "old", 4, VocabParams{0, -1}, nil, 0, tensor.InvalidArgument},
		{"none", "old", 4, VocabParams{0, -1}, nil, 0, tensor.NotFound},
	} {
		got, present := make([]int64, c.n), make([]int32, 1)
		err := RemapVocab(nil, got, present, root, []string{c.after}, []string{c.before}, c.p)
		if tensor.CodeOf(err) != c.code || c.want != nil && (!reflect.DeepEqual(got, c.want) || present[0] != c.present) {
			t.Errorf("%+v: %v %v %v", c, got, present, err)
		}
	}
}

func TestRemapMatrix(t *testing.T) {
	root := rootOf(t, nil)
	m := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}
	v := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{1, 2}}
	i := &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: []int32{1}}
	if err := bundle.Write(filepath.Join(root.Name(), "ck"), []bundle.Named{{Key: "m", Tensor: m}, {Key: "v", Tensor: v}, {Key: "i", Tensor: i}}); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		path, name string
		rows, cols []int64
		initial    []float32
		p          MatrixParams
		want       []float32
		code       tensor.Code
	}{
		"rows":                {"ck", "m", []int64{1, -1}, nil, []float32{7, 8, 9}, MatrixParams{2, 3}, []float32{4, 5, 6, 7, 8, 9}, tensor.OK},
		"both":                {"ck", "m", []int64{1, 0}, []int64{2, -1}, []float32{7, 8}, MatrixParams{2, 2}, []float32{6, 7, 3, 8}, tensor.OK},
		"too few initial":     {"ck", "m", []int64{-1, 0}, nil, nil, MatrixParams{2, 3}, nil, tensor.InvalidArgument},
		"too many initial":    {"ck", "m", []int64{1, 0}, nil, []float32{1}, MatrixParams{2, 3}, nil, tensor.InvalidArgument},
		"a row twice":         {"ck", "m", []int64{1, 1}, nil, nil, MatrixParams{2, 3}, nil, tensor.Unimplemented},
		"a column twice":      {"ck", "m", []int64{1}, []int64{0, 0}, nil, MatrixParams{1, 2}, nil, tensor.Unimplemented},
		"a row too many":      {"ck", "m", []int64{2}, nil, nil, MatrixParams{1, 3}, nil, tensor.InvalidArgument},
		"a column too many":   {"ck", "m", []int64{1}, []int64{3}, nil, MatrixParams{1, 1}, nil, tensor.InvalidArgument},
		"rows that differ":    {"ck", "m", []int64{1}, nil, nil, MatrixParams{2, 3}, nil, tensor.InvalidArgument},
		"columns that differ": {"ck", "m", []int64{1}, []int64{1}, nil, MatrixParams{1, 3}, nil, tensor.InvalidArgument},
		"columns of the file": {"ck", "m", []int64{1}, nil, nil, MatrixParams{1, 2}, nil, tensor.InvalidArgument},
		"a vector":            {"ck", "v", []int64{1}, nil, nil, MatrixParams{1, 2}, nil, tensor.InvalidArgument},
		"integers":            {"ck", "i", []int64{0}, nil, nil, MatrixParams{1, 1}, nil, tensor.InvalidArgument},
		"no tensor":           {"ck", "x", []int64{0}, nil, nil, MatrixParams{1, 1}, nil, tensor.NotFound},
		"no checkpoint":       {"none", "m", []int64{0}, nil, nil, MatrixParams{1, 1}, nil, tensor.NotFound},
		"outside":             {"../ck", "m", []int64{0}, nil, nil, MatrixParams{1, 1}, nil, tensor.PermissionDenied},
	} {
		got := make([]float32, c.p.Rows*c.p.Cols)
		err := RemapMatrix(nil, got, root, []string{c.path}, []string{c.name}, c.rows, c.cols, c.initial, c.p)
		if tensor.CodeOf(err) != c.code || c.want != nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v, want %v %v", what, got, err, c.want, c.code)
		}
	}
}

func TestReader(t *testing.T) {
	ctx := context.Background()
	root := rootOf(t, nil)
	qh, err := resource.NewQueue(resource.QueueParams{Capacity: -1}, []int{int(tensor.String)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	queue, reader := []tensor.Handle{qh}, []tensor.Handle{resource.NewIdentityReader(resource.ReaderParams{})}
	q, _ := resource.QueueOf(queue)
	for _, n := range []string{"a", "b"} {
		if err := q.Enqueue(ctx, []*resource.Box{{DType: tensor.String, Shape: []int{}, Data: []string{n}}}); err != nil {
			t.Fatal(err)
		}
	}
	key, value, n := make([]string, 1), make([]string, 1), make([]int64, 1)
	if err := ReadRecord(nil, key, value, ctx, root, reader, queue); err != nil || key[0] != "a" || value[0] != "a" {
		t.Error(key, value, err)
	}
	found := make([]tensor.Handle, 1)
	if k, err := ReadRecords(nil, found, ctx, root, reader, queue, []int64{5}); k != 1 || err != nil {
		t.Error(k, err)
	}
	if Records(key, value, found); key[0] != "b" {
		t.Error(key)
	}
	if err := Produced(n, ctx, reader); err != nil || n[0] != 2 {
		t.Error(n, err)
	}
	if err := Completed(n, ctx, reader); err != nil || n[0] != 2 {
		t.Error(n, err)
	}
	if err := ReaderState(value, ctx, reader); err != nil || value[0] == "" {
		t.Error(value, err)
	}
	if err := ResetReader(ctx, reader); err != nil {
		t.Error(err)
	}
	if err := RestoreReader(ctx, reader, value); err != nil {
		t.Error(err)
	}
	none := []tensor.Handle{{}}
	_, many := ReadRecords(nil, found, ctx, root, none, queue, n)
	for _, err := range []error{ReadRecord(nil, key, value, ctx, root, none, queue), ReadRecord(nil, key, value, ctx, root, reader, none), many, Produced(n, ctx, none), Completed(n, ctx, none),
		ReaderState(value, ctx, none), ResetReader(ctx, none), RestoreReader(ctx, none, value)} {
		if tensor.CodeOf(err) != tensor.NotFound {
			t.Error(err)
		}
	}
}
