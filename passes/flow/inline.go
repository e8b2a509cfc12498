package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/passes/grad"
	"github.com/graphc/graphc/rt/tensor"
)

// gradient replaces a SymbolicGradient by the backward pass of f, which is the function or op in
// its attribute f. The inputs of the node are the inputs of f, followed by the gradients of f's
// outputs; the outputs of the node are the gradients of f's inputs. gradient uses the first of
// these backward passes that exists:
//
//   - The function that the library names as the gradient of f.
//   - If f is a function: a copy of f's body, followed by a SymbolicGradient for each node of the
//     copy, in reverse order.
//   - If f is an op: the nodes that package grad creates for the gradient of f.
//
// gradient returns NotFound if f is an op that has no gradient.
func (x *inliner) gradient(n *ir.Node, stack []string) error {
	f, ok := n.Attrs["f"].(ir.Func)
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "attribute f names no function")
	}
	if lib := x.g.Library; lib != nil {
		if own := lib.Gradients[f.Name]; own != "" {
			fn, attrs, err := x.named(ir.Func{Name: own, Attrs: f.Attrs})
			if err != nil {
				return err
			}
			return x.expand(n, fn, attrs, stack)
		}
		if fn := lib.Functions[f.Name]; fn != nil {
			back, err := x.functionGradient(fn, f.Attrs)
			if err != nil {
				return err
			}
			return x.expand(n, back, nil, stack)
		}
	}
	back, err := grad.OpGradient(x.s.O.Ops, n, f, x.g.Library)
	if err != nil {
		return err
	}
	return x.expand(n, back, nil, stack)
}

// functionGradient returns a new function: the gradient of function f for calls that have the
// attributes attrs.
func (x *inliner) functionGradient(f *ir.Function, attrs map[string]ir.Attr) (*ir.Function, error) {
	if f.Body == nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "function %q has no body", f.Name)
	}
	b := grad.NewBody(f.Name, x.g.Library)
	call := &ir.Node{Attrs: attrs}
	flat := func(ps []ir.Param) ([]ir.Out, error) {
		var os []ir.Out
		for _, p := range ps {
			ts, ok := lower.ParamTypes(call, nil, p)
			if !ok {
				return nil, tensor.Errorf(tensor.InvalidArgument, "the attributes do not define the type of %q of function %q", p.Name, f.Name)
			}
			for _, d := range ts {
				os = append(os, b.Arg(d))
			}
		}
		return os, nil
	}
	xs, err := flat(f.Args)
	if err != nil {
		return nil, err
	}
	dys, err := flat(f.Rets)
	if err != nil {
		return nil, err
	}
	ys, err := x.copied(b.G, f, attrs, xs, len(dys))
	if err != nil {
		return nil, err
	}
	p := &grad.Backprop{B: b, Grads: map[ir.Out][]ir.Out{}, Pending: map[*ir.Node]int{}}
	p.Count(ys)
	for i, y := range ys {
		p.Along(dys[i], y)
	}
	p.Run(x.s.O.Ops)
	dxs := make([]ir.Out, len(xs))
	for i, o := range xs {
		dxs[i] = p.Sum(o)
	}
	for _, o := range dxs {
		b.Ret(o)
	}
	b.Prune(x.s.Levels)
	return b.Fn, nil
}

// copied adds a copy of the body of f to the graph g and returns the results of f. Parameter args
// holds the arguments, and nrets is the number of results.
func (x *inliner) copied(g *ir.Graph, f *ir.Function, attrs map[string]ir.Attr, args []ir.Out, nrets int) ([]ir.Out, error) {
	in := &instance{inliner: &inliner{s: x.s, g: g}, call: &ir.Node{Name: "forward"}, name: "forward", f: f, attrs: attrs,
		args: args, nrets: nrets, node: make(map[*ir.Node]*ir.Node, len(f.Body.Nodes))}
	at, nargs, err := edit.Offsets(f.Args, attrs)
	if err != nil {
		return nil, err
	}
	if nargs != len(args) {
		return nil, tensor.Errorf(tensor.Internal, "function %q has %d arguments, but its types define %d", f.Name, nargs, len(args))
	}
	clones, err := in.clone()
	if err != nil {
		return nil, err
	}
	if err := in.wire(at); err != nil {
		return nil, err
	}
	in.controls()
	if err := in.results(at); err != nil {
		return nil, err
	}
	g.Nodes = append(g.Nodes, clones...)
	return in.rets, nil
}

