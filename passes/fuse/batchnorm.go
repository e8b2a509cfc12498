package fuse

import (
	"math"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// largestBias is the largest absolute value of a bias that may be added to another bias at compile
// time. For larger values, the result could differ from TensorFlow's: if a model adds a very large
// bias and then subtracts it again, it rounds digits of the product away, and the combined bias
// would not do this.
const largestBias = 1e4

// Batchnorm simplifies the nodes after a convolution or matrix product with a constant filter. It
// multiplies factors per channel into the filter, and combines offsets per channel into one bias.
// Such factors and offsets come from FusedBatchNorm in inference, and from Mul, RealDiv, Add, Sub
// and BiasAdd with constants. For y = s·(w∗x) + b, the new filter is s·w, which is computed in f64
// and rounded once.
func Batchnorm(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	c := edit.NewChains(s)
	e := s.Edit()
	for _, n := range order {
		p, ok := edit.ProductOf(n)
		if !ok || p.C < 0 {
			continue
		}
		w := constant(n, p.Filter)
		if w == nil || w.DType != n.Outs[0].DType || w.DType != tensor.Float32 && w.DType != tensor.Float64 {
			refuse(c, e, n, "the filter is not a constant of floats")
			continue
		}
		a := affineOf(c, p)
		if a.scales == 0 && a.shifts < 2 {
			refuse(c, e, a.last, "")
			continue
		}
		done, fuel := applyAffine(s, e, p, w, a)
		if done && !fuel {
			break
		}
		if !done {
			e.Refuse(n, "the channels' factors do not go into its filter: the products are not finite")
		} else {
			refuse(c, e, a.last, "")
		}
	}
	return e.Apply(), nil
}

// refuse records the reason why a normalization that reads n, a product, is not combined with the
// filter of n. If why is "", refuse finds the reason itself: either the two nodes must not be
// merged, or a property of the normalization prevents it.
func refuse(c *edit.Chains, e *ir.Editor, n *ir.Node, why string) {
	for _, r := range c.Readers[ir.Out{Node: n}] {
		norm := strings.HasPrefix(r.Op, "FusedBatchNorm")
		if !norm || r.Ins[0].Node != n {
			continue
		}
		blocked := blocked(c, n)
		switch {
		case why != "":
		case blocked != "":
			why = n.Name + " " + blocked
		case r.Bool("is_training"):
			why = "it uses the batch's mean and variance"
		case slices.ContainsFunc(r.Ins[1:], func(o ir.Out) bool { return o.Node.Value() == nil }):
			why = "mean, variance, scale and offset are not all constants"
		case !onlyFirst(c, r):
			why = "its other outputs are read"
		default:
			why = "its channels are not the product's, or its factors are not finite"
		}
		e.Refuse(r, "not folded into the product before it: "+why)
		return
	}
}

// affine describes a chain of nodes after a product as y = scale·x + shift.
type affine struct {
	scale, shift   []float64
	scales, shifts int
	last           *ir.Node
	consts         []*ir.Node // constants of the chain; new constants get their control inputs
}

// affineOf returns the factors and offsets per channel of a chain of nodes that follows the product
// p.
func affineOf(c *edit.Chains, p edit.Product) affine {
	a := affine{scale: make([]float64, p.C), shift: make([]float64, p.C), last: p.Node}
	for i := range a.scale {
		a.scale[i] = 1
	}
	for {
		n, i := Next(c, a.last)
		if n == nil || !n.Outs[0].Shape.Equal(p.Node.Outs[0].Shape) || !onlyFirst(c, n) || !a.take(n, i, &p) {
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

// take adds node n to the chain. Input number i of n is the last result of the chain. take returns
// false if n does not multiply this input by one constant per channel or add one constant per
// channel to it.
func (a *affine) take(n *ir.Node, i int, p *edit.Product) bool {
	switch n.Op {
	case "Mul", "RealDiv", "Div", "Add", "AddV2", "Sub", "BiasAdd":
		if len(n.Ins) != 2 || n.Ins[0] == n.Ins[1] || i == 1 && (n.Op == "RealDiv" || n.Op == "Div" || n.Op == "BiasAdd") {
			return false
		}
		t := constant(n, 1-i)
		v, ok := p.Vector(t)
		if n.Op == "BiasAdd" {
			v, ok = biasVector(n, t, p)
		}
		if !ok {
			return false
		}
		return a.arith(n.Op, i, v)
	case "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3":
		if i != 0 || len(n.Ins) != 5 || n.Bool("is_training") || edit.FormatAxis(n, p.Rank) != p.Axis {
			return false
		}
		var v [4][]float64 // scale, offset, mean, variance
		for k := range v {
			t := constant(n, k+1)
			if t == nil || len(t.Shape) != 1 || t.Shape[0] != p.C {
				return false
			}
			vs, ok := edit.Floats(t)
			if !ok {
				return false
			}
			v[k] = vs
		}
		return a.normalise(v[0], v[1], v[2], v[3], float64(n.Float("epsilon")))
	}
	return false
}

// biasVector returns a BiasAdd's bias if its channels are the product's.
func biasVector(n *ir.Node, t *tensor.Tensor, p *edit.Product) ([]float64, bool) {
	if t == nil || len(t.Shape) != 1 || t.Shape[0] != p.C || edit.FormatAxis(n, p.Rank) != p.Axis {
		return nil, false
	}
	flat := *p
	flat.Axis, flat.Rank = 0, 1
	return flat.Vector(t)
}

// arith adds an element-wise node with two inputs to the chain. Input number i is the last result
// of the chain, and v holds the values of the other input, one for each channel. arith returns
// false if it cannot add the node.
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

// normalise adds a batch normalization to the chain. It returns false if a factor or an offset
// would not be finite.
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

// applyAffine replaces a chain of nodes by a product with a new filter and a bias. done is false if
// a number in the new filter or the bias would not be finite. fuel is false if the pass may make no
// more changes, because its fuel is used up.
func applyAffine(s *edit.State, e *ir.Editor, p edit.Product, w *tensor.Tensor, a affine) (done, fuel bool) {
	d := w.DType
	wnode := p.Node.Ins[p.Filter].Node
	vs, ok := edit.Floats(w)
	if !ok {
		return false, true
	}
	filter := w
	if a.scales > 0 {
		scaled := make([]float64, len(vs))
		for k, v := range vs {
			scaled[k] = v * a.scale[k/p.Inner%p.C]
		}
		if filter, ok = edit.Rounded(d, w.Shape, scaled); !ok {
			return false, true
		}
	}
	bias, ok := edit.Rounded(d, tensor.Shape{p.C}, a.shift)
	if !ok {
		return false, true
	}
	n := s.G.NewNode(p.Node.Name+"/scaled", p.Node.Op, p.Node.Attrs, 1, append([]ir.Out(nil), p.Node.Ins...)...)
	n.Controls, n.Device, n.Origin = append([]*ir.Node(nil), p.Node.Controls...), p.Node.Device, p.Node.Origin
	n.Outs[0] = p.Node.Outs[0]
	last := n
	if a.scales > 0 {
		n.Ins[p.Filter] = s.NewConst(wnode.Name+"/scaled", filter, append([]*ir.Node{wnode}, a.consts...)...)
	}
	if a.shifts > 0 {
		format := "NHWC"
		if p.Axis == 1 && p.Rank > 2 {
			format = "NCHW"
		}
		b := s.NewConst(p.Node.Name+"/bias", bias, append([]*ir.Node{wnode}, a.consts...)...)
		last = s.G.NewNode(p.Node.Name+"/shifted", "BiasAdd", map[string]ir.Attr{"T": d, "data_format": format}, 1, ir.Out{Node: n}, b)
		last.Device, last.Origin = a.last.Device, a.last.Origin
		last.Outs[0] = p.Node.Outs[0]
	}
	if !e.Replace(ir.Out{Node: a.last}, ir.Out{Node: last}, "the channels' factors go into the filter") {
		s.Drop(n, last)
		return true, false
	}
	return true, true
}
