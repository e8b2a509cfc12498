package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	linalgops "github.com/graphc/graphc/ops/linalg"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var stringDefs = []*lower.Def{
	{Name: "StringJoin", Shape: stringJoinShape, Lower: stringJoinLower},
	{Name: "ReduceJoin", Limits: "the number of reduction_indices must be known when compiling; at most rank 8", Shape: reduceJoinShape, Lower: reduceJoinLower},
	{Name: "StringLower", Shape: eachString(tensor.String), Lower: stringCaseLower},
	{Name: "StringUpper", Shape: eachString(tensor.String), Lower: stringCaseLower},
	{Name: "StringStrip", Shape: eachString(tensor.String), Lower: unaryString(strs.Strip)},
	{Name: "StringLength", Shape: eachString(tensor.Int32), Lower: stringLengthLower},
	{Name: "Substr", Limits: "at most rank 6", Shape: substrShape, Lower: substrLower},
	{Name: "EncodeBase64", Shape: eachString(tensor.String), Lower: encodeBase64Lower},
	{Name: "DecodeBase64", Shape: eachString(tensor.String), Lower: unaryString(strs.DecodeBase64)},
	{Name: "ShardedFilename", Shape: scalarString, Lower: shardLower},
	{Name: "ShardedFilespec", Shape: scalarString, Lower: shardSpecLower},
	{Name: "StringToNumber", Shape: stringToNumberShape, Lower: stringToNumberLower},
	{Name: "StringToHashBucket", Shape: hashShape, Lower: hashLower},
	{Name: "StringToHashBucketFast", Shape: hashShape, Lower: hashLower},
	{Name: "StringToHashBucketStrong", Shape: hashShape, Lower: hashLower},
	{Name: "AsString", Shape: eachString(tensor.String), Lower: asStringLower},
	{Name: "StringSplit", Shape: stringSplitShape, Lower: stringSplitLower},
	{Name: "StringSplitV2", Shape: stringSplitShape, Lower: stringSplitLower},
	{Name: "StaticRegexFullMatch", Shape: eachString(tensor.Bool), Lower: regexLower},
	{Name: "RegexFullMatch", Shape: eachString(tensor.Bool), Lower: regexLower},
	{Name: "StaticRegexReplace", Shape: eachString(tensor.String), Lower: regexLower},
	{Name: "RegexReplace", Shape: eachString(tensor.String), Lower: regexLower},
}

// eachString returns the shape function of an op whose result has an element of type d for each
// string of input 0.
func eachString(d tensor.DType) func(*lower.Shaper) error {
	return func(c *lower.Shaper) error {
		if p, ok := c.Node.Attrs["pattern"].(string); ok {
			if err := strs.CheckPattern(p); err != nil {
				return err
			}
		}
		for i := 1; i < c.NumIn(); i++ { // pattern and rewrite
			if _, err := c.WithRank(i, 0); err != nil {
				return err
			}
		}
		c.Set(0, d, c.Shape(0))
		return nil
	}
}

func unaryString(fn any) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		b.Call(fn, b.Out(0), b.In(0))
		return nil
	}
}

// stringJoinShape infers the shape of the output of StringJoin. The inputs that are not scalars
// have the same shape, and are joined element by element. An input that is a scalar is used for
// each element.
func stringJoinShape(c *lower.Shaper) error {
	out := ir.ShapeOf()
	known := true
	for i := range c.NumIn() {
		s := c.Shape(i)
		switch {
		case !s.Known:
			known = false
		case len(s.Dims) == 0:
		case len(out.Dims) == 0:
			out = s
		case len(out.Dims) != len(s.Dims):
			return tensor.Errorf(tensor.InvalidArgument, "input shapes do not match: %v against %v", out, s)
		default:
			for k := range s.Dims {
				if lower.Differ(out.Dims[k], s.Dims[k]) {
					return tensor.Errorf(tensor.InvalidArgument, "input shapes do not match: %v against %v", out, s)
				}
			}
		}
	}
	if !known {
		out = ir.Shape{}
	}
	c.Set(0, tensor.String, out)
	return nil
}

func stringJoinLower(b *lower.Builder) error {
	sep := b.Node.Str("separator")
	out := b.OutShape(0)
	for i := range b.NumIn() {
		for k, d := range b.InShape(i) {
			if err := kit.RequireSame(b, d, out[k], "input shapes must match"); err != nil {
				return err
			}
		}
		b.Call(strs.Append, b.Out(0), b.In(i), sep, i == 0)
	}
	return nil
}