// Inline replaces each call by the body of the called function. A call is a PartitionedCall, a
// StatefulPartitionedCall or a node whose op is the name of a function. If, Case, While and For are
// replaced by control flow of TensorFlow 1 around the bodies, and a SymbolicGradient by the
// backward pass of its function.
//
// A node n of the body gets the name call/n. If it is stateful, it also gets the control inputs of
// the call. A node that waited for the call waits for the control outputs of the body and for its
// stateful nodes. If the body has effects, its results are available only after the effects,
// because a call always runs as a whole. If the device name of a node in the body is incomplete,
// the missing parts are those of the call's device. A node that only returns its input is placed on
// the device of the node that computes the input, as in TensorFlow's lowering.
func Inline(s *edit.State) (bool, error) {
	x := &inliner{s: s, g: s.G, outs: map[ir.Out]ir.Out{}, done: map[*ir.Node][]*ir.Node{}, v1: hasV1Flow(s.O.Ops, s.G),
		ordered: map[*ir.Function]bool{}}
	if _, err := s.G.Order(); err != nil {
		return false, err
	}
	nodes := s.G.Nodes
	x.count = len(nodes)
	if err := x.tooMany(nodes); err != nil {
		return false, err
	}
	s.G.Nodes = make([]*ir.Node, 0, len(nodes))
	for _, n := range nodes {
		if err := x.place(n, nil); err != nil {
			return false, err
		}
	}
	if len(x.done) == 0 {
		return false, nil
	}
	x.rewire()
	return true, nil
}

func hasV1Flow(ops *lower.Table, g *ir.Graph) bool {
	for _, n := range g.Nodes {
		if edit.IsFlow(ops, n) {
			return true
		}
	}
	return false
}

type inliner struct {
	s       *edit.State
	g       *ir.Graph
	outs    map[ir.Out]ir.Out       // for an output of a replaced call, the tensor that replaces it
	done    map[*ir.Node][]*ir.Node // for a replaced call, the nodes for which its readers wait instead
	count   int                     // nodes so far
	v1      bool                    // whether the graph contains control flow of TensorFlow 1
	ordered map[*ir.Function]bool   // functions whose bodies are known to have no cycle
}

// callee returns the function that a node calls, and the attributes with which the function is
// called. The function is nil if the node is not a call.
func (x *inliner) callee(n *ir.Node) (*ir.Function, map[string]ir.Attr, error) {
	lib := x.g.Library
	if n.Op == "PartitionedCall" || n.Op == "StatefulPartitionedCall" {
		f, ok := n.Attrs["f"].(ir.Func)
		if !ok {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "attribute f names no function")
		}
		if lib == nil || lib.Functions[f.Name] == nil {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the library has no function %q", f.Name)
		}
		return lib.Functions[f.Name], f.Attrs, nil
	}
	if lib == nil {
		return nil, nil, nil
	}
	return lib.Functions[n.Op], n.Attrs, nil
}

// place adds the node n to the graph or, if n is a call, the nodes that replace it.
func (x *inliner) place(n *ir.Node, stack []string) error {
	if err := x.placed(n, stack); err != nil {
		return tensor.AtNode(err, n.Name, n.OpName())
	}
	return nil
}

