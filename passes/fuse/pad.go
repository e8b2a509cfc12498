package fuse

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Pad removes a Pad node that adds zeros around an image. Instead, the padding of the node that
// reads the image is increased:
//
//	Conv2D, DepthwiseConv2dNative   with VALID or EXPLICIT padding, or SAME and strides of 1,
//	                                and a filter whose elements are finite, so that 0·w is 0
//	MaxPool                         if the image is not negative, so that 0 is never the unique maximum
//
// Between the Pad and this node, there may be an ExpandDims that makes an image from a sequence.
// The Pad must not change the batch and the channels.
func Pad(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	e := s.Edit()
	for _, n := range order {
		w := windowOf(n)
		if w == nil {
			if isWindow(n.Op) && len(n.Ins) > 0 && isPad(n.Ins[0].Node) {
				e.Refuse(n, "the zeros around its image stay: it pads by SAME with strides or unknown sizes, or has another layout")
			}
			continue
		}
		why, fuel := padInto(s, e, w)
		if !fuel {
			break
		}
		if why != "" {
			e.Refuse(n, "the padding of its image stays: "+why)
		}
	}
	return e.Apply(), nil
}

func isWindow(op string) bool {
	return op == "Conv2D" || op == "DepthwiseConv2dNative" || op == "MaxPool"
}

func isPad(n *ir.Node) bool { return n.Op == "Pad" || n.Op == "PadV2" }

// windows describes a convolution or pooling of images. The images have rank 4.
type windows struct {
	node   *ir.Node
	space  [2]int // the axes of rows and columns
	pads   [4][2]int
	expand *ir.Node // ExpandDims that makes the image from a sequence; nil if there is none
	axis   int      // the axis that expand inserts
	image  ir.Out   // the input of expand; if expand is nil, the input of node
}

// windowOf returns a description of n if n is a convolution or pooling that can pad its input.
// Otherwise, it returns nil.
func windowOf(n *ir.Node) *windows {
	w := &windows{node: n, space: [2]int{1, 2}}
	switch n.Op {
	case "Conv2D", "DepthwiseConv2dNative":
		if len(n.Ins) != 2 {
			return nil
		}
	case "MaxPool":
		if len(n.Ins) != 1 || len(n.Ints("ksize")) != 4 || n.Ints("ksize")[0] != 1 {
			return nil
		}
	default:
		return nil
	}
	switch n.Str("data_format") {
	case "", "NHWC":
	case "NCHW":
		w.space = [2]int{2, 3}
	default:
		return nil
	}
	if !w.padding() {
		return nil
	}
	w.image = n.Ins[0]
	if in := w.image.Node; in.Op == "ExpandDims" && len(in.Controls) == 0 && len(in.Ins) == 2 && in.Ins[0].Fact().Shape.Rank() == 3 {
		at, ok := algebra.Ints(in.Ins[1])
		if !ok || len(at) != 1 {
			return w
		}
		w.expand, w.axis, w.image = in, at[0], in.Ins[0]
		if w.axis < 0 {
			w.axis += 4
		}
	}
	return w
}

// padding sets w.pads to the paddings of the convolution or pooling. It returns false if they are
// not known, or not supported.
func (w *windows) padding() bool {
	n := w.node
	switch n.Str("padding") {
	case "VALID":
		return true
	case "EXPLICIT":
		l := n.Ints("explicit_paddings")
		if len(l) != 8 {
			return false
		}
		for i := range w.pads {
			w.pads[i] = [2]int{l[2*i], l[2*i+1]}
		}
		return true
	case "SAME":
		strides, dils := n.Ints("strides"), n.Ints("dilations")
		f, ok := n.Ins[len(n.Ins)-1].Fact().Shape.Static()
		if n.Op == "MaxPool" || !ok || len(f) != 4 || len(strides) != 4 || len(dils) != 4 {
			return false
		}
		for i, at := range w.space {
			if strides[at] != 1 || f[i] < 1 || dils[at] < 1 {
				return false
			}
			total := (f[i] - 1) * dils[at]
			w.pads[at] = [2]int{total / 2, total - total/2}
		}
		return true
	}
	return false
}

// finite reports whether t is a constant of floats without infinities and NaN, or of integers.
func finite(t *tensor.Tensor) bool {
	if t == nil {
		return false
	}
	switch d := t.Data.(type) {
	case []float32:
		return allFinite(d, func(v float32) float64 { return float64(v) })
	case []float64:
		return allFinite(d, func(v float64) float64 { return v })
	case []tensor.F16:
		return allFinite(d, func(v tensor.F16) float64 { return float64(v.Float32()) })
	case []tensor.BF16:
		return allFinite(d, func(v tensor.BF16) float64 { return float64(v.Float32()) })
	}
	return t.DType.IsInteger()
}

