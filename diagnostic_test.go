package graphc_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt/tensor"
)

// diagnostics returns the diagnostics of an error.
func diagnostics(t *testing.T, err error) []*graphc.Diagnostic {
	t.Helper()
	var e *graphc.Error
	if !errors.As(err, &e) || len(e.Diagnostics) == 0 {
		t.Fatalf("%v has no diagnostics", err)
	}
	return e.Diagnostics
}

// placeholder is a fed node.
const placeholder = `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
`

func read(t *testing.T, text string, o *graphc.LoadOptions) *graphc.Model {
	t.Helper()
	m, err := graphc.LoadBytes(context.Background(), "graph.pbtxt", []byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestUnsupported: all ops that do not compile are listed at once, with all their nodes.
func TestUnsupported(t *testing.T) {
	text := placeholder
	for i := range 3 {
		text += fmt.Sprintf("node { name: \"s%d\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_STRING } } attr { key: \"shape\" value { shape { } } } }\n", i)
		text += fmt.Sprintf("node { name: \"jxl%d\" op: \"DecodeJxl\" input: \"s%d\" }\nnode { name: \"webp%d\" op: \"DecodeWebP\" input: \"s%d\" }\n", i, i, i, i)
	}
	text += "versions { producer: 2000 }\n"
	m := read(t, text, nil)
	_, err := m.Compile(context.Background(), nil)
	ds := diagnostics(t, err)
	if len(ds) != 2 {
		t.Fatalf("%d diagnostics: %v", len(ds), err)
	}
	for i, want := range []string{"DecodeJxl", "DecodeWebP"} {
		d := ds[i]
		if d.Op != want || !d.Unsupported || d.Code != tensor.Unimplemented || len(d.Nodes) != 3 || d.Node != d.Nodes[0] || d.File != "graph.pbtxt" || d.Suggestion == "" {
			t.Errorf("%+v", d)
		}
	}
	if !errors.Is(err, errors.ErrUnsupported) || tensor.CodeOf(err) != tensor.Unimplemented {
		t.Errorf("%v is not errors.ErrUnsupported", err)
	}
}

// TestAllErrors: all errors in the nodes of a file are listed at once.
func TestAllErrors(t *testing.T) {
	text := placeholder + `node { name: "a" op: "Relu" input: "none" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "b" op: "Reluu" input: "x" }
`
	_, err := graphc.LoadBytes(context.Background(), "graph.pbtxt", []byte(text), nil)
	var nodes []string
	for _, d := range diagnostics(t, err) {
		nodes = append(nodes, d.Node)
		if d.File != "graph.pbtxt" || d.Code == tensor.OK || d.Text == "" || d.Op == "" {
			t.Errorf("%+v", d)
		}
	}
	if slices.Sort(nodes); !slices.Equal(nodes, []string{"a", "b"}) {
		t.Errorf("the nodes are %q: %v", nodes, err)
	}
}

// TestPathOnce: if a file cannot be read, the diagnostic names the file only once.
func TestPathOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"none.pb", "none/graph.pb", "."} {
		_, err := graphc.Load(context.Background(), filepath.Join(dir, name), nil)
		d := diagnostics(t, err)[0]
		if base := filepath.Base(filepath.Join(dir, name)); strings.Count(d.Error(), base) != 1 {
			t.Errorf("%s: %v", base, d)
		}
	}
}