func (x *inliner) placed(n *ir.Node, stack []string) error {
	switch n.Op {
	case "If", "StatelessIf", "_If":
		return x.conditional(n, stack)
	case "Case", "StatelessCase":
		return x.choice(n, stack)
	case "While", "StatelessWhile", "_While":
		return x.while(n, stack)
	case "For":
		return x.counted(n, stack)
	case "SymbolicGradient":
		return x.gradient(n, stack)
	}
	f, attrs, err := x.callee(n)
	if err != nil {
		return err
	}
	if f == nil {
		x.g.Nodes = append(x.g.Nodes, n)
		return nil
	}
	return x.expand(n, f, attrs, stack)
}

// deeper returns the list of the functions that are being called, with f appended. It returns an
// error if f is already in the list, which means that f calls itself, or if there are more nested
// calls than limit.
func deeper(stack []string, f string, limit int) ([]string, error) {
	for i, name := range stack {
		if name == f {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the function calls itself: %s",
				strings.Join(append(stack[i:len(stack):len(stack)], f), " → "))
		}
	}
	if len(stack) >= limit {
		return nil, ir.Exceeded(ir.FlagCalls, "the call of function %q is nested deeper than %d", f, limit)
	}
	return append(stack[:len(stack):len(stack)], f), nil
}

// instance is a copy of a function's body that replaces a call.
type instance struct {
	*inliner
	call  *ir.Node
	name  string // prefix of the names of its nodes
	f     *ir.Function
	attrs map[string]ir.Attr
	args  []ir.Out              // tensors of the graph that are the arguments of the body
	nrets int                   // number of results of the call
	node  map[*ir.Node]*ir.Node // for a node of the body, its copy in the graph; nil for arguments and results
	pivot []*ir.Node            // nodes for which the stateful nodes of the body wait
	held  bool                  // whether the nodes of the body without inputs also wait for pivot
	rets  []ir.Out              // the tensors of the results
	after []*ir.Node            // nodes after which the whole body has run
	busy  bool                  // whether the body has control outputs, or nodes that read state or have effects
	runs  map[*ir.Node]bool     // the nodes of the body that run in a call
}

// expand replaces a call by the body of a function. If the graph contains control flow of
// TensorFlow 1, all nodes of the body must be dead if an input of the call is dead, and must be in
// the loop frame of the call. To ensure this, nodes of the body without inputs wait for a new
// Identity of the call's first argument.
func (x *inliner) expand(call *ir.Node, f *ir.Function, attrs map[string]ir.Attr, stack []string) error {
	x.v1 = x.v1 || f.Body != nil && hasV1Flow(x.s.O.Ops, f.Body)
	in := &instance{inliner: x, call: call, name: call.Name, f: f, attrs: attrs, args: call.Ins, nrets: len(call.Outs), pivot: call.Controls, held: x.v1}
	if in.v1 && len(in.args) > 0 {
		o := in.args[0]
		id := in.fresh("enter", "Identity", map[string]ir.Attr{"T": o.Fact().DType}, []ir.Out{o}, in.call.Controls)
		id.Outs, id.Device = []ir.Fact{{DType: o.Fact().DType}}, o.Node.Device
		in.pivot = []*ir.Node{id}
	} else if len(in.pivot) > 1 {
		in.pivot = []*ir.Node{in.fresh("enter", "NoOp", nil, nil, in.pivot)}
	}
	if err := in.put(stack); err != nil {
		return err
	}
	x.done[call] = in.after
	for i, o := range in.rets {
		x.outs[ir.Out{Node: call, Index: i}] = o
	}
	return nil
}

