package fuse

import (
	"math"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// largestBias is the largest bias that may be joined with another bias. If a larger bias is added
// and then subtracted again, TensorFlow's separate additions lose digits of the product's result,
// and a joint bias would keep them.
const largestBias = 1e4

// Batchnorm multiplies the factors of the channels of a product's result into the product's
// constant filter, and joins the offsets of the channels into one bias. It handles FusedBatchNorm
// in inference, and the spelled-out Mul, RealDiv, Add, Sub and BiasAdd with constants per channel.
// With y = s·(w∗x) + b the filter becomes s·w, computed in f64 and rounded once.
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

// refuse records why a normalization that reads n is not folded into the product before it. If why
// is empty, refuse finds the reason: either something separates n from its reader, or a property of
// the normalization prevents the folding.
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
	consts         []*ir.Node // the constants of the chain, whose control inputs the new constants inherit
}

// affineOf follows the nodes after a product that scale and shift channels.
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

// take adds node n to the chain. Input i of n is the result of the chain so far. take returns false
// if n does not scale or shift this input by constants per channel.
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

// arith adds an element-wise node with two inputs to the chain. Input i is the result of the chain
// so far, and v holds the other input's value for each channel.
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

// normalise adds a batch normalization to the chain. It returns false if a number is not finite.
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

// applyAffine replaces a chain by a product with the scaled filter and one bias. done is false if
// the scaled numbers are not finite; fuel is false if the pass is out of fuel.
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