// TestSuggestions: a suggestion is separate from the text, and uses the names of this package
// rather than those of the command line.
func TestSuggestions(t *testing.T) {
	relu := placeholder + `node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }` + "\n"
	anyRank := strings.Replace(relu, `attr { key: "shape" value { shape { dim { size: 2 } } } }`, "", 1)
	for _, c := range []struct {
		what, text string
		load       *graphc.LoadOptions
		o          *graphc.Options
		want       string
		code       tensor.Code
	}{
		{"a name that is near", relu, nil, &graphc.Options{Feeds: []string{"x"}, Fetches: []string{"yy"}}, `did you mean "y"?`, tensor.InvalidArgument},
		{"a shape's name that is near", relu, nil, &graphc.Options{Shapes: map[string]string{"xx": "1"}}, `did you mean "x"?`, tensor.NotFound},
		{"a limit of loading", relu, &graphc.LoadOptions{Limits: graphc.Limits{Nodes: 1}}, nil, "raise Limits.Nodes", tensor.ResourceExhausted},
		{"the time", relu, &graphc.LoadOptions{Limits: graphc.Limits{Time: 1}}, nil, "raise Limits.Time", tensor.ResourceExhausted},
		{"an op that is near", placeholder + `node { name: "y" op: "Reluu" input: "x" }`, nil, nil, "did you mean Relu? or give a Go function for it in LoadOptions.GoOps", tensor.NotFound},
		{"files", placeholder + `node { name: "s" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } } node { name: "y" op: "ReadFile" input: "s" }`, nil, nil,
			"set Options.AllowFiles, and InstanceOptions.Files or rt.WithFiles to the directory whose files the model may see", tensor.PermissionDenied},
		{"another format", "<!DOCTYPE html><html></html>", nil, nil, "get the file itself by its direct address:\n  curl -fL -o graph.pbtxt URL", tensor.InvalidArgument},
		{"no Python", placeholder + `node { name: "y" op: "PyFunc" input: "x" attr { key: "token" value { s: "t" } } attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }`, nil, nil,
			"give a Go function for it in LoadOptions.GoOps", tensor.PermissionDenied},
		{"another device", strings.Replace(relu, `op: "Relu"`, `op: "Relu" device: "/cpu:1"`, 1), nil, nil, `set Options.Devices to []string{"cpu:0", "cpu:1"}`, tensor.InvalidArgument},
		{"steps of unknown rank", anyRank, nil, &graphc.Options{Partial: true}, `give its shape, for example Options.Shapes["x"] = "?,?"`, tensor.Unimplemented},
	} {
		m, err := graphc.LoadBytes(context.Background(), "graph.pbtxt", []byte(c.text), c.load)
		if err == nil {
			_, err = m.Compile(context.Background(), c.o)
		}
		d := diagnostics(t, err)[0]
		if d.Suggestion != c.want || d.Code != c.code || strings.Contains(d.Text, "--") || strings.Contains(d.Text, "did you mean") {
			t.Errorf("%s: %+v, want %q and %v", c.what, d, c.want, c.code)
		}
	}
}

// TestSignatureErrors checks that the diagnostic of an error in one signature has the name of this
// signature, and that its suggestion lists the signatures that compile.
func TestSignatureErrors(t *testing.T) {
	m := load(t, "examples/training/moons.pbtxt", nil)
	_, err := m.Compile(context.Background(), &graphc.Options{Init: []string{"init"}, Calls: []graphc.Call{
		{Name: "good", Feeds: []string{"points:0"}, Fetches: []string{"scores:0"}}, {Name: "bad", Fetches: []string{"nothing:0"}}, {Name: "worse", Fetches: []string{"void:0"}}}})
	var names []string
	for _, d := range diagnostics(t, err) {
		names = append(names, d.Signature)
	}
	if !slices.Equal(names, []string{"bad", "worse"}) {
		t.Errorf("%q: %v", names, err)
	}
	m = load(t, "examples/savedmodel/half_plus_two", nil)
	_, err = m.Compile(context.Background(), &graphc.Options{Shapes: map[string]string{"x": "1,2,3"}})
	if ds := diagnostics(t, err); len(ds) != 1 || ds[0].Signature != "serving_default" || !strings.Contains(ds[0].Suggestion, `"regress_x_to_y"`) {
		t.Errorf("%+v", ds[0])
	}
	_, err = m.Compile(context.Background(), &graphc.Options{Signatures: []string{"serving_defaul"}})
	if d := diagnostics(t, err)[0]; d.Code != tensor.NotFound || d.Suggestion != `did you mean "serving_default"?` {
		t.Errorf("%+v", d)
	}
}

