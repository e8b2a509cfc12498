package graphc_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt/tensor"
)

// TestInspect checks the signatures, ops, state and parameters in the report on a model.
func TestInspect(t *testing.T) {
	r, err := load(t, "examples/training/moons.pbtxt", nil).Inspect(context.Background(), moons)
	if err != nil {
		t.Fatal(err)
	}
	if r.Err != nil || len(r.Errors) > 0 || r.Kind != "graphdef" || r.Nodes == 0 || r.Parameters == nil || len(r.Signatures) != 2 || !slices.Contains(r.Init, "init") {
		t.Errorf("%+v", r)
	}
	train, predict := r.Signatures[0], r.Signatures[1]
	if want := (graphc.PortReport{Key: "points", Tensor: "points:0", DType: "f32", Shape: "[n,2]"}); train.Feeds[0] != want {
		t.Errorf("%+v, want %+v", train.Feeds[0], want)
	}
	if !slices.Contains(train.Changes, "variable layer0/w") || !slices.Contains(predict.Reads, "variable layer0/w") || len(predict.Changes) > 0 || train.FLOPs == nil || *train.FLOPs == 0 || train.FLOPsOf == "" {
		t.Errorf("train %+v\npredict %+v", train, predict)
	}
	if i := slices.IndexFunc(r.Resources, func(x graphc.ResourceReport) bool { return x.Name == "layer0/w" }); i < 0 || r.Resources[i].DType != "f32" || r.Resources[i].Kind != "variable" {
		t.Errorf("%+v", r.Resources)
	}
	if !slices.IsSortedFunc(r.Ops, func(a, b graphc.OpCount) int { return b.Count - a.Count }) || len(r.Ops) == 0 {
		t.Errorf("%+v", r.Ops)
	}
}

// TestInspectBroken: a model that does not compile also has a report, with the reason.
func TestInspectBroken(t *testing.T) {
	text := placeholder + `node { name: "s" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }
node { name: "y" op: "DecodeWebP" input: "s" }
`
	r, err := read(t, text, nil).Inspect(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unsupported) != 1 || r.Unsupported[0].Op != "DecodeWebP" || r.Err == nil || !r.Err.Diagnostics[0].Unsupported || r.Parameters != nil || len(r.Signatures) != 1 {
		t.Errorf("%+v", r)
	}
	if b, err := json.Marshal(r); err != nil || !strings.Contains(string(b), `"unsupported":[{"op":"DecodeWebP","count":1,"nodes":["y"]}]`) {
		t.Errorf("%s, %v", b, err)
	}
	m := read(t, text, nil)
	r, err = m.Inspect(context.Background(), &graphc.Options{Calls: []graphc.Call{
		{Name: "picture", Feeds: []string{"s:0"}, Fetches: []string{"y:0"}}, {Name: "absent", Fetches: []string{"nothing:0"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unsupported) != 1 || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "nothing:0") {
		t.Errorf("an unsupported op and another error: %+v", r)
	}
	m = load(t, "examples/savedmodel/half_plus_two", nil)
	r, err = m.Inspect(context.Background(), &graphc.Options{Shapes: map[string]string{"x": "2,3,4"}})
	if err != nil || r.Err == nil || len(r.Errors) == 0 || len(r.Signatures) != len(m.Signatures()) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := m.Inspect(context.Background(), &graphc.Options{Weights: "int4"}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("options that cannot be meant: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if r, err := m.Inspect(ctx, nil); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v, %v", r, err)
	}
}

// TestReadSessionConfig: a session's configuration sets the equivalent options.
func TestReadSessionConfig(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	o := graphc.Options{Feeds: []string{"x"}, Weights: graphc.WeightsF16}
	var log []string
	path := write("a.pbtxt", `device_count { key: "CPU" value: 2 } allow_soft_placement: true intra_op_parallelism_threads: 3 operation_timeout_in_ms: 40 device_count { key: "GPU" value: 1 }`)
	if err := o.ReadSessionConfig(path, func(line string) { log = append(log, line) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.Devices, []string{"cpu:0", "cpu:1"}) || !o.SoftPlacement || !o.PlaceWhole || o.Defaults.Threads != 3 || o.Defaults.Timeout != 40*time.Millisecond {
		t.Errorf("%+v", o)
	}
	if len(o.Feeds) != 1 || o.Weights != graphc.WeightsF16 {
		t.Errorf("other options are changed: %+v", o)
	}
	if len(log) != 1 || !strings.Contains(log[0], "GPUs are given with") {
		t.Errorf("%q", log)
	}
	if err := o.ReadSessionConfig(path, nil); err != nil {
		t.Errorf("without a log: %v", err)
	}
	for name, code := range map[string]tensor.Code{filepath.Join(dir, "none"): tensor.NotFound, write("b.pbtxt", `nonsense: 1`): tensor.InvalidArgument, write("c.pbtxt", `intra_op_parallelism_threads: -1`): tensor.InvalidArgument} {
		if d := diagnostics(t, o.ReadSessionConfig(name, nil))[0]; d.Code != code {
			t.Errorf("%s: %+v, want %v", name, d, code)
		}
	}
}
