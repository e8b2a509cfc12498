package codegen

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/plan"
)

// TestUsage: the example refers to the package by its name, which no local hides.
func TestUsage(t *testing.T) {
	for name, want := range map[string]string{
		"static": "m, err := static.New()\n",
		"m":      "m2, err := m.New()\n",
		"out":    "out2, err := m.Predict(context.Background(), out.PredictInput{\n",
	} {
		files := emit(t, &Package{Name: name, ImportPath: "example.com/" + name, Example: true, Plans: []*plan.Plan{staticPlan()}})
		got := string(files[name+"_example_test.go"])
		comment := strings.ReplaceAll(string(files[name+".gen.go"]), "//\t", "\t")
		if !strings.Contains(got, want) || !strings.Contains(comment, want) {
			t.Errorf("%s: there is no %q in\n%s", name, want, got)
		}
	}
}