// TestOptionsRefuses: invalid options are rejected before anything is compiled.
func TestOptionsRefuses(t *testing.T) {
	m := load(t, "examples/savedmodel/half_plus_two", nil)
	for _, c := range []struct {
		o    graphc.Options
		code tensor.Code
	}{
		{graphc.Options{Weights: "int4"}, tensor.InvalidArgument},
		{graphc.Options{Methods: map[string]graphc.Method{"*": "fast"}}, tensor.InvalidArgument},
		{graphc.Options{Without: []string{"none"}}, tensor.NotFound},
		{graphc.Options{Without: []string{"prune"}}, tensor.InvalidArgument},
		{graphc.Options{Limits: graphc.Limits{Nodes: -1}}, tensor.InvalidArgument},
		{graphc.Options{Devices: []string{"tpu:0"}}, tensor.InvalidArgument},
		{graphc.Options{Connect: []string{"a"}}, tensor.InvalidArgument},
		{graphc.Options{Watch: []string{"none"}}, tensor.NotFound},
	} {
		p, err := m.Compile(context.Background(), &c.o)
		if d := diagnostics(t, err)[0]; p != nil || d.Code != c.code || d.Text == "" || tensor.CodeOf(err) != c.code {
			t.Errorf("%+v, want %v", d, c.code)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := m.Compile(ctx, nil); !errors.Is(err, context.Canceled) || tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := graphc.Load(ctx, "examples/training/moons.pbtxt", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := graphc.Load(context.Background(), "none.pb", nil); diagnostics(t, err)[0].Code != tensor.NotFound {
		t.Errorf("a file that does not exist: %v", err)
	}
	if _, err := graphc.Load(context.Background(), "none.pb", &graphc.LoadOptions{GoOps: []graphc.GoOp{{Op: "A"}}}); diagnostics(t, err)[0].Code != tensor.InvalidArgument {
		t.Errorf("an op without a function: %v", err)
	}
}

// TestWarnings: a warning is a Diagnostic with the code OK, and wraps no error.
func TestWarnings(t *testing.T) {
	m := load(t, "examples/training/moons.pbtxt", &graphc.LoadOptions{Checkpoint: "examples/training/testdata/start"})
	p := compile(t, m, moons)
	ws := p.Warnings()
	if len(ws) != 1 || ws[0].Code != tensor.OK || ws[0].Unwrap() != nil || !strings.Contains(ws[0].Text, "in place of the checkpoint's") || ws[0].File != "moons.pbtxt" {
		t.Errorf("%v", ws)
	}
}

// TestNamesErrors: a diagnostic says which of Options.Names is wrong.
func TestNamesErrors(t *testing.T) {
	m := load(t, "internal/pipeline/testdata/keras/model", nil)
	for method, path := range map[string][]string{"Run": {"serving_default", "method"}, "run": {"serving_default", "method"}} {
		_, err := m.Compile(t.Context(), &graphc.Options{Names: map[string]graphc.Names{"serving_default": {Method: method}}})
		var d *graphc.Diagnostic
		if !errors.As(err, &d) || !slices.Equal(d.Names, path) || d.Signature != "serving_default" || d.Code != tensor.InvalidArgument || !strings.HasPrefix(d.Text, "names: ") {
			t.Errorf("%s: %+v", method, d)
		}
	}
	_, err := m.Compile(t.Context(), &graphc.Options{Names: map[string]graphc.Names{"serving_default": {Feeds: map[string]graphc.PortNames{"ages": {Key: "x"}}}}})
	var d *graphc.Diagnostic
	if !errors.As(err, &d) || !slices.Equal(d.Names, []string{"serving_default", "feeds", "ages"}) || d.Suggestion != `did you mean "age"?` || d.Code != tensor.NotFound {
		t.Errorf("%+v", d)
	}
}
