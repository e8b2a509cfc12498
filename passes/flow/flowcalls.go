package flow

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// toBoolOp is an op that converts the condition of an If or While to a bool scalar. The result is
// true for a scalar number other than 0, for a scalar string that is not empty, and for any other
// tensor that has elements.
const toBoolOp = "_ToBool"

// function returns the function whose name is in the given attribute of n, and the attributes with
// which n calls the function.
func (x *inliner) function(n *ir.Node, attr string) (*ir.Function, map[string]ir.Attr, error) {
	f, ok := n.Attrs[attr].(ir.Func)
	if !ok {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "attribute %s names no function", attr)
	}
	return x.named(f)
}

func (x *inliner) named(f ir.Func) (*ir.Function, map[string]ir.Attr, error) {
	if lib := x.g.Library; lib != nil && lib.Functions[f.Name] != nil {
		return lib.Functions[f.Name], f.Attrs, nil
	}
	return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the library has no function %q", f.Name)
}

// join adds a node for the control flow around the bodies that a call inlines, and returns the
// node. Parameter types holds the types of its outputs.
func (x *inliner) join(call *ir.Node, name, op string, attrs map[string]ir.Attr, types []tensor.DType, ins ...ir.Out) *ir.Node {
	n := x.g.NewNode(call.Name+"/"+name, op, attrs, len(types), ins...)
	for i, d := range types {
		n.Outs[i].DType = d
	}
	n.Device, n.Origin = call.Device, call.Origin
	x.count++
	return n
}

// handsOn adds a node that returns its input o, either always or under a condition. It returns the
// output of the node.
func (x *inliner) handsOn(call *ir.Node, name, op string, o ir.Out, controls ...*ir.Node) ir.Out {
	d := o.Fact().DType
	n := x.join(call, name, op, map[string]ir.Attr{"T": d}, []tensor.DType{d}, o)
	n.Controls = append([]*ir.Node(nil), controls...)
	return ir.Out{Node: n}
}

// predicate returns the condition o as a bool scalar. It adds a node for the conversion if
// necessary.
func (x *inliner) predicate(call *ir.Node, o ir.Out, controls []*ir.Node) ir.Out {
	f := o.Fact()
	if f.DType == tensor.Bool && f.Shape.Rank() == 0 && len(controls) == 0 {
		return o
	}
	if f.DType == tensor.Bool && f.Shape.Rank() == 0 {
		return x.handsOn(call, "cond", "Identity", o, controls...)
	}
	n := x.join(call, "cond", toBoolOp, map[string]ir.Attr{"T": f.DType}, []tensor.DType{tensor.Bool}, o)
	n.Outs[0].Shape = ir.StaticShape()
	n.Controls = append([]*ir.Node(nil), controls...)
	return ir.Out{Node: n}
}

// branch describes a function that is a branch of an If or Case.
type branch struct {
	name  string
	f     *ir.Function
	attrs map[string]ir.Attr
}

// conditional replaces an If by Switch and Merge nodes.
func (x *inliner) conditional(n *ir.Node, stack []string) error {
	if len(n.Ins) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "it has no condition")
	}
	var bs []branch
	for _, b := range []struct{ name, attr string }{{"else", "else_branch"}, {"then", "then_branch"}} {
		f, attrs, err := x.function(n, b.attr)
		if err != nil {
			return err
		}
		bs = append(bs, branch{b.name, f, attrs})
	}
	return x.branches(n, x.predicate(n, n.Ins[0], n.Controls), "Switch", bs, stack)
}

// choice replaces a Case by _SwitchN and Merge nodes.
func (x *inliner) choice(n *ir.Node, stack []string) error {
	fs, _ := n.Attrs["branches"].([]ir.Func)
	if len(n.Ins) == 0 || len(fs) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "it has no branches or no index")
	}
	var bs []branch
	for i, b := range fs {
		f, attrs, err := x.named(b)
		if err != nil {
			return err
		}
		bs = append(bs, branch{fmt.Sprintf("branch%d", i), f, attrs})
	}
	index := n.Ins[0]
	if len(n.Controls) > 0 {
		index = x.handsOn(n, "index", "Identity", index, n.Controls...)
	}
	return x.branches(n, index, "_SwitchN", bs, stack)
}

