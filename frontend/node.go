package frontend

import (
	"slices"
	"sort"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// node converts a NodeDef except for its inputs. It checks the attributes against the signature,
// adds the defaults of missing attributes, and sets the outputs' types. It returns nil if the node
// is so invalid that it cannot be converted.
func (b *builder) node(d *pb.NodeDef, origin ir.Origin) *typed {
	fail := func(err error) { b.fail(tensor.AtNode(err, d.Name, d.Op)) }
	if b.lib.full() {
		return nil // the error is already recorded
	}
	n := &ir.Node{Name: d.Name, Op: d.Op, Device: d.Device, Origin: origin}
	if x := d.ExperimentalDebugInfo; x != nil {
		n.Origin.Names = x.OriginalNodeNames
	}
	if !validDevice(d.Device) {
		fail(invalid("the device %q does not parse; /job:name/replica:0/task:0/device:CPU:0 or a part of it is accepted", d.Device))
	}
	sig, isFunc := b.lib.signature(d.Op)
	if sig == nil {
		fail(tensor.Errorf(tensor.NotFound, "Op type not registered: neither an op of TensorFlow nor a function of the library%s; graphc.yaml can name a Go function for it", b.suggestOp(d.Op)))
		return nil
	}
	if sig.Deprecated > 0 && b.producer >= sig.Deprecated {
		fail(tensor.Errorf(tensor.Unimplemented, "the op was removed at GraphDef version %d; the file was written by version %d", sig.Deprecated, b.producer))
	}
	ok := b.nodeAttrs(n, d, sig, isFunc, fail)
	if !ok {
		return nil
	}
	t := &typed{Node: n, def: d}
	var err error
	var starts []int
	if t.ins, starts, err = argsTypes(sig.Ins, n.Attrs); err != nil {
		fail(err)
		return nil
	}
	if t.outs, t.starts, err = argsTypes(sig.Outs, n.Attrs); err != nil {
		fail(err)
		return nil
	}
	t.sig = sig
	if err := b.lib.count(len(t.ins), len(t.outs)); err != nil {
		fail(err)
		return nil
	}
	if own := b.lib.own[d.Op]; own != nil {
		own.take(n, starts, len(t.ins))
	} else if isFunc {
		// Replace the function's name by the name of the instance of the function for this node's
		// attributes.
		name, err := b.lib.instance(d.Op, n.Attrs)
		if err != nil {
			fail(err)
			return nil
		}
		n.Op = name
	} else {
		b.instances(n, fail)
	}
	n.Outs = make([]ir.Fact, len(t.outs))
	for i, e := range t.outs {
		n.Outs[i].DType = e.dtype
	}
	return t
}

// typed is a node with the types from its signature.
type typed struct {
	*ir.Node
	def       *pb.NodeDef
	sig       *opdef.Op
	ins, outs []edge
	starts    []int // index of each result's first output
}

// maxSuggestions is the number of errors for which a similar name is searched. It is small because
// each search compares a name with all known names. The messages of further errors would not be
// shown anyway.
const maxSuggestions = 10

// suggestOp suggests an op with a similar name.
func (b *builder) suggestOp(name string) string {
	if len(*b.errs) > maxSuggestions {
		return ""
	}
	if s := ir.Nearest(name, opdef.Names()); s != "" {
		return "; did you mean " + s + "?"
	}
	return ""
}

// nodeAttrs sets n.Attrs. It keeps undeclared attributes that begin with an underscore and drops
// the others, which nothing reads.
func (b *builder) nodeAttrs(n *ir.Node, d *pb.NodeDef, sig *opdef.Op, isFunc bool, fail func(error)) bool {
	n.Attrs = make(map[string]ir.Attr, len(d.Attr)+2)
	ok := true
	conv := attrs{bind: b.bind, splat: b.splat}
	for i := range sig.Attrs {
		a := &sig.Attrs[i]
		v, given := d.Attr[a.Name]
		if !given {
			switch {
			case a.HasDefault:
				n.Attrs[a.Name] = a.Default
			case inferAttr(n, d, a, conv):
			default:
				fail(invalid("attribute %q is missing; a %s is accepted", a.Name, a.Kind))
				ok = false
			}
			continue
		}
		val, err := conv.value(v, a.Kind)
		if err == nil {
			err = checkAttr(a, val)
		}
		if err != nil {
			fail(tensor.Errorf(tensor.CodeOf(err), "attribute %q: %s", a.Name, plain(err)))
			ok = false
			continue
		}
		n.Attrs[a.Name] = val
	}
	keys := make([]string, 0, len(d.Attr))
	for k := range d.Attr {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if sig.Attr(k) != nil || !strings.HasPrefix(k, "_") {
			continue
		}
		val, err := conv.value(d.Attr[k], "")
		if err == nil {
			n.Attrs[k] = val
			continue
		}
		if k == "_output_shapes" || tensor.CodeOf(err) == tensor.ResourceExhausted {
			fail(tensor.Errorf(tensor.CodeOf(err), "attribute %q: %s", k, plain(err)))
		}
	}
	if t, isConst := n.Attrs["value"].(*tensor.Tensor); isConst && n.Op == "Const" && t.DType != n.DType("dtype") {
		fail(invalid("the value is %v, but attribute \"dtype\" is %s", t, n.DType("dtype")))
		ok = false
	}
	return ok
}

// inferAttr sets an attribute that older writers did not write. In older versions, _FusedConv2D had
// num_args tensors of type T; now it has the list TArgs of their types. inferAttr makes this list
// from num_args and T.
func inferAttr(n *ir.Node, d *pb.NodeDef, a *opdef.Attr, conv attrs) bool {
	if a.Name != "TArgs" || d.Attr["num_args"] == nil || d.Attr["T"] == nil {
		return false
	}
	num, err := conv.value(d.Attr["num_args"], "int")
	if err != nil {
		return false
	}
	t, err := conv.value(d.Attr["T"], "type")
	if err != nil || num.(int64) < 0 || num.(int64) > maxArity {
		return false
	}
	n.Attrs[a.Name] = slices.Repeat([]tensor.DType{t.(tensor.DType)}, int(num.(int64)))
	return true
}

// checkAttr checks a value against the attribute's minimum and allowed values.
func checkAttr(a *opdef.Attr, v ir.Attr) error {
	if a.HasMin {
		n, what := int64(0), "its length"
		switch v := v.(type) {
		case int64:
			n, what = v, "its value"
		case []string:
			n = int64(len(v))
		case []int64:
			n = int64(len(v))
		case []float32:
			n = int64(len(v))
		case []bool:
			n = int64(len(v))
		case []tensor.DType:
			n = int64(len(v))
		case []ir.PartialShape:
			n = int64(len(v))
		case []*tensor.Tensor:
			n = int64(len(v))
		case []ir.Func:
			n = int64(len(v))
		}
		if n < a.Min {
			return invalid("%s is %d; at least %d is accepted", what, n, a.Min)
		}
	}
	if a.Types != nil {
		var ts []tensor.DType
		switch v := v.(type) {
		case tensor.DType:
			ts = []tensor.DType{v}
		case []tensor.DType:
			ts = v
		}
		for _, t := range ts {
			if !slices.Contains(a.Types, t) {
				return invalid("type %s is not accepted; %s are", t, joinTypes(a.Types))
			}
		}
	}
	if a.Strings != nil {
		var ss []string
		switch v := v.(type) {
		case string:
			ss = []string{v}
		case []string:
			ss = v
		}
		for _, s := range ss {
			if !slices.Contains(a.Strings, s) {
				return invalid("%q is not accepted; %q are", tensor.Clip(s), a.Strings)
			}
		}
	}
	return nil
}

func joinTypes(ts []tensor.DType) string {
	s := make([]string, len(ts))
	for i, t := range ts {
		s[i] = t.String()
	}
	return strings.Join(s, ", ")
}
