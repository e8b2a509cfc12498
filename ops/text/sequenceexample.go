package text

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/parse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

const constantKeys = "keys must be constants"

// sequenceExampleDefs parse tf.SequenceExample messages. A message has context features, like an
// example's, and lists of features, which are the steps of a sequence.
var sequenceExampleDefs = []*lower.Def{
	{Name: "ParseSequenceExample", Shape: sequenceExampleShape, Lower: sequenceExampleLower},
	{Name: "ParseSequenceExampleV2", Limits: constantKeys, Shape: sequenceExampleShape, Lower: sequenceExampleLower},
	{Name: "ParseSingleSequenceExample", Limits: constantKeys, Shape: sequenceExampleShape, Lower: sequenceExampleLower},
}

// wanted lists the sparse, dense or ragged features that an op extracts from examples.
type wanted struct {
	keys   []string
	types  []tensor.DType
	splits []tensor.DType    // of ragged features
	shapes []ir.PartialShape // of dense features
}

// fit returns an error if the numbers of keys, types and shapes differ, or if a type cannot occur
// in an example. Parameter what is the kind of features in the text of errors.
func (w *wanted) fit(what string) error {
	if len(w.keys) != len(w.types) || w.shapes != nil && len(w.shapes) != len(w.types) || w.splits != nil && len(w.splits) != len(w.types) {
		return tensor.Errorf(tensor.InvalidArgument, "%s: %d keys, %d types and %d shapes", what, len(w.keys), len(w.types), len(w.shapes))
	}
	for i, t := range w.types {
		if !exampleType(t) {
			return tensor.Errorf(tensor.InvalidArgument, "%s %q: %s; an example can hold only float, int64 and string", what, w.keys[i], t)
		}
	}
	for i, s := range w.shapes {
		if s.UnknownRank || slices.ContainsFunc(s.Dims, func(d int64) bool { return d < 0 }) {
			return tensor.Errorf(tensor.InvalidArgument, "%s %q: its shape must be fully defined", what, w.keys[i])
		}
	}
	return nil
}

// sequenceSpec lists the context features and the feature lists that a parsing op extracts from
// sequence examples.
type sequenceSpec struct {
	scalar   bool // whether the input is a single example, so that the results have no batch dimension
	known    bool // whether the rank of input 0, the serialized examples, is known
	lengths  bool // whether the op also returns the lengths of dense lists
	n        *sym.Expr
	context  [3]wanted // sparse, dense, ragged
	lists    [3]wanted
	missing  []bool // of dense lists
	defaults int    // the number of the first input that holds a default value
}