// put adds copies of the body's nodes to the graph, and finds the tensors that are the results of
// the body.
func (in *instance) put(stack []string) error {
	x, f, attrs := in.inliner, in.f, in.attrs
	stack, err := deeper(stack, f.Name, x.s.O.Limits.Calls)
	if err != nil {
		return err
	}
	body := f.Body
	if body == nil {
		return tensor.Errorf(tensor.InvalidArgument, "function %q has no body", f.Name)
	}
	if !x.ordered[f] {
		if _, err := body.Order(); err != nil {
			return err
		}
		x.ordered[f] = true
	}
	if x.count += len(body.Nodes); x.count > x.s.O.Limits.Inlined {
		return ir.Exceeded(ir.FlagInlined, "inlining function %q makes the graph larger than %d nodes", f.Name, x.s.O.Limits.Inlined)
	}
	if err := x.g.Deadline.Err(); err != nil {
		return err
	}
	at, nargs, err := edit.Offsets(f.Args, attrs)
	if err != nil {
		return err
	}
	if nargs != len(in.args) {
		return tensor.Errorf(tensor.InvalidArgument, "function %q takes %d arguments and is called with %d", f.Name, nargs, len(in.args))
	}
	in.node = make(map[*ir.Node]*ir.Node, len(body.Nodes))
	clones, err := in.clone()
	if err != nil {
		return err
	}
	if err := in.wire(at); err != nil {
		return err
	}
	in.controls()
	if err := in.results(at); err != nil {
		return err
	}
	x.g.Journal = append(x.g.Journal, ir.Edit{Pass: x.s.Pass, Node: in.call.Name, New: in.name + "/…", Why: "the body of " + f.Name})
	for _, c := range clones {
		if err := x.place(c, stack); err != nil {
			return err
		}
	}
	return nil
}

// fresh adds a node that only connects edges. Its name begins with the name of the instance.
func (in *instance) fresh(name, op string, attrs map[string]ir.Attr, ins []ir.Out, controls []*ir.Node) *ir.Node {
	n := in.g.NewNode(in.name+"/"+name, op, attrs, 0, ins...)
	n.Controls = append([]*ir.Node(nil), controls...)
	n.Device = in.call.Device
	n.Origin = in.call.Origin
	return n
}

// clone returns copies of the body's nodes, in whose attributes the placeholders have been
// substituted. The copies are not yet in the list of nodes of the graph; the method place adds them
// later.
func (in *instance) clone() ([]*ir.Node, error) {
	var clones []*ir.Node
	length := len(in.g.Nodes)
	for _, b := range in.f.Body.Nodes {
		if b.Op == "_Arg" || b.Op == "_Retval" {
			in.node[b] = nil
			continue
		}
		c := &ir.Node{Name: in.g.Fresh(in.name + "/" + b.Name), Op: b.Op, Device: ir.FillDevice(b.Device, in.call.Device), Origin: b.Origin,
			Attrs: make(map[string]ir.Attr, len(b.Attrs)), Outs: append([]ir.Fact(nil), b.Outs...)}
		typed := false
		for k, v := range b.Attrs {
			w, changed, err := edit.Substitute(v, in.attrs)
			if err != nil {
				return nil, tensor.AtNode(err, c.Name, c.Op)
			}
			c.Attrs[k], typed = w, typed || changed
		}
		if typed {
			if ts, ok := lower.OutTypes(c, in.g.Library); ok {
				c.Outs = make([]ir.Fact, len(ts))
				for i, t := range ts {
					c.Outs[i].DType = t
				}
			}
		}
		if fn, ok := c.Attrs["frame_name"].(string); ok {
			c.Attrs["frame_name"] = in.name + "/" + fn
		}
		if err := in.g.Add(c); err != nil {
			return nil, err
		}
		in.node[b] = c
		clones = append(clones, c)
	}
	// The names of the copies stay reserved. The method place appends the copies to the list of
	// nodes later, in their order.
	in.g.Nodes = in.g.Nodes[:length]
	for _, c := range clones {
		in.colocate(c)
	}
	return clones, nil
}

// colocate updates attribute _class of c, which is the copy of a node of the body: it replaces the
// names of nodes of the body by the names of their copies. Names of nodes without a copy are
// removed.
func (in *instance) colocate(c *ir.Node) {
	l, ok := c.Attrs["_class"].([]string)
	if !ok {
		return
	}
	var out []string
	for _, s := range l {
		name, isLoc := strings.CutPrefix(s, "loc:@")
		if !isLoc {
			out = append(out, s)
			continue
		}
		if b := in.f.Body.Node(name); b != nil {
			if t := in.node[b]; t != nil {
				out = append(out, "loc:@"+t.Name)
			}
		}
	}
	if len(out) == 0 {
		delete(c.Attrs, "_class")
		return
	}
	c.Attrs["_class"] = out
}

