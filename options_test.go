package graphc

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// others maps the name of a field of Options to the name of the corresponding field of
// pipeline.Options, if the two names differ.
var others = map[string]string{"NoOptimize": "NoOpt", "PlaceWhole": "NoPlacePruned", "Progress": "Dump"}

// TestEngine checks that every option becomes an option of the pipeline, and that clone copies
// every option.
func TestEngine(t *testing.T) {
	o := &Options{}
	fill(t, reflect.ValueOf(o).Elem())
	o.Weights, o.Methods, o.Without = WeightsF16, map[string]Method{"*": MethodWinograd}, []string{"fold"}
	p, err := o.engine()
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(p)
	for _, f := range reflect.VisibleFields(reflect.TypeOf(*o)) {
		name := f.Name
		if others[name] != "" {
			name = others[name]
		}
		if got := v.FieldByName(name); !got.IsValid() || got.IsZero() {
			t.Errorf("Options.%s does not reach the pipeline", f.Name)
		}
	}
	if d := reflect.ValueOf(p.Defaults); anyZero(d) {
		t.Errorf("Defaults become %+v", p.Defaults)
	}
	if c := reflect.ValueOf(p.Calls[0]); anyZero(c) {
		t.Errorf("a Call becomes %+v", p.Calls[0])
	}
	var back Defaults
	if back.ofEngine(p.Defaults); !reflect.DeepEqual(back, o.Defaults) {
		t.Errorf("Defaults become %+v and are %+v then", p.Defaults, back)
	}

	c := o.clone()
	c.Progress, c.LogPlacement, c.ExplainPlacement = nil, nil, nil
	o.Progress, o.LogPlacement, o.ExplainPlacement = nil, nil, nil
	if !reflect.DeepEqual(c, *o) {
		t.Errorf("%+v is copied as %+v", o, c)
	}
	for i := range reflect.TypeOf(c).NumField() {
		a, b := reflect.ValueOf(c).Field(i), reflect.ValueOf(*o).Field(i)
		switch a.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			if a.Pointer() == b.Pointer() {
				t.Errorf("Options.%s is shared with the copy", reflect.TypeOf(c).Field(i).Name)
			}
		}
	}
}

// anyZero reports whether a field of a struct is zero.
func anyZero(v reflect.Value) bool {
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			return true
		}
	}
	return false
}

// fill sets all fields to values that are not zero.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, k)
		fill(t, e)
		v.SetMapIndex(k, e)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	default:
		t.Fatalf("a %v is not filled", v.Type())
	}
}

// TestLimits checks that a limit that is 0 in Options is replaced by the limit in LoadOptions. It
// also checks that each limit has a flag of the command.
func TestLimits(t *testing.T) {
	l := Limits{Nodes: 3}.or(Limits{Nodes: 4, Depth: 5, Time: 6})
	if want := (Limits{Nodes: 3, Depth: 5, Time: 6}); l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
	for _, flag := range []string{"max-depth", "max-nodes", "max-inlined", "max-calls", "max-fold-node", "max-fold", "max-time", "max-bytes"} {
		if limitField(flag) == "" {
			t.Errorf("--%s has no field", flag)
		}
	}
	if f := limitField("max-fold"); f != "FoldTotal" {
		t.Errorf("--max-fold is Limits.%s", f)
	}
}

// TestModelName checks the name of a model in emitted files. A SavedModel or a tfjs model has the
// name of its folder.
func TestModelName(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{"a/b.pb": "b.pb", "a/sm": "sm", "a/sm/": "sm", "a/sm/saved_model.pb": "sm", "js/model.json": "js", ".": "", "saved_model.pb": ""} {
		inFS, onDisk := want, want
		if want == "" {
			inFS, onDisk = "model", filepath.Base(here)
		}
		if got := modelName(in, false); got != onDisk {
			t.Errorf("%s: %q, want %q", in, got, onDisk)
		}
		if got := modelName("../saved_model.pb", false); got != filepath.Base(filepath.Dir(here)) {
			t.Errorf("the folder above: %q", got)
		}
		if got := modelName(in, true); got != inFS {
			t.Errorf("%s in an fs.FS: %q, want %q", in, got, inFS)
		}
	}
}

// TestSpent checks that the time limit for compiling includes the time that was spent on reading
// the model.
func TestSpent(t *testing.T) {
	m, err := Load(context.Background(), "examples/training/moons.pbtxt", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Feeds: []string{"points:0"}, Fetches: []string{"scores:0"}, Init: []string{"init"}}
	if _, err := m.Compile(context.Background(), o); err != nil || m.spent <= 0 {
		t.Errorf("%v, %v were spent", err, m.spent)
	}
	m.spent = 2 * time.Minute
	if _, err := m.Compile(context.Background(), o); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("%v", err)
	}
}
