package lower

import (
	"math"
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// VariantKind is the kind of value in a tensor of variants.
type VariantKind string

// The kinds of variants. The values are the names that error messages use.
const (
	List             VariantKind = "a list"
	Map              VariantKind = "a map"
	Optional         VariantKind = "an optional"
	Ragged           VariantKind = "a ragged tensor"
	CSR              VariantKind = "a sparse matrix"
	SerializedSparse VariantKind = "a serialized sparse tensor"
)

// variantMaker goes back from a variant to the node that made it. It returns nil if the graph does
// not determine that node.
func (t *Table) variantMaker(o ir.Out) *ir.Node {
	for range 1000 {
		n := o.Node
		if o.Index != 0 {
			return nil
		}
		if d := t.Lookup(n.Op); d != nil && d.Makes != "" {
			return n
		}
		if !t.Is(n.Op, Forward) && n.Op != "ZerosLike" || len(n.Ins) == 0 {
			return nil
		}
		o = n.Ins[0]
	}
	return nil
}

// Contradicts rejects a node whose attributes contradict each other or contradict those of
// preceding nodes, whatever the shapes are. It must run before any pass replaces the node.
func (t *Table) Contradicts(n *ir.Node) error {
	if err := checkInt32Attrs(n); err != nil {
		return err
	}
	def := t.Lookup(n.Op)
	switch {
	case def == nil:
		return nil
	case def.Contradicts != nil:
		if err := def.Contradicts(n); err != nil {
			return err
		}
	}
	if def.Wants == "" {
		return nil
	}
	for i, o := range n.Ins {
		if i > 0 && !slices.Contains(t.holding(n.Op).From, i) || o.Fact().DType != tensor.Variant {
			break
		}
		m := t.variantMaker(o)
		if m == nil {
			continue
		}
		if made := t.Lookup(m.Op).Makes; made != def.Wants {
			return tensor.Errorf(tensor.InvalidArgument, "input %d is %s, %s is required", i, made, def.Wants)
		}
		d, typed := n.Attrs["element_dtype"].(tensor.DType)
		if made, ok := m.Attrs["element_dtype"].(tensor.DType); ok && typed && made != d {
			return tensor.Errorf(tensor.InvalidArgument, "a list of %v is used as one of %v", made, d)
		}
	}
	return nil
}

// checkInt32Attrs rejects a value that does not fit into 32 bits if TensorFlow's kernel reads the
// attribute as 32 bits.
func checkInt32Attrs(n *ir.Node) error {
	for _, a := range opdef.Int32Attrs(n.Op) {
		if v, ok := n.Attrs[a].(int64); ok && (v < math.MinInt32 || v > math.MaxInt32) {
			return tensor.Errorf(tensor.InvalidArgument, "attribute %s is %d, which is out of range for an int32", a, v)
		}
	}
	return nil
}
