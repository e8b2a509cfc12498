package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

// TensorFlow 2.21 wrote the SavedModel in testdata/tables. It has two mutable and two dense hash
// tables, which were filled before saving. Then a run of the signature "put" changed the tables, an
// entry was erased, and tf.train.Checkpoint wrote the checkpoint tables2.
const tablesModel = "testdata/tables/model"

// look runs the signature "look", which looks up a few keys in each table, and returns the fetches
// by key.
func (x *trained) look() map[string]any {
	x.t.Helper()
	got, err := x.run["look"].Run(context.Background(), map[string]*tensor.Tensor{
		"look_k:0": tensor.Must(tensor.From(tensor.Shape{4}, []string{"a", "b", "c", "hello, world"})),
		"look_i:0": tensor.Must(tensor.From(tensor.Shape{4}, []int64{3, 4, 5, 11}))})
	if err != nil {
		x.t.Fatal(err)
	}
	out := map[string]any{}
	for _, s := range x.p.Signatures {
		if s.Name == "look" {
			for _, f := range s.Plan.Fetches {
				out[f.Key] = got[f.Name].Data
			}
		}
	}
	return out
}

func (x *trained) wantLook(what string, want map[string]any) {
	x.t.Helper()
	if got := x.look(); !reflect.DeepEqual(got, want) {
		x.t.Errorf("%s: %v, TensorFlow's %v", what, got, want)
	}
}

var (
	look1 = map[string]any{"word": []int64{6, 22, -1, 38}, "name": []int64{9, 33, -1, 57}, "v": []float32{2, 3},
		"point": []float32{3, -3, 0, 0, 0, 0, 11, -11}, "dense": []float32{12, -1, -1, 44}}
	look2 = map[string]any{"word": []int64{6, 10, 8, 38}, "name": []int64{9, 15, 12, 57}, "v": []float32{3, 4},
		"point": []float32{3, -3, 4, -4, 5, -5, 11, -11}, "dense": []float32{12, 16, 20, -1}}
)

func TestTablesOfObjects(t *testing.T) {
	p, err := Compile([]string{tablesModel}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := newTrained(t, p, nil)
	a.wantLook("as it was saved", look1)
	if got, want := strings.Join(p.Unused(), " "), "unused/.ATTRIBUTES/VARIABLE_VALUE"; got != want {
		t.Errorf("unused: %q, want %q", got, want)
	}
	prefix := filepath.Join(t.TempDir(), "ck")
	if err := a.vars.Save(prefix); err != nil {
		t.Fatal(err)
	}
	sameTensors(t, prefix, tablesModel+"/variables/variables", "words/", "points/")
	if _, err := a.run["put"].Run(context.Background(), map[string]*tensor.Tensor{
		"put_k:0": tensor.Must(tensor.From(tensor.Shape{2}, []string{"b", "c"})),
		"put_i:0": tensor.Must(tensor.From(tensor.Shape{2}, []int64{5, 4}))}); err != nil {
		t.Fatal(err)
	}
	changed := map[string]any{}
	for k, v := range look2 {
		changed[k] = v
	}
	changed["dense"] = []float32{12, 16, 20, 44} // unlike in tables2, no entry was erased
	a.wantLook("after put", changed)

	b := newTrained(t, p, nil)
	if err := b.vars.Restore("testdata/tables/tables2"); err != nil {
		t.Fatal(err)
	}
	b.wantLook("restored", look2)
	a.wantLook("the other instance", changed)
	if err := b.vars.Restore(prefix); err != nil {
		t.Fatal(err)
	}
	b.wantLook("restored from what was saved", look1)
}

// sameTensors compares two checkpoints. The last arguments are prefixes of names of tensors. A
// tensor with one of these prefixes has the rows of an unordered table, so the order of its rows
// may differ.
func sameTensors(t *testing.T, got, want string, sets ...string) {
	t.Helper()
	g, err := bundle.Open(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := bundle.Open(want)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := strings.Join(g.Keys(), " "), strings.Join(w.Keys(), " "); a != b {
		t.Fatalf("it has %s, want %s", a, b)
	}
keys:
	for _, k := range g.Keys() {
		x, err := g.Read(k)
		if err != nil {
			t.Fatal(err)
		}
		y, err := w.Read(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			if strings.HasPrefix(k, s) {
				if !x.Shape.Equal(y.Shape) || x.DType != y.DType {
					t.Errorf("%s is %v, want %v", k, x, y)
				}
				continue keys
			}
		}
		if !reflect.DeepEqual(x, y) {
			t.Errorf("%s is %v %v, want %v", k, x, x.Data, y.Data)
		}
	}
}

// TestTablesRefused restores checkpoints in which the tensors of a table are invalid. Restore must
// return an error and must not change any table.
func TestTablesRefused(t *testing.T) {
	p, err := Compile([]string{tablesModel}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := newTrained(t, p, nil)
	all := func(r *bundle.Reader) (list []bundle.Named) {
		for _, k := range r.Keys() {
			x, err := r.Read(k)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, bundle.Named{Key: k, Tensor: x})
		}
		return list
	}
	r, err := bundle.Open("testdata/tables/tables2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  string
		with *tensor.Tensor
		code tensor.Code
		text string
	}{
		{"words/.ATTRIBUTES/table-keys", nil, tensor.NotFound, `lacks "words/.ATTRIBUTES/table-keys"`},
		{"words/.ATTRIBUTES/table-keys", tensor.Must(tensor.From(tensor.Shape{1}, []int64{1})), tensor.InvalidArgument, "maps str to i64"},
		{"words/.ATTRIBUTES/table-keys", tensor.Must(tensor.From(tensor.Shape{1}, []string{"a"})), tensor.InvalidArgument, "the values of the table"},
		{"points/.ATTRIBUTES/table-values", tensor.Must(tensor.From(tensor.Shape{5}, make([]float32, 5))), tensor.InvalidArgument, "the values of the table"},
		{"dense/.ATTRIBUTES/table-keys", tensor.Must(tensor.From(tensor.Shape{8}, make([]int64, 8))), tensor.InvalidArgument, "the keys of the table"},
	} {
		var list []bundle.Named
		for _, n := range all(r) {
			if n.Key == c.key {
				if n.Tensor = c.with; n.Tensor == nil {
					continue
				}
			}
			list = append(list, n)
		}
		prefix := filepath.Join(t.TempDir(), "ck")
		if err := bundle.Write(prefix, list); err != nil {
			t.Fatal(err)
		}
		if err := a.vars.Restore(prefix); tensor.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.key, err, c.code, c.text)
		}
		a.wantLook(c.key, look1)
	}
}

