package nn

import (
	"testing"

	"github.com/graphc/graphc/ir/sym"
)

func TestWindow(t *testing.T) {
	h := sym.Var("h")
	tests := []struct {
		in                  *sym.Expr
		size, stride, dil   int
		before, after       int
		padding, out, front string
	}{
		{sym.Int(7), 3, 2, 1, 0, 0, "SAME", "4", "1"},
		{sym.Int(8), 3, 2, 1, 0, 0, "SAME", "4", "0"},
		{sym.Int(8), 3, 2, 1, 0, 0, "VALID", "3", "0"},
		{sym.Int(8), 3, 1, 2, 0, 0, "VALID", "4", "0"},
		{sym.Int(8), 3, 2, 1, 1, 2, "EXPLICIT", "5", "1"},
		{sym.Int(1), 1, 3, 1, 0, 0, "SAME", "1", "0"},
		{sym.Int(0), 3, 2, 1, 0, 0, "SAME", "0", "0"},
		{h, 3, 1, 1, 0, 0, "SAME", "h", "1"},
		{h, 3, 1, 1, 0, 0, "VALID", "h - 2", "0"},
	}
	for _, c := range tests {
		out, front := window{c.in, sym.Int(c.size), c.stride, c.dil, c.before, c.after}.sizes(c.padding)
		if out.String() != c.out || front.String() != c.front {
			t.Errorf("%+v: %v positions, %v in front", c, out, front)
		}
	}
}
