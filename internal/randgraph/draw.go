package randgraph

import (
	"math"
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// Limits of drawn graphs and feeds.
const (
	maxNodes = 12
	maxDim   = 4
	maxRank  = 4
)

// Drawn is a random graph with its feeds and fetches. Its random choices are taken from a slice of
// bytes.
type Drawn struct {
	Graph   *ir.Graph
	Feeds   map[string]*tensor.Tensor
	Fetches []string
}

// source is a source of random choices. Its method byte returns the bytes of data one by one, and
// then zeros.
type source struct{ data []byte }

func (s *source) byte() int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b)
}

// below returns a number from 0 to n-1.
func (s *source) below(n int) int {
	if n > 256 {
		return (s.byte()<<8 | s.byte()) % n
	}
	return s.byte() % max(n, 1)
}

// drawable lists the ops to draw from: those that graphc lowers and that have no effects or
// resources.
func drawable() []*opdef.Op {
	var out []*opdef.Op
	for _, d := range ops.All() {
		o := opdef.Lookup(d.Name)
		if o == nil || d.Lower == nil || d.Has(lower.Stateful) || d.Has(lower.Effect) || o.Stateful || o.HasRef() || o.Deprecated > 0 || len(o.Ins) == 0 || len(o.Outs) == 0 {
			continue
		}
		handle := func(a opdef.Arg) bool { return a.DType == tensor.Resource || a.DType == tensor.Variant }
		if slices.ContainsFunc(o.Ins, handle) || slices.ContainsFunc(o.Outs, handle) || rough[d.Name] {
			continue
		}
		out = append(out, o)
	}
	return out
}

// rough is the set of ops that drawable leaves out. Placeholders and constants are among them,
// because the function leaf adds these. The others are matrix decompositions. Their results may
// depend on the last bit of their inputs, or may change with the order of sums by more than a
// comparison can allow.
var rough = map[string]bool{
	"Placeholder": true, "PlaceholderV2": true, "Const": true,
	"Svd": true, "BatchSvd": true, "Qr": true, "SelfAdjointEigV2": true, "SelfAdjointEig": true, "BatchSelfAdjointEigV2": true, "Eig": true,
}

// Draw makes a graph whose random choices are taken from data. The graph first has leaves, which
// are constants or feeds. Nodes with random ops and attributes follow; each of them reads tensors
// of earlier nodes.
func Draw(data []byte) *Drawn {
	s := &source{data}
	d := &Drawn{Graph: ir.NewGraph("random"), Feeds: map[string]*tensor.Tensor{}}
	d.Graph.Producer = opdef.GraphVersion
	var pool []ir.Out
	all := drawable()
	for range 2 + s.below(3) {
		pool = append(pool, d.leaf(s, leafTypes[s.below(len(leafTypes))]))
	}
	for range 1 + s.below(maxNodes) {
		if n := d.node(s, all[s.below(len(all))], pool); n != nil {
			for i := range n.Outs {
				pool = append(pool, ir.Out{Node: n, Index: i})
			}
		}
	}
	read := map[ir.Out]bool{}
	for _, n := range d.Graph.Nodes {
		for _, in := range n.Ins {
			read[in] = true
		}
	}
	for _, o := range pool {
		if !read[o] || s.below(8) == 0 {
			d.Fetches = append(d.Fetches, o.Node.Name+":"+string(rune('0'+o.Index%10)))
		}
	}
	return d
}

var leafTypes = []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32, tensor.Int32, tensor.Int32, tensor.Int64, tensor.Bool, tensor.Float64,
	tensor.String, tensor.Complex64, tensor.Uint8, tensor.Int8, tensor.Half, tensor.BFloat16, tensor.Uint64, tensor.Int16}

// leaf adds a constant or a fed placeholder of type t and returns its output. The shape and the
// elements are taken from s.
func (d *Drawn) leaf(s *source, t tensor.DType) ir.Out {
	shape := make(tensor.Shape, s.below(maxRank))
	n := 1
	for i := range shape {
		shape[i] = s.below(maxDim + 1)
		n *= shape[i]
	}
	x := fill(s, t, shape, n)
	if kind := s.below(4); kind > 0 {
		dims := make([]int64, len(shape))
		for i := range dims {
			if dims[i] = int64(shape[i]); kind > 1 {
				dims[i] = -1
			}
		}
		p := d.Graph.NewNode("x", "Placeholder", map[string]ir.Attr{"dtype": t, "shape": ir.PartialShape{Dims: dims}}, 1)
		p.Outs[0].DType = t
		d.Feeds[p.Name+":0"] = x
		return ir.Out{Node: p}
	}
	c := d.Graph.NewNode("c", "Const", map[string]ir.Attr{"dtype": t, "value": x}, 1)
	c.Outs[0].DType = t
	return ir.Out{Node: c}
}

