package lower

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// typed rejects all nodes that the host computes with element types that its kernels do not
// support, so that no lowering has to check types. Nodes that the device may compute are not
// checked here; if the host must compute such a node after all, its types are checked when it is
// lowered.
func (l *lowerer) typed(order []*ir.Node) error {
	var errs []error
	for _, n := range order {
		if l.allFed(n) || !l.runs(n) || l.gpu && l.computes(n) {
			continue
		}
		if err := l.t.Untaken(n); err != nil {
			errs = append(errs, tensor.AtNode(err, n.Name, n.OpName()))
		}
	}
	return tensor.Join(errs...)
}

// Untaken returns the error for a node with element types that its op's kernels do not support, or
// nil. After this check, a lowering may rely on the types that the Def lists.
func (t *Table) Untaken(n *ir.Node) error {
	def := t.Lookup(n.Op)
	if def == nil {
		return nil
	}
	types := def.Types
	for _, attr := range slices.Sorted(maps.Keys(types)) {
		if d, ok := n.Attrs[attr].(tensor.DType); ok && !slices.Contains(types[attr], d) {
			return tensor.Errorf(untakenCode(n), "no CPU kernel accepts %s as %s, only %v", d, attr, types[attr])
		}
	}
	return nil
}

// untakenCode returns InvalidArgument if TensorFlow, too, has no kernel for a node, and
// Unimplemented otherwise.
func untakenCode(n *ir.Node) tensor.Code {
	if opdef.HasCPUKernel(n) {
		return tensor.Unimplemented
	}
	return tensor.InvalidArgument
}

// contradicted returns an error if an attribute of the node and the node's shape function specify
// different types for an output. This can happen because a shape function may set only types that
// the kernels support.
func (t *Table) contradicted(n *ir.Node) error {
	o := opdef.Lookup(n.Op)
	if o == nil || len(o.Outs) != len(n.Outs) {
		return nil
	}
	for i, p := range o.Outs {
		if d, ok := n.Attrs[p.TypeAttr].(tensor.DType); ok && d != n.Outs[i].DType {
			return t.Untaken(n)
		}
	}
	return nil
}

// NoKernel returns the error for a combination of types that no kernel supports. A Def lists types
// for each attribute separately, so it cannot exclude combinations.
func (b *Builder) NoKernel(format string, args ...any) error {
	return b.Errorf(untakenCode(b.Node), format, args...)
}