// reduceJoinShape infers the shape of the output of ReduceJoin. Input 0 holds the strings, and
// input 1 is reduction_indices. If reduction_indices is empty, the output is equal to input 0. If
// the values of reduction_indices are known only at run time, so are the sizes of the output; its
// rank follows from their number.
func reduceJoinShape(c *lower.Shaper) error {
	s := c.Shape(0)
	axes, ok := c.Ints(1)
	if r := c.Shape(1).Rank(); r > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "reduction_indices must be a scalar or a vector, not of rank %d", r)
	}
	if !s.Known || !ok {
		c.Set(0, tensor.String, ir.Shape{})
		return nil
	}
	keep := c.Node.Bool("keep_dims")
	over, static := c.StaticInts(1)
	if static {
		if _, err := strs.JoinShape(make([]int, len(s.Dims)), over, keep); err != nil {
			// at run time, this error would have the code OutOfRange
			return tensor.Errorf(tensor.InvalidArgument, "reduction_indices %v: %v", over, err)
		}
	}
	in := map[int]bool{}
	for _, a := range over {
		in[(a+len(s.Dims))%len(s.Dims)] = true
	}
	var dims []*sym.Expr
	for k, d := range s.Dims {
		switch {
		case !static && (keep || len(dims)+len(axes) < len(s.Dims)):
			dims = append(dims, c.NewSizeK(0, k))
		case !static:
		case !in[k]:
			dims = append(dims, d)
		case keep:
			dims = append(dims, sym.One)
		}
	}
	c.Set(0, tensor.String, ir.ShapeOf(dims...))
	return nil
}

func reduceJoinLower(b *lower.Builder) error {
	s := b.InShape(0)
	axes, ok := b.Ints(1)
	if !ok {
		return b.Errorf(tensor.Unimplemented, "the number of reduction_indices must be known when compiling")
	}
	if len(s) > 8 {
		return b.Errorf(tensor.Unimplemented, "rank %d; at most 8 is supported", len(s))
	}
	// At most len(s) axes are used here. If there are more axes, reduceJoinShape or the check
	// JoinFits returns an error.
	over := axes[:min(len(axes), len(s))]
	p := strs.JoinParams{Rank: len(s), Reduced: len(over), Separator: b.Node.Str("separator")}
	if _, static := b.StaticInts(1); !static {
		kit.CheckLen(b, 1, len(axes))
		b.Check(strs.JoinFits, s, axes)
		for k := range b.OutShape(0) {
			b.CallSizes(strs.JoinSize, []*sym.Expr{b.NewSizeK(0, k)}, s, axes, b.Node.Bool("keep_dims"), k)
		}
	}
	b.Call(strs.ReduceJoin, b.Out(0), b.In(0), plan.Lit(p, "Dims", s, "Over", over))
	return nil
}

// stringCaseLower lowers StringLower and StringUpper. If attribute encoding is "", only ASCII
// letters are changed. If it is "utf-8", all letters are changed.
func stringCaseLower(b *lower.Builder) error {
	utf := false
	switch e := b.Node.Str("encoding"); e {
	case "":
	case "utf-8":
		utf = true
	default:
		return b.Errorf(tensor.InvalidArgument, "encoding %q: only utf-8 and none are supported", e)
	}
	if b.Node.Op == "StringLower" {
		b.Call(strs.Lower, b.Out(0), b.In(0), utf)
	} else {
		b.Call(strs.Upper, b.Out(0), b.In(0), utf)
	}
	return nil
}

func stringLengthLower(b *lower.Builder) error {
	b.Call(strs.Length, b.Out(0), b.In(0), b.Node.Str("unit") == "UTF8_CHAR")
	return nil
}

// substrShape infers the shape of the output of Substr. The inputs pos and len have the same shape.
// It is broadcast with the shape of the input strings.
func substrShape(c *lower.Shaper) error {
	s, p, l := c.Shape(0), c.Shape(1), c.Shape(2)
	if p.Known && l.Known {
		if len(p.Dims) != len(l.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "pos and len must have the same shape: %v against %v", p, l)
		}
		for i := range p.Dims {
			if lower.Differ(p.Dims[i], l.Dims[i]) {
				return tensor.Errorf(tensor.InvalidArgument, "pos and len must have the same shape: %v against %v", p, l)
			}
		}
	}
	out, err := lower.BroadcastShapes(s, p)
	if err != nil {
		return err
	}
	c.Set(0, tensor.String, out)
	return nil
}

