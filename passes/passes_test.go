package passes

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the wanted texts of testdata")

// eval computes the fetches of a graph without feeds, as the compiler does for constant subgraphs.
func eval(g *ir.Graph) ([]*tensor.Tensor, error) {
	got, err := run(g, nil)
	if err != nil {
		return nil, err
	}
	out := make([]*tensor.Tensor, len(g.Fetches))
	for i, f := range g.Fetches {
		out[i] = got[f.Name]
	}
	return out, nil
}

func run(g *ir.Graph, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if err := ops.Ops().Infer(g); err != nil {
		return nil, err
	}
	p, err := ops.Ops().Lower(g, "test")
	if err != nil {
		return nil, err
	}
	x, err := exec.New(p)
	if err != nil {
		return nil, err
	}
	return x.Run(context.Background(), feeds)
}

// parse reads a graph in text form.
func parse(t *testing.T, text []byte) *ir.Graph {
	t.Helper()
	g, err := ir.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// section returns the content of a file of an archive, or nil.
func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// TestGoldens runs passes on the graphs in testdata/<pass>/*.txtar. It runs the pass that the
// folder is named after; for testdata/run, it runs all passes. The graph is in the file "in" of the
// archive. The new graph and the journal must be equal to the file "out"; if an error is expected,
// its text must be equal to the file "error". The file "values" contains a Const for each variable
// that has a value. If the first line of the archive's comment is "noopt", Options.NoOpt is set.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, name := outcome(t, a, filepath.Base(filepath.Dir(file)))
			if *update {
				a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "out" || f.Name == "error" })
				a.Files = append(a.Files, txtar.File{Name: name, Data: got})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := section(a, name); !bytes.Equal(got, want) {
				t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
			}
		})
	}
}

func outcome(t *testing.T, a *txtar.Archive, pass string) ([]byte, string) {
	g := parse(t, section(a, "in"))
	o := edit.Options{Ops: ops.Ops(), Eval: eval, Check: true, NoOpt: strings.HasPrefix(string(a.Comment), "noopt\n")}
	if v := section(a, "values"); v != nil {
		values := parse(t, v)
		o.Values = func(node string) (*tensor.Tensor, error) {
			n := values.Node(node)
			if n == nil {
				return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value: the checkpoint has no %q", node)
			}
			return n.Value(), nil
		}
	}
	var err error
	switch pass {
	case "bind":
		err = bindLines(t, g, string(section(a, "bind")))
		if err == nil {
			err = edit.Infer(ops.Ops(), g)
		}
	case "run":
		err = Run(g, o)
	default:
		err = runOne(t, g, o, pass)
	}
	if err != nil {
		return []byte(err.Error() + "\n"), "error"
	}
	if err := ir.Check(g); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	b.WriteString(g.Text(ir.PrintOptions{NoLibrary: true}))
	b.WriteString("\n")
	if err := ir.PrintJournal(&b, g.Journal); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), "out"
}

// runOne runs the pass with the given name and infers facts again.
func runOne(t *testing.T, g *ir.Graph, o edit.Options, name string) error {
	for _, p := range Table() {
		if p.Name == name {
			s := edit.NewState(g, o)
			if _, err := one(s, p, 1); err != nil {
				return err
			}
			s.Stale = true
			s.Infer()
			return s.InferErr
		}
	}
	t.Fatalf("unknown pass %q", name)
	return nil
}

// bindLines calls BindIO with the feeds, fetches and targets in text. Each line is "feed TENSOR KEY
// SHAPE", "fetch TENSOR KEY" or "target NODE". A SHAPE of "-" means that no shape is given.
func bindLines(t *testing.T, g *ir.Graph, text string) error {
	var feeds []Feed
	var fetches []Fetch
	var targets []string
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		w := strings.Fields(l)
		switch w[0] {
		case "feed":
			f := Feed{Tensor: w[1], Key: w[2]}
			if w[3] != "-" {
				s := ir.Shape{Known: true}
				for _, d := range strings.Split(w[3], ",") {
					e, err := sym.Parse(d)
					if err != nil {
						t.Fatal(err)
					}
					s.Dims = append(s.Dims, e)
				}
				f.Shape = &s
			}
			feeds = append(feeds, f)
		case "fetch":
			fetches = append(fetches, Fetch{w[1], w[2]})
		case "target":
			targets = append(targets, w[1])
		}
	}
	return BindIO(ops.Ops(), g, feeds, fetches, targets)
}

func TestTable(t *testing.T) {
	at := map[string]int{}
	phase := map[Phase]int{}
	for i, p := range Table() {
		if _, twice := at[p.Name]; twice {
			t.Errorf("%s stands twice in the table", p.Name)
		}
		at[p.Name] = i
		if p.Doc == "" || p.run == nil {
			t.Errorf("%s lacks its doc or its function", p.Name)
		}
		if last, seen := phase[p.Phase]; seen && last != i-1 {
			t.Errorf("phase %s is interrupted before %s", p.Phase, p.Name)
		}
		phase[p.Phase] = i
	}
	named := map[string]bool{}
	for _, o := range Orders() {
		b, okb := at[o.Before]
		a, oka := at[o.After]
		switch {
		case !oka || !okb:
			t.Errorf("a constraint names %s and %s, the table does not", o.Before, o.After)
		case b >= a:
			t.Errorf("%s must come before %s: %s", o.Before, o.After, o.Reason)
		// each constraint in the table must have a reason
		case o.Reason == "" || strings.Contains(o.Reason, "order only"):
			t.Errorf("%s before %s has no reason", o.Before, o.After)
		}
		named[o.Before], named[o.After] = true, true
	}
	for n := range at {
		if !named[n] {
			t.Errorf("nothing says where %s belongs", n)
		}
	}
}
