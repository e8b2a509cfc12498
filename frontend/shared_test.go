package frontend

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// sharedDir is $GRAPHC_SHARED.
func sharedDir(t testing.TB) string {
	dir, err := filepath.EvalSymlinks(testkit.NeedShared(t)) // WalkDir does not follow symbolic links
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

type sharedCase struct {
	name, path string // name of the case, and path of its model
	config     string
	Signature  string
	Expect     string
	Error      struct{ Code, When, Why string }
	Runs       []struct {
		Targets []string
		Names   struct{ Feeds, Fetches []string }
	}
	Dtypes map[string]string
}

// sharedCases lists the cases below a folder, in the order of their paths.
func sharedCases(t testing.TB, corpus string) []sharedCase {
	root := filepath.Join(sharedDir(t), "cases")
	var cases []sharedCase
	err := filepath.WalkDir(filepath.Join(root, corpus), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "case.json" {
			return err
		}
		dir := filepath.Dir(path)
		c := sharedCase{}
		c.name, _ = filepath.Rel(root, dir)
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			return err
		}
		for _, f := range []string{"graph.pb", "graph.pbtxt", "saved_model"} {
			if (disk{}).exists(filepath.Join(dir, f)) {
				c.path = filepath.Join(dir, f)
			}
		}
		if f := filepath.Join(dir, "config.pbtxt"); (disk{}).exists(f) {
			c.config = f
		}
		cases = append(cases, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("no cases in %s", corpus)
	}
	sort.Slice(cases, func(i, j int) bool { return cases[i].name < cases[j].name })
	return cases
}

// request returns a copy of the model's graph with a case's feeds, fetches and targets.
func request(m *Model, c sharedCase) (*ir.Graph, error) {
	g := m.Graph.Clone()
	for _, r := range c.Runs {
		for _, f := range r.Names.Feeds {
			o, err := g.Lookup(f)
			if err != nil {
				return nil, err
			}
			g.Feeds = append(g.Feeds, ir.Feed{Name: f, Out: o})
		}
		for _, f := range r.Names.Fetches {
			o, err := g.Lookup(f)
			if err != nil {
				return nil, err
			}
			g.Fetches = append(g.Fetches, ir.Fetch{Name: f, Out: o})
		}
		for _, t := range r.Targets {
			n := g.Node(t)
			if n == nil {
				return nil, tensor.Errorf(tensor.NotFound, "no node %q", t)
			}
			g.Targets = append(g.Targets, n)
		}
	}
	return g, nil
}

// TestSharedCasesLoad checks that each case for which outputs are recorded can be loaded. There
// must be no errors in the graph, in the functions that the fetches call, or in the values of the
// variables.
func TestSharedCasesLoad(t *testing.T) {
	for _, corpus := range []string{"models", "ops", "dl4j", "opencv", "features", "passes"} {
		t.Run(corpus, func(t *testing.T) {
			for _, c := range sharedCases(t, corpus) {
				if c.Expect != "outputs" {
					refuse(t, c)
					continue
				}
				m, err := Load([]string{c.path}, Options{Config: c.config})
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				g, err := request(m, c)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				if err := m.Check(g); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				for name, d := range c.Dtypes {
					o, err := m.Graph.Lookup(name)
					if err != nil {
						t.Errorf("%s: %v", c.name, err)
					} else if got := o.Fact().DType.TFName(); got != strings.TrimSuffix(d, "_REF") {
						t.Errorf("%s: %s is %s, TensorFlow says %s", c.name, name, got, d)
					}
				}
				if c.Signature != "" && signature(m, c.Signature) == nil {
					t.Errorf("%s: no signature %q", c.name, c.Signature)
				}
				checkVariables(t, c, m)
			}
		})
	}
}

// TestSharedGraphsLoad: the shared graphs that do not belong to cases load, too.
func TestSharedGraphsLoad(t *testing.T) {
	n := 0
	err := filepath.WalkDir(sharedDir(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "cases" {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if d.Name() == "graph.pb" {
			n++
			if _, err := Load([]string{path}, Options{}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d graphs, %v", n, err)
	}
}

// refuse loads a case for which an error is recorded. It fails the test if Load or Check returns an
// error with a different code. If neither returns an error, it fails the test only for errors that
// package frontend must find.
func refuse(t *testing.T, c sharedCase) {
	m, err := Load([]string{c.path}, Options{Config: c.config})
	if err == nil {
		g, bad := request(m, c)
		if bad != nil {
			return // the feeds, fetches or targets are invalid; the callers of Load reject them
		}
		err = m.Check(g)
	}
	switch {
	case err != nil && tensor.CodeOf(err).String() != c.Error.Code:
		t.Errorf("%s: %s (%s) expected, got %v", c.name, c.Error.Code, c.Error.Why, err)
	case err == nil && strings.HasPrefix(c.name, "ops/_attr/"):
		t.Errorf("%s: loads; %s expected: %s", c.name, c.Error.Code, c.Error.Why)
	case err == nil && strings.HasPrefix(c.name, "ops/_graph/") && c.Error.When == "compile":
		// Errors of these kinds are found later: by the caller, the placer, or the check of loop
		// frames.
		for _, later := range []string{"feed", "fetch", "target", "bad_device", "frame"} {
			if strings.Contains(c.name, later) {
				return
			}
		}
		t.Errorf("%s: loads; %s expected: %s", c.name, c.Error.Code, c.Error.Why)
	}
}

// checkVariables reads every variable. A variable may lack a value only if the variable was not
// saved. In this case, each tensor in the checkpoint, except the object graph, must be the value of
// another variable.
func checkVariables(t *testing.T, c sharedCase, m *Model) {
	if !m.HasVariables() {
		return
	}
	var without []error
	used := map[string]bool{objectGraphKey: true}
	for _, n := range m.Graph.Nodes {
		if !IsVariable(n) {
			continue
		}
		_, err := m.Variable(n.Name)
		switch {
		case tensor.CodeOf(err) == tensor.FailedPrecondition:
			without = append(without, err)
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		default:
			r, _ := m.locate(n)
			used[r.key] = true
		}
	}
	if len(without) > 0 && len(used) < len(m.checkpoint.Keys()) {
		t.Errorf("%s: %v, and %d of the checkpoint's %d tensors are used", c.name, without, len(used), len(m.checkpoint.Keys()))
	}
}

func signature(m *Model, name string) *Signature {
	for i := range m.Signatures {
		if m.Signatures[i].Name == name {
			return &m.Signatures[i]
		}
	}
	return nil
}

// TestSharedHostile: no hostile model crashes, hangs or takes unbounded memory. Models that
// TensorFlow runs must load, and errors must have the recorded code.
func TestSharedHostile(t *testing.T) {
	for _, c := range sharedCases(t, "hostile") {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := Load([]string{c.path}, Options{Config: c.config})
		if err == nil {
			var g *ir.Graph
			if g, err = request(m, c); err == nil {
				err = m.Check(g)
			}
			for _, n := range m.Graph.Nodes {
				if err == nil && IsVariable(n) && m.HasVariables() {
					_, err = m.Variable(n.Name)
				}
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
			t.Errorf("%s: allocated %d bytes", c.name, n)
		}
		switch {
		case err != nil && c.Expect == "outputs":
			t.Errorf("%s: %v", c.name, err)
		case err != nil && tensor.CodeOf(err).String() != c.Error.Code:
			t.Errorf("%s: %s (%s) expected, got %v", c.name, c.Error.Code, c.Error.Why, err)
		case err == nil && structural(c):
			t.Errorf("%s: loads; %s expected: %s", c.name, c.Error.Code, c.Error.Why)
		}
		var es Errors
		if errors.As(err, &es) && len(es) == 0 {
			t.Errorf("%s: an error without errors", c.name)
		}
	}
}

// structural reports whether package frontend must find a case's error. Other errors are found by
// shape inference or when the program runs.
func structural(c sharedCase) bool {
	if c.Expect != "error" || c.Error.When != "compile" && !strings.HasPrefix(c.name, "hostile/const/") {
		return false
	}
	for _, group := range []string{"attrs", "checkpoint", "const", "functions", "parse", "saved-model", "structure", "versions"} {
		if strings.HasPrefix(c.name, "hostile/"+group+"/") {
			return true
		}
	}
	return false
}
