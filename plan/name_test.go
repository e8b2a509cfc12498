package plan_test

import (
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// TestNameNodes: all plans of a signature share the short names, including those of steps within
// loops and of checks of sizes.
func TestNameNodes(t *testing.T) {
	call := func(node string) *plan.Call { return &plan.Call{Node: "call/model/" + node, Op: "Op"} }
	loop := &plan.Loop{Node: "call/model/while", Body: []plan.Step{call("while/x")}}
	par := &plan.Par{Total: sym.One, Body: []plan.Step{call("a"), call("b"), call("c")}}
	first := &plan.Plan{Steps: []plan.Step{loop, par}}
	part := &plan.Plan{Steps: []plan.Step{call("d")}, Prologue: []*plan.Call{call("check")}}
	whole := &plan.Plan{Parts: []*plan.Plan{part}}
	plan.NameNodes(first, whole)
	for _, p := range []*plan.Plan{first, part, whole} {
		if p.Names.Scope() != "call/model/" {
			t.Errorf("the scope is %q", p.Names.Scope())
		}
	}
	if got := first.Describe(par, (*sym.Expr).Key); got.Node != "a … c" || got.Op != "Op … Op" {
		t.Errorf("%q", got)
	}
}

// TestSizeNames: sizes are named after feeds and nodes with short names.
func TestSizeNames(t *testing.T) {
	p := &plan.Plan{
		Feeds: []plan.Feed{{Name: "serve_x:0"}},
		Dims:  []plan.Dim{{Name: plan.FedDim + "serve_x_1", Axis: 1}, {Name: plan.NamedDim + "B"}},
		Steps: []plan.Step{
			&plan.Call{Node: "call/model/text/Where", Rets: []string{"n_call_model_text_Where", "n_call_model_text_Where_1", "n_other"}},
			&plan.Call{Node: "call/model/a"}, &plan.Call{Node: "call/model/b"}, &plan.Let{Node: "call/model/c", Names: []string{"v_call_model_c_i0"}, X: []*sym.Expr{sym.One}},
		},
	}
	plan.NameNodes(p)
	names := p.SizeNames()
	for symbol, want := range map[string]string{"d_serve_x_1": "serveXDim1", "s_B": "B", "n_call_model_text_Where": "textWhere",
		"n_call_model_text_Where_1": "textWhere1", "n_other": "other", "v_call_model_c_i0": "cI0"} {
		if names[symbol] != want {
			t.Errorf("%s is %s, want %s", symbol, names[symbol], want)
		}
	}
	if got := plan.NamedSizes(sym.Var("s_B").Mul(sym.Var("n_other")).Add(sym.Var("x")), names).Key(); got != "B*other + x" {
		t.Error(got)
	}
}
