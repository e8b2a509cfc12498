package text

import (
	"slices"

	"github.com/graphc/graphc/kernels/parse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// csvDefs describes the ops that decode comma-separated values and compressed strings.
var csvDefs = []*lower.Def{
	{Name: "DecodeCSV", Shape: csvShape, Lower: csvLower,
		Types: kit.AttrTypes("OUT_TYPE", []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.String})},
	{Name: "DecodeCompressed", Shape: eachString(tensor.String), Lower: decodeCompressedLower,
		Limits: "ZLIB, GZIP and none; at most 512 MiB of decompressed data for each call"},
}

// csvParams reads the attributes of DecodeCSV. It returns InvalidArgument for a delimiter that is
// not one byte, and for columns that are not increasing or do not match the number of outputs.
func csvParams(b *lower.Builder) (p parse.CSVParams, err error) {
	n := b.Node
	p = parse.CSVParams{Columns: len(n.Outs), Delim: ",", Select: []int{}}
	if d, given := n.Attrs["field_delim"].(string); given {
		p.Delim = d
	}
	if quote, given := n.Attrs["use_quote_delim"].(bool); given {
		p.NoQuote = !quote
	}
	if len(p.Delim) != 1 {
		return p, b.Errorf(tensor.InvalidArgument, "field_delim should be only 1 char, not %q", p.Delim)
	}
	cols, _ := n.Attrs["select_cols"].([]int64)
	for i, c := range cols {
		switch {
		case c < 0:
			return p, b.Errorf(tensor.InvalidArgument, "select_cols should be non-negative indices, but one is %d", c)
		case i > 0 && c <= cols[i-1]:
			return p, b.Errorf(tensor.InvalidArgument, "select_cols should be strictly increasing indices, not %v", cols)
		}
		p.Select = append(p.Select, int(c))
	}
	if len(p.Select) > 0 && len(p.Select) != p.Columns {
		return p, b.Errorf(tensor.InvalidArgument, "select_cols should match output size: %d columns for %d outputs", len(p.Select), p.Columns)
	}
	return p, nil
}

// csvShape infers the shapes of the outputs of DecodeCSV(records, record_defaults…). Each output is
// a column; it has one element for each record.
func csvShape(c *lower.Shaper) error {
	types := c.Node.DTypes("OUT_TYPE")
	for i := range types {
		switch s := c.Shape(1 + i); {
		case !s.Known:
		case len(s.Dims) > 1:
			return tensor.Errorf(tensor.InvalidArgument, "Each record default should be at most rank 1, but that of field %d has the shape %v", i, s)
		case len(s.Dims) == 1:
			if n, ok := s.Dims[0].IsInt(); ok && n > 1 {
				return tensor.Errorf(tensor.InvalidArgument, "There should only be 1 default per field but field %d has %d", i, n)
			}
		}
		c.Set(i, types[i], c.Shape(0))
	}
	return nil
}

// csvLower lowers DecodeCSV. One call splits all records into fields. Then there is a call for each
// column, which parses its fields.
func csvLower(b *lower.Builder) error {
	p, err := csvParams(b)
	if err != nil {
		return err
	}
	for i := range p.Columns {
		if err := kit.Ranked(b, 1+i); err != nil {
			return err
		}
	}
	fields := b.Temp(tensor.String, b.InLen(0).MulInt(p.Columns))
	b.Call(parse.CSVFields, kit.Writes(fields), b.In(0), p)
	fields.Mode = plan.Read
	for i := range p.Columns {
		fn, err := oneOf(b, b.OutFact(i).DType, parse.CSVF32, parse.CSVF64, parse.CSVI32, parse.CSVI64, parse.CSVString)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(i), fields, b.In(1+i), parse.CSVColumn{Column: i, Columns: p.Columns, NA: b.Node.Str("na_value")})
	}
	return nil
}

// oneOf returns the kernel for type d, or an error. The kernels for float, double, int32, int64 and
// string are in fns, in this order.
func oneOf(b *lower.Builder, d tensor.DType, fns ...any) (any, error) {
	i := slices.Index([]tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.String}, d)
	if i < 0 {
		return nil, b.Errorf(tensor.InvalidArgument, "%v is not supported: only float, double, int32, int64 and string are", d)
	}
	return fns[i], nil
}

// decodeCompressedLower: DecodeCompressed(bytes).
func decodeCompressedLower(b *lower.Builder) error {
	switch t := b.Node.Str("compression_type"); t {
	case "":
		b.Alias(0, 0)
	case "ZLIB":
		b.Call(parse.InflateZlib, b.Out(0), b.In(0))
	case "GZIP":
		b.Call(parse.InflateGzip, b.Out(0), b.In(0))
	default:
		return b.Errorf(tensor.InvalidArgument, "compression_type is %q; ZLIB, GZIP and none are supported", t)
	}
	return nil
}
