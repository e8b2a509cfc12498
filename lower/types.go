package lower

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// typed refuses all nodes that the host computes and whose element types its kernels do not take, so that no
// lowering has to look at them. A node that the device turns out not to compute is looked at when it is lowered.
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

// Untaken is the error of a node of element types that its op's kernels do not take. A
// lowering may count on the types that the Def lists: calls with others do not fit.
func (t *Table) Untaken(n *ir.Node) error {
	def := t.Lookup(n.Op)
	if def == nil {
		return nil
	}
	types := def.Types
	for _, attr := range slices.Sorted(maps.Keys(types)) {
		if d, ok := n.Attrs[attr].(tensor.DType); ok && !slices.Contains(types[attr], d) {
			return tensor.Errorf(untakenCode(n), "no CPU kernel takes %s as %s: %v are taken", d, attr, types[attr])
		}
	}
	return nil
}

// untakenCode is InvalidArgument for a node that TensorFlow has no kernel for either, Unimplemented for another.
func untakenCode(n *ir.Node) tensor.Code {
	if opdef.HasCPUKernel(n) {
		return tensor.Unimplemented
	}
	return tensor.InvalidArgument
}

// contradicted is the error of a node that has, by an attribute, outputs of a type that no kernel
// makes: a shape function may know only the types of the kernels.
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

// NoKernel is the error of a node of types that no kernel takes, which no Def can list: a combination of several.
func (b *Builder) NoKernel(format string, args ...any) error {
	return b.Errorf(untakenCode(b.Node), format, args...)
}
