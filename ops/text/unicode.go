package text

import (
	"strings"
	"unicode"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var unicodeDefs = []*lower.Def{
	{Name: "UnicodeDecode", Limits: encodings, Shape: unicodeDecodeShape, Lower: unicodeDecodeLower},
	{Name: "UnicodeDecodeWithOffsets", Limits: encodings, Shape: unicodeDecodeShape, Lower: unicodeDecodeLower},
	{Name: "UnicodeEncode", Shape: unicodeEncodeShape, Lower: unicodeEncodeLower},
	{Name: "UnicodeTranscode", Limits: encodings, Shape: unicodeTranscodeShape, Lower: unicodeTranscodeLower},
	{Name: "DecodeRaw", Shape: rawShape, Lower: rawLower},
	{Name: "DecodePaddedRaw", Shape: rawShape, Lower: rawLower},
}

// encodings is the text that documents which encodings are supported by the ops that decode text.
const encodings = "input_encoding UTF-8, UTF-16, UTF-32 (big and little endian), US-ASCII or ISO-8859-1"

// encodingOf parses the name of an encoding; case, dashes and underscores do not matter.
func encodingOf(name string) (strs.Encoding, error) {
	switch strings.ToUpper(strings.NewReplacer("-", "", "_", "").Replace(name)) {
	case "UTF8":
		return strs.UTF8, nil
	case "UTF16BE", "UTF16":
		return strs.UTF16BE, nil
	case "UTF16LE":
		return strs.UTF16LE, nil
	case "UTF32BE", "UTF32":
		return strs.UTF32BE, nil
	case "UTF32LE":
		return strs.UTF32LE, nil
	case "USASCII", "ASCII":
		return strs.ASCII, nil
	case "ISO88591", "LATIN1":
		return strs.Latin1, nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "unknown encoding %q", name)
}

func unicodeParams(n *ir.Node) (p strs.UnicodeParams, err error) {
	if e, ok := n.Attrs["input_encoding"].(string); ok {
		if p.From, err = encodingOf(e); err != nil {
			return p, err
		}
	}
	if e, ok := n.Attrs["output_encoding"].(string); ok {
		if p.To, err = encodingOf(e); err != nil {
			return p, err
		}
	}
	switch n.Str("errors") {
	case "replace":
		p.Errors = strs.Substitute
	case "ignore":
		p.Errors = strs.Ignore
	}
	if r, ok := n.Attrs["replacement_char"].(int64); ok && (r < 0 || r > unicode.MaxRune) {
		return p, tensor.Errorf(tensor.InvalidArgument, "replacement_char is %d; 0 to %d is required", r, unicode.MaxRune)
	}
	p.Replacement, p.Controls = n.Int("replacement_char"), n.Bool("replace_control_characters")
	return p, nil
}

// unicodeDecodeShape infers the shapes of the outputs of UnicodeDecode and
// UnicodeDecodeWithOffsets: row_splits, char_values and, for the second op, char_to_byte_starts.
// The number of characters is known only at run time.
func unicodeDecodeShape(c *lower.Shaper) error {
	if _, err := unicodeParams(c.Node); err != nil {
		return err
	}
	s := c.Shape(0)
	splits := ir.Shape{}
	if s.Known {
		splits = ir.ShapeOf(s.Len().AddInt(1))
	}
	n := c.NewSize(1)
	c.Set(0, c.Node.DType("Tsplits"), splits)
	c.Set(1, tensor.Int32, ir.ShapeOf(n))
	if len(c.Node.Outs) > 2 {
		c.Set(2, tensor.Int64, ir.ShapeOf(n))
	}
	return nil
}

func unicodeDecodeLower(b *lower.Builder) error {
	p, err := unicodeParams(b.Node)
	if err != nil {
		return err
	}
	b.CallSizes(strs.CharacterCount, []*sym.Expr{b.NewSize(1)}, b.In(0), p)
	q := plan.Lit(p)
	if len(b.Node.Outs) > 2 {
		q = plan.Lit(p, "Starts", b.Out(2))
	}
	fn := any(strs.Characters64)
	if b.OutFact(0).DType == tensor.Int32 {
		fn = strs.Characters32
	}
	b.Call(fn, b.Out(0), b.Out(1), b.In(0), q)
	return nil
}

func unicodeEncodeShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	s, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if !s.Known {
		c.Set(0, tensor.String, ir.Shape{})
		return nil
	}
	if s.Dims[0].Is(0) {
		return tensor.Errorf(tensor.InvalidArgument, "input_splits must have at least 1 element")
	}
	c.Set(0, tensor.String, ir.ShapeOf(s.Dims[0].AddInt(-1)))
	return nil
}

func unicodeEncodeLower(b *lower.Builder) error {
	p, err := unicodeParams(b.Node)
	if err != nil {
		return err
	}
	if err := kit.AtLeast(b, b.InLen(1), 1, "the length of input_splits"); err != nil {
		return err
	}
	fn := any(strs.Encode64)
	if b.InFact(1).DType == tensor.Int32 {
		fn = strs.Encode32
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), p)
	return nil
}

func unicodeTranscodeShape(c *lower.Shaper) error {
	if _, err := unicodeParams(c.Node); err != nil {
		return err
	}
	c.Set(0, tensor.String, c.Shape(0))
	return nil
}

func unicodeTranscodeLower(b *lower.Builder) error {
	p, err := unicodeParams(b.Node)
	if err != nil {
		return err
	}
	b.Call(strs.Transcode, b.Out(0), b.In(0), p)
	return nil
}

// rawShape infers the shape of the output of DecodeRaw and DecodePaddedRaw. The output has the
// dimensions of the input, and one more dimension for the decoded numbers. The size of this
// dimension is known only at run time.
func rawShape(c *lower.Shaper) error {
	d := c.Node.DType("out_type")
	if c.Node.Op == "DecodePaddedRaw" {
		if _, err := c.WithRank(1, 0); err != nil {
			return err
		}
		if n, ok := c.StaticInts(1); ok && len(n) == 1 && d.Size() > 0 {
			if _, err := strs.PaddedWidth([]int32{int32(n[0])}, d.Size()); err != nil {
				return err
			}
		}
	}
	s := c.Shape(0)
	if !s.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	c.Set(0, d, ir.ShapeOf(append(append([]*sym.Expr{}, s.Dims...), c.NewSize(0))...))
	return nil
}

func rawLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	fn, err := kit.KernelFor(b, d, strs.RawF32, strs.RawF64, strs.RawF16, strs.RawBF16, strs.RawI8, strs.RawI16, strs.RawI32, strs.RawI64,
		strs.RawU8, strs.RawU16, strs.RawU32, strs.RawU64, strs.RawC64, strs.RawC128, strs.RawBool)
	if err != nil {
		return err
	}
	n := b.NewSize(0)
	if b.Node.Op == "DecodeRaw" {
		b.CallSizes(strs.RawWidth, []*sym.Expr{n}, b.In(0), d.Size())
	} else {
		b.CallSizes(strs.PaddedWidth, []*sym.Expr{n}, b.In(1), d.Size())
	}
	part := d.Size()
	if d.IsComplex() {
		part /= 2
	}
	b.Call(fn, b.Out(0), b.In(0), plan.Lit(strs.RawParams{Big: !b.Node.Bool("little_endian"), Part: part}, "Width", n))
	return nil
}