func sequenceSpecOf(n *ir.Node) (s sequenceSpec, err error) {
	constant := func(i int) *tensor.Tensor {
		if i >= len(n.Ins) {
			err = tensor.Errorf(tensor.InvalidArgument, "the node has %d inputs", len(n.Ins))
			return nil
		}
		t := n.Ins[i].Fact().Const
		if t == nil && err == nil {
			err = tensor.Errorf(tensor.Unimplemented, "input %d, the keys, must be a constant", i)
		}
		return t
	}
	list := func(i int) []string {
		if t := constant(i); t != nil {
			l, _ := t.Data.([]string)
			return l
		}
		return nil
	}
	attr := func(name string) []string { l, _ := n.Attrs[name].([]string); return l }
	shapes := func(name string) []ir.PartialShape {
		l, _ := n.Attrs[name].([]ir.PartialShape)
		return append([]ir.PartialShape{}, l...)
	}
	s.context[0].types, s.context[1].types = n.DTypes("context_sparse_types"), n.DTypes("Tcontext_dense")
	s.lists[0].types, s.lists[1].types = n.DTypes("feature_list_sparse_types"), n.DTypes("feature_list_dense_types")
	s.context[1].shapes, s.lists[1].shapes = shapes("context_dense_shapes"), shapes("feature_list_dense_shapes")
	s.lengths = true
	counts := []struct {
		w *wanted
		n string
	}{{&s.context[0], "Ncontext_sparse"}, {&s.context[1], "Ncontext_dense"}, {&s.lists[0], "Nfeature_list_sparse"}, {&s.lists[1], "Nfeature_list_dense"}}
	for _, f := range counts {
		if v, given := n.Attrs[f.n].(int64); given && v != int64(len(f.w.types)) {
			return s, tensor.Errorf(tensor.InvalidArgument, "%s is %d, but %d types are given", f.n, v, len(f.w.types))
		}
	}
	allowed := func(keys []string) {
		s.missing = make([]bool, len(s.lists[1].keys))
		for i, k := range s.lists[1].keys {
			s.missing[i] = slices.Contains(keys, k)
		}
	}
	switch n.Op {
	case "ParseSequenceExample":
		s.context[0].keys, s.context[1].keys = attr("context_sparse_keys"), attr("context_dense_keys")
		s.lists[0].keys, s.lists[1].keys = attr("feature_list_sparse_keys"), attr("feature_list_dense_keys")
		s.defaults = 2
		allowed(attr("feature_list_dense_missing_assumed_empty"))
	case "ParseSequenceExampleV2":
		for i := range 3 {
			s.context[i].keys, s.lists[i].keys = list(2+i), list(5+i)
		}
		s.context[2].types, s.context[2].splits = n.DTypes("context_ragged_value_types"), append([]tensor.DType{}, n.DTypes("context_ragged_split_types")...)
		s.lists[2].types, s.lists[2].splits = n.DTypes("feature_list_ragged_value_types"), append([]tensor.DType{}, n.DTypes("feature_list_ragged_split_types")...)
		if t := constant(8); t != nil {
			s.missing, _ = t.Data.([]bool)
		}
		s.defaults = 9
	default:
		at := 2
		for _, f := range counts {
			for range n.Int(f.n) {
				k := list(at)
				if err != nil {
					return s, err
				}
				if len(k) != 1 || n.Ins[at].Fact().Shape.Rank() != 0 {
					return s, tensor.Errorf(tensor.InvalidArgument, "input %d, a key, must be a scalar", at)
				}
				f.w.keys = append(f.w.keys, k[0])
				at++
			}
		}
		allowed(list(1))
		s.defaults, s.scalar, s.lengths = at, true, false
	}
	if err != nil {
		return s, err
	}
	for i, what := range []string{"sparse", "dense", "ragged"} {
		if err := s.context[i].fit("context " + what + " feature"); err != nil {
			return s, err
		}
		if err := s.lists[i].fit("feature list, " + what + ","); err != nil {
			return s, err
		}
	}
	if len(s.missing) != len(s.lists[1].keys) || len(n.Ins) < s.defaults+len(s.context[1].keys) {
		return s, tensor.Errorf(tensor.InvalidArgument, "keys, defaults and feature_list_dense_missing_assumed_empty differ in number")
	}
	// Input 1 holds the names of the examples or, for ParseSingleSequenceExample, the keys of the
	// lists that may be missing.
	if names := n.Ins[1].Fact().Shape; n.Op != "ParseSequenceExampleV2" && names.Known && len(names.Dims) != 1 {
		return s, tensor.Errorf(tensor.InvalidArgument, "input 1 has the shape %v; a vector is required", names)
	}
	in := n.Ins[0].Fact().Shape
	if !in.Known {
		return s, nil
	}
	if r := in.Rank(); r > 1 || n.Op == "ParseSequenceExample" && r != 1 || n.Op == "ParseSingleSequenceExample" && r != 0 {
		return s, tensor.Errorf(tensor.InvalidArgument, "serialized has the shape %v", in)
	}
	s.known, s.n, s.scalar = true, in.Len(), in.Rank() == 0
	return s, nil
}

// batch prepends the number of examples to dims, unless there is a single example.
func (s *sequenceSpec) batch(dims ...*sym.Expr) []*sym.Expr {
	if s.scalar {
		return dims
	}
	return append([]*sym.Expr{s.n}, dims...)
}

// rank returns the number of columns in the indices of a sparse result. k is this number for a
// single example; for a batch of examples, there is one more column.
func (s *sequenceSpec) rank(k int) *sym.Expr {
	if s.scalar {
		return sym.Int(k)
	}
	return sym.Int(k + 1)
}

// splits returns the shape of the row splits that divide a ragged result into examples. For a
// single example, the shape is that of a scalar.
func (s *sequenceSpec) splits() []*sym.Expr {
	if s.scalar {
		return nil
	}
	return []*sym.Expr{s.n.AddInt(1)}
}

func dimsOfPartial(p ir.PartialShape) (dims []*sym.Expr, elems *sym.Expr) {
	elems = sym.One
	for _, d := range p.Dims {
		dims = append(dims, sym.Int(int(d)))
		elems = elems.MulInt(int(d))
	}
	return dims, elems
}

