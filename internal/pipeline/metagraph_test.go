package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TensorFlow 2.21 wrote the files in testdata/metagraph, from one session with a TensorFlow 1
// graph. One Saver wrote ck.meta and the checkpoint "ck", in format V2. A second Saver wrote the
// checkpoint "old", in format V1.
const metaGraph = "testdata/metagraph/ck.meta"

var metaCalls = []Call{
	{Name: "look", Feeds: []string{"k:0", "x:0"}, Fetches: []string{"y:0", "q:0", "look:0", "fixed:0", "count:0", "sn:0", "h_out:0", "b_out:0", "c_out:0", "u_out:0"}},
	{Name: "put", Feeds: []string{"k:0", "v_in:0"}, Targets: []string{"put"}},
	{Name: "start", Targets: []string{"init"}},
}

func metaLook(t *testing.T, x *trained) map[string]any {
	t.Helper()
	got, err := x.run["look"].Run(context.Background(), map[string]*tensor.Tensor{
		"k:0": tensor.Must(tensor.From(tensor.Shape{3}, []string{"one", "two", "x"})),
		"x:0": tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{1, 1}))})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for k, v := range got {
		out[k] = v.Data
	}
	return out
}

// newMeta returns an instance of program p that has been initialized.
func newMeta(t *testing.T, p *Program) *trained {
	t.Helper()
	state, err := p.NewState()
	if err != nil {
		t.Fatal(err)
	}
	x := &trained{t: t, p: p, run: map[string]*Runner{}}
	for _, s := range p.Signatures {
		if x.run[s.Name], err = s.RunnerWith(state); err != nil {
			t.Fatal(err)
		}
	}
	if x.vars, err = p.Checkpoint(state); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestMetaGraph(t *testing.T) {
	want := map[string]any{ // TensorFlow's
		"y:0": []float32{5, 7, 9}, "q:0": []float32{0, 1, 2, 3, 4, 5, 6, 7}, "look:0": []int64{1, 2, -1}, "fixed:0": []int64{-1, -1, 7}, "count:0": []int64{42},
		"sn:0": []string{"hé", ""}, "h_out:0": []tensor.F16{tensor.ToF16(1.5), tensor.ToF16(-2)}, "b_out:0": []bool{true, false}, "c_out:0": []complex64{1 + 2i}, "u_out:0": []uint8{200, 7},
	}
	sums := map[string]bool{}
	for _, c := range []string{"", "testdata/metagraph/old"} {
		p, err := Compile([]string{metaGraph}, Options{Calls: metaCalls, Checkpoint: c})
		if err != nil {
			t.Fatal(err)
		}
		sums[p.Model.SHA256] = true
		x := newMeta(t, p)
		if got := metaLook(t, x); !reflect.DeepEqual(got, want) {
			t.Errorf("with the checkpoint %q: %v, want %v", c, got, want)
		}
		if got := p.Unused(); len(got) != 0 {
			t.Errorf("unused: %q", got)
		}
		if len(p.Warnings) != 0 {
			t.Errorf("warnings: %q", p.Warnings)
		}
		// A saved checkpoint equals TensorFlow's.
		prefix := filepath.Join(t.TempDir(), "ck")
		if err := x.vars.Save(prefix); err != nil {
			t.Fatal(err)
		}
		sameTensors(t, prefix, "testdata/metagraph/ck", "words-")
		if _, err := x.run["start"].Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if got := metaLook(t, x); !reflect.DeepEqual(got["count:0"], []int64{0}) {
			t.Errorf("after init: %v", got)
		}
		for _, prefix := range []string{prefix, "testdata/metagraph/old"} {
			if err := x.vars.Restore(prefix); err != nil {
				t.Fatal(err)
			}
			if got := metaLook(t, x); !reflect.DeepEqual(got, want) {
				t.Errorf("%s restored: %v, want %v", prefix, got, want)
			}
		}
	}
	if len(sums) != 2 {
		t.Error("the model's sum does not depend on the checkpoint")
	}
}

// TestMetaGraphAlone checks a .meta file without a checkpoint. Collections in the graph then name
// the nodes that initialize the state.
func TestMetaGraphAlone(t *testing.T) {
	raw := readTestFile(t, metaGraph)
	path := filepath.Join(t.TempDir(), "alone.meta")
	writeTestFile(t, path, raw)
	p, err := Compile([]string{path}, Options{Calls: metaCalls})
	if err != nil {
		t.Fatal(err)
	}
	if got := metaLook(t, newMeta(t, p)); !reflect.DeepEqual(got["count:0"], []int64{0}) || !reflect.DeepEqual(got["fixed:0"], []int64{-1, -1, 7}) {
		t.Error(got)
	}
	if want := []string{"init", "local_init"}; !slices.Equal(p.Model.InitOps, want) {
		t.Errorf("it runs %q, want %q", p.Model.InitOps, want)
	}
}

func TestMetaGraphRefused(t *testing.T) {
	dir := t.TempDir()
	raw := readTestFile(t, metaGraph)
	writeTestFile(t, filepath.Join(dir, "cut.meta"), raw[:len(raw)/2])
	writeTestFile(t, filepath.Join(dir, "empty.meta"), nil)
	for _, c := range []struct {
		path, checkpoint string
		code             tensor.Code
		text             string
	}{
		{metaGraph, "testdata/metagraph/none", tensor.NotFound, "none.index"},
		{metaGraph, metaGraph, tensor.DataLoss, "magic number"},
		{filepath.Join(dir, "cut.meta"), "", tensor.InvalidArgument, "not a MetaGraphDef"},
		{filepath.Join(dir, "empty.meta"), "", tensor.InvalidArgument, "this is an empty file"},
		{filepath.Join(dir, "none.meta"), "", tensor.NotFound, "none.meta"},
	} {
		if _, err := Compile([]string{c.path}, Options{Calls: metaCalls, Checkpoint: c.checkpoint}); tensor.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s with %q: %v, want %v with %q", c.path, c.checkpoint, err, c.code, c.text)
		}
	}
	if _, err := Compile([]string{metaGraph}, Options{}); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "--fetch") {
		t.Errorf("without signatures: %v", err)
	}
}

