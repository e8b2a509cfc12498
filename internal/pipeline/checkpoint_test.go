package pipeline

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/save"
	"github.com/graphc/graphc/rt/tensor"
)

// The graph in testdata/checkpoint was written by TensorFlow 2.21. It has a layer with a reference
// and a resource variable, a partitioned variable, momentum, a step counter and both kinds of
// Saver. The losses are those of 6 training steps. after3 is the checkpoint that the graph's Saver
// wrote after 3 of them.
var (
	trainCalls = []Call{
		{Name: "init", Targets: []string{"init"}},
		{Name: "train", Feeds: []string{"x:0", "y:0"}, Fetches: []string{"loss:0"}, Targets: []string{"train"}},
		{Name: "save", Feeds: []string{"save/Const:0"}, Fetches: []string{"save/control_dependency:0"}},
		{Name: "restore", Feeds: []string{"save/Const:0"}, Targets: []string{"save/restore_all"}},
		{Name: "sharded", Feeds: []string{"sharded/Const:0"}, Fetches: []string{"sharded/Identity:0"}},
		{Name: "unshard", Feeds: []string{"sharded/Const:0"}, Targets: []string{"sharded/restore_all"}},
	}
	trainLosses = []float64{188.5144, 133.67413, 60.632107, 10.082169, 2.5167027, 30.216612}
)

const after3 = "testdata/checkpoint/after3"

// trained is an instance of the program.
type trained struct {
	t    *testing.T
	p    *Program
	run  map[string]*Runner
	vars *save.Checkpoint
}

func newTrained(t *testing.T, p *Program, root *os.Root) *trained {
	t.Helper()
	x := &trained{t: t, p: p, run: map[string]*Runner{}}
	state := exec.State{}
	for _, s := range p.Signatures {
		r, err := s.RunnerWith(state)
		if err != nil {
			t.Fatal(err)
		}
		r.SetFiles(root)
		x.run[s.Name] = r
	}
	var err error
	if x.vars, err = p.Checkpoint(state); err != nil {
		t.Fatal(err)
	}
	return x
}

// name runs the given signature, which saves or restores a checkpoint. It feeds the prefix of the
// checkpoint to the signature.
func (x *trained) name(signature, prefix string) error {
	feed := "save/Const:0"
	if signature == "sharded" || signature == "unshard" {
		feed = "sharded/Const:0"
	}
	_, err := x.run[signature].Run(context.Background(), map[string]*tensor.Tensor{feed: {DType: tensor.String, Shape: tensor.Shape{}, Data: []string{prefix}}})
	return err
}

// steps runs n training steps and compares the losses with those of TensorFlow. The parameter first
// is the index of the first step in trainLosses.
func (x *trained) steps(first, n int) {
	x.t.Helper()
	for i := first; i < first+n; i++ {
		got, err := x.run["train"].Run(context.Background(), map[string]*tensor.Tensor{
			"x:0": tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{1, 2, 3, 4})),
			"y:0": tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{1, 1, 0, 2}))})
		if err != nil {
			x.t.Fatal(err)
		}
		if loss := float64(tensor.Data[float32](got["loss:0"])[0]); math.Abs(loss-trainLosses[i]) > 1e-5*trainLosses[i] {
			x.t.Errorf("step %d: the loss is %g, TensorFlow's %g", i, loss, trainLosses[i])
		}
	}
}

func TestCheckpoints(t *testing.T) {
	p, err := Compile([]string{"testdata/checkpoint/train.pb"}, Options{Calls: trainCalls, AllowFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	same := func(prefix string) {
		t.Helper()
		for _, s := range []string{".index", ".data-00000-of-00001"} {
			got, err := os.ReadFile(prefix + s)
			want, _ := os.ReadFile(after3 + s)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v, or other bytes than TensorFlow's", prefix+s, err)
			}
		}
	}

	a := newTrained(t, p, root)
	if err := a.vars.Save(filepath.Join(dir, "early")); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("saved before the initialisation: %v", err)
	}
	if _, err := a.run["init"].Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	a.steps(0, 3)
	if err := a.name("sharded", "own"); err != nil {
		t.Fatal(err)
	}
	a.steps(3, 3)
	if err := a.name("unshard", "own"); err != nil {
		t.Fatal(err)
	}
	a.steps(3, 3)

	b := newTrained(t, p, root)
	if err := b.vars.Restore(after3); err != nil {
		t.Fatal(err)
	}
	if err := b.vars.Save(filepath.Join(dir, "ours")); err != nil {
		t.Fatal(err)
	}
	same(filepath.Join(dir, "ours"))
	if err := b.name("save", filepath.Join(dir, "graph")); err != nil {
		t.Fatal(err)
	}
	same(filepath.Join(dir, "graph"))
	b.steps(3, 3)
	if err := b.name("restore", "graph"); err != nil {
		t.Fatal(err)
	}
	b.steps(3, 3)
	r, err := bundle.Open(after3)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(b.vars.Keys(), " "), strings.Join(r.Keys(), " "); got != want {
		t.Errorf("variables %s, TensorFlow's %s", got, want)
	}
}

