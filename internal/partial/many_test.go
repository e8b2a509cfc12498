//go:build emitted

package partial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
)

// many is the number of feeds, and also of fetches, of the program that manySteps builds. The graph
// comes from testdata/make.py.
const many = 200

// manyTest is the source of a test in the package that manySteps emits.
const manyTest = `package many

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestSteps(t *testing.T) {
	b, err := os.ReadFile("steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Name  string
		Steps []struct{ Feeds, Fetches map[string]float32 }
	}
	json.Unmarshal(b, &all) // other runs have other types
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	of := func(v float32) *tensor.Tensor { return tensor.Must(tensor.From(tensor.Shape{}, []float32{v})) }
	for _, c := range all {
		if c.Name != "many_steps" {
			continue
		}
		p, err := m.Partial("")
		if err != nil {
			t.Fatal(err)
		}
		feeds, n := map[string]*tensor.Tensor{}, 0
		for _, s := range c.Steps {
			for name, v := range s.Feeds {
				feeds[name] = of(v)
				if err := p.Feed(name, of(v)); err != nil {
					t.Fatal(err)
				}
			}
			for name, v := range s.Fetches {
				got, err := p.Fetch(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if n++; got.Data.([]float32)[0] != v {
					t.Errorf("%s is %v, want %v", name, got.Data, v)
				}
			}
		}
		if n != 200 {
			t.Errorf("%d steps", n)
		}
		got, err := m.Run(t.Context(), "", feeds)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Steps {
			for name, v := range s.Fetches {
				if got[name].Data.([]float32)[0] != v {
					t.Errorf("%s is %v in one run, want %v", name, got[name].Data, v)
				}
			}
		}
		return
	}
	t.Error("many_steps is not recorded")
}
`

// manySteps builds a program with two hundred feeds and fetches. It runs a partial run that fetches
// one tensor after the other, and then a run that fetches all tensors together.
func manySteps(t *testing.T) {
	testkit.NeedLong(t)
	o := pipeline.Options{Partial: true, SoftPlacement: true}
	for i := range many {
		o.Feeds, o.Fetches = append(o.Feeds, fmt.Sprintf("in%d:0", i)), append(o.Fetches, fmt.Sprintf("out%d:0", i))
	}
	p, err := pipeline.Compile([]string{"testdata/steps.pbtxt"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Signatures[0].Plan.Parts); n != many {
		t.Errorf("%d parts", n)
	}
	files, err := codegen.Emit(&codegen.Package{Name: "many", Plans: p.Plans()})
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	_, rest, _ := strings.Cut(string(read(filepath.Join(root, "go.mod"))), "\n")
	files["go.mod"] = []byte("module example.com/many\n" + rest + "\nrequire github.com/graphc/graphc v0.0.0\n\nreplace github.com/graphc/graphc => " + root + "\n")
	files["go.sum"], files["many_test.go"], files["steps.json"] = read(filepath.Join(root, "go.sum")), []byte(manyTest), read("testdata/steps.json")
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