// wire sets the inputs of the clones.
func (in *instance) wire(at []int) error {
	for _, b := range in.f.Body.Nodes {
		c := in.node[b]
		if c == nil {
			continue
		}
		c.Ins = make([]ir.Out, len(b.Ins))
		for i, o := range b.Ins {
			w, err := in.out(o, at)
			if err != nil {
				return tensor.AtNode(err, c.Name, c.Op)
			}
			c.Ins[i] = w
		}
		for _, d := range b.Controls {
			switch t := in.node[d]; {
			case t != nil:
				c.Controls = append(c.Controls, t)
			case d.Op == "_Arg":
				o, err := in.out(ir.Out{Node: d}, at)
				if err != nil {
					return tensor.AtNode(err, c.Name, c.Op)
				}
				c.Controls = append(c.Controls, o.Node)
			}
		}
	}
	return nil
}

// out returns the tensor of the graph that replaces a tensor of the body.
func (in *instance) out(o ir.Out, at []int) (ir.Out, error) {
	if t := in.node[o.Node]; t != nil {
		return ir.Out{Node: t, Index: o.Index}, nil
	}
	k := o.Node.Int("index")
	if o.Node.Op != "_Arg" || k < 0 || k >= len(at) || at[k]+o.Index >= len(in.args) {
		return ir.Out{}, tensor.Errorf(tensor.InvalidArgument, "function %q: %s is not one of its arguments", in.f.Name, o)
	}
	return in.args[at[k]+o.Index], nil
}

// reached returns those nodes of the body that run in a call. They are the nodes that the results
// and the control outputs of the body need. The reason is that TensorFlow inlines functions before
// it removes the nodes that no fetch needs, and the caller has edges only to results and control
// outputs. In functions that TensorFlow creates by tracing, all effects are among the control
// outputs.
func (in *instance) reached() map[*ir.Node]bool {
	body := in.f.Body
	var roots []*ir.Node
	for _, r := range in.f.Controls {
		if n := body.Node(r.Node); n != nil {
			roots = append(roots, n)
		}
	}
	for _, n := range body.Nodes {
		if n.Op == "_Retval" {
			roots = append(roots, n)
		}
	}
	return edit.Upstream(roots...)
}

// controls adds the control edges into the body. It also finds the nodes that have run as soon as
// the whole call has run.
func (in *instance) controls() {
	seen := map[*ir.Node]bool{}
	add := func(n *ir.Node) {
		if n != nil && !seen[n] {
			seen[n] = true
			in.after = append(in.after, n)
		}
	}
	for _, r := range in.f.Controls {
		if b := in.f.Body.Node(r.Node); b != nil {
			add(in.node[b])
		}
	}
	in.busy = len(in.after) > 0
	in.runs = in.reached()
	for _, b := range in.f.Body.Nodes {
		c := in.node[b]
		if c == nil {
			continue
		}
		lv := in.s.Levels.Of(c)
		if lv >= lower.Reads && in.runs[b] {
			add(c)
			in.busy = true
		}
		// A node is a root if no input and no control edge from another node of the body delays it.
		// Control edges from arguments do not count: if an argument is an output of a Switch, the
		// edge does not show which output is dead.
		root := in.held && len(c.Ins) == 0 && !slices.ContainsFunc(b.Controls, func(d *ir.Node) bool { return in.node[d] != nil })
		if lv >= lower.Reads || root {
			for _, p := range in.pivot {
				if !slices.Contains(c.Controls, p) {
					c.Controls = append(c.Controls, p)
				}
			}
		}
	}
	for _, o := range in.args {
		add(o.Node)
	}
	for _, p := range in.pivot {
		add(p)
	}
	if len(in.after) > 1 {
		in.after = []*ir.Node{in.fresh("done", "NoOp", nil, nil, in.after)}
	}
}