// branches inlines the bodies of a conditional. The inputs of each body are outputs of Switch
// nodes, and the results of all bodies are merged. Parameter op is the op of the Switch nodes, and
// sel is the tensor that controls them.
func (x *inliner) branches(call *ir.Node, sel ir.Out, op string, bs []branch, stack []string) error {
	x.v1 = true
	split := func(name string, o ir.Out) *ir.Node {
		d := o.Fact().DType
		types := make([]tensor.DType, len(bs))
		for i := range types {
			types[i] = d
		}
		attrs := map[string]ir.Attr{"T": d}
		if op == "_SwitchN" {
			attrs["num_outs"] = int64(len(bs))
		}
		return x.join(call, name, op, attrs, types, o, sel)
	}
	pivot := split("pivot", sel)
	args := make([]*ir.Node, len(call.Ins)-1)
	for i, o := range call.Ins[1:] {
		args[i] = split(fmt.Sprintf("input_%d", i), o)
		args[i].Device, args[i].Attrs["_class"] = o.Node.Device, []string{"loc:@" + o.Node.Name}
	}
	rets := make([][]ir.Out, len(call.Outs))
	var done []ir.Out
	for k, b := range bs {
		at := x.handsOn(call, b.name+"/pivot", "Identity", ir.Out{Node: pivot, Index: k})
		in := &instance{inliner: x, call: call, name: call.Name + "/" + b.name, f: b.f, attrs: b.attrs, nrets: len(call.Outs),
			pivot: []*ir.Node{at.Node}, held: true}
		for _, a := range args {
			in.args = append(in.args, ir.Out{Node: a, Index: k})
		}
		if err := in.put(stack); err != nil {
			return err
		}
		for i, o := range in.rets {
			rets[i] = append(rets[i], o)
		}
		done = append(done, x.handsOn(call, b.name+"/done", "Identity", at, in.after...))
	}
	merge := func(name string, ins []ir.Out) *ir.Node {
		d := ins[0].Fact().DType
		return x.join(call, name, "Merge", map[string]ir.Attr{"T": d, "N": int64(len(ins))}, []tensor.DType{d, tensor.Int32}, ins...)
	}
	for i, ins := range rets {
		x.outs[ir.Out{Node: call, Index: i}] = ir.Out{Node: merge(fmt.Sprintf("output_%d", i), ins)}
	}
	x.done[call] = []*ir.Node{merge("done", done)}
	return nil
}

// loop adds the nodes of the frame that replaces a While or For. There are an Enter, a Merge, a
// Switch, a NextIteration and an Exit for each variable.
type loop struct {
	*inliner
	call   *ir.Node
	merges []*ir.Node
	values []ir.Out // the values of the loop variables in an iteration
}

// enter adds an Enter and a Merge for each loop variable. Parameter inits holds the initial values
// of the variables.
func (l *loop) enter(inits []ir.Out) {
	l.v1 = true
	controls := l.call.Controls
	if len(controls) > 1 {
		n := l.join(l.call, "enter", "NoOp", nil, nil)
		n.Controls = append([]*ir.Node(nil), controls...)
		controls = []*ir.Node{n}
	}
	for i, o := range inits {
		e := l.invariant(fmt.Sprintf("enter_%d", i), o, false)
		e.Node.Controls = append([]*ir.Node(nil), controls...)
		d := o.Fact().DType
		m := l.join(l.call, fmt.Sprintf("variable_%d", i), "Merge", map[string]ir.Attr{"T": d, "N": int64(2)}, []tensor.DType{d, tensor.Int32}, e, e)
		m.Device = e.Node.Device
		l.merges = append(l.merges, m)
		l.values = append(l.values, ir.Out{Node: m})
	}
}

// invariant adds an Enter for the tensor o, which has the same value in each iteration.
func (l *loop) invariant(name string, o ir.Out, constant bool) ir.Out {
	d := o.Fact().DType
	n := l.join(l.call, name, "Enter", map[string]ir.Attr{"T": d, "frame_name": l.call.Name, "is_constant": constant,
		"parallel_iterations": int64(10)}, []tensor.DType{d}, o)
	n.Device = o.Node.Device
	return ir.Out{Node: n}
}