// TestCheckpointPermission: files outside of the open directory are not accessed.
func TestCheckpointPermission(t *testing.T) {
	p, err := Compile([]string{"testdata/checkpoint/train.pb"}, Options{Calls: trainCalls, AllowFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "in", "up")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	shut, open := newTrained(t, p, nil), newTrained(t, p, root)
	for _, x := range []*trained{shut, open} {
		if err := x.vars.Restore(after3); err != nil {
			t.Fatal(err)
		}
	}
	abs, err := filepath.Abs(after3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x               *trained
		signature, name string
		code            tensor.Code
	}{
		{shut, "save", "a", tensor.PermissionDenied},
		{shut, "restore", after3, tensor.PermissionDenied},
		{open, "save", "../a", tensor.PermissionDenied},
		{open, "save", "up/a", tensor.PermissionDenied},
		{open, "save", filepath.Join(dir, "a"), tensor.PermissionDenied},
		{open, "restore", abs, tensor.PermissionDenied},
		{open, "sharded", "up/a", tensor.PermissionDenied},
		{open, "unshard", "none", tensor.NotFound},
		{open, "save", "", tensor.InvalidArgument},
		{open, "save", "none/none/a", tensor.NotFound},
		{open, "save", "up2/a", tensor.OK},
	} {
		err := c.x.name(c.signature, c.name)
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%s %q: %v, want %v", c.signature, c.name, err, c.code)
		}
		if err != nil && !strings.Contains(err.Error(), "V2") {
			t.Errorf("%v names no node", err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("files outside: %v, %v", left, err)
	}
}

// TestCheckpointOfObjects checks that a saved checkpoint has all tensors of the model's own
// checkpoint, including its description of objects. TensorFlow 2.21 wrote the SavedModel in
// testdata/checkpoint/model. Its signature train makes a training step that changes all variables
// except the variable called scale. tf.train.Checkpoint wrote the checkpoint model2 after 2 steps.
func TestCheckpointOfObjects(t *testing.T) {
	const model = "testdata/checkpoint/model"
	p, err := Compile([]string{model}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	step := func(x *trained, want float64) {
		t.Helper()
		got, err := x.run["train"].Run(context.Background(), map[string]*tensor.Tensor{
			"train_x:0": tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{1, 2, 3, 4})),
			"train_y:0": tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{0, 0, 1, 1}))})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range got {
			if loss := float64(tensor.Data[float32](v)[0]); math.Abs(loss-want) > 1e-5*want {
				t.Errorf("the loss is %g, TensorFlow's %g", loss, want)
			}
		}
	}
	a := newTrained(t, p, nil)
	step(a, 62370.5)
	prefix := filepath.Join(t.TempDir(), "a")
	if err := a.vars.Save(prefix); err != nil {
		t.Fatal(err)
	}
	own, err := bundle.Open(model + "/variables/variables")
	if err != nil {
		t.Fatal(err)
	}
	r, err := bundle.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(r.Keys(), " "), strings.Join(own.Keys(), " "); got != want {
		t.Errorf("it has %s, the model's has %s", got, want)
	}
	for key, want := range map[string]any{"_CHECKPOINTABLE_OBJECT_GRAPH": nil, "frozen/.ATTRIBUTES/VARIABLE_VALUE": []float32{10, 20}, "step/.ATTRIBUTES/VARIABLE_VALUE": []int64{1}} {
		got, err := r.Read(key)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			x, err := own.Read(key)
			if err != nil {
				t.Fatal(err)
			}
			want = x.Data
		}
		if !reflect.DeepEqual(got.Data, want) {
			t.Errorf("%s: %v, want %v", key, got.Data, want)
		}
	}
	b := newTrained(t, p, nil)
	if err := b.vars.Restore("testdata/checkpoint/model2"); err != nil {
		t.Fatal(err)
	}
	step(b, 44201900)
	if err := b.vars.Restore(prefix); err != nil {
		t.Fatal(err)
	}
	step(b, 1561835.25)
}
