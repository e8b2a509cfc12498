package frontend

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// item holds the tensors to which a name in a function's body refers. The name refers to an
// argument, to a result of a node, or to one tensor of such an argument or result.
type item struct {
	outs  []ir.Out
	types []edge
	dead  bool // whether the name refers to a result of a node that could not be converted
}

// body builds an instance's body.
func (l *library) body(inst *instance) {
	var errs Errors
	d := inst.fn.def
	b := &builder{file: inst.fn.file, function: inst.name, lib: l, producer: l.producer, bind: inst.bind, splat: l.splat, errs: &errs,
		calls: map[string]bool{}}
	g := ir.NewGraph(inst.name)
	g.Producer = l.producer
	f := &ir.Function{Name: inst.name, Body: g, Stateful: inst.fn.sig.Stateful, Attrs: map[string]ir.Attr{}}
	for k, v := range d.Attr {
		if a, err := (attrs{bind: inst.bind, splat: l.splat}).value(v, ""); err == nil {
			f.Attrs[k] = a
		}
	}
	names := map[string]*item{}
	nodes := map[string]*typed{}
	taken := make(map[string]bool, len(d.NodeDef))
	for _, n := range d.NodeDef {
		taken[n.Name] = true
	}
	b.args(f, inst, names, taken)
	for i, nd := range d.NodeDef {
		if !validName(nd.Name, true) {
			b.fail(tensor.AtNode(invalid("the name %q is not accepted: letters, digits and . _ - / are", tensor.Clip(nd.Name)), tensor.Clip(nd.Name), nd.Op))
			continue
		}
		if _, twice := nodes[nd.Name]; twice {
			b.fail(tensor.AtNode(invalid("another node has this name"), nd.Name, nd.Op))
			continue
		}
		t := b.node(nd, ir.Origin{File: inst.name, Index: i})
		// a function without attributes has no other instance that would need the attributes of its
		// nodes
		if inst.bind == nil {
			nd.Attr = nil
		}
		nodes[nd.Name] = t
		if t == nil {
			continue
		}
		if err := g.Add(t.Node); err != nil {
			b.fail(err)
			continue
		}
		if l.instances[t.Op] != nil {
			b.calls[t.Op] = true
		}
		t.index(names)
	}
	for _, nd := range d.NodeDef {
		if t := nodes[nd.Name]; t != nil {
			b.connectBody(t, names, nodes)
		}
	}
	b.rets(f, inst, names)
	b.controlRets(f, inst, nodes)
	if len(errs) == 0 {
		if _, err := g.Order(); err != nil {
			b.fail(err)
		}
	}
	inst.body, inst.calls, inst.broken = f, b.calls, errs.err()
}

// args adds the _Arg nodes.
func (b *builder) args(f *ir.Function, inst *instance, names map[string]*item, taken map[string]bool) {
	for ai, a := range inst.fn.sig.Ins {
		types, err := argTypes(a, inst.bind)
		if err != nil {
			b.fail(err)
			continue
		}
		it := &item{}
		for i, t := range types {
			name := a.Name
			if len(types) > 1 {
				name += "_" + strconv.Itoa(i)
			}
			free := name
			for j := 1; taken[free]; j++ {
				free = fmt.Sprintf("%s_%d", name, j)
			}
			taken[free] = true
			n := &ir.Node{Name: free, Op: "_Arg", Attrs: map[string]ir.Attr{"T": t.dtype, "index": int64(len(f.Args))},
				Outs: []ir.Fact{{DType: t.dtype}}, Origin: ir.Origin{File: inst.name}}
			b.argAttrs(n, inst, len(f.Args))
			b.handleData(n, inst.fn.def.Signature.InputArg[ai])
			if err := f.Body.Add(n); err != nil {
				b.fail(err)
			}
			f.Args = append(f.Args, ir.Param{Name: name, DType: t.dtype})
			it.outs, it.types = append(it.outs, ir.Out{Node: n}), append(it.types, t)
		}
		addItem(names, a.Name, it)
	}
}

