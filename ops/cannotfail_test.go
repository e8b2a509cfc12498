package ops_test

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
)

// TestTotal checks the method Total, which reports whether a node may be computed even if
// TensorFlow might not run it.
func TestTotal(t *testing.T) {
	g, err := ir.Parse(`graph "g" producer=1000
feed "x:0" = x:0 key="x" shape=[B,2]
feed "y:0" = y:0 key="y" shape=[C,2]
feed "k:0" = k:0 key="k" shape=[]
node x = Placeholder() {dtype=f32} -> f32[B,2]
node y = Placeholder() {dtype=f32} -> f32[C,2]
node k = Placeholder() {dtype=i32} -> i32[]
node w = Const() {value=f32[2,2]{1, 2, 3, 4}} -> f32[2,2] const
node four = Const() {value=i32[]{4}} -> i32[] const
node zero = Const() {value=i32[]{0}} -> i32[] const
node to = Const() {value=i32[2]{2, -1}} -> i32[2] const
node yes_mul = MatMul(x:0, w:0) {T=f32, transpose_a=false, transpose_b=false} -> f32[B,2]
node yes_relu = Relu(x:0) {T=f32} -> f32[B,2]
node yes_cast = Cast(k:0) {SrcT=i32, DstT=f32, Truncate=false} -> f32[]
node yes_add = AddV2(k:0, four:0) {T=i32} -> i32[]
node yes_shape = Shape(x:0) {T=f32, out_type=i32} -> i32[2]
node yes_flip = Reshape(x:0, to:0) {T=f32, Tshape=i32} -> f32[2,B]
node no_div = FloorDiv(four:0, k:0) {T=i32} -> i32[]
node no_sum = AddV2(x:0, y:0) {T=f32} -> f32[B,2]
node no_gather = GatherV2(x:0, k:0, zero:0) {Tparams=f32, Tindices=i32, Taxis=i32, batch_dims=0} -> f32[2]
node no_where = Where(x:0) {T=f32} -> i64[*]
node no_check = CheckNumerics(x:0) {T=f32, message="m"} -> f32[B,2]
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ops.Ops().Infer(g); err != nil {
		t.Fatal(err)
	}
	for _, n := range g.Nodes {
		want := strings.HasPrefix(n.Name, "yes_")
		if (want || strings.HasPrefix(n.Name, "no_")) && ops.Ops().Total(n) != want {
			t.Errorf("%s (%s): total is %v", n.Name, n.Op, !want)
		}
	}
}
