package linalg

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

func TestParseEinsum(t *testing.T) {
	ints := func(ds ...int) []*sym.Expr { return ir.StaticShape(ds...).Dims }
	tests := []struct {
		equation string
		shapes   [][]*sym.Expr
		out      []string // nil: an error
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