// TestTablesInGraphs: ops in a graph save and restore tables, like the ops of a Saver.
func TestTablesInGraphs(t *testing.T) {
	graph := filepath.Join(t.TempDir(), "g.pbtxt")
	if err := os.WriteFile(graph, []byte(tableGraph), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Compile([]string{graph}, Options{AllowFiles: true, Calls: []Call{
		{Name: "put", Feeds: []string{"k:0", "v:0"}, Targets: []string{"put"}},
		{Name: "look", Feeds: []string{"k:0"}, Fetches: []string{"got:0", "n:0"}},
		{Name: "save", Feeds: []string{"save/Const:0"}, Targets: []string{"save"}},
		{Name: "restore", Feeds: []string{"save/Const:0"}, Targets: []string{"load"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	keys := tensor.Must(tensor.From(tensor.Shape{2}, []int64{3, 11}))
	look := func(x *trained, want []float32, n int64) {
		t.Helper()
		got, err := x.run["look"].Run(context.Background(), map[string]*tensor.Tensor{"k:0": keys})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got["got:0"].Data, want) || !reflect.DeepEqual(got["n:0"].Data, []int64{n}) {
			t.Errorf("%v %v, want %v %d", got["got:0"].Data, got["n:0"].Data, want, n)
		}
	}
	a, b := newTrained(t, p, root), newTrained(t, p, root)
	if got, want := strings.Join(a.vars.Keys(), " "), "d-keys d-values"; got != want {
		t.Errorf("it saves %q, want %q", got, want)
	}
	if _, err := a.run["put"].Run(context.Background(), map[string]*tensor.Tensor{"k:0": keys, "v:0": tensor.Must(tensor.From(tensor.Shape{2}, []float32{5, 6}))}); err != nil {
		t.Fatal(err)
	}
	look(b, []float32{-1, -1}, 0)
	if err := a.name("save", "ops"); err != nil {
		t.Fatal(err)
	}
	if err := a.vars.Save(filepath.Join(dir, "own")); err != nil {
		t.Fatal(err)
	}
	sameTensors(t, filepath.Join(dir, "ops"), filepath.Join(dir, "own"))
	r, err := bundle.Open(filepath.Join(dir, "own"))
	if err != nil {
		t.Fatal(err)
	}
	// The keys must be in the same buckets as in TensorFlow 2.21.
	if x, err := r.Read("d-keys"); err != nil || !reflect.DeepEqual(x.Data, []int64{-1, -1, -1, 3, 11, -1, -1, -1}) || !x.Shape.Equal(tensor.Shape{8, 1}) {
		t.Errorf("the keys are saved as %v, %v", x, err)
	}
	if err := b.name("restore", "own"); err != nil {
		t.Fatal(err)
	}
	look(b, []float32{5, 6}, 2)
	c := newTrained(t, p, root)
	if err := c.vars.Restore(filepath.Join(dir, "ops")); err != nil {
		t.Fatal(err)
	}
	look(c, []float32{5, 6}, 2)
}

const tableGraph = `
node { name: "empty" op: "Const" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: -1 } } } }
node { name: "deleted" op: "Const" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: -2 } } } }
node { name: "d" op: "MutableDenseHashTableV2" input: "empty" input: "deleted" attr { key: "key_dtype" value { type: DT_INT64 } } attr { key: "value_dtype" value { type: DT_FLOAT } } attr { key: "value_shape" value { shape { } } } attr { key: "initial_num_buckets" value { i: 8 } } }
node { name: "k" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "v" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "put" op: "LookupTableInsertV2" input: "d" input: "k" input: "v" attr { key: "Tin" value { type: DT_INT64 } } attr { key: "Tout" value { type: DT_FLOAT } } }
node { name: "none" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: -1 } } } }
node { name: "got" op: "LookupTableFindV2" input: "d" input: "k" input: "none" attr { key: "Tin" value { type: DT_INT64 } } attr { key: "Tout" value { type: DT_FLOAT } } }
node { name: "n" op: "LookupTableSizeV2" input: "d" }
node { name: "save/Const" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }
node { name: "names" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "d-keys" string_val: "d-values" } } } }
node { name: "slices" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "" string_val: "" } } } }
node { name: "export" op: "LookupTableExportV2" input: "d" attr { key: "Tkeys" value { type: DT_INT64 } } attr { key: "Tvalues" value { type: DT_FLOAT } } }
node { name: "save" op: "SaveV2" input: "save/Const" input: "names" input: "slices" input: "export" input: "export:1" attr { key: "dtypes" value { list { type: DT_INT64 type: DT_FLOAT } } } }
node { name: "restored" op: "RestoreV2" input: "save/Const" input: "names" input: "slices" attr { key: "dtypes" value { list { type: DT_INT64 type: DT_FLOAT } } } }
node { name: "load" op: "LookupTableImportV2" input: "d" input: "restored" input: "restored:1" attr { key: "Tin" value { type: DT_INT64 } } attr { key: "Tout" value { type: DT_FLOAT } } }
versions { producer: 1000 }
`

// TestStateNotLoaded checks a graph whose queue is filled from a checkpoint, without the
// checkpoint. A signature that needs the queue must not compile. Another signature must compile.
func TestStateNotLoaded(t *testing.T) {
	const graph = `
node { name: "q" op: "FIFOQueueV2" attr { key: "component_types" value { list { type: DT_FLOAT } } } attr { key: "shapes" value { list { shape { dim { size: 2 } } } } } }
node { name: "save/Const" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { } string_val: "model" } } } }
node { name: "names" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "queued" } } } }
node { name: "slices" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "" } } } }
node { name: "restored" op: "RestoreV2" input: "save/Const" input: "names" input: "slices" attr { key: "dtypes" value { list { type: DT_FLOAT } } } }
node { name: "fill" op: "QueueEnqueueV2" input: "q" input: "restored" attr { key: "Tcomponents" value { list { type: DT_FLOAT } } } }
node { name: "next" op: "QueueDequeueV2" input: "q" attr { key: "component_types" value { list { type: DT_FLOAT } } } }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1000 }
`
	dir := t.TempDir()
	path, prefix := filepath.Join(dir, "g.pbtxt"), filepath.Join(dir, "ck")
	if err := os.WriteFile(path, []byte(graph), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Write(prefix, []bundle.Named{{Key: "queued", Tensor: tensor.Must(tensor.From(tensor.Shape{2}, []float32{1, 2}))}}); err != nil {
		t.Fatal(err)
	}
	_, err := Compile([]string{path}, Options{Checkpoint: prefix, Fetches: []string{"next"}})
	if tensor.CodeOf(err) != tensor.Unimplemented || !strings.Contains(err.Error(), `"q" (FIFOQueueV2)`) || !strings.Contains(err.Error(), `the checkpoint has "queued" for it, which is restored by QueueEnqueueV2`) {
		t.Error(err)
	}
	for _, o := range []Options{{Fetches: []string{"next"}}, {Checkpoint: prefix, Feeds: []string{"x"}, Fetches: []string{"y"}}} {
		if p, err := Compile([]string{path}, o); err != nil {
			t.Error(err)
		} else if got := strings.Join(p.Unused(), " "); got != map[bool]string{true: "queued"}[o.Checkpoint != ""] {
			t.Errorf("unused: %q", got)
		}
	}
}
