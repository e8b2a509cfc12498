package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// The SavedModel in testdata/keras was written by Keras 3.
const kerasModel = "testdata/keras/model"

func sameText(p *Program) string {
	var out []string
	for _, s := range p.Signatures {
		text := s.Name
		if s.Same != nil {
			text += fmt.Sprintf("=%s%v%v", s.Same.Of.Name, s.Same.Feeds, s.Same.Fetches)
		}
		out = append(out, text)
	}
	for _, x := range p.LeftOut {
		out = append(out, fmt.Sprintf("-%s=%s", x.Name, x.Same))
	}
	return strings.Join(out, " ")
}

// TestKerasExport checks a model for which Keras wrote two equal signatures. One of them must be
// left out, unless the caller requests this signature.
func TestKerasExport(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "serving_default -serve=serving_default"},
		{Options{Devices: []string{"cpu:0", "cpu:1"}}, "serving_default -serve=serving_default"},
		{Options{NoOpt: true}, "serving_default -serve=serving_default"},
		{Options{Shapes: map[string]string{"age": "batch,4", "items": "batch,2"}}, "serving_default -serve=serving_default"},
		{Options{Signatures: []string{"serve"}}, "serve"},
		{Options{Signatures: []string{"serving_default", "serve"}}, "serving_default serve=serving_default[0 1][0 1]"},
		{Options{Partial: true}, "serve serving_default"},
		{Options{Shapes: map[string]string{"serve_age": "2,4"}}, "serve serving_default"},
		{Options{Watch: []string{"*MatMul"}}, "serve serving_default"},
	} {
		p, err := Compile([]string{kerasModel}, c.o)
		if err != nil {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		if got := sameText(p); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
	p, err := Compile([]string{kerasModel}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(context.Background(), map[string]*tensor.Tensor{
		"serving_default_age:0":   tensor.Must(tensor.From(tensor.Shape{1, 4}, []float32{1, 2, 3, 4})),
		"serving_default_items:0": tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{1, -1}))})
	if err != nil {
		t.Fatal(err)
	}
	if f := got["StatefulPartitionedCall_1:0"]; f == nil || f.Data.([]float32)[0] < 0.0105043 || f.Data.([]float32)[0] > 0.0105044 {
		t.Errorf("rank is %v, TensorFlow's 0.01050436", got)
	}
}

// sameGraph has two feeds, nodes that draw random numbers, and two variables.
const sameGraph = `
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "any" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
node { name: "three" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 3 } } } }
node { name: "n" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 4 } } } }
node { name: "x2" op: "Mul" input: "x" input: "two" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "x3" op: "Mul" input: "x" input: "three" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y2" op: "Mul" input: "y" input: "two" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "d" op: "Sub" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "neg" op: "Neg" input: "any" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "r" op: "RandomUniform" input: "n" attr { key: "T" value { type: DT_INT32 } } attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "seed" value { i: 1 } } attr { key: "seed2" value { i: 2 } } }
node { name: "s" op: "RandomUniform" input: "n" attr { key: "T" value { type: DT_INT32 } } attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "seed" value { i: 1 } } attr { key: "seed2" value { i: 2 } } }
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "v" } } attr { key: "container" value { s: "" } } }
node { name: "w" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "w" } } attr { key: "container" value { s: "" } } }
node { name: "v2" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "v" } } attr { key: "container" value { s: "" } } }
node { name: "u" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "" } } attr { key: "container" value { s: "" } } }
node { name: "u2" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "" } } attr { key: "container" value { s: "" } } }
node { name: "setv" op: "AssignVariableOp" input: "v" input: "two" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "setw" op: "AssignVariableOp" input: "w" input: "two" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "setv2" op: "AssignVariableOp" input: "v2" input: "two" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "setu" op: "AssignVariableOp" input: "u" input: "two" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "setu2" op: "AssignVariableOp" input: "u2" input: "two" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "getv" op: "ReadVariableOp" input: "v" input: "^setv" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "getw" op: "ReadVariableOp" input: "w" attr { key: "dtype" value { type: DT_FLOAT } } }
`

