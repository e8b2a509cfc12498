package fuzzgraph

import (
	"path/filepath"
	"testing"

	"github.com/graphc/graphc/internal/cases"
)

// sample returns the recorded cases in the repository.
func sample(t testing.TB) *Corpus {
	t.Helper()
	c, err := Find([]string{filepath.Join("..", "..", "testdata", "cases")})
	if err != nil || len(c.Cases) < 100 {
		t.Fatalf("%d cases: %v", len(c.Cases), err)
	}
	return c
}

// attemptOne tries a mutant and fails the test if the outcome is bad.
func attemptOne(t *testing.T, c *Corpus, k int, m *Mutator) Result {
	t.Helper()
	m.Donors = c.Donors
	r := Attempt(c.Cases[k], c.Graphs[k], m, filepath.Join(t.TempDir(), "graph.pb"), Options{Diff: true})
	if r.Bad != "" {
		t.Errorf("%s: %s: %s\n%v", c.Cases[k].Dir, r.Bad, r.Text, m.Notes)
	}
	return r
}

// TestMutants tries a few mutants of each class. Command run tries many.
func TestMutants(t *testing.T) {
	c := sample(t)
	ran, refused := 0, 0
	for _, class := range Classes {
		for seed := range uint64(25) {
			m := New(class, 1000+seed)
			if attemptOne(t, c, m.Rand.IntN(len(c.Cases)), m).Kind == "ran" {
				ran++
			} else {
				refused++
			}
		}
	}
	if ran < 10 || refused < 10 {
		t.Errorf("%d mutants ran and %d were refused: these are no mutants that find anything", ran, refused)
	}
}

// FuzzMutants tries mutants of all classes.
func FuzzMutants(f *testing.F) {
	c := sample(f)
	for i := range Classes {
		f.Add(uint8(i), uint16(7*i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, class uint8, k uint16, seed uint64) {
		attemptOne(t, c, int(k)%len(c.Cases), New(Classes[int(class)%len(Classes)], seed))
	})
}

// FuzzGraph uses the fuzzer's bytes as a graph, together with the feeds of a case.
func FuzzGraph(f *testing.F) {
	c := sample(f)
	for k := 0; k < len(c.Cases); k += 40 {
		f.Add(uint16(k), c.Graphs[k])
	}
	f.Fuzz(func(t *testing.T, k uint16, raw []byte) {
		if len(raw) > maxGraph {
			return
		}
		i := int(k) % len(c.Cases)
		one := &Corpus{Cases: []*cases.Case{c.Cases[i]}, Graphs: [][]byte{raw}}
		attemptOne(t, one, 0, New("feeds", uint64(k)))
	})
}

// TestAttempt checks that checkFiles finds each kind of defect in emitted files.
func TestAttempt(t *testing.T) {
	for name, files := range map[string]map[string][]byte{
		"a file elsewhere": {"../x.go": []byte("package x\n")},
		"no Go":            {"x.go": []byte("package x\nfunc {\n")},
		"a call":           {"x.go": []byte("package x\nfunc f() { pwned() }\n")},
		"a directive":      {"x.go": []byte("package x\n\n//go:linkname f g\nfunc f()\n")},
		"an import":        {"x.go": []byte("package x\nimport _ \"os/exec\"\n")},
		"backwards":        {"x.go": []byte("package x\n// \u202e\n")},
	} {
		if checkFiles(files) == "" {
			t.Errorf("%s is not noticed", name)
		}
	}
	if s := checkFiles(map[string][]byte{"x.go": []byte("package x\n\nimport \"fmt\"\n\nfunc f() { fmt.Println(\"pwned()\") }\n")}); s != "" {
		t.Error(s)
	}
}