func allFinite[T any](vs []T, f func(T) float64) bool {
	for _, v := range vs {
		if x := f(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// mostPad is the largest padding at one end of an axis for which a Pad is removed.
const mostPad = 1 << 20

// zeros returns how many elements the node n adds at the beginning and at the end of each axis. It
// returns false if n is not a Pad or PadV2, or if the added elements are not zeros.
func zeros(n *ir.Node) ([][2]int, bool) {
	if !isPad(n) || len(n.Ins) < 2 || len(n.Controls) > 0 {
		return nil, false
	}
	if n.Op == "PadV2" {
		if v, ok := edit.Uniform(constant(n, 2)); !ok || v != 0 || math.Signbit(v) {
			return nil, false
		}
	}
	l, ok := algebra.Ints(n.Ins[1])
	if !ok || len(l)%2 != 0 || len(l)/2 != n.Outs[0].Shape.Rank() {
		return nil, false
	}
	ps := make([][2]int, len(l)/2)
	for i := range ps {
		ps[i] = [2]int{l[2*i], l[2*i+1]}
		if ps[i][0] < 0 || ps[i][1] < 0 || ps[i][0] > mostPad || ps[i][1] > mostPad {
			return nil, false
		}
	}
	return ps, true
}

// padInto removes the Pad before the image of w, and increases the padding of w's node. If the Pad
// is not removed, why says the reason. fuel is false if the pass may make no more changes, because
// its fuel is used up.
func padInto(s *edit.State, e *ir.Editor, w *windows) (why string, fuel bool) {
	n, p := w.node, w.image.Node
	if !isPad(p) || w.image.Index != 0 {
		return "", true
	}
	if !edit.Together(p, n) {
		return p.Name + " runs in another region or on another device", true
	}
	by, ok := zeros(p)
	if !ok {
		return p.Name + " pads with values other than zero or by unknown sizes, or waits for other nodes", true
	}
	if n.Op != "MaxPool" && !finite(n.Ins[1].Node.Value()) {
		return "the filter is not known to be finite, and 0·∞ is NaN", true
	}
	if w.expand != nil {
		if w.axis < 0 || w.axis >= 4 {
			return "", true
		}
		by = append(by[:w.axis:w.axis], append([][2]int{{}}, by[w.axis:]...)...)
	}
	if len(by) != 4 {
		return "", true
	}
	sum := w.pads
	for i := range by {
		if i != w.space[0] && i != w.space[1] && by[i] != [2]int{} {
			return p.Name + " pads the batch or the channels, too", true
		}
		sum[i][0] += by[i][0]
		sum[i][1] += by[i][1]
	}
	if n.Op == "MaxPool" {
		if !s.NotNegative(p.Ins[0], 8) {
			return "the image may be negative, and then 0 could be the maximum", true
		}
		if k := n.Ints("ksize"); sum[w.space[0]][0] >= k[w.space[0]] || sum[w.space[0]][1] >= k[w.space[0]] ||
			sum[w.space[1]][0] >= k[w.space[1]] || sum[w.space[1]][1] >= k[w.space[1]] {
			return "some windows would have nothing but padding", true
		}
	}
	if !e.Changed(n, "zeros around the image are its own padding: "+p.Name) {
		return "", false
	}
	x := p.Ins[0]
	if w.expand != nil {
		x = CopyOf(s, w.expand, x, w.expand.Ins[1])
	}
	n.Ins = append([]ir.Out{x}, n.Ins[1:]...)
	setPadding(n, sum)
	return "", true
}

// setPadding gives a node explicit paddings, or VALID if all are 0.
func setPadding(n *ir.Node, pads [4][2]int) {
	attrs := make(map[string]ir.Attr, len(n.Attrs))
	for k, v := range n.Attrs {
		attrs[k] = v
	}
	l := make([]int64, 0, 8)
	any := false
	for _, p := range pads {
		l = append(l, int64(p[0]), int64(p[1]))
		any = any || p != [2]int{}
	}
	attrs["padding"], attrs["explicit_paddings"] = "EXPLICIT", l
	if !any {
		attrs["padding"], attrs["explicit_paddings"] = "VALID", []int64{}
	}
	n.Attrs = attrs
}

// CopyOf makes a copy of n with other inputs.
func CopyOf(s *edit.State, n *ir.Node, ins ...ir.Out) ir.Out {
	m := s.G.NewNode(n.Name, n.Op, n.Attrs, len(n.Outs), ins...)
	m.Device, m.Origin = n.Device, n.Origin
	for i := range n.Outs {
		m.Outs[i].DType = n.Outs[i].DType
	}
	return ir.Out{Node: m}
}
