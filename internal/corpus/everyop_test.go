package corpus

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
)

// TestEveryOpHasCase: each TensorFlow op that graphc can compile occurs in a recorded case of this
// repository.
func TestEveryOpHasCase(t *testing.T) {
	list, err := cases.Find([]string{filepath.Join("..", "..", "testdata", "cases"), filepath.Join("..", "randgraph", "testdata")})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	note := func(g *ir.Graph) {
		for _, n := range g.Nodes {
			seen[n.Op] = true
		}
	}
	for _, c := range list {
		if c.ExpectErr { // the case may be rejected before its ops are checked
			continue
		}
		m, err := frontend.Load([]string{c.ModelPath}, frontend.Options{})
		if err != nil {
			continue // the tests that run the case report the error
		}
		note(m.Graph)
		if m.Graph.Library != nil {
			for _, f := range m.Graph.Library.Functions {
				if f.Body != nil {
					note(f.Body)
				}
			}
		}
	}
	var missing []string
	for _, d := range ops.All() {
		if !seen[d.Name] && d.Lower != nil && !strings.HasPrefix(d.Name, "_") && without[d.Name] == "" {
			missing = append(missing, d.Name)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		t.Errorf("ops without a recorded case: %s: scripts/record makes one, and \"archive add\" puts it into testdata/cases/ops", strings.Join(missing, " "))
	}
	for op := range without {
		if seen[op] || ops.Lookup(op) == nil {
			t.Errorf("%s has a case, or does not compile: it need not be in the list of ops without one", op)
		}
	}
}

// without is a map. Its keys are the ops that no recorded case contains, and its values are the
// reasons.
var without = map[string]string{
	"DeleteSessionTensor":          "takes a handle that an earlier run made: ops and internal/hammer",
	"GetSessionTensor":             "takes a handle that an earlier run made: ops and internal/hammer",
	"FixedLengthRecordReader":      "reads files: rt/resource",
	"ImmutableConst":               "reads a file: kernels/files",
	"InitializeTableFromTextFile":  "reads a file, the first form of InitializeTableFromTextFileV2",
	"LoadAndRemapMatrix":           "reads a checkpoint: kernels/files",
	"TFRecordReader":               "reads files: rt/resource",
	"TextLineReader":               "reads files: rt/resource",
	"WholeFileReader":              "reads files: rt/resource",
	"GenerateBoundingBoxProposals": "TensorFlow has no kernel for CPUs: it only has shapes",
	"ImageSummary":                 "the files of pictures differ in their bytes, which compare as texts: ops",
	"MutableDenseHashTable":        "TensorFlow's kernel refuses nodes of the op, whose input deleted_key it lacks",
	"TopK":                         "TensorFlow's kernel refuses nodes of the op, whose attribute index_type it lacks",
	"GenerateVocabRemapping":       "reads files: kernels/files",
	"WholeFileReaderV2":            "reads files: rt/resource",
	"NonDeterministicInts":         "has other answers at every run: kernels/random",
	"Skipgram":                     "TensorFlow has no kernel any more",
}