// fill returns a tensor with n random elements. Floating-point elements are numbers from -4 to 4 in
// steps of 1/4, and a few special ones such as NaN. Integers are small, strings are short.
func fill(s *source, t tensor.DType, shape tensor.Shape, n int) *tensor.Tensor {
	x, err := tensor.New(t, shape, 0)
	if err != nil {
		panic(err) // cannot happen: shape has at most 4⁴ elements
	}
	for i := range n {
		b := s.byte()
		v := float64(b%33-16) / 4
		if b >= 250 {
			v = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e9, 1e-9}[b-250]
		}
		whole := int64(b % 9)
		switch e := x.Data.(type) {
		case []float32:
			e[i] = float32(v)
		case []float64:
			e[i] = v
		case []tensor.F16:
			e[i] = tensor.ToF16(float32(v))
		case []tensor.BF16:
			e[i] = tensor.ToBF16(float32(v))
		case []complex64:
			e[i] = complex(float32(b%7), float32(b%5-2))
		case []bool:
			e[i] = b%2 == 1
		case []string:
			e[i] = []string{"", "a", "1", "a,b", "\xff", "3.5", "Ü"}[b%7]
		case []int8:
			e[i] = int8(whole - 2)
		case []int16:
			e[i] = int16(whole - 2)
		case []int32:
			e[i] = int32(whole - 2)
		case []int64:
			e[i] = whole - 2
		case []uint8:
			e[i] = uint8(whole)
		case []uint64:
			e[i] = uint64(whole)
		}
	}
	return x
}

// node adds a node of op o with random attributes. Its inputs are tensors in pool or new leaves. It
// returns nil if the op's signature needs a type or an attribute that this package cannot make.
func (d *Drawn) node(s *source, o *opdef.Op, pool []ir.Out) *ir.Node {
	attrs := map[string]ir.Attr{}
	for _, a := range o.Attrs {
		switch {
		case a.Kind == "type":
			types := a.Types
			if def := ops.Lookup(o.Name); def.Types[a.Name] != nil {
				types = def.Types[a.Name]
			}
			types = slices.DeleteFunc(slices.Clone(types), func(t tensor.DType) bool { return !slices.Contains(leafTypes, t) })
			if len(types) == 0 {
				types = leafTypes
			}
			attrs[a.Name] = types[s.below(len(types))]
		case a.HasDefault && s.below(4) > 0:
			attrs[a.Name] = a.Default
		default:
			v := attr(s, &a)
			if v == nil {
				return nil
			}
			attrs[a.Name] = v
		}
	}
	var ins []ir.Out
	pick := func(t tensor.DType) {
		var fit []ir.Out
		for _, p := range pool {
			if p.Node.Outs[p.Index].DType == t {
				fit = append(fit, p)
			}
		}
		if k := s.below(len(fit) + 1); k < len(fit) {
			ins = append(ins, fit[k])
			return
		}
		ins = append(ins, d.leaf(s, t))
	}
	for _, a := range o.Ins {
		n := 1
		if a.NumberAttr != "" {
			v, _ := attrs[a.NumberAttr].(int64)
			n = int(min(max(v, 0), 4))
		}
		switch {
		case a.TypeListAttr != "":
			ts, _ := attrs[a.TypeListAttr].([]tensor.DType)
			for _, t := range ts {
				pick(t)
			}
		case a.TypeAttr != "":
			t, ok := attrs[a.TypeAttr].(tensor.DType)
			if !ok {
				return nil
			}
			for range n {
				pick(t)
			}
		case slices.Contains(leafTypes, a.DType):
			for range n {
				pick(a.DType)
			}
		default:
			return nil
		}
	}
	var outs []tensor.DType
	for _, a := range o.Outs {
		n := 1
		if a.NumberAttr != "" {
			v, _ := attrs[a.NumberAttr].(int64)
			n = int(min(max(v, 0), 4))
		}
		t := a.DType
		if a.TypeAttr != "" {
			t, _ = attrs[a.TypeAttr].(tensor.DType)
		}
		if a.TypeListAttr != "" {
			ts, _ := attrs[a.TypeListAttr].([]tensor.DType)
			outs = append(outs, ts...)
			continue
		}
		outs = append(outs, slices.Repeat([]tensor.DType{t}, n)...)
	}
	if len(outs) > 10 {
		return nil
	}
	n := d.Graph.NewNode("n", o.Name, attrs, len(outs), ins...)
	for i, t := range outs {
		n.Outs[i].DType = t
	}
	return n
}

// attr returns a random value for attribute a, or nil if its kind is not supported.
func attr(s *source, a *opdef.Attr) ir.Attr {
	switch a.Kind {
	case "bool":
		return s.below(2) == 1
	case "int":
		return max(a.Min, 0) + int64(s.below(4))
	case "float":
		return float32(s.below(9)) / 4
	case "string":
		if len(a.Strings) > 0 {
			return a.Strings[s.below(len(a.Strings))]
		}
		return []string{"", "NHWC", ",", "ab->ba", "[a-z]+"}[s.below(5)]
	case "shape":
		return ir.PartialShape{UnknownRank: true}
	case "list(int)":
		l := make([]int64, max(int(a.Min), []int{4, 4, 5, s.below(4)}[s.below(4)]))
		for i := range l {
			if l[i] = 1; i > 0 && i < len(l)-1 {
				l[i] = int64(1 + s.below(3))
			}
		}
		return l
	case "list(float)":
		l := make([]float32, s.below(4))
		for i := range l {
			l[i] = float32(i) - 1
		}
		return l
	case "list(type)":
		l := make([]tensor.DType, max(int(a.Min), 1+s.below(3)))
		for i := range l {
			l[i] = leafTypes[s.below(len(leafTypes))]
		}
		return l
	}
	return nil
}
