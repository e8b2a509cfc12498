package passes

import (
	"math"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// largestBias is up to where two biases are added up: far beyond it the sum of a
// large bias and its opposite would keep digits that TensorFlow loses.
const largestBias = 1e4

// batchnorm multiplies what scales the channels of a product's result into its
// constant filter, and joins what shifts them into one bias: FusedBatchNorm in
// inference, and the spelled-out Mul, RealDiv, Add, Sub and BiasAdd by constants
// per channel. With y = s·(w∗x) + b the filter becomes s·w, computed in f64 and
// rounded once.
func batchnorm(s *state) (bool, error) {
	order, err := s.g.Order()
	if err != nil {
		return false, err
	}
	c := newChains(s)
	e := s.edit()
	for _, n := range order {
		p, ok := productOf(n)
		if !ok || p.c < 0 {
			continue
		}
		w := constant(n, p.filter)
		if w == nil || w.DType != n.Outs[0].DType || w.DType != tensor.Float32 && w.DType != tensor.Float64 {
			c.refuse(e, n, "the filter is not a constant of floats")
			continue
		}
		a := c.affine(p)
		if a.scales == 0 && a.shifts < 2 {
			c.refuse(e, a.last, "")
			continue
		}
		done, fuel := s.applyAffine(e, p, w, a)
		if done && !fuel {
			break
		}
		if !done {
			e.Refuse(n, "the channels' factors do not go into its filter: the products are no finite numbers")
		} else {
			c.refuse(e, a.last, "")
		}
	}
	return e.Apply(), nil
}

// refuse notes why a normalisation that reads n is not folded into the product before
// it: for the reason given, or that the two are kept apart by, or for its own.
func (c *chains) refuse(e *ir.Editor, n *ir.Node, why string) {
	for _, r := range c.readers[ir.Out{Node: n}] {
		norm := strings.HasPrefix(r.Op, "FusedBatchNorm")
		if !norm || r.Ins[0].Node != n {
			continue
		}
		blocked := c.blocked(n)
		switch {
		case why != "":
		case blocked != "":
			why = n.Name + " " + blocked
		case r.Bool("is_training"):
			why = "it takes mean and variance of the batch"
		case slices.ContainsFunc(r.Ins[1:], func(o ir.Out) bool { return o.Node.Value() == nil }):
			why = "mean, variance, scale and offset are not all constants"
		case !c.onlyFirst(r):
			why = "its other outputs are read"
		default:
			why = "its channels are not the product's, or its factors no finite numbers"
		}
		e.Refuse(r, "not folded into the product before it: "+why)
		return
	}
}

// affine is a chain y = scale·x + shift of nodes after a product.
type affine struct {
	scale, shift   []float64
	scales, shifts int
	last           *ir.Node
	consts         []*ir.Node // the constants that went in, for their control edges
}

// affine follows the nodes after a product that scale and shift channels.
func (c *chains) affine(p product) affine {
	a := affine{scale: make([]float64, p.c), shift: make([]float64, p.c), last: p.node}
	for i := range a.scale {
		a.scale[i] = 1
	}
	for {
		n, i := c.next(a.last)
		if n == nil || !n.Outs[0].Shape.Equal(p.node.Outs[0].Shape) || !c.onlyFirst(n) || !a.take(n, i, &p) {
			return a
		}
		for k, o := range n.Ins {
			if k != i {
				a.consts = append(a.consts, o.Node)
			}
		}
		a.last = n
	}
}

// take adds a node whose input i is the chain so far; false when it is not affine
// in it with constants per channel.
func (a *affine) take(n *ir.Node, i int, p *product) bool {
	switch n.Op {
	case "Mul", "RealDiv", "Div", "Add", "AddV2", "Sub", "BiasAdd":
		if len(n.Ins) != 2 || n.Ins[0] == n.Ins[1] || i == 1 && (n.Op == "RealDiv" || n.Op == "Div" || n.Op == "BiasAdd") {
			return false
		}
		t := constant(n, 1-i)
		v, ok := p.vector(t)
		if n.Op == "BiasAdd" {
			v, ok = biasVector(n, t, p)
		}
		if !ok {
			return false
		}
		return a.arith(n.Op, i, v)
	case "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3":
		if i != 0 || len(n.Ins) != 5 || n.Bool("is_training") || formatAxis(n, p.rank) != p.axis {
			return false
		}
		var v [4][]float64 // scale, offset, mean, variance
		for k := range v {
			t := constant(n, k+1)
			if t == nil || len(t.Shape) != 1 || t.Shape[0] != p.c {
				return false
			}
			vs, ok := floats(t)
			if !ok {
				return false
			}
			v[k] = vs
		}
		return a.normalise(v[0], v[1], v[2], v[3], float64(n.Float("epsilon")))
	}
	return false
}

// biasVector is a BiasAdd's bias when its channels are the product's.
func biasVector(n *ir.Node, t *tensor.Tensor, p *product) ([]float64, bool) {
	if t == nil || len(t.Shape) != 1 || t.Shape[0] != p.c || formatAxis(n, p.rank) != p.axis {
		return nil, false
	}
	flat := *p
	flat.axis, flat.rank = 0, 1
	return flat.vector(t)
}

// formatAxis is the axis of the channels a node's data_format tells.
func formatAxis(n *ir.Node, rank int) int {
	switch n.Str("data_format") {
	case "NCHW", "NCDHW":
		return 1
	case "", "NHWC", "NDHWC":
		return rank - 1
	}
	return -1
}

// arith adds an elementwise node; i is the chain's place among its two inputs.
func (a *affine) arith(op string, i int, v []float64) bool {
	if op != "Mul" && op != "RealDiv" && op != "Div" {
		for k := range v {
			if a.shifts > 0 && math.Max(math.Abs(v[k]), math.Abs(a.shift[k])) > largestBias {
				return false
			}
		}
		a.shifts++
	} else {
		for _, x := range v {
			if x == 0 && op != "Mul" {
				return false
			}
		}
		a.scales++
	}
	for k, x := range v {
		switch op {
		case "Mul":
			a.scale[k] *= x
			a.shift[k] *= x
		case "RealDiv", "Div":
			a.scale[k] /= x
			a.shift[k] /= x
		case "Sub":
			if i == 0 {
				a.shift[k] -= x
			} else {
				a.scale[k], a.shift[k] = -a.scale[k], x-a.shift[k]
			}
		default:
			a.shift[k] += x
		}
	}
	if op == "Sub" && i == 1 {
		a.scales++
	}
	return true
}

// normalise adds a batch normalisation.
func (a *affine) normalise(scale, offset, mean, variance []float64, epsilon float64) bool {
	for k := range scale {
		f := scale[k] / math.Sqrt(variance[k]+epsilon)
		s, b := a.scale[k]*f, (a.shift[k]-mean[k])*f+offset[k]
		if math.IsNaN(s) || math.IsInf(s, 0) || math.IsNaN(b) || math.IsInf(b, 0) {
			return false
		}
	}
	for k := range scale {
		f := scale[k] / math.Sqrt(variance[k]+epsilon)
		a.scale[k], a.shift[k] = a.scale[k]*f, (a.shift[k]-mean[k])*f+offset[k]
	}
	a.scales++
	a.shifts++
	return true
}

// applyAffine replaces a chain by a product with the scaled filter and one bias.
// done is false when the scaled numbers do not fit; fuel when it is left.
func (s *state) applyAffine(e *ir.Editor, p product, w *tensor.Tensor, a affine) (done, fuel bool) {
	d := w.DType
	wnode := p.node.Ins[p.filter].Node
	vs, ok := floats(w)
	if !ok {
		return false, true
	}
	filter := w
	if a.scales > 0 {
		scaled := make([]float64, len(vs))
		for k, v := range vs {
			scaled[k] = v * a.scale[k/p.inner%p.c]
		}
		if filter, ok = rounded(d, w.Shape, scaled); !ok {
			return false, true
		}
	}
	bias, ok := rounded(d, tensor.Shape{p.c}, a.shift)
	if !ok {
		return false, true
	}
	n := s.g.NewNode(p.node.Name+"/scaled", p.node.Op, p.node.Attrs, 1, append([]ir.Out(nil), p.node.Ins...)...)
	n.Controls, n.Device, n.Origin = append([]*ir.Node(nil), p.node.Controls...), p.node.Device, p.node.Origin
	n.Outs[0] = p.node.Outs[0]
	last := n
	if a.scales > 0 {
		n.Ins[p.filter] = s.newConst(wnode.Name+"/scaled", filter, append([]*ir.Node{wnode}, a.consts...)...)
	}
	if a.shifts > 0 {
		format := "NHWC"
		if p.axis == 1 && p.rank > 2 {
			format = "NCHW"
		}
		b := s.newConst(p.node.Name+"/bias", bias, append([]*ir.Node{wnode}, a.consts...)...)
		last = s.g.NewNode(p.node.Name+"/shifted", "BiasAdd", map[string]ir.Attr{"T": d, "data_format": format}, 1, ir.Out{Node: n}, b)
		last.Device, last.Origin = a.last.Device, a.last.Origin
		last.Outs[0] = p.node.Outs[0]
	}
	if !e.Replace(ir.Out{Node: a.last}, ir.Out{Node: last}, "the channels' factors go into the filter") {
		s.drop(n, last)
		return true, false
	}
	return true, true
}

// drop takes nodes out that were just made and are not used.
func (s *state) drop(ns ...*ir.Node) {
	keep := make(map[*ir.Node]bool, len(s.g.Nodes))
	for _, n := range s.g.Nodes {
		keep[n] = true
	}
	for _, n := range ns {
		keep[n] = false
	}
	s.g.Keep(keep)
}