// sequenceExampleShape infers the shapes of the outputs in TensorFlow's order of the outputs. A
// size that is known only at run time becomes a symbolic size of its output. The indices and the
// values of a sparse feature have the same length; it is a symbolic size of the output with the
// values.
func sequenceExampleShape(c *lower.Shaper) error {
	s, err := sequenceSpecOf(c.Node)
	if err != nil {
		return err
	}
	out := 0
	set := func(d tensor.DType, dims ...*sym.Expr) {
		if s.known {
			c.Set(out, d, ir.ShapeOf(dims...))
		} else {
			c.Set(out, d, ir.Shape{})
		}
		out++
	}
	if !s.known {
		s.n = sym.Zero
	}
	sparse := func(w *wanted, rank int) {
		at, n := out, len(w.types)
		for i := range w.types {
			set(tensor.Int64, c.NewSize(at+n+i), s.rank(rank))
		}
		for i, d := range w.types {
			set(d, c.NewSize(at+n+i))
		}
		for range w.types {
			set(tensor.Int64, s.rank(rank))
		}
	}
	sparse(&s.context[0], 1)
	for i, d := range s.context[1].types {
		dims, _ := dimsOfPartial(s.context[1].shapes[i])
		set(d, s.batch(dims...)...)
	}
	for _, d := range s.context[2].types {
		set(d, c.NewSize(out))
	}
	for _, d := range s.context[2].splits {
		set(d, s.splits()...)
	}
	sparse(&s.lists[0], 2)
	for i, d := range s.lists[1].types {
		dims, _ := dimsOfPartial(s.lists[1].shapes[i])
		set(d, s.batch(append([]*sym.Expr{c.NewSize(out)}, dims...)...)...)
	}
	if s.lengths {
		for range s.lists[1].types {
			set(tensor.Int64, s.batch()...)
		}
	}
	for _, d := range s.lists[2].types {
		set(d, c.NewSize(out))
	}
	for _, d := range s.lists[2].splits {
		set(d, s.splits()...)
	}
	for _, d := range s.lists[2].splits {
		set(d, c.NewSize(out).AddInt(1))
	}
	return nil
}

// sequenceExampleLower lowers ParseSequenceExample and its variants. One call finds the places of
// the context features in the examples, and another call finds those of the feature lists. Then
// each feature is read by separate calls.
func sequenceExampleLower(b *lower.Builder) error {
	s, err := sequenceSpecOf(b.Node)
	if err != nil {
		return err
	}
	if b.Node.Op != "ParseSingleSequenceExample" {
		b.Check(parse.NamesFit, b.InLen(1), s.n)
	}
	in := b.In(0)
	locate := func(fn any, note string, ws *[3]wanted) (spans plan.View, n int) {
		keys := slices.Concat(ws[0].keys, ws[1].keys, ws[2].keys)
		spans = b.Temp(tensor.Int64, s.n.MulInt(2*len(keys)))
		b.Call(fn, kit.Writes(spans), in, b.Const(note, &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{len(keys)}, Data: keys}))
		return kit.Reads(spans), len(keys)
	}
	spans, n := locate(parse.Locate, "context features", &s.context)
	out, feature := 0, 0
	lit := func(key string, fields ...any) plan.Struct {
		p := parse.Params{Features: n, Feature: feature, Key: key, Flat: s.scalar, Strict: true}
		feature++
		return plan.Lit(p, append(fields, "Examples", s.n)...)
	}
	m := len(s.context[0].keys)
	for i, d := range s.context[0].types {
		p := lit(s.context[0].keys[i])
		b.CallSizes(exampleKernel(d, parse.TotalF32, parse.TotalI64, parse.TotalString), []*sym.Expr{b.NewSize(m + i)}, in, spans, p)
		b.Call(exampleKernel(d, parse.SparseF32, parse.SparseI64, parse.SparseString), b.Out(i), b.Out(m+i), b.Out(2*m+i), in, spans, p)
	}
	out = 3 * m
	for i, d := range s.context[1].types {
		def := b.In(s.defaults + i)
		if b.InFact(s.defaults+i).DType != d {
			return b.Errorf(tensor.InvalidArgument, "the default of %q is %s, but its type is %s", s.context[1].keys[i], b.InFact(s.defaults+i).DType, d)
		}
		dims, elems := dimsOfPartial(s.context[1].shapes[i])
		b.Check(parse.DefaultFits, append([]*sym.Expr{}, b.InShape(s.defaults+i)...), append([]*sym.Expr{}, dims...))
		b.Call(exampleKernel(d, parse.DenseF32, parse.DenseI64, parse.DenseString), b.Out(out), in, spans, def, lit(s.context[1].keys[i], "Elems", elems))
		out++
	}
	m = len(s.context[2].keys)
	for i, d := range s.context[2].types {
		p := lit(s.context[2].keys[i])
		b.CallSizes(exampleKernel(d, parse.TotalF32, parse.TotalI64, parse.TotalString), []*sym.Expr{b.NewSize(out)}, in, spans, p)
		fn := exampleKernel(d, parse.Ragged64F32, parse.Ragged64I64, parse.Ragged64String)
		if s.context[2].splits[i] == tensor.Int32 {
			fn = exampleKernel(d, parse.Ragged32F32, parse.Ragged32I64, parse.Ragged32String)
		}
		b.Call(fn, b.Out(out), b.Out(out+m), in, spans, p)
		out++
	}
	return sequenceLists(b, &s, out+m, in, locate)
}

