package config

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/ir"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestParse(t *testing.T) {
	five, yes, no := 5, true, false
	got, err := Parse("d/graphc.yaml", []byte(`# comment
version: "1"
omit_version: true
models:
- path: a.pb
  out: gen/a
  package: alpha
  shapes:
    x: 1,?,3
    y: [2, n, 4]
    z: 7
    "s:0": ""
- path: [b.pb, c.pb]
  out: gen/b
  main: true
  runtime: standalone
  feeds: ["x:0"]
  fetches: ["y:0", z]
  passes: {noopt: true, fuel: 5}
  exact_conv: true
  methods: {"a/b": direct, c: winograd}
  weights: bf16
  connect: ["a:0=y:0"]
  devices: [cpu:0, cpu:1]
  soft_placement: true
  place_pruned: false
  session_config: s.pbtxt
  names:
    a: b
    c:
      name: d
      method: E
      feeds: {x: y}
      fetches:
        p: {key: q, field: R}
        s:
          field: T
`))
	if err != nil {
		t.Fatal(err)
	}
	if got.root == nil {
		t.Error("places in the file are not known")
	}
	got.root = nil
	want := &Config{Version: "1", OmitVersion: true, Models: []Model{
		{Path: Paths{"a.pb"}, Out: "gen/a", Package: "alpha",
			Shapes: map[string]Sizes{"x": "1,?,3", "y": "2,n,4", "z": "7", "s:0": ""}},
		{Path: Paths{"b.pb", "c.pb"}, Out: "gen/b", Main: true, Runtime: "standalone",
			Feeds: []string{"x:0"}, Fetches: []string{"y:0", "z"}, Passes: &Passes{NoOpt: true, Fuel: &five}, ExactConv: true, Methods: map[string]string{"a/b": "direct", "c": "winograd"}, Weights: "bf16",
			Connect: []string{"a:0=y:0"}, Devices: []string{"cpu:0", "cpu:1"}, SoftPlacement: &yes, PlacePruned: &no, SessionConfig: "s.pbtxt",
			Names: map[string]Names{"a": {Name: "b"}, "c": {Name: "d", Method: "E", Feeds: map[string]Port{"x": {Key: "y"}}, Fetches: map[string]Port{"p": {Key: "q", Field: "R"}, "s": {Field: "T"}}}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":           {"", `graphc.yaml:1:1: the file is empty; it must begin with: version: "1"`},
		"too large":       {"#" + strings.Repeat(" ", maxSize), `graphc.yaml:1:1: the file has 1048577 bytes: the maximum is 1048576`},
		"comment only":    {"# nothing\n", `graphc.yaml:1:1: the file is empty; it must begin with: version: "1"`},
		"no version":      {"models:\n- path: a.pb\n", `graphc.yaml:1:1: version is missing`},
		"other version":   {"version: 2\nmodels:\n- path: a.pb\n", `graphc.yaml:1:10: version "2" is not supported: want "1"`},
		"no models":       {"version: 1\n", `graphc.yaml:1:1: models is missing`},
		"no path":         {"version: 1\nmodels:\n- out: a\n", `graphc.yaml:3:3: models[0].path is missing`},
		"empty models":    {"version: 1\nmodels: []\n", `graphc.yaml:2:1: models is empty`},
		"unknown key":     {"version: 1\nmodels:\n- path: a.pb\n  feed: [x]\n", `graphc.yaml:4:3: unknown key "feed"; did you mean "feeds"?`},
		"far key":         {"version: 1\nqwertyuiop: 2\nmodels:\n- path: a.pb\n", `graphc.yaml:2:1: unknown key "qwertyuiop"`},
		"not a list":      {"version: 1\nmodels:\n- path: a.pb\n  fetches: y\n", `graphc.yaml:4:12: models[0].fetches must be a list`},
		"not a bool":      {"version: 1\nmodels:\n- path: a.pb\n  main: 3\n", `graphc.yaml:4:9: models[0].main must be true or false`},
		"not text":        {"version: 1\nmodels:\n- path: a.pb\n  out: [a]\n", `graphc.yaml:4:8: models[0].out must be text`},
		"not a mapping":   {"version: 1\nmodels:\n- path: a.pb\n  shapes: 3\n", `graphc.yaml:4:11: models[0].shapes must be a mapping`},
		"model no object": {"version: 1\nmodels: [3]\n", `graphc.yaml:2:10: models[0] must be a mapping`},
		"negative fuel":   {"version: 1\nmodels:\n- path: a.pb\n  passes: {fuel: -1}\n", `graphc.yaml:4:18: models[0].passes.fuel must be a number, 0 or more`},
		"enum":            {"version: 1\nmodels:\n- path: a.pb\n  runtime: here\n", `graphc.yaml:4:12: models[0].runtime is "here", not one of auto, import, standalone`},
		"same folder":     {"version: 1\nmodels:\n- path: a.pb\n  out: g\n- path: b.pb\n  out: g/\n", `graphc.yaml:5:3: models[0] and models[1] have the same folder "g/"`},
		"signature and own": {"version: 1\nmodels:\n- path: a.pb\n  signatures: [s]\n  fetches: [y]\n",
			`graphc.yaml:3:3: models[0]: signatures and feeds, fetches or targets exclude each other`},
		"feeds alone": {"version: 1\nmodels:\n- path: a.pb\n  feeds: [y]\n", `graphc.yaml:3:3: models[0]: feeds are given, but neither fetches nor targets`},
		"alias":       {"version: 1\nmodels:\n- path: &m a.pb\n- path: *m\n  out: b\n", `graphc.yaml:4:9: aliases are not supported: repeat the value`},
		"documents":   {"version: 1\n---\nmodels: []\n", `graphc.yaml:3:1: want a single document`},
		"flow":        {"{version: 1, model: 2}\n", "graphc.yaml:1:1: models is missing\ngraphc.yaml:1:14: unknown key \"model\"; did you mean \"models\"?"},
		"key twice":   {"version: 1\nmodels:\n- path: a.pb\n  shapes: {x: 3}\n  shapes: {x: 3}\n", `graphc.yaml:5:3: mapping key "shapes" already defined at [4:3]`},
		"sizes":       {"version: 1\nmodels:\n- path: a.pb\n  shapes: {x: {a: 1}}\n", `graphc.yaml:4:15: models[0].shapes.x must be text such as "1,224,?,3" or a list of sizes`},
		"size":        {"version: 1\nmodels:\n- path: a.pb\n  shapes: {x: [1, [2]]}\n", `graphc.yaml:4:19: a size in models[0].shapes.x must be a number, ? or a name`},
		"op twice":    {"version: 1\nops:\n- op: Relu\n  func: example.com/a.F\n- op: Relu\n  func: example.com/a.G\n", `graphc.yaml:5:3: ops[1]: duplicate op "Relu"`},
		"method":      {"version: 1\nmodels:\n- path: a.pb\n  names:\n    s:\n      method: run it\n", `graphc.yaml:6:7: models[0].names.s.method: "run it" is not an exported Go name: a capital letter, then letters, digits and underscores`},
		"keyword":     {"version: 1\nmodels:\n- path: a.pb\n  names: {s: {feeds: {x: {field: type}}}}\n", `graphc.yaml:4:27: models[0].names.s.feeds.x.field: "type" is not an exported Go name: a capital letter, then letters, digits and underscores; did you mean "Type"?`},
		"fields":      {"version: 1\nmodels:\n- path: a.pb\n  names:\n    s:\n      fetches:\n        x: {field: X}\n        y: {field: X}\n      feeds:\n        x: {field: X}\n", `graphc.yaml:8:13: models[0].names.s.fetches.y.field: X is already the field of "x"`},
		"methods":     {"version: 1\nmodels:\n- path: a.pb\n  names:\n    s: {method: X}\n    t: {method: X}\n", `graphc.yaml:6:9: models[0].names.t.method: X is already the method of signature "s"`},
		"names":       {"version: 1\nmodels:\n- path: a.pb\n  names: {s: [a]}\n", `graphc.yaml:4:14: models[0].names.s must be a mapping`},
		"op":          {"version: 1\nops:\n- op: Relu\n", `graphc.yaml:3:3: ops[0].func is missing`},
		"calls and signatures": {"version: 1\nmodels:\n- path: a.pb\n  signatures: [s]\n  calls:\n  - name: c\n    fetches: [y]\n",
			`graphc.yaml:3:3: models[0]: calls and signatures, feeds, fetches or targets exclude each other`},
		"calls of one name": {"version: 1\nmodels:\n- path: a.pb\n  calls:\n  - name: a\n    fetches: [y]\n  - name: a\n    targets: [y]\n", `graphc.yaml:3:3: models[0]: duplicate call "a"`},
		"call of nothing":   {"version: 1\nmodels:\n- path: a.pb\n  calls:\n  - name: a\n    feeds: [y]\n", `graphc.yaml:3:3: models[0].calls[0]: fetches or targets are required`},
		"list":              {"- 1\n", `graphc.yaml:1:1: the file must be a mapping`},
		"all at once": {"version: 1\nmodel: x\nmodels:\n- path: a.pb\n  outt: g\n",
			"graphc.yaml:2:1: unknown key \"model\"; did you mean \"models\"?\ngraphc.yaml:5:3: unknown key \"outt\"; did you mean \"out\"?"},
	} {
		_, err := Parse("some/where/graphc.yaml", []byte(c.in))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
	for _, in := range []string{"version: \"1\n", "a: b: c\n", "\t: x", "version: 1\nversion: 1\nmodels: []\n", "{", "[", "a: &b [*b]", "--- \n...\n--- 1"} {
		if _, err := Parse("graphc.yaml", []byte(in)); err == nil || !strings.HasPrefix(err.Error(), "graphc.yaml:") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestResolve(t *testing.T) {
	c := &Config{Path: filepath.Join("a", "b", FileName)}
	if got, want := c.Resolve("m/x.pb"), filepath.Join("a", "b", "m", "x.pb"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := c.Resolve(""); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestSetLimits: limits in the file replace the defaults.
func TestSetLimits(t *testing.T) {
	c, err := Parse("graphc.yaml", []byte("version: 1\nmodels:\n- path: a.pb\n  out: >-\n    gen/a\n  limits: {nodes: 7, time: 90s, fold: 0}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Models[0].Out != "gen/a" {
		t.Errorf("folded text: %q", c.Models[0].Out)
	}
	l := ir.Limits{Nodes: 1, Depth: 2}
	if err := c.Models[0].Limits.Set(&l); err != nil || l != (ir.Limits{Nodes: 7, Depth: 2, Time: 90 * time.Second}) {
		t.Errorf("%+v, %v", l, err)
	}
	if err := (*Limits)(nil).Set(&l); err != nil {
		t.Error(err)
	}
	for _, s := range []string{"soon", "0s", "-3s", "90"} {
		if err := (&Limits{Time: s}).Set(&l); err == nil || !strings.Contains(err.Error(), `limits.time is "`+s+`", not a duration`) {
			t.Errorf("%q: %v", s, err)
		}
	}
	if err := (&Limits{Nodes: -1}).Set(&l); err == nil || !strings.Contains(err.Error(), "nodes") {
		t.Errorf("a negative limit: %v", err)
	}
	v := reflect.ValueOf(Limits{})
	for i := range v.NumField() { // the key of each field must be the key of a limit in ir.Limits
		if k := fieldKey(v.Type().Field(i)); l.Set(k, 5) != nil {
			t.Errorf("limits.%s is no limit", k)
		}
	}
}

func TestSchema(t *testing.T) {
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	const golden = "graphc.schema.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s is stale (%v): go test ./internal/config -update", golden, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("version: 1\nmodels:\n- path: a.pb\n  shapes: {x: [1, n]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := Parse("graphc.yaml", data); (c == nil) == (err == nil) {
			t.Errorf("config %v, error %v", c, err)
		}
	})
}