// TestSameCalls compiles two signatures of one graph and checks whether the second one uses the
// code of the first.
func TestSameCalls(t *testing.T) {
	path := write(t, sameGraph)
	call := func(text string) Call {
		var c Call
		in, out, _ := strings.Cut(text, "->")
		out, targets, _ := strings.Cut(out, ";")
		c.Feeds, c.Fetches, c.Targets = strings.Fields(in), strings.Fields(out), strings.Fields(targets)
		return c
	}
	for _, c := range []struct{ a, b, want string }{
		{"x y -> d x2", "x y -> d x2", "[0 1][0 1]"},
		{"x y -> d x2", "y x -> x2 d", "[1 0][1 0]"},
		{"x y -> d x2", "k=y l=x -> m=x2 n=d", "[1 0][1 0]"},
		{"x -> a=x2 b=x2", "x -> b=x2 a=x2", "[0][1 0]"},
		{"x -> x2", "y -> y2", "[0][0]"}, // x2 and y2 are different nodes that compute the same function of the feed
		{"x -> x2", "x -> x3", ""},       // a constant differs
		{"x y -> d", "k=y x -> d", "[1 0][0]"},
		{"x y -> d", "x=y y=x -> d", "[1 0][0]"}, // feeds are paired by their tensors, not by their keys
		{"x y -> d", "x y -> d x2", ""},
		{"x y -> x2", "x y -> x3", ""},
		{"-> r", "-> r", "[][0]"},
		{"-> r", "-> s", ""}, // r and s have separate random states
		{"-> r s", "-> s r", "[][1 0]"},
		{"-> a=r b=s", "-> a=s b=r", "[][1 0]"},
		{"-> ; setv", "-> ; setv", "[][]"},
		{"-> ; setv", "-> ; setw", ""},
		{"-> ; setv", "-> ; setv2", "[][]"}, // v and v2 are nodes of one variable
		{"-> ; setu", "-> ; setu2", ""},     // u and u2 have no shared name, so they are different variables
		{"-> getv ; setw", "-> getv ; setw", "[][0]"},
		{"-> getv getw ; setw", "-> getw getv ; setw", "[][1 0]"},
		{"-> getv", "-> getv ; setv", "[][0]"}, // setv runs anyway
		{"-> getv", "-> getw ; setw", ""},
		{"any -> neg", "k=any -> k=neg", "[0][0]"}, // several ranks
	} {
		first, second := call(c.a), call(c.b)
		first.Name, second.Name = "a", "b"
		p, err := Compile([]string{path}, Options{Calls: []Call{first, second}})
		if err != nil {
			t.Errorf("%s; %s: %v", c.a, c.b, err)
			continue
		}
		want := "a b"
		if c.want != "" {
			want += "=a" + c.want
		}
		if got := sameText(p); got != want {
			t.Errorf("%s; %s: %s, want %s", c.a, c.b, got, want)
		}
		for _, s := range p.Signatures {
			for _, v := range s.Variants {
				if (v.Plan.Same != nil) != (s.Same != nil) {
					t.Errorf("%s; %s: a variant of %s is not like the others", c.a, c.b, s.Name)
				}
			}
		}
	}
}

// TestSameSizes: signatures that share code may use different names for their sizes. A signature in
// which two sizes must be equal is not the same as one in which they are independent.
func TestSameSizes(t *testing.T) {
	path := write(t, sameGraph)
	feeds := []string{"x", "y"}
	calls := []Call{
		{Name: "a", Feeds: feeds, Fetches: []string{"x2", "y2"}, Shapes: map[string]string{"x": "n,2", "y": "k,2"}},
		{Name: "b", Feeds: []string{"y", "x"}, Fetches: []string{"x2", "y2"}, Shapes: map[string]string{"x": "rows,2", "y": "?,2"}},
		{Name: "c", Feeds: feeds, Fetches: []string{"x2", "y2"}, Shapes: map[string]string{"x": "n,2", "y": "n,2"}},
		{Name: "d", Feeds: feeds, Fetches: []string{"x2", "y2"}, Shapes: map[string]string{"x": "3,2"}},
	}
	p, err := Compile([]string{path}, Options{Calls: calls})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sameText(p), "a b=a[1 0][0 1] c d"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	same := p.Signatures[1].Plan.Same
	if same == nil || same.Plan != p.Signatures[0].Plan || same.Sizes[plan.NamedDim+"rows"] != plan.NamedDim+"n" {
		t.Errorf("%+v", same)
	}
}

// TestSameMethods checks that two signatures do not share code if they compute a convolution by
// different methods.
func TestSameMethods(t *testing.T) {
	for _, m := range []map[string]string{nil, {"x2": "direct"}} {
		p, err := Compile([]string{write(t, sameGraph)}, Options{Methods: methodsOf(m), Calls: []Call{
			{Name: "a", Feeds: []string{"x"}, Fetches: []string{"x2"}}, {Name: "b", Feeds: []string{"y"}, Fetches: []string{"y2"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if same := slices.ContainsFunc(p.Signatures, func(s *Signature) bool { return s.Same != nil }); same != (m == nil) {
			t.Errorf("with the methods %v the calls are the same: %t", m, same)
		}
	}
}

func methodsOf(by map[string]string) map[string]lower.Method {
	out := map[string]lower.Method{}
	for node, m := range by {
		out[node] = lower.Method(m)
	}
	return out
}