// sequenceLists appends the calls that read the feature lists. Parameter out is the number of the
// first output that belongs to a feature list.
func sequenceLists(b *lower.Builder, s *sequenceSpec, out int, in plan.View, locate func(any, string, *[3]wanted) (plan.View, int)) error {
	spans, n := locate(parse.LocateLists, "feature lists", &s.lists)
	feature := 0
	lit := func(key string, missing bool, fields ...any) plan.Struct {
		p := parse.ListParams{Features: n, Feature: feature, Key: key, Flat: s.scalar, Missing: missing}
		feature++
		return plan.Lit(p, append(fields, "Examples", s.n)...)
	}
	// total appends a call that computes the number of values and the number of steps of a list.
	total := func(d tensor.DType, values, steps *sym.Expr, p plan.Struct) {
		b.CallSizes(exampleKernel(d, parse.ListTotalsF32, parse.ListTotalsI64, parse.ListTotalsString), []*sym.Expr{values, steps}, in, spans, p)
	}
	m := len(s.lists[0].keys)
	for i, d := range s.lists[0].types {
		p := lit(s.lists[0].keys[i], true)
		total(d, b.NewSize(out+m+i), b.NewSizeK(out+m+i, 1), p)
		b.Call(exampleKernel(d, parse.ListSparseF32, parse.ListSparseI64, parse.ListSparseString), b.Out(out+i), b.Out(out+m+i), b.Out(out+2*m+i), in, spans, p)
	}
	out += 3 * m
	m = len(s.lists[1].keys)
	for i, d := range s.lists[1].types {
		_, elems := dimsOfPartial(s.lists[1].shapes[i])
		steps := b.NewSize(out + i)
		p := lit(s.lists[1].keys[i], s.missing[i], "Elems", elems, "Steps", steps)
		first := plan.Lit(parse.ListParams{Features: n, Feature: feature - 1, Key: s.lists[1].keys[i], Flat: s.scalar, Missing: s.missing[i]}, "Elems", elems, "Examples", s.n)
		b.CallSizes(exampleKernel(d, parse.ListLongestF32, parse.ListLongestI64, parse.ListLongestString), []*sym.Expr{steps}, in, spans, first)
		if s.lengths {
			p = p.With("Lengths", b.Out(out+m+i))
		}
		b.Call(exampleKernel(d, parse.ListDenseF32, parse.ListDenseI64, parse.ListDenseString), b.Out(out+i), in, spans, p)
	}
	out += m
	if s.lengths {
		out += m
	}
	m = len(s.lists[2].keys)
	for i, d := range s.lists[2].types {
		p := lit(s.lists[2].keys[i], true)
		total(d, b.NewSize(out+i), b.NewSize(out+2*m+i), p)
		fn := exampleKernel(d, parse.ListRagged64F32, parse.ListRagged64I64, parse.ListRagged64String)
		if s.lists[2].splits[i] == tensor.Int32 {
			fn = exampleKernel(d, parse.ListRagged32F32, parse.ListRagged32I64, parse.ListRagged32String)
		}
		b.Call(fn, b.Out(out+i), b.Out(out+m+i), b.Out(out+2*m+i), in, spans, p)
	}
	return nil
}