// decide adds the LoopCond for the condition cond, and a Switch for each loop variable. It returns
// the values of the variables in the body and after the loop. It also returns the pivot, a node
// that runs in exactly those iterations in which the body runs.
func (l *loop) decide(cond ir.Out, controls []*ir.Node) (body, exits []ir.Out, pivot *ir.Node) {
	c := l.join(l.call, "loop_cond", "LoopCond", nil, []tensor.DType{tensor.Bool}, cond)
	c.Controls = append([]*ir.Node(nil), controls...)
	split := func(name string, o ir.Out) *ir.Node {
		d := o.Fact().DType
		return l.join(l.call, name, "Switch", map[string]ir.Attr{"T": d}, []tensor.DType{d, d}, o, ir.Out{Node: c})
	}
	p := split("pivot", ir.Out{Node: c})
	pivot = l.handsOn(l.call, "body/pivot", "Identity", ir.Out{Node: p, Index: 1}).Node
	for i, v := range l.values {
		s := split(fmt.Sprintf("switch_%d", i), v)
		exit := l.handsOn(l.call, fmt.Sprintf("exit_%d", i), "Exit", ir.Out{Node: s})
		s.Device, exit.Node.Device = v.Node.Device, v.Node.Device
		body = append(body, ir.Out{Node: s, Index: 1})
		exits = append(exits, exit)
	}
	return body, exits, pivot
}

// next adds the NextIteration of each loop variable, with the value for the next iteration. The
// next iteration begins when the nodes in the parameter controls have run.
func (l *loop) next(values []ir.Out, controls []*ir.Node) {
	for i, o := range values {
		n := l.handsOn(l.call, fmt.Sprintf("next_%d", i), "NextIteration", o, controls...)
		n.Node.Device = l.merges[i].Device
		l.merges[i].Ins[1] = n
	}
}

// leave sets the outputs of the call. Parameter exits holds the values of the loop variables after
// the loop; the last of these are the outputs.
func (l *loop) leave(exits []ir.Out) {
	for i := range l.call.Outs {
		l.outs[ir.Out{Node: l.call, Index: i}] = exits[len(exits)-len(l.call.Outs)+i]
	}
	after := []*ir.Node{exits[0].Node}
	if len(exits) > 1 {
		n := l.join(l.call, "done", "NoOp", nil, nil)
		for _, o := range exits {
			n.Controls = append(n.Controls, o.Node)
		}
		after = []*ir.Node{n}
	}
	l.done[l.call] = after
}

// waits returns the nodes for which the rest of the loop must wait, so that the effects of this
// body happen before it.
func (in *instance) waits() []*ir.Node {
	if in.busy {
		return in.after
	}
	return nil
}

// while replaces a While by the nodes of a loop frame. If the While has no variables, a variable
// without meaning is added: nodes of the body without inputs wait for it, and thus belong to the
// frame.
func (x *inliner) while(n *ir.Node, stack []string) error {
	cf, cattrs, err := x.function(n, "cond")
	if err != nil {
		return err
	}
	bf, battrs, err := x.function(n, "body")
	if err != nil {
		return err
	}
	if len(n.Outs) != len(n.Ins) {
		return tensor.Errorf(tensor.InvalidArgument, "it has %d inputs and %d outputs", len(n.Ins), len(n.Outs))
	}
	l := &loop{inliner: x, call: n}
	inits := n.Ins
	if len(inits) == 0 {
		t := tensor.Must(tensor.From(nil, []bool{false}))
		c := x.g.NewConst(n.Name+"/token", t)
		c.Node.Controls = append([]*ir.Node(nil), n.Controls...)
		inits = []ir.Out{c}
	}
	l.enter(inits)
	vars := len(n.Ins)
	cond := &instance{inliner: x, call: n, name: n.Name + "/cond", f: cf, attrs: cattrs, args: l.values[:vars], nrets: 1,
		pivot: []*ir.Node{l.merges[0]}, held: true}
	if err := cond.put(stack); err != nil {
		return err
	}
	args, exits, pivot := l.decide(x.predicate(n, cond.rets[0], nil), cond.waits())
	body := &instance{inliner: x, call: n, name: n.Name + "/body", f: bf, attrs: battrs, args: args[:vars], nrets: vars,
		pivot: []*ir.Node{pivot}, held: true}
	if err := body.put(stack); err != nil {
		return err
	}
	next := body.rets
	if vars == 0 {
		next = args
	}
	l.next(next, body.waits())
	l.leave(exits)
	return nil
}

