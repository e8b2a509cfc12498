package passes

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// TestRefusals checks that a pass records a reason when it almost changes a node but then does not
// change it. If the pass changes that node later, the record is dropped.
func TestRefusals(t *testing.T) {
	const x = `graph "g" producer=1000
feed "x:0" = x:0 key="x" shape=[B,4]
node x = Placeholder() {dtype=f32, shape=shape[?,4]} -> f32[*]
node w = Const() {dtype=f32, value=f32[4,2]{1, 2, 3, 4, 5, 6, 7, 8}} -> f32[*]
node b = Const() {dtype=f32, value=f32[2]{1, 2}} -> f32[*]
node m = MatMul(x:0, w:0) {T=f32, transpose_a=false, transpose_b=false} -> f32[*]
node y = BiasAdd(m:0, b:0) {T=f32, data_format="NHWC"} -> f32[*]
`
	const image = `graph "g" producer=1000
feed "x:0" = x:0 key="x" shape=[1,4,4,1]
fetch "y:0" = y:0 key="y"
node x = Placeholder() {dtype=f32, shape=shape[1,4,4,1]} -> f32[*]
node w = Const() {dtype=f32, value=f32[1,1,1,1]{2}} -> f32[*]
node one = Const() {dtype=f32, value=f32[1]{1}} -> f32[*]
node none = Const() {dtype=f32, value=f32[0]{}} -> f32[*]
node by = Const() {dtype=i32, value=i32[4,2]{0, 0, 1, 1, 1, 1, 0, 0}} -> i32[*]
`
	for _, c := range []struct{ name, graph, want string }{
		{"joined", x + `fetch "y:0" = y:0 key="y"` + "\n", ""},
		{"fetched", x + `fetch "y:0" = y:0 key="y"
fetch "m:0" = m:0 key="m"
`, "fusebias: m left: y is not joined with it: m is fetched"},
		{"two readers", x + `node z = Neg(m:0) {T=f32} -> f32[*]
fetch "y:0" = y:0 key="y"
fetch "z:0" = z:0 key="z"
`, "fusebias: m left: y is not joined with it: m has 2 readers, y, z among them"},
		{"reader waits", strings.Replace(x, "BiasAdd(m:0, b:0)", "BiasAdd(m:0, b:0, ^p)", 1) + `node s = Const() {dtype=str, value=str[]{"s"}} -> str[*]
node p = PrintV2(s:0) {}
fetch "y:0" = y:0 key="y"
`, "fusebias: m left: y is not joined with it: m has a reader that waits for other nodes"},
		{"second activation", x + `node r = Relu(y:0) {T=f32} -> f32[*]
node q = Tanh(r:0) {T=f32} -> f32[*]
fetch "q:0" = q:0 key="q"
`, "fusebias: m left: q is not joined with it: the kernel supports only one activation of those it knows"},
		{"merged later", x + `node n = MatMul(x:0, w:0) {T=f32, transpose_a=false, transpose_b=false} -> f32[*]
node z = BiasAdd(n:0, b:0) {T=f32, data_format="NHWC"} -> f32[*]
fetch "y:0" = y:0 key="y"
fetch "z:0" = z:0 key="z"
`, ""},
		{"training", image + `node c = Conv2D(x:0, w:0) {T=f32, strides=ints[1, 1, 1, 1], padding="VALID"} -> f32[*]
node y = FusedBatchNormV3(c:0, one:0, one:0, none:0, none:0) {T=f32, U=f32, is_training=true, epsilon=0.001, data_format="NHWC"} -> f32[*]; f32[*]; f32[*]; f32[*]; f32[*]; f32[*]
`, "batchnorm: y left: not folded into the product before it: it uses the batch's mean and variance"},
		{"normalisation of a fetched product", image + `node c = Conv2D(x:0, w:0) {T=f32, strides=ints[1, 1, 1, 1], padding="VALID"} -> f32[*]
node y = FusedBatchNormV3(c:0, one:0, one:0, one:0, one:0) {T=f32, U=f32, is_training=false, epsilon=0.001, data_format="NHWC"} -> f32[*]; f32[*]; f32[*]; f32[*]; f32[*]; f32[*]
fetch "c:0" = c:0 key="c"
`, "batchnorm: y left: not folded into the product before it: c is fetched"},
		{"negative", image + `node p = Pad(x:0, by:0) {T=f32, Tpaddings=i32} -> f32[*]
node y = MaxPool(p:0) {T=f32, ksize=ints[1, 2, 2, 1], strides=ints[1, 2, 2, 1], padding="VALID"} -> f32[*]
`, "pad: y left: the padding of its image stays: the image may be negative, and then 0 could be the maximum"},
		{"infinite", strings.Replace(image, "{2}", "{inf}", 1) + `node p = Pad(x:0, by:0) {T=f32, Tpaddings=i32} -> f32[*]
node y = Conv2D(p:0, w:0) {T=f32, strides=ints[1, 1, 1, 1], padding="VALID"} -> f32[*]
`, "pad: y left: the padding of its image stays: the filter is not known to be finite, and 0·∞ is NaN"},
		{"swish", x + `node s = Sigmoid(y:0) {T=f32} -> f32[*]
node z = Mul(y:0, s:0) {T=f32} -> f32[*]
fetch "z:0" = z:0 key="z"
fetch "s:0" = s:0 key="s"
`, "activation: z left: x·sigmoid(x) is swish, but s is fetched, or read in another region"},
		{"softmax", x + `node l = Const() {dtype=i32, value=i32[1]{-1}} -> i32[*]
node top = Max(y:0, l:0) {T=f32, Tidx=i32, keep_dims=true} -> f32[*]
node d = Sub(y:0, top:0) {T=f32} -> f32[*]
node e = Exp(d:0) {T=f32} -> f32[*]
node sum = Sum(e:0, l:0) {T=f32, Tidx=i32, keep_dims=true} -> f32[*]
node z = RealDiv(e:0, sum:0) {T=f32} -> f32[*]
node n = Neg(sum:0) {T=f32} -> f32[*]
fetch "z:0" = z:0 key="z"
fetch "n:0" = n:0 key="n"
`, "softmax: z left: it is a softmax, but sum is read by n, too"},
		{"another device", x + `node z = Neg(y:0) {T=f32} on "/cpu:0" -> f32[*]
node n = Neg(y:0) {T=f32} on "/cpu:1" -> f32[*]
fetch "z:0" = z:0 key="z"
fetch "n:0" = n:0 key="n"
`, "cse: n left: z computes the same, on another device"},
		{"another moment", x + `node s = Const() {dtype=str, value=str[]{"s"}} -> str[*]
node p = PrintV2(s:0) {}
node z = Neg(y:0) {T=f32} -> f32[*]
node n = Neg(y:0, ^p) {T=f32} -> f32[*]
fetch "z:0" = z:0 key="z"
fetch "n:0" = n:0 key="n"
`, "cse: n left: z computes the same, and waits for other nodes"},
		{"folding fails", x + `node i = Const() {dtype=i32, value=i32[1]{7}} -> i32[*]
node zero = Const() {dtype=i32, value=i32[]{0}} -> i32[*]
node g = GatherV2(w:0, i:0, zero:0) {Tparams=f32, Tindices=i32, Taxis=i32, batch_dims=0} -> f32[*]
fetch "g:0" = g:0 key="g"
`, "fold: g left: computing it fails: "},
		{"too large", x + `node size = Const() {dtype=i32, value=i32[1]{4000000}} -> i32[*]
node f = Const() {dtype=f32, value=f32[]{1}} -> f32[*]
node g = Fill(size:0, f:0) {T=f32, index_type=i32} -> f32[*]
fetch "g:0" = g:0 key="g"
`, "fold: g left: it depends only on constants, but its value is too large to store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head, nodes := "", ""
			for _, l := range strings.SplitAfter(c.graph, "\n") {
				if strings.HasPrefix(l, "node ") {
					nodes += l
				} else {
					head += l
				}
			}
			g := parse(t, []byte(head+nodes))
			if err := Run(g, edit.Options{Ops: ops.Ops(), Eval: eval, Check: true}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range g.Refusals {
				got = append(got, e.String())
			}
			if c.want == "" && len(got) > 0 || c.want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestNameError checks the error codes for a name that the graph lacks. For a fetch or a feed, the
// error is InvalidArgument at compile time and NotFound at run time. For a target, the error is
// NotFound in both cases.
func TestNameError(t *testing.T) {
	for name, c := range map[string]struct {
		feeds   []Feed
		fetches []Fetch
		targets []string
		code    tensor.Code
		run     bool
	}{
		"fetch":  {fetches: []Fetch{{Tensor: "nope:0"}}, code: tensor.InvalidArgument, run: true},
		"feed":   {feeds: []Feed{{Tensor: "nope:0"}}, code: tensor.InvalidArgument, run: true},
		"target": {targets: []string{"nope"}, code: tensor.NotFound},
	} {
		g := ir.NewGraph("g")
		g.NewNode("x", "NoOp", nil, 0)
		err := BindIO(ops.Ops(), g, c.feeds, c.fetches, c.targets)
		var e *NameError
		if tensor.CodeOf(err) != c.code || errors.As(err, &e) != c.run {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.run && (tensor.CodeOf(e.Run()) != tensor.NotFound || !strings.Contains(e.Run().Error(), `"nope:0"`)) {
			t.Errorf("%s when run: %v", name, e.Run())
		}
	}
}
