package ops

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/ir"
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

func TestParseEinsum(t *testing.T) {
	ints := func(ds ...int) []*sym.Expr { return ir.StaticShape(ds...).Dims }
	tests := []struct {
		equation string
		shapes   [][]*sym.Expr
		out      []string // nil: refused
	}{
		{"ij,jk->ik", [][]*sym.Expr{ints(2, 3), ints(3, 4)}, []string{"i", "k"}},
		{"a...b, b -> ...a", [][]*sym.Expr{ints(2, 5, 6, 3), ints(3)}, []string{"…1", "…0", "a"}},
		{"...ij,...jk->...ik", [][]*sym.Expr{ints(2, 3), ints(7, 3, 4)}, []string{"…0", "i", "k"}},
		{"ii->", [][]*sym.Expr{ints(2, 2)}, []string{}},
		{"ij,jk->ik", [][]*sym.Expr{ints(2, 3), ints(4, 4)}, nil},
		{"ij,jk->il", [][]*sym.Expr{ints(2, 3), ints(3, 4)}, nil},
		{"ij->ij", [][]*sym.Expr{ints(2, 3), ints(3, 4)}, nil},
		{"ij->ij", [][]*sym.Expr{ints(2, 3, 4)}, nil},
		{"i1->i", [][]*sym.Expr{ints(2, 3)}, nil},
		{"ij", [][]*sym.Expr{ints(2, 3)}, nil},
		{"...i,...i->i", [][]*sym.Expr{ints(2, 3), ints(4, 3)}, nil},
	}
	for _, c := range tests {
		n := &ir.Node{Op: "Einsum", Attrs: map[string]ir.Attr{"equation": c.equation}}
		e, err := parseEinsum(n, c.shapes)
		switch {
		case c.out == nil:
			if err == nil {
				t.Errorf("%s is accepted", c.equation)
			}
		case err != nil || !slices.Equal(e.out, c.out):
			t.Errorf("%s: %v %v", c.equation, e, err)
		}
	}
}

func TestMergeBatch(t *testing.T) {
	d := func(a, b, out int) batchDim { return batchDim{sym.Int(a), sym.Int(b), sym.Int(out)} }
	n := sym.Var("n")
	tests := []struct {
		in   []batchDim
		want int
	}{
		{nil, 0},
		{[]batchDim{d(1, 1, 1)}, 0},
		{[]batchDim{d(2, 2, 2), d(3, 3, 3), d(4, 4, 4)}, 1},
		{[]batchDim{d(2, 1, 2), d(3, 1, 3), d(4, 4, 4)}, 2},
		{[]batchDim{d(2, 2, 2), {n, n, n}}, 1},
		{[]batchDim{d(2, 2, 2), {n, sym.Var("m"), sym.Broadcast(n, sym.Var("m"))}}, 2},
	}
	for _, c := range tests {
		if got := mergeBatch(c.in); len(got) != c.want {
			t.Errorf("%v: %d dimensions, want %d", c.in, len(got), c.want)
		}
	}
}
