package text

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/parse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var parseDefs = []*lower.Def{
	{Name: "ParseExample", Limits: "keys must be constants", Shape: parseShape, Lower: parseLower},
	{Name: "ParseExampleV2", Limits: "keys must be constants", Shape: parseShape, Lower: parseLower},
	{Name: "ParseSingleExample", Shape: parseShape, Lower: parseLower},
}

// exampleSpec lists the features that a parsing op extracts from examples.
type exampleSpec struct {
	scalar                bool // whether the input is a single example, so that the results have no batch dimension
	n                     *sym.Expr
	sparse, dense, ragged []string
	sparseT, denseT       []tensor.DType
	raggedT, splitT       []tensor.DType
	shapes                []ir.PartialShape
	defaults              int // the number of the first input that holds a default value
}

// exampleSpecOf returns the exampleSpec of the node n. The result named known is false if the rank
// of input 0, the serialized examples, is unknown.
func exampleSpecOf(n *ir.Node) (s exampleSpec, known bool, err error) {
	in := n.Ins[0].Fact().Shape
	s.sparseT, s.denseT = n.DTypes("sparse_types"), n.DTypes("Tdense")
	s.raggedT, s.splitT = n.DTypes("ragged_value_types"), n.DTypes("ragged_split_types")
	s.shapes, _ = n.Attrs["dense_shapes"].([]ir.PartialShape)
	keys := func(i int) []string {
		t := n.Ins[i].Fact().Const
		if t == nil {
			err = tensor.Errorf(tensor.Unimplemented, "input %d, the keys, must be a constant", i)
			return nil
		}
		return tensor.Data[string](t)
	}
	switch n.Op {
	case "ParseSingleExample":
		s.sparse, _ = n.Attrs["sparse_keys"].([]string)
		s.dense, _ = n.Attrs["dense_keys"].([]string)
		s.scalar, s.defaults = true, 1
	case "ParseExampleV2":
		s.sparse, s.dense, s.ragged, s.defaults = keys(2), keys(3), keys(4), 5
		s.scalar = in.Rank() == 0
	default:
		ns, nd := n.Int("Nsparse"), n.Int("Ndense")
		if len(n.Ins) < 2+ns+2*nd {
			return s, false, tensor.Errorf(tensor.InvalidArgument, "the node has %d inputs; %d are required", len(n.Ins), 2+ns+2*nd)
		}
		for i := range ns + nd {
			k := keys(2 + i)
			if len(k) != 1 && err == nil {
				err = tensor.Errorf(tensor.InvalidArgument, "input %d, a key, must be a scalar", 2+i)
			}
			if err != nil {
				return s, false, err
			}
			if i < ns {
				s.sparse = append(s.sparse, k[0])
			} else {
				s.dense = append(s.dense, k[0])
			}
		}
		s.defaults = 2 + ns + nd
	}
	if err != nil {
		return s, false, err
	}
	if count, ok := n.Attrs["num_sparse"].(int64); ok && int(count) != len(s.sparseT) {
		return s, false, tensor.Errorf(tensor.InvalidArgument, "num_sparse is %d, but sparse_types has %d types", count, len(s.sparseT))
	}
	if len(s.sparse) != len(s.sparseT) || len(s.dense) != len(s.denseT) || len(s.ragged) != len(s.raggedT) ||
		len(s.ragged) != len(s.splitT) || len(s.dense) != len(s.shapes) || len(n.Ins) < s.defaults+len(s.dense) {
		return s, false, tensor.Errorf(tensor.InvalidArgument, "keys, types, shapes and defaults differ in number")
	}
	for i, t := range s.denseT {
		if !exampleType(t) {
			return s, false, tensor.Errorf(tensor.InvalidArgument, "dense feature %q: %s; an example can hold only float, int64 and string", s.dense[i], t)
		}
	}
	for _, t := range append(append([]tensor.DType{}, s.sparseT...), s.raggedT...) {
		if !exampleType(t) {
			return s, false, tensor.Errorf(tensor.InvalidArgument, "%s: an example can hold only float, int64 and string", t)
		}
	}
	if !in.Known {
		return s, false, nil
	}
	if r := in.Rank(); r > 1 || n.Op == "ParseExample" && r != 1 || n.Op == "ParseSingleExample" && r != 0 {
		return s, false, tensor.Errorf(tensor.InvalidArgument, "serialized has the invalid shape %v", in)
	}
	s.n = in.Len()
	return s, true, nil
}

func exampleType(t tensor.DType) bool {
	return t == tensor.Float32 || t == tensor.Int64 || t == tensor.String
}

// variableShape reports whether the first dimension of a dense feature of shape s can differ from
// example to example.
func variableShape(s ir.PartialShape) bool { return len(s.Dims) > 0 && s.Dims[0] < 0 }