// TestInitialValues: if initial values replace those of a checkpoint, a warning says so.
func TestInitialValues(t *testing.T) {
	p, err := Compile([]string{metaGraph}, Options{Calls: metaCalls[:1], Init: []string{"init"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "in place of the checkpoint's: b, c, h, n, p/part_0 and 4 more") {
		t.Errorf("%q", p.Warnings)
	}
	dir := t.TempDir()
	graph := filepath.Join(dir, "g.pb")
	writeTestFile(t, graph, readTestFile(t, "testdata/checkpoint/train.pb"))
	calls := trainCalls[1:2]
	compile := func(o Options) *Program {
		t.Helper()
		o.Calls = calls
		p, err := Compile([]string{graph}, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := compile(Options{Init: []string{"init"}}); len(p.Warnings) != 0 {
		t.Errorf("without a checkpoint: %q", p.Warnings)
	}
	writeTestFile(t, filepath.Join(dir, "g.index"), readTestFile(t, after3+".index"))
	if p := compile(Options{Init: []string{"init"}}); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "there is a checkpoint") {
		t.Errorf("beside a checkpoint: %q", p.Warnings)
	}
	// The GraphDef g.pb, which is not a .meta file, resumes training from the checkpoint after3,
	// where TensorFlow stopped.
	p = compile(Options{Checkpoint: after3})
	if len(p.Warnings) != 0 {
		t.Errorf("with a checkpoint: %q", p.Warnings)
	}
	newMeta(t, p).steps(3, 3)
}

func readTestFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeTestFile(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