// results finds the tensors of the body's results. The parameter args holds the offsets of the
// function's arguments.
func (in *instance) results(args []int) error {
	effects := false
	for _, b := range in.f.Body.Nodes {
		if c := in.node[b]; c != nil && in.runs[b] && in.s.Levels.Of(c) == lower.Effects {
			effects = true
		}
	}
	at, nrets, err := edit.Offsets(in.f.Rets, in.attrs)
	if err != nil {
		return err
	}
	if nrets != in.nrets {
		return tensor.Errorf(tensor.InvalidArgument, "function %q returns %d tensors and the call has %d outputs", in.f.Name, nrets, in.nrets)
	}
	in.rets = make([]ir.Out, nrets)
	for _, b := range in.f.Body.Nodes {
		if b.Op != "_Retval" {
			continue
		}
		k := b.Int("index")
		if k < 0 || k >= len(at) {
			return tensor.Errorf(tensor.InvalidArgument, "function %q has no result %d", in.f.Name, k)
		}
		for i, o := range b.Ins {
			w, err := in.out(o, args)
			if err != nil {
				return err
			}
			if at[k]+i >= nrets {
				return tensor.Errorf(tensor.InvalidArgument, "function %q: result %d has too many tensors", in.f.Name, k)
			}
			if effects {
				d := w.Fact().DType
				id := in.fresh(fmt.Sprintf("output_%d", at[k]+i), "Identity", map[string]ir.Attr{"T": d}, []ir.Out{w}, in.after)
				id.Outs, id.Device = []ir.Fact{{DType: d}}, w.Node.Device
				w = ir.Out{Node: id}
			}
			in.rets[at[k]+i] = w
		}
	}
	for i, o := range in.rets {
		if o.Node == nil {
			return tensor.Errorf(tensor.InvalidArgument, "function %q does not set its result %d", in.f.Name, i)
		}
	}
	return nil
}

// rewire changes the inputs and control inputs of all nodes: an output of a call is replaced by the
// corresponding result of its body, and the call itself by the nodes for which its readers must
// wait.
func (x *inliner) rewire() {
	out := func(o ir.Out) ir.Out {
		for {
			w, ok := x.outs[o]
			if !ok {
				return o
			}
			o = w
		}
	}
	memo := map[*ir.Node][]*ir.Node{}
	var wait func(n *ir.Node) []*ir.Node
	wait = func(n *ir.Node) []*ir.Node {
		ds, call := x.done[n]
		if !call {
			return []*ir.Node{n}
		}
		if w, ok := memo[n]; ok {
			return w
		}
		memo[n] = nil
		var w []*ir.Node
		for _, d := range ds {
			w = append(w, wait(d)...)
		}
		memo[n] = w
		return w
	}
	waits := func(ns []*ir.Node, self *ir.Node) []*ir.Node {
		var w []*ir.Node
		seen := map[*ir.Node]bool{self: true}
		for _, n := range ns {
			for _, m := range wait(n) {
				if !seen[m] {
					seen[m] = true
					w = append(w, m)
				}
			}
		}
		return w
	}
	for _, n := range x.g.Nodes {
		for i, o := range n.Ins {
			n.Ins[i] = out(o)
		}
		if len(n.Controls) > 0 {
			n.Controls = waits(n.Controls, n)
		}
	}
	for i := range x.g.Fetches {
		x.g.Fetches[i].Out = out(x.g.Fetches[i].Out)
	}
	x.g.Targets = waits(x.g.Targets, nil)
	keep := make(map[*ir.Node]bool, len(x.g.Nodes))
	for _, n := range x.g.Nodes {
		keep[n] = true
	}
	// The calls are no longer in the list of nodes, but their names are still reserved. If the
	// calls are added to the list again, Keep removes them and releases their names.
	for n := range x.done {
		x.g.Nodes = append(x.g.Nodes, n)
	}
	x.g.Keep(keep)
	edit.Symbols(x.g)
}