// parseShape infers the shapes of the outputs of ParseExample and its variants. The outputs are the
// indices, values and shapes of sparse features, then dense values, and then the values and row
// splits of ragged features.
func parseShape(c *lower.Shaper) error {
	s, known, err := exampleSpecOf(c.Node)
	if err != nil {
		return err
	}
	for i, d := range s.shapes {
		if d.UnknownRank {
			return tensor.Errorf(tensor.InvalidArgument, "dense feature %q has a shape of unknown rank", s.dense[i])
		}
		for k, v := range d.Dims {
			if v < 0 && k > 0 {
				return tensor.Errorf(tensor.InvalidArgument, "dense feature %q: only the first dimension of %v may be unknown", s.dense[i], d.Dims)
			}
		}
	}
	out := 0
	set := func(d tensor.DType, dims ...*sym.Expr) {
		if known {
			c.Set(out, d, ir.ShapeOf(dims...))
		} else {
			c.Set(out, d, ir.Shape{})
		}
		out++
	}
	ns := len(s.sparse)
	rank := sym.Int(2)
	if s.scalar {
		rank = sym.One
	}
	for i := range ns {
		set(tensor.Int64, c.NewSize(ns+i), rank)
	}
	for i := range ns {
		set(s.sparseT[i], c.NewSize(ns+i))
	}
	for range ns {
		set(tensor.Int64, rank)
	}
	for i, d := range s.shapes {
		var dims []*sym.Expr
		if !s.scalar {
			dims = append(dims, s.n)
		}
		for k, v := range d.Dims {
			if k == 0 && v < 0 {
				dims = append(dims, c.NewSize(3*ns+i))
			} else {
				dims = append(dims, sym.Int(int(v)))
			}
		}
		set(s.denseT[i], dims...)
	}
	nr := len(s.ragged)
	at := out
	for i := range nr {
		set(s.raggedT[i], c.NewSize(at+i))
	}
	for i := range nr {
		if s.scalar {
			set(s.splitT[i], sym.Zero)
		} else if known {
			set(s.splitT[i], s.n.AddInt(1))
		} else {
			set(s.splitT[i])
		}
	}
	return nil
}

// parseLower lowers ParseExample and its variants. A first call finds the places of all features in
// the examples. Further calls then read one feature each.
func parseLower(b *lower.Builder) error {
	s, _, err := exampleSpecOf(b.Node)
	if err != nil {
		return err
	}
	if b.Node.Op != "ParseSingleExample" {
		b.Check(parse.NamesFit, b.InLen(1), s.n)
	}
	keys := append(append(append([]string{}, s.sparse...), s.dense...), s.ragged...)
	list := b.Const("features", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{len(keys)}, Data: keys})
	spans := b.Temp(tensor.Int64, s.n.MulInt(2*len(keys)))
	in := b.In(0)
	b.Call(parse.Locate, spans, in, list)
	ns := len(s.sparse)
	lit := func(feature int, p parse.Params, fields ...any) plan.Struct {
		p.Features, p.Feature, p.Key, p.Flat = len(keys), feature, keys[feature], s.scalar
		return plan.Lit(p, append(fields, "Examples", s.n)...)
	}
	for i, d := range s.sparseT {
		p := lit(i, parse.Params{})
		b.CallSizes(exampleKernel(d, parse.TotalF32, parse.TotalI64, parse.TotalString), []*sym.Expr{b.NewSize(ns + i)}, in, spans, p)
		b.Call(exampleKernel(d, parse.SparseF32, parse.SparseI64, parse.SparseString), b.Out(i), b.Out(ns+i), b.Out(2*ns+i), in, spans, p)
	}
	for i, d := range s.denseT {
		def := b.In(s.defaults + i)
		if b.InFact(s.defaults+i).DType != d {
			return b.Errorf(tensor.InvalidArgument, "the default of %q is %s, but its type is %s", s.dense[i], b.InFact(s.defaults+i).DType, d)
		}
		elems := sym.One
		for _, v := range s.shapes[i].Dims {
			if v >= 0 {
				elems = elems.MulInt(int(v))
			}
		}
		out := 3*ns + i
		if !variableShape(s.shapes[i]) {
			dims, _ := dimsOfPartial(s.shapes[i])
			b.Check(parse.DefaultFits, append([]*sym.Expr{}, b.InShape(s.defaults+i)...), append([]*sym.Expr{}, dims...))
			b.Call(exampleKernel(d, parse.DenseF32, parse.DenseI64, parse.DenseString), b.Out(out), in, spans, def,
				lit(ns+i, parse.Params{}, "Elems", elems))
			continue
		}
		if err := kit.RequireSame(b, b.InLen(s.defaults+i), sym.One, "the default of a key of variable length must have one element"); err != nil {
			return err
		}
		steps := b.NewSize(out)
		b.CallSizes(exampleKernel(d, parse.LongestF32, parse.LongestI64, parse.LongestString), []*sym.Expr{steps}, in, spans,
			lit(ns+i, parse.Params{}, "Elems", elems))
		b.Call(exampleKernel(d, parse.PaddedF32, parse.PaddedI64, parse.PaddedString), b.Out(out), in, spans, def,
			lit(ns+i, parse.Params{}, "Elems", elems, "Width", steps.Mul(elems)))
	}
	at := 3*ns + len(s.dense)
	for i, d := range s.raggedT {
		p := lit(ns+len(s.dense)+i, parse.Params{})
		b.CallSizes(exampleKernel(d, parse.TotalF32, parse.TotalI64, parse.TotalString), []*sym.Expr{b.NewSize(at + i)}, in, spans, p)
		fn := exampleKernel(d, parse.Ragged64F32, parse.Ragged64I64, parse.Ragged64String)
		if s.splitT[i] == tensor.Int32 {
			fn = exampleKernel(d, parse.Ragged32F32, parse.Ragged32I64, parse.Ragged32String)
		}
		b.Call(fn, b.Out(at+i), b.Out(at+len(s.ragged)+i), in, spans, p)
	}
	return nil
}

func exampleKernel(d tensor.DType, f32, i64, str any) any {
	switch d {
	case tensor.Float32:
		return f32
	case tensor.Int64:
		return i64
	}
	return str
}
