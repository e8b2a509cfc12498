package state_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// runText runs a graph without feeds and formats its fetches, or the error's code.
func runText(t *testing.T, kept exec.State, nodes string, fetches ...string) string {
	t.Helper()
	text := "graph \"g\" producer=1000\n"
	for _, f := range fetches {
		text += fmt.Sprintf("fetch %q = %s key=%q\n", f, f, f)
	}
	g, err := ir.Parse(text + nodes)
	if err != nil {
		t.Fatal(err)
	}
	if err := ops.Ops().Infer(g); err != nil {
		return tensor.CodeOf(err).String()
	}
	p, err := ops.Ops().Lower(g, "test")
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return tensor.CodeOf(err).String() + " when compiling"
	}
	x, err := exec.NewWith(kept, p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Run(context.Background(), nil)
	if err != nil {
		return tensor.CodeOf(err).String()
	}
	var out []string
	for _, f := range fetches {
		out = append(out, fmt.Sprintf("%v%v", got[f].Shape, got[f].Data))
	}
	return strings.Join(out, " ")
}

const constants = `node two = Const() {dtype=f32, value=f32[2]{5, 6}} -> f32[*]
node i = Const() {dtype=i32, value=i32[1]{1}} -> i32[*]
node zero = Const() {dtype=i32, value=i32[]{0}} -> i32[*]
node big = Const() {dtype=i32, value=i32[1]{9}} -> i32[*]
node nd = Const() {dtype=i64, value=i64[1,1]{1}} -> i64[*]
node s = Const() {dtype=str, value=str[2]{"a", "b"}} -> str[*]
node t = Const() {dtype=bool, value=bool[1]{true}} -> bool[*]
`

