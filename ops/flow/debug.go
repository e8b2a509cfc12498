package flow

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/debug"
	"github.com/graphc/graphc/lower"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	textops "github.com/graphc/graphc/ops/text"
	"github.com/graphc/graphc/rt/tensor"
)

// numericTypes are the types that DebugNumericSummary accepts, and healthTypes those that its
// second version accepts.
var (
	numericTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8,
		tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool}
	healthTypes = append([]tensor.DType{tensor.Half, tensor.BFloat16}, numericTypes...)
)

// debugDefs describe ops that debuggers insert into graphs. Such ops send tensors to URLs, which
// Graphc does not support. Without URLs, they only pass tensors on or summarise unusual values in
// them.
var debugDefs = []*lower.Def{
	{Name: "Copy", Flags: lower.Forward, Contradicts: copySpec, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "CopyHost", Flags: lower.Forward, Contradicts: copySpec, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "DebugIdentity", Flags: lower.Stateful | lower.NoFold, Limits: noURLs, Access: sends, Shape: debugIdentityShape, Lower: kit.ForwardLower},
	{Name: "DebugIdentityV2", Flags: lower.Stateful | lower.NoFold, Limits: noURLs, Access: sends, Shape: debugIdentityShape, Lower: kit.ForwardLower},
	{Name: "DebugIdentityV3", Flags: lower.Stateful | lower.NoFold, Limits: noURLs, Access: sends, Shape: debugIdentityShape, Lower: kit.ForwardLower},
	{Name: "DebugNanCount", Types: textops.SummaryTypes, Limits: noURLs, Access: sends, Shape: nanCountShape, Lower: nanCountLower},
	{Name: "DebugNumericSummary", Types: kit.AttrTypes("T", numericTypes), Limits: noURLs, Access: sends, Shape: numericSummaryShape, Lower: numericSummaryLower},
	{Name: "DebugNumericSummaryV2", Types: kit.AttrTypes("T", healthTypes), Shape: healthShape, Lower: healthLower},
	{Name: "DebugGradientRefIdentity", Level: lower.Reads, Flags: lower.Forward, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
}

const noURLs = "refused with debug_urls"

// sends returns the access of an op that sends its input to debug_urls.
func sends(n *ir.Node) (lower.Access, string) {
	urls, _ := n.Attrs["debug_urls"].([]string)
	if len(urls) == 0 {
		return lower.NoAccess, ""
	}
	return lower.Denied, fmt.Sprintf("the op sends tensors to %s; without debug_urls it is compiled", strings.Join(urls, ", "))
}

// watched returns InvalidArgument if attribute tensor_name is neither a node's nor a tensor's name.
func watched(n *ir.Node) error {
	name, given := n.Attrs["tensor_name"].(string)
	if n.Op == "DebugIdentityV2" || n.Op == "DebugIdentityV3" || !given {
		return nil
	}
	parts := strings.Split(name, ":")
	if name == "" || len(parts) > 2 {
		return tensor.Errorf(tensor.InvalidArgument, "Failed to parse tensor name: %q", name)
	}
	if len(parts) == 2 {
		if _, err := strconv.Atoi(parts[1]); err != nil {
			return tensor.Errorf(tensor.InvalidArgument, "Invalid string value for output_slot: %q", parts[1])
		}
	}
	return nil
}

func debugIdentityShape(c *lower.Shaper) error {
	if err := watched(c.Node); err != nil {
		return err
	}
	return kit.ForwardShape(c)
}

func nanCountShape(c *lower.Shaper) error {
	if err := watched(c.Node); err != nil {
		return err
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(sym.One))
	return nil
}

func nanCountLower(b *lower.Builder) error {
	values, err := textops.AsOf(b, 0, tensor.Float64, indexops.RealTypes)
	if err != nil {
		return err
	}
	b.Call(debug.NanCount, b.Out(0), values)
	return nil
}

// numericSummaryShape infers the result of DebugNumericSummary, which consists of 14 numbers,
// followed by the dimensions of the input.
func numericSummaryShape(c *lower.Shaper) error {
	if err := watched(c.Node); err != nil {
		return err
	}
	s := c.Shape(0)
	if !s.Known {
		c.UnknownShape(0, tensor.Float64)
		return nil
	}
	c.Set(0, tensor.Float64, ir.ShapeOf(sym.Int(14+len(s.Dims))))
	return nil
}

func numericSummaryLower(b *lower.Builder) error {
	values, err := textops.AsOf(b, 0, tensor.Float64, numericTypes)
	if err != nil {
		return err
	}
	p := debug.Params{DType: b.InFact(0).DType, Lower: math.Inf(-1), Upper: math.Inf(1)}
	if v, given := b.Node.Attrs["lower_bound"].(float32); given {
		p.Lower = float64(v)
	}
	if v, given := b.Node.Attrs["upper_bound"].(float32); given {
		p.Upper = float64(v)
	}
	b.Call(debug.NumericSummary, b.Out(0), values, append([]*sym.Expr{}, b.InShape(0)...), p)
	return nil
}

// healthParams reads the attributes of DebugNumericSummaryV2. It returns Unimplemented for an
// unknown mode, and InvalidArgument for an identifier that does not fit the output's type.
func healthParams(n *ir.Node) (p debug.HealthParams, d tensor.DType, err error) {
	p = debug.HealthParams{Mode: -1, ID: -1, DType: n.Ins[0].Fact().DType}
	if v, given := n.Attrs["tensor_debug_mode"].(int64); given {
		p.Mode = int(v)
	}
	if v, given := n.Attrs["tensor_id"].(int64); given {
		p.ID = int(v)
	}
	if d = n.DType("output_dtype"); d == tensor.Invalid {
		d = tensor.Float32
	}
	most := 1 << 24
	if d == tensor.Float64 {
		most = 1 << 53
	}
	switch {
	case !slices.Contains(healthTypes, p.DType):
		err = tensor.Errorf(tensor.InvalidArgument, "the input is %v; it must be one of %v", p.DType, healthTypes)
	case p.ID > most && p.Mode != debug.ThreeSlots:
		err = tensor.Errorf(tensor.InvalidArgument, "tensor_id must be at most %d, not %d", most, p.ID)
	case debug.HealthLen(p.Mode) == 0:
		err = tensor.Errorf(tensor.Unimplemented, "Unimplemented tensor debug mode: %d; 2, 3, 4, 5 and 8 are supported", p.Mode)
	}
	return p, d, err
}

func healthShape(c *lower.Shaper) error {
	p, d, err := healthParams(c.Node)
	if err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(sym.Int(debug.HealthLen(p.Mode))))
	return nil
}

func healthLower(b *lower.Builder) error {
	p, d, err := healthParams(b.Node)
	if err != nil {
		return err
	}
	values, err := textops.AsOf(b, 0, tensor.Float64, healthTypes)
	if err != nil {
		return err
	}
	fn := any(debug.HealthF32)
	if d == tensor.Float64 {
		fn = debug.HealthF64
	}
	b.Call(fn, b.Out(0), values, append([]*sym.Expr{}, b.InShape(0)...), p)
	return nil
}

// copySpec rejects elements of debug_ops_spec that do not have the form op;url;gated. The attribute
// has no other effect.
func copySpec(n *ir.Node) error {
	specs, _ := n.Attrs["debug_ops_spec"].([]string)
	for _, s := range specs {
		if strings.Count(s, ";") != 2 {
			return tensor.Errorf(tensor.InvalidArgument, "debug_ops_spec has the element %q; two semicolons are required", s)
		}
	}
	return nil
}
