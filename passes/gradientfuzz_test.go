package passes

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// TestGradientTypes requests the gradient of each gradientCase for all values of attribute T, with
// inputs of this type. It checks that the gradient is either created, or rejected with an error
// that is not Internal.
func TestGradientTypes(t *testing.T) {
	var ds []tensor.DType
	for d := tensor.DType(0); d < 64; d++ {
		if d.IsData() || d == tensor.Resource || d == tensor.Variant {
			ds = append(ds, d)
		}
	}
	if len(ds) < 12 {
		t.Fatalf("%d types", len(ds))
	}
	made := 0
	for _, c := range gradientCases() {
		for _, d := range ds {
			as, _ := attrsFor(t, c.op, c.attrs, d)
			for k, v := range as {
				if _, ok := v.(tensor.DType); ok {
					as[k] = d
				}
			}
			like := &ir.Node{Op: c.op, Attrs: as}
			in, ok := lower.InTypes(like, nil)
			out, ok2 := lower.OutTypes(like, nil)
			if !ok || !ok2 {
				t.Fatalf("%s: the attributes do not tell the types", c.op)
			}
			g := ir.NewGraph("g")
			n := g.NewNode("y", "SymbolicGradient", map[string]ir.Attr{"f": ir.Func{Name: c.op, Attrs: as}}, len(in))
			for i, e := range slices.Concat(in, out) {
				p := g.NewNode("x", "Placeholder", map[string]ir.Attr{"dtype": e, "shape": ir.PartialShape{Dims: []int64{2, 2}}}, 1)
				p.Outs[0].DType = e
				n.Ins = append(n.Ins, ir.Out{Node: p})
				g.Feeds = append(g.Feeds, ir.Feed{Name: p.Name, Key: p.Name, Out: ir.Out{Node: p}, Shape: ir.StaticShape(2, 2)})
				if i < len(in) {
					n.Outs[i].DType = e
					g.Fetches = append(g.Fetches, ir.Fetch{Name: p.Name, Key: p.Name, Out: ir.Out{Node: n, Index: i}})
				}
			}
			err := Run(g, edit.Options{Ops: ops.Ops(), NoOpt: true, Check: true})
			if err == nil {
				_, err = ops.Ops().Lower(g, "test")
			}
			if err == nil {
				made++
			} else if tensor.CodeOf(err) == tensor.Internal {
				t.Errorf("%s of %s: %v", c.op, d, err)
			}
		}
	}
	if made < 300 {
		t.Errorf("%d gradients were made", made)
	}
}
