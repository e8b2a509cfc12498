package math

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
)

// TestReduceDims checks that neighbouring dimensions are merged if both are kept or both are
// reduced.
func TestReduceDims(t *testing.T) {
	x := []*sym.Expr{sym.Var("B"), sym.Int(7), sym.Int(7), sym.One, sym.Int(64)}
	for _, c := range []struct {
		drop string // one character for each dimension: 'x' if the dimension is reduced, '-' if it is kept
		want string
	}{{"-xx--", "{B, 49, 64}"}, {"xxxxx", "{1, 3136*B}"}, {"----x", "{49*B, 64}"}, {"x---x", "{1, B, 49, 64}"}, {"x----", "{1, B, 3136}"}, {"-----", "{3136*B}"}} {
		drop := make([]bool, len(x))
		for i := range drop {
			drop[i] = c.drop[i] == 'x'
		}
		d, _, err := reduceDims(x, drop)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range d.Fields["D"] {
			got = append(got, e.String())
		}
		if g := "{" + strings.Join(got, ", ") + "}"; g != c.want {
			t.Errorf("%s: %s, want %s", c.drop, g, c.want)
		}
	}
}
