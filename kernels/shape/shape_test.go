package shape

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestChecks checks which arguments each check accepts, and the codes of its errors.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code tensor.Code
		says string
	}{
		{"equal", Broadcastable(3, 3), 0, ""},
		{"the first is 1", Broadcastable(1, 3), 0, ""},
		{"the second is 1", Broadcastable(0, 1), 0, ""},
		{"no broadcast", Broadcastable(2, 3), tensor.InvalidArgument, "dimensions 2 and 3 do not broadcast"},
		{"empty against 2", Broadcastable(0, 2), tensor.InvalidArgument, "do not broadcast"},
		{"compared", Comparable(2, 3), tensor.Unimplemented, "the answer is one bool"},
		{"one", OneOr(1, 3, "rows"), 0, ""},
		{"neither", OneOr(2, 3, "rows"), tensor.InvalidArgument, "rows: 2 against 3"},
		{"rows", Equal(2, 3, "rows"), tensor.InvalidArgument, "rows: 2 against 3"},
		{"condition", Precondition(2, 3, "rows"), tensor.FailedPrecondition, "rows: 2 against 3"},
		{"no rows", SomeRows(0, int(tensor.Unimplemented)), tensor.Unimplemented, "is empty"},
		{"rows there", SomeRows(1, int(tensor.Unimplemented)), 0, ""},
		{"at least", AtLeast(1, 2, "k"), tensor.InvalidArgument, "k"},
		{"enough", AtLeast(2, 2, "k"), 0, ""},
		{"summed", Sums(3, 1), 0, ""},
		{"left whole", Sums(3, 3), 0, ""},
		{"summed to 2", Sums(3, 2), tensor.InvalidArgument, "a dimension of 3 cannot be summed to 2"},
		{"alive", Alive([]bool{true}, "x:0"), 0, ""},
		{"dead", Alive([]bool{false}, "x:0"), tensor.InvalidArgument, "x:0 is fetched, but has no value"},
	} {
		if tensor.CodeOf(c.err) != c.code || c.err != nil && !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.name, c.err, c.code, c.says)
		}
	}
}