func substrLower(b *lower.Builder) error {
	s, p, l, out := b.InShape(0), b.InShape(1), b.InShape(2), b.OutShape(0)
	if len(out) > 6 {
		return b.Errorf(tensor.Unimplemented, "rank %d; at most 6 is supported", len(out))
	}
	if len(out) > 2 && len(p) > 0 { // TensorFlow does not broadcast more than 2 dimensions
		for k := range out {
			i, j := k-(len(out)-len(s)), k-(len(out)-len(p))
			if i < 0 || j < 0 || lower.Differ(s[i], p[j]) {
				return b.Errorf(tensor.Unimplemented, "Substr broadcast not implemented for %d dimensions", len(out))
			}
			if !s[i].Equal(p[j]) {
				b.Check(strs.SubstrAlike, s[i], p[j], len(out))
			}
		}
	}
	for i := range p {
		if err := kit.RequireSame(b, p[i], l[i], "pos and len must have the same shape"); err != nil {
			return err
		}
	}
	var d, ss, ps [6]*sym.Expr
	for k := range d {
		d[k], ss[k], ps[k] = sym.One, sym.Zero, sym.Zero
	}
	place := func(dst *[6]*sym.Expr, dims []*sym.Expr) {
		step := sym.One
		for k := len(dims) - 1; k >= 0; k-- {
			o := len(out) - len(dims) + k
			dst[6-len(out)+o] = linalgops.BatchStride(dims[k], out[o], step)
			step = step.Mul(dims[k])
		}
	}
	place(&ss, s)
	place(&ps, p)
	for k, e := range out {
		d[6-len(out)+k] = e
		if i, j := k-(len(out)-len(s)), k-(len(out)-len(p)); i >= 0 && j >= 0 && !s[i].Equal(p[j]) && !s[i].Is(1) && !p[j].Is(1) {
			b.Check(shape.Broadcastable, s[i], p[j])
		}
	}
	fn := any(strs.SubstrI64)
	if b.InFact(1).DType == tensor.Int32 {
		fn = strs.SubstrI32
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), plan.Lit(strs.SubstrParams{Chars: b.Node.Str("unit") == "UTF8_CHAR"},
		"D", d[:], "S", ss[:], "P", ps[:]))
	return nil
}

func encodeBase64Lower(b *lower.Builder) error {
	b.Call(strs.EncodeBase64, b.Out(0), b.In(0), b.Node.Bool("pad"))
	return nil
}

func scalarString(c *lower.Shaper) error {
	for i := range c.NumIn() {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func shardLower(b *lower.Builder) error {
	b.Call(strs.Shard, b.Out(0), b.In(0), b.In(1), b.In(2))
	return nil
}

func shardSpecLower(b *lower.Builder) error {
	b.Call(strs.ShardPattern, b.Out(0), b.In(0), b.In(1))
	return nil
}

func stringToNumberShape(c *lower.Shaper) error {
	c.Set(0, c.Node.DType("out_type"), c.Shape(0))
	return nil
}

func stringToNumberLower(b *lower.Builder) error {
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, strs.NumberF32, strs.NumberF64, strs.NumberI32, strs.NumberI64, strs.NumberU32, strs.NumberU64)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0))
	return nil
}

func hashShape(c *lower.Shaper) error {
	if n := c.Node.Int("num_buckets"); n < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "num_buckets is %d; at least 1 is required", n)
	}
	c.Set(0, tensor.Int64, c.Shape(0))
	return nil
}

func hashLower(b *lower.Builder) error {
	n := int64(b.Node.Int("num_buckets"))
	switch b.Node.Op {
	case "StringToHashBucketFast":
		b.Call(strs.HashFast, b.Out(0), b.In(0), n)
	case "StringToHashBucket":
		b.Call(strs.HashOld, b.Out(0), b.In(0), n)
	default:
		key := b.Node.Ints("key")
		if len(key) != 2 {
			return b.Errorf(tensor.InvalidArgument, "key has %d elements; 2 are required", len(key))
		}
		b.Call(strs.HashStrong, b.Out(0), b.In(0), n, int64(key[0]), int64(key[1]))
	}
	return nil
}

