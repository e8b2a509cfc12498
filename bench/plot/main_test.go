package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/benchreport"
)

func times(us float64) *benchreport.Times { return &benchreport.Times{MinUS: us, MedianUS: us} }

func TestRun(t *testing.T) {
	point := func(value int, us float64) *benchreport.Case {
		return &benchreport.Case{Name: "p", Sweep: &benchreport.Sweep{Model: "mlp", Axis: "batch", Value: value},
			Threads: map[string]map[string]*benchreport.Times{"1": {"tf": times(3 * us), "graphc": times(us)}}}
	}
	cases := []*benchreport.Case{
		{Name: "one", Threads: map[string]map[string]*benchreport.Times{
			"1": {"tf": times(20), "ort": {Error: "refused"}, "graphc": times(10)}, "2": {"tf": times(20), "graphc": {Error: "died"}}}},
		{Name: "none", Error: "refused"},
		point(64, 100), point(1, 10),
	}
	data, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	results := filepath.Join(dir, "results.json")
	if err := os.WriteFile(results, data, 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	doc := filepath.Join(dir, "doc.md")
	if err := os.WriteFile(doc, []byte("a\n<!-- models -->\nold\n<!-- end -->\nb\n<!-- growth -->\n<!-- end -->\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(out, ".svg", doc, []string{results}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(doc)
	if s := string(text); err != nil || strings.Contains(s, "old") || !strings.Contains(s, "| one |") || !strings.Contains(s, "](out/ratios-1.svg)\n\n<!-- end -->\nb\n") ||
		!strings.HasSuffix(s, "<!-- growth -->\n\n![growth mlp batch 1](out/growth-mlp-batch-1.svg)\n\n<!-- end -->\n") {
		t.Errorf("%v:\n%s", err, text)
	}
	if err := insertFile(doc, "growth", results); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(doc); err != nil || !strings.Contains(string(text), "<!-- growth -->\n\n[{") {
		t.Errorf("%v:\n%s", err, text)
	}
	if insertFile(doc, "alone", results) == nil {
		t.Error("a section that is not there was replaced")
	}
	if insert(results, nil, []string{"x"}, nil) == nil {
		t.Error("a file without sections was changed")
	}
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := []string{"growth-mlp-batch-1.svg", "ratios-1.svg"}; !slices.Equal(names, want) {
		t.Errorf("wrote %q, want %q", names, want)
	}
	svg, err := os.ReadFile(filepath.Join(out, "ratios-1.svg"))
	if err != nil || !strings.Contains(string(svg), "TensorFlow") || strings.Contains(string(svg), "ONNX") {
		t.Errorf("%v: %s", err, svg)
	}
	if run(out, ".svg", "", nil) == nil || run(out, ".svg", "", []string{filepath.Join(dir, "absent.json")}) == nil {
		t.Error("results that are not there were drawn")
	}
}

func TestSteps(t *testing.T) {
	var got []string
	for _, tick := range (steps{}).Ticks(0.1, 6) {
		got = append(got, tick.Label)
	}
	if want := []string{"0.1", "0.2", "0.5", "1", "2", "5"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