// argAttrs copies the attributes of an argument, such as _output_shapes.
func (b *builder) argAttrs(n *ir.Node, inst *instance, index int) {
	for k, v := range inst.fn.def.ArgAttr[uint32(index)].GetAttr() {
		if a, err := (attrs{bind: b.bind, splat: b.splat}).value(v, ""); err == nil && strings.HasPrefix(k, "_") {
			n.Attrs[k] = a
		}
	}
}

// handleData sets the attributes _handle_dtypes and _handle_shapes of an argument that is a
// resource. It copies them from the function's signature, if the signature states the type and the
// shape of the variable behind the resource.
func (b *builder) handleData(n *ir.Node, a *pb.OpDef_ArgDef) {
	if n.DType("T") != tensor.Resource || len(a.HandleData) == 0 {
		return
	}
	var types []tensor.DType
	var shapes []ir.PartialShape
	for _, h := range a.HandleData {
		s, err := partialShape(h.GetShape())
		if err != nil {
			b.fail(tensor.AtNode(err, n.Name, n.Op))
			return
		}
		types, shapes = append(types, baseType(h.GetDtype())), append(shapes, s)
	}
	n.Attrs["_handle_dtypes"], n.Attrs["_handle_shapes"] = types, shapes
}

// addItem adds an item under its name, which refers to all tensors of the item. It also adds each
// tensor of the item under name:number, where number is the index of the tensor.
func addItem(names map[string]*item, name string, it *item) {
	names[name] = it
	for i := range it.outs {
		names[name+":"+strconv.Itoa(i)] = &item{outs: it.outs[i : i+1], types: it.types[i : i+1]}
	}
}

// index registers a node's results as node:result.
func (t *typed) index(names map[string]*item) {
	for i, a := range t.sig.Outs {
		end := len(t.outs)
		if i+1 < len(t.starts) {
			end = t.starts[i+1]
		}
		it := &item{types: t.outs[t.starts[i]:end]}
		for k := t.starts[i]; k < end; k++ {
			it.outs = append(it.outs, ir.Out{Node: t.Node, Index: k})
		}
		addItem(names, t.Name+":"+a.Name, it)
	}
}

// lookup returns the item to which an input refers. The parameter in is the text of the input. If
// the input refers to a result of a node that could not be converted, the field dead of the item is
// true, because that node already has an error. The result is nil for an unknown name.
func lookup(in string, names map[string]*item, nodes map[string]*typed) *item {
	if it := names[in]; it != nil {
		return it
	}
	node, _, _ := strings.Cut(in, ":")
	if t, exists := nodes[node]; exists && t == nil {
		return &item{dead: true}
	}
	return nil
}

// connectBody resolves the inputs of a node in a body. An input has one of the forms argument,
// node:result, node:result:number and ^node. One name may denote several tensors.
func (b *builder) connectBody(t *typed, names map[string]*item, nodes map[string]*typed) {
	fail := func(err error) { b.fail(tensor.AtNode(err, t.Name, t.Op)) }
	sound, control := true, false
	var types []edge
	waits := map[*ir.Node]bool{}
	wait := func(n *ir.Node) {
		if !waits[n] {
			waits[n] = true
			t.Controls = append(t.Controls, n)
		}
	}
	for i, in := range t.def.Input {
		if name, ok := strings.CutPrefix(in, "^"); ok {
			control = true
			from, exists := nodes[name]
			if exists && from != nil {
				wait(from.Node)
			} else if !exists {
				// A control input may also be an argument's name.
				if it := names[name]; it != nil && len(it.outs) > 0 {
					wait(it.outs[0].Node)
				} else {
					fail(invalid("control input %q names no node of the function", tensor.Clip(in)))
				}
			}
			continue
		}
		if control {
			fail(invalid("data input %q follows a control input", tensor.Clip(in)))
			sound = false
			continue
		}
		it := lookup(in, names, nodes)
		switch {
		case it == nil:
			fail(invalid("input %d, %q, names no argument and no result of a node in the function; node:result:number is accepted", i, tensor.Clip(in)))
			sound = false
		case it.dead:
			sound = false
		case len(t.Ins)+len(it.outs) > len(t.ins):
			fail(invalid("it has more inputs than the op and its attributes take: %d, %s", len(t.ins), edgeList(t.ins)))
			return
		default:
			t.Ins, types = append(t.Ins, it.outs...), append(types, it.types...)
		}
	}
	if !sound {
		return
	}
	if len(t.Ins) != len(t.ins) {
		fail(invalid("it has %d inputs; the op and its attributes take %d: %s", len(t.Ins), len(t.ins), edgeList(t.ins)))
		return
	}
	for i := range t.Ins {
		fail(checkEdge(i, t.Ins[i], types[i], t.ins[i]))
	}
}

