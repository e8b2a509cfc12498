package tune

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

func TestChoose(t *testing.T) {
	direct := NodeTimes(caserun.Ops{Calls: []caserun.OpTime{{Step: 0, MinNS: 1000}, {Step: 1, MinNS: 4000}, {Step: 1, Call: 1, MinNS: 6000}, {Step: 2, MinNS: 9800}, {Step: 3, MinNS: 5000}, {Step: 9, MinNS: 1}}},
		map[[2]int]string{{0, 0}: "a", {1, 0}: "b", {1, 1}: "b", {2, 0}: "c", {3, 0}: "d"})
	winograd := map[string]float64{"a": 2, "b": 5, "c": 10, "d": 10}
	all := map[string]bool{"a": true, "b": true, "c": true, "d": true, "gone": true}
	got := Choose(direct, winograd, all, map[string]bool{"a": true, "c": true})
	want := []Tuned{
		{"b", 10, 5, lower.Direct, lower.Winograd},
		{"c", 9.8, 10, lower.Winograd, lower.Winograd}, // not by enough
		{"d", 5, 10, lower.Direct, lower.Direct},
		{"a", 1, 2, lower.Winograd, lower.Direct},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("row %d is %+v, want %+v", i, got[i], w)
		}
	}
	var b bytes.Buffer
	if err := Text(&b, got); err != nil || !strings.Contains(b.String(), "a: direct (estimated: winograd)\n") || !strings.Contains(b.String(), "c: winograd\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestKeepMethods(t *testing.T) {
	t.Chdir(t.TempDir())
	const before = "# mine\nversion: \"1\"\nmodels:\n- path: a.pb # first\n  out: gen\n- path: [b.pb, c.pb]\n  methods: {old: direct}\n  out: gen2\n"
	methods := map[string]lower.Method{"x/y": lower.Winograd}
	var out bytes.Buffer
	if err := keepMethods(&out, "graphc.yaml", []string{"a.pb"}, methods); err != nil || out.String() != "# for graphc.yaml\nmethods:\n  x/y: winograd\n" {
		t.Errorf("without a configuration: %v\n%s", err, out.String())
	}
	if err := os.WriteFile("graphc.yaml", []byte(before), 0o666); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := keepMethods(&out, "graphc.yaml", []string{"d.pb"}, methods); err != nil || !strings.Contains(out.String(), "x/y: winograd") {
		t.Errorf("a model that is not listed: %v\n%s", err, out.String())
	}
	full, err := filepath.Abs("a.pb")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths   []string
		methods map[string]lower.Method
		want    string
	}{
		{[]string{full}, methods, "# mine\nversion: \"1\"\nmodels:\n- path: a.pb # first\n  out: gen\n  methods:\n    x/y: winograd\n- path: [b.pb, c.pb]\n  methods: {old: direct}\n  out: gen2\n"},
		{[]string{"b.pb", "c.pb"}, methods, "# mine\nversion: \"1\"\nmodels:\n- path: a.pb # first\n  out: gen\n  methods:\n    x/y: winograd\n- path: [b.pb, c.pb]\n  out: gen2\n  methods:\n    x/y: winograd\n"},
		{[]string{"a.pb"}, nil, "# mine\nversion: \"1\"\nmodels:\n- path: a.pb # first\n  out: gen\n- path: [b.pb, c.pb]\n  out: gen2\n  methods:\n    x/y: winograd\n"},
	} {
		out.Reset()
		if err := keepMethods(&out, "graphc.yaml", c.paths, c.methods); err != nil || out.Len() > 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if got, err := os.ReadFile("graphc.yaml"); err != nil || string(got) != c.want {
			t.Errorf("%v: %v\n%s\nwant\n%s", c.paths, err, got, c.want)
		}
	}
}

// TestSignatureFor checks that signatureFor chooses the first signature that has an array for each
// feed, even if an earlier signature has a feed without an array.
func TestSignatureFor(t *testing.T) {
	signature := func(name string, feeds ...string) *pipeline.Signature {
		s := &pipeline.Signature{Name: name, Plan: &plan.Plan{}}
		for _, f := range feeds {
			s.Plan.Feeds = append(s.Plan.Feeds, plan.Feed{Name: f + ":0", Key: f})
		}
		return s
	}
	p := &pipeline.Program{Signatures: []*pipeline.Signature{signature("train", "x", "labels"), signature("serve", "x")}}
	x, err := tensor.From(tensor.Shape{1}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	s, feeds, err := signatureFor(p, map[string]*tensor.Tensor{"x": x})
	if err != nil || s.Name != "serve" || feeds["x:0"] != x {
		t.Errorf("%v, %v, %v", s, feeds, err)
	}
	if _, _, err := signatureFor(p, map[string]*tensor.Tensor{"y": x}); err == nil || !strings.Contains(err.Error(), `no array for feed "labels:0" or "x:0"`) {
		t.Error(err)
	}
}