// counted replaces a For by the nodes of a loop frame. The body gets the counter and the variables.
// The counter begins at start and is less than limit or, if delta is negative, greater than limit.
// If the counter would never reach limit, the run fails with InvalidArgument.
func (x *inliner) counted(n *ir.Node, stack []string) error {
	f, attrs, err := x.function(n, "body")
	if err != nil {
		return err
	}
	if len(n.Ins) != len(n.Outs)+3 {
		return tensor.Errorf(tensor.InvalidArgument, "it has %d inputs and %d outputs", len(n.Ins), len(n.Outs))
	}
	l := &loop{inliner: x, call: n}
	i32 := map[string]ir.Attr{"T": tensor.Int32}
	op := func(name, op string, d tensor.DType, ins ...ir.Out) ir.Out {
		a := i32
		if op == "LogicalAnd" || op == "LogicalOr" {
			a = nil
		}
		return ir.Out{Node: x.join(n, name, op, a, []tensor.DType{d}, ins...)}
	}
	start, limit, delta := n.Ins[0], n.Ins[1], n.Ins[2]
	hold := n.Controls
	if len(hold) == 0 {
		hold = []*ir.Node{start.Node} // zero must be in the same frame as start, so it waits for start
	}
	zero := x.g.NewConst(n.Name+"/zero", tensor.Must(tensor.From(nil, []int32{0})))
	zero.Node.Controls = append([]*ir.Node(nil), hold...)
	up := op("up", "Greater", tensor.Bool, delta, zero)
	down := op("down", "Less", tensor.Bool, delta, zero)
	leads := op("leads", "LogicalOr", tensor.Bool, op("nowhere", "Equal", tensor.Bool, start, limit), op("leads", "LogicalOr", tensor.Bool,
		op("leads_up", "LogicalAnd", tensor.Bool, up, op("below", "Less", tensor.Bool, start, limit)),
		op("leads_down", "LogicalAnd", tensor.Bool, down, op("above", "Greater", tensor.Bool, start, limit))))
	text := x.g.NewConst(n.Name+"/text", tensor.Must(tensor.From(nil, []string{"start, limit and delta of a For do not fit"})))
	text.Node.Controls = append([]*ir.Node(nil), hold...)
	check := x.join(n, "check", "Assert", map[string]ir.Attr{"T": []tensor.DType{tensor.String, tensor.Int32, tensor.Int32, tensor.Int32}, "summarize": int64(3)},
		nil, leads, text, start, limit, delta)
	start = x.handsOn(n, "start", "Identity", start, check)
	l.enter(append([]ir.Out{start}, n.Ins[3:]...))
	lim, step := l.invariant("limit", limit, true), l.invariant("delta", delta, true)
	i := l.values[0]
	cond := op("cond", "LogicalOr", tensor.Bool,
		op("below", "LogicalAnd", tensor.Bool, l.invariant("up", up, true), op("less", "Less", tensor.Bool, i, lim)),
		op("above", "LogicalAnd", tensor.Bool, l.invariant("down", down, true), op("greater", "Greater", tensor.Bool, i, lim)))
	args, exits, pivot := l.decide(cond, nil)
	body := &instance{inliner: x, call: n, name: n.Name + "/body", f: f, attrs: attrs, args: args, nrets: len(n.Outs),
		pivot: []*ir.Node{pivot}, held: true}
	if err := body.put(stack); err != nil {
		return err
	}
	l.next(append([]ir.Out{op("count", "AddV2", tensor.Int32, args[0], step)}, body.rets...), body.waits())
	l.leave(exits)
	return nil
}