// asStringLower lowers AsString. It makes a format for printf from the node's attributes.
func asStringLower(b *lower.Builder) error {
	n, d := b.Node, b.InFact(0).DType
	precision, width, fill := n.Int("precision"), n.Int("width"), n.Str("fill")
	scientific, shortest := n.Bool("scientific"), n.Bool("shortest")
	isFloat := d.IsFloat() || d.IsComplex()
	switch {
	case scientific && shortest:
		return b.Errorf(tensor.InvalidArgument, "scientific and shortest must not both be true")
	case !isFloat && (scientific || shortest || precision > -1):
		return b.Errorf(tensor.InvalidArgument, "scientific, shortest and precision do not apply to %s", d)
	case len(fill) > 1 || fill != "" && !strings.Contains(" +-0#", fill):
		return b.Errorf(tensor.InvalidArgument, "fill %q is not supported", fill)
	}
	if d == tensor.Bool {
		width, fill = -1, ""
	}
	switch d {
	case tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		if fill == " " || fill == "+" { // flags for signs do not apply to unsigned integers
			fill = ""
		}
	}
	verb := "%" + fill
	if width > -1 {
		verb += strconv.Itoa(width)
	}
	switch {
	case isFloat:
		if precision < 0 {
			precision = 6
		}
		verb += fmt.Sprintf(".%d", precision) + map[bool]string{true: "e", false: "f"}[scientific]
		if shortest {
			verb = verb[:len(verb)-1] + "g"
		}
	case d == tensor.Bool:
		verb += "t"
	case d == tensor.String:
		verb += "s"
	default:
		verb += "d"
	}
	fn, err := kit.KernelFrom(b, d, strs.FormatF32, strs.FormatF64, strs.FormatF16, strs.FormatBF16, strs.FormatC64, strs.FormatC128,
		strs.FormatI8, strs.FormatI16, strs.FormatI32, strs.FormatI64, strs.FormatU8, strs.FormatU16, strs.FormatU32, strs.FormatU64,
		strs.FormatBool, strs.FormatString)
	if err != nil {
		return err
	}
	each := max(width, 8)
	if isFloat {
		each = max(width, precision+3)
	}
	b.Call(strs.Room, b.InLen(0), each)
	b.Call(fn, b.Out(0), b.In(0), strs.FormatParams{Verb: verb})
	return nil
}

// stringSplitShape infers the shapes of the outputs of StringSplit: the indices [n,2], values [n]
// and shape [2] of a sparse tensor. n is known only at run time.
func stringSplitShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n, sym.Int(2)))
	c.Set(1, tensor.String, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.StaticShape(2))
	return nil
}

func stringSplitLower(b *lower.Builder) error {
	p := strs.SplitParams{Set: b.Node.Op == "StringSplit", SkipEmpty: b.Node.Bool("skip_empty"), Max: -1}
	if m, ok := b.Node.Attrs["maxsplit"].(int64); ok {
		p.Max = int(m)
	}
	b.CallSizes(strs.SplitCount, []*sym.Expr{b.NewSize(0)}, b.In(0), b.In(1), p)
	b.Call(strs.Split, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), p)
	return nil
}

func regexLower(b *lower.Builder) error {
	n := b.Node
	switch n.Op {
	case "StaticRegexFullMatch":
		b.Call(strs.MatchStatic, b.Out(0), b.In(0), n.Str("pattern"))
	case "RegexFullMatch":
		if err := kit.RequireSame(b, b.InLen(1), sym.One, "the pattern must be a scalar"); err != nil {
			return err
		}
		b.Call(strs.Match, b.Out(0), b.In(0), b.In(1))
	case "StaticRegexReplace":
		b.Call(strs.ReplaceStatic, b.Out(0), b.In(0), n.Str("pattern"), n.Str("rewrite"), n.Bool("replace_global"))
	default:
		for i := 1; i < 3; i++ {
			if err := kit.RequireSame(b, b.InLen(i), sym.One, "pattern and rewrite must be scalars"); err != nil {
				return err
			}
		}
		b.Call(strs.Replace, b.Out(0), b.In(0), b.In(1), b.In(2), n.Bool("replace_global"))
	}
	return nil
}