func TestVariables(t *testing.T) {
	const fixed = "node v = VarHandleOp() {dtype=f32, shape=shape[3,2], _value=f32[3,2]{1, 2, 3, 4, 5, 6}} -> resource[*]\n"
	const open = "node v = VarHandleOp() {dtype=f32, shape=shape[?,2], _value=f32[3,2]{1, 2, 3, 4, 5, 6}} -> resource[*]\n"
	const unset = "node v = VarHandleOp() {dtype=f32, shape=shape[?,2]} -> resource[*]\n"
	const read = "node r = ReadVariableOp(v:0) {dtype=f32} -> f32[*]\n"
	const gather = "node r = ResourceGather(v:0, i:0) {dtype=f32, Tindices=i32} -> f32[*]\n"
	const gatherNd = "node r = ResourceGatherNd(v:0, nd:0) {dtype=f32, Tindices=i64} -> f32[*]\n"
	const shape = "node r = VariableShape(v:0) {out_type=i64} -> i64[*]\n"
	for name, tt := range map[string]struct{ nodes, want string }{
		"read":                 {fixed + read, "[3,2][1 2 3 4 5 6]"},
		"read an unknown size": {open + read, "[3,2][1 2 3 4 5 6]"},
		"read unset":           {unset + read, "FailedPrecondition"},
		"read another type":    {fixed + "node r = ReadVariableOp(v:0) {dtype=i32} -> i32[*]\n", "InvalidArgument"},
		"read any rank":        {"node v = VarHandleOp() {dtype=f32, shape=shape[*], _value=f32[2]{1, 2}} -> resource[*]\n" + read, "Unimplemented when compiling"},
		"fetch any rank": {"node v = VarHandleOp() {dtype=f32, shape=shape[*], _value=f32[2,1]{1, 2}} -> resource[*]\nnode r = _ReadAnyRank(v:0) {dtype=f32} -> f32[*]\n",
			"[2,1][1 2]"},
		"gather":                 {fixed + gather, "[1,2][3 4]"},
		"gather an unknown size": {open + gather, "[1,2][3 4]"},
		"gather unset":           {unset + gather, "NotFound"},
		"gather outside":         {fixed + "node r = ResourceGather(v:0, big:0) {dtype=f32, Tindices=i32} -> f32[*]\n", "InvalidArgument"},
		"gather batches": {"node v = VarHandleOp() {dtype=f32, shape=shape[1,3,2], _value=f32[1,3,2]{1, 2, 3, 4, 5, 6}} -> resource[*]\n" +
			"node ix = Const() {dtype=i32, value=i32[1,2]{2, 0}} -> i32[*]\nnode r = ResourceGather(v:0, ix:0) {dtype=f32, Tindices=i32, batch_dims=1} -> f32[*]\n", "[1,2,2][5 6 1 2]"},
		"gather nd":            {open + gatherNd, "[1,2][3 4]"},
		"shape":                {fixed + shape, "[2][3 2]"},
		"shape, unknown size":  {open + shape, "[2][3 2]"},
		"shape, unset":         {unset + shape, "NotFound"},
		"shape, any rank":      {"node v = VarHandleOp() {dtype=f32, shape=shape[*], _value=f32[2]{1, 2}} -> resource[*]\n" + shape, "[1][2]"},
		"anonymous":            {"node v = VarHandleOp() {dtype=f32, shape=shape[2], shared_name=\"" + lower.AnonymousName + "\"} -> resource[*]\n" + "node a = AssignVariableOp(v:0, two:0) {dtype=f32}\nnode r = ReadVariableOp(v:0, ^a) {dtype=f32} -> f32[*]\n", "[2][5 6]"},
		"strings":              {"node v = VarHandleOp() {dtype=str, shape=shape[2]} -> resource[*]\nnode a = AssignVariableOp(v:0, s:0) {dtype=str}\nnode r = ReadVariableOp(v:0, ^a) {dtype=str} -> str[*]\n", "[2][a b]"},
		"bools":                {"node v = VarHandleOp() {dtype=bool, shape=shape[?]} -> resource[*]\nnode a = AssignVariableOp(v:0, t:0) {dtype=bool}\nnode r = ReadVariableOp(v:0, ^a) {dtype=bool} -> bool[*]\n", "[1][true]"},
		"several":              {"node v = _VarHandlesOp() {containers=strings[\"\", \"\"], shared_names=strings[\"a\", \"b\"], N=2, dtypes=types[f32, f32], shapes=shapes[shape[2], shape[2]]} -> resource[*]; resource[*]\nnode a = AssignVariableOp(v:1, two:0) {dtype=f32}\nnode b = AssignVariableOp(v:0, two:0) {dtype=f32}\nnode r = _ReadVariablesOp(v:1, v:0, ^a, ^b) {N=2, dtypes=types[f32, f32]} -> f32[*]; f32[*]\n", "[2][5 6]"},
		"assign another type":  {fixed + "node a = AssignVariableOp(v:0, i:0) {dtype=i32}\n" + read, "InvalidArgument"},
		"assign another shape": {fixed + "node a = AssignVariableOp(v:0, two:0) {dtype=f32}\n" + read, "InvalidArgument"},
		"select": {"node v = VariableV2() {dtype=f32, shape=shape[2]} -> resource[*]\nnode w = VariableV2() {dtype=f32, shape=shape[2]} -> resource[*]\nnode h = RefSelect(zero:0, v:0, w:0) {T=resource, N=2} -> resource[*]\n" +
			"node a = Assign(h:0, two:0) {T=f32, validate_shape=true} -> resource[*]\nnode r = ReadVariableOp(v:0, ^a) {dtype=f32} -> f32[*]\n", "[2][5 6]"},
		"temporary":      {"node v = TemporaryVariable() {dtype=f32, shape=shape[2], var_name=\"t\"} -> resource[*]\nnode a = AssignAdd(v:0, two:0) {T=f32} -> resource[*]\nnode r = DestroyTemporaryVariable(a:0) {T=f32, var_name=\"t\"} -> f32[*]\n", "[2][5 6]"},
		"scatter misfit": {fixed + "node a = ResourceScatterAdd(v:0, i:0, big:0) {dtype=i32, Tindices=i32}\n" + read, "InvalidArgument"},
	} {
		if got := runText(t, exec.State{}, constants+tt.nodes, "r:0"); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestVariableKept runs several plans that share a state. Two nodes with the same shared name must
// use the same variable, unless their containers differ.
func TestVariableKept(t *testing.T) {
	kept := exec.State{}
	const a = "node a = VarHandleOp() {dtype=f32, shape=shape[2], shared_name=\"x\"} -> resource[*]\n"
	const b = "node b = VarHandleOp() {dtype=f32, shape=shape[2], shared_name=\"x\"} -> resource[*]\nnode r = ReadVariableOp(b:0) {dtype=f32} -> f32[*]\n"
	const c = "node c = VarHandleOp() {dtype=f32, shape=shape[2], shared_name=\"x\", container=\"c\"} -> resource[*]\nnode r = ReadVariableOp(c:0) {dtype=f32} -> f32[*]\n"
	for i, step := range []struct{ nodes, fetch, want string }{
		{b, "r:0", "FailedPrecondition"},
		{a + "node s = AssignVariableOp(a:0, two:0) {dtype=f32}\nnode z = VarIsInitializedOp(a:0, ^s) {} -> bool[*]\n", "z:0", "[][true]"},
		{b, "r:0", "[2][5 6]"},
		{a + "node s = AssignAddVariableOp(a:0, two:0) {dtype=f32}\nnode z = ReadVariableOp(a:0, ^s) {dtype=f32} -> f32[*]\n", "z:0", "[2][10 12]"},
		{c, "r:0", "FailedPrecondition"},
		{a + "node s = DestroyResourceOp(a:0) {ignore_lookup_error=false}\nnode z = VarIsInitializedOp(a:0, ^s) {} -> bool[*]\n", "z:0", "[][false]"},
		{a + "node s = DestroyResourceOp(a:0) {ignore_lookup_error=false}\nnode z = VarIsInitializedOp(a:0, ^s) {} -> bool[*]\n", "z:0", "NotFound"},
	} {
		if got := runText(t, kept, strings.Replace(constants, "node s =", "node strs =", 1)+step.nodes, step.fetch); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}