// rets adds the _Retval nodes.
func (b *builder) rets(f *ir.Function, inst *instance, names map[string]*item) {
	d := inst.fn.def
	declared := map[string]bool{}
	for _, a := range inst.fn.sig.Outs {
		declared[a.Name] = true
		types, err := argTypes(a, inst.bind)
		if err != nil {
			b.fail(err)
			continue
		}
		from, given := d.Ret[a.Name]
		if !given {
			b.fail(invalid("result %q has no value", a.Name))
			continue
		}
		it := lookup(from, names, nil)
		if it == nil {
			if len(*b.errs) == 0 { // if there are errors already, the node that computes the result may have failed to convert
				b.fail(invalid("result %q is %q, which is neither an argument nor a result of a node", a.Name, tensor.Clip(from)))
			}
			continue
		}
		if len(it.outs) != len(types) {
			b.fail(invalid("result %q takes %d tensors; %q is %d", a.Name, len(types), tensor.Clip(from), len(it.outs)))
			continue
		}
		for i, t := range types {
			if it.types[i].dtype != t.dtype {
				b.fail(invalid("result %q is declared %s; %s is %s", a.Name, t, it.outs[i], it.types[i]))
			}
			name := a.Name
			if len(types) > 1 {
				name += "_" + strconv.Itoa(i)
			}
			n := f.Body.NewNode(f.Body.Fresh(name+"_RetVal"), "_Retval", map[string]ir.Attr{"T": t.dtype, "index": int64(len(f.Rets))}, 0, it.outs[i])
			n.Origin.File = inst.name
			f.Rets = append(f.Rets, ir.Param{Name: name, DType: t.dtype})
		}
	}
	for _, k := range sortedKeys(d.Ret) {
		if !declared[k] {
			b.fail(invalid("a value is given for the result %q, which is not declared", tensor.Clip(k)))
		}
	}
}

// controlRets lists the control outputs, in the signature's order.
func (b *builder) controlRets(f *ir.Function, inst *instance, nodes map[string]*typed) {
	d := inst.fn.def
	// 1 + position in the signature; 0 for an output that the signature does not declare
	pos := map[string]int{}
	for i, k := range d.GetSignature().GetControlOutput() {
		pos[k] = i + 1
	}
	keys := sortedKeys(d.ControlRet)
	sort.SliceStable(keys, func(i, j int) bool { return pos[keys[i]] < pos[keys[j]] })
	for _, k := range keys {
		node := d.ControlRet[k]
		if _, exists := nodes[node]; !exists {
			b.fail(invalid("control output %q is %q, which is not a node of the function", tensor.Clip(k), tensor.Clip(node)))
			continue
		}
		f.Controls = append(f.Controls, ir.ControlRet{Name: k, Node: node})
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// isOp reports whether name is a registered op, which may be used in place of a function.
func isOp(name string) bool { return opdef.Lookup(name) != nil }
