package lower

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestUnsupportedCode: the code of an UnsupportedError is PermissionDenied if all its ops call
// functions outside the graph.
func TestUnsupportedCode(t *testing.T) {
	python, lacking := Unsupported{"EagerPyFunc", []string{"a", "b", "c", "d"}, "it calls Python"}, Unsupported{Op: "DecodeJxl", Nodes: []string{"e"}}
	for _, c := range []struct {
		ops  []Unsupported
		code tensor.Code
		text string
	}{
		{[]Unsupported{python}, tensor.PermissionDenied, "PermissionDenied: 1 unsupported ops:\n  EagerPyFunc (4 nodes): a, b, c, …: it calls Python"},
		{[]Unsupported{lacking}, tensor.Unimplemented, "Unimplemented: 1 unsupported ops:\n  DecodeJxl (1 nodes): e"},
		{[]Unsupported{lacking, python}, tensor.Unimplemented, "\n  DecodeJxl (1 nodes): e\n  EagerPyFunc (4 nodes): a"},
		{[]Unsupported{python, lacking}, tensor.Unimplemented, "Unimplemented: 2 unsupported ops:\n  EagerPyFunc (4 nodes): a"},
	} {
		err := &UnsupportedError{c.ops}
		if tensor.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v, want %v: %s", tensor.CodeOf(err), err, c.code, c.text)
		}
	}
}
