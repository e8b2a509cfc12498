package behaviours

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite docs/behaviours.md")

const (
	root = "../.."
	doc  = root + "/docs/behaviours.md"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// row is one behaviour. The field Name is the name of the behaviour in TensorFlow's tests. AOT is
// "yes", "adapted" or "no": whether the behaviour applies to a compiled program. The field Text
// describes the corresponding behaviour of a compiled program, or says why the behaviour does not
// apply. The field Tests lists the tests that show the behaviour. Each element of Tests is
// package.TestName, package.TestName/sub-test, a script or a case.
type row struct {
	N     int      `json:"n"`
	Area  string   `json:"area"`
	Name  string   `json:"name"`
	AOT   string   `json:"aot"`
	Text  string   `json:"text"`
	Tests []string `json:"tests"`
}

func rows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile("behaviours.json")
	must(t, err)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var all []row
	must(t, dec.Decode(&all))
	return all
}

// TestTable: the table is complete, and each behaviour that applies names at least one test. All
// named tests exist.
func TestTable(t *testing.T) {
	all := rows(t)
	if len(all) != 128 {
		t.Errorf("%d behaviours", len(all))
	}
	packages := map[string]*tests{}
	names := map[string]bool{}
	for i, r := range all {
		if r.N != i+1 || names[r.Name] || r.Text == "" {
			t.Errorf("%d %s: another number, a name that was there, or no text", r.N, r.Name)
		}
		names[r.Name] = true
		if !slices.Contains([]string{"yes", "adapted", "no"}, r.AOT) || (r.AOT == "no") != (len(r.Tests) == 0) {
			t.Errorf("%d %s: %s, with %d tests", r.N, r.Name, r.AOT, len(r.Tests))
		}
		for _, s := range r.Tests {
			if err := exists(packages, s, r.Name); err != nil {
				t.Errorf("%d %s: %s: %v", r.N, r.Name, s, err)
			}
		}
	}
}

// TestRecorded compares the table with the recorded behaviours.
func TestRecorded(t *testing.T) {
	text, err := os.ReadFile(testkit.NeedShared(t, "session", "behaviours.json"))
	must(t, err)
	var recorded struct{ Behaviours []row }
	must(t, json.Unmarshal(text, &recorded))
	all := rows(t)
	for i, want := range recorded.Behaviours {
		if i >= len(all) {
			t.Fatalf("%d %s is missing", want.N, want.Name)
		}
		if got := all[i]; got.N != want.N || got.Area != want.Area || got.Name != want.Name || got.AOT != want.AOT {
			t.Errorf("%d %s %s %s is recorded as %d %s %s %s", got.N, got.Area, got.Name, got.AOT, want.N, want.Area, want.Name, want.AOT)
		}
	}
}

// tests contains the names of the test functions of a package, and all its string literals.
type tests struct{ functions, literals map[string]bool }

// exists returns an error if the named test does not exist.
func exists(packages map[string]*tests, s, behaviour string) error {
	switch {
	case strings.HasSuffix(s, ".txtar"):
		text, err := os.ReadFile(filepath.Join(root, s))
		if err != nil {
			return err
		}
		script, _, _ := strings.Cut(string(text), "\n-- ")
		for line := range strings.Lines(script) {
			if words, ok := strings.CutPrefix(line, "# Behaviours: "); ok && slices.Contains(strings.Split(strings.Trim(words, ".\n"), ", "), behaviour) {
				return nil
			}
		}
		return fmt.Errorf("no line # Behaviours: has %s", behaviour)
	case strings.HasPrefix(s, "testdata/cases/"):
		if !recorded()[strings.TrimPrefix(s, "testdata/cases/")] {
			return fmt.Errorf("no archive has such a case")
		}
		return nil
	}
	dir, name, ok := strings.Cut(s, ".")
	if !ok {
		return fmt.Errorf("it is neither a test nor a script nor a case")
	}
	p := packages[dir]
	if p == nil {
		var err error
		if p, err = read(filepath.Join(root, dir)); err != nil {
			return err
		}
		packages[dir] = p
	}
	name, sub, _ := strings.Cut(name, "/")
	switch {
	case !p.functions[name]:
		return fmt.Errorf("there is no such test")
	case sub != "" && !p.literals[sub]:
		return fmt.Errorf("there is no such sub-test")
	}
	return nil
}

// recorded returns the names of the sample's cases, below testdata/cases.
var recorded = sync.OnceValue(func() map[string]bool {
	all, err := cases.Find([]string{filepath.Join(root, "testdata", "cases")})
	if err != nil {
		panic(err)
	}
	names := map[string]bool{}
	for _, c := range all {
		names[c.Rel] = true
	}
	return names
})

// read parses the tests of a package.
func read(dir string) (*tests, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	p := &tests{map[string]bool{}, map[string]bool{}}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				p.functions[fn.Name.Name] = true
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					p.literals[s] = true
				}
			}
			return true
		})
	}
	return p, nil
}

// TestDoc compares the documentation with the table.
func TestDoc(t *testing.T) {
	got := markdown(rows(t))
	if *update {
		must(t, os.WriteFile(doc, got, 0o666))
	}
	if want, err := os.ReadFile(doc); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale (%v): go test ./internal/behaviours -run TestDoc -update", doc, err)
	}
}

func markdown(all []row) []byte {
	var b bytes.Buffer
	count := map[string]int{}
	for _, r := range all {
		count[r.AOT]++
	}
	fmt.Fprintf(&b, `# What a session does

TensorFlow's own tests of its session, executor and partial runs check %d behaviours. This table
says how a compiled program behaves: %d are the same (yes), %d have another form (adapted), %d do
not apply (no). Tests show it. A path below `+"`testdata/cases`"+` is a recorded case, which
`+"`internal/corpus`"+` runs interpreted and compiled. This page is generated from
`+"`internal/behaviours/behaviours.json`"+`: `+"`go test ./internal/behaviours -run TestDoc -update`"+`.

| n | area | behaviour | | how, or why not | tests |
|---|---|---|---|---|---|
`, len(all), count["yes"], count["adapted"], count["no"])
	for _, r := range all {
		var tests []string
		for _, s := range r.Tests {
			tests = append(tests, "`"+s+"`")
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", r.N, strings.ReplaceAll(r.Area, "_", " "), r.Name, r.AOT, r.Text, strings.Join(tests, " "))
	}
	return b.Bytes()
}
