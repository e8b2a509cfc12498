package frontend

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// frame is one call of a function during the walk over the restore graph.
type frame struct {
	call  *ir.Node // the calling node; its inputs are the function's arguments
	in    *frame   // the frame that contains the call; nil for the main graph
	fn    *ir.Function
	depth int
}

// place is a node together with the frame in which it is reached.
type place struct {
	n *ir.Node
	f *frame
}

// port is an output of a node together with the frame in which it is reached.
type port struct {
	o ir.Out
	f *frame
}

// Bounds of the walk; a restore graph has a few nodes per variable.
const (
	maxFrameDepth = 50
	maxPlaces     = 2_000_000
	maxSteps      = 20_000_000
)

// walker visits the restore op, everything on which it depends, and the bodies of called functions.
// It finds the variables and lookup tables to which restored tensors are assigned.
type walker struct {
	m     *Model
	seen  map[place]bool
	queue []place
	calls map[place]*frame
	rets  map[*ir.Function][]*ir.Node
	steps int

	writing map[*ir.Function]bool
}

func (w *walker) visit(p place) {
	if p.n == nil || w.seen[p] || len(w.seen) >= maxPlaces {
		return
	}
	w.seen[p] = true
	w.queue = append(w.queue, p)
}

func (w *walker) run() {
	for len(w.queue) > 0 {
		p := w.queue[0]
		w.queue = w.queue[1:]
		for _, in := range p.n.Ins {
			w.visit(place{in.Node, p.f})
		}
		for _, c := range p.n.Controls {
			w.visit(place{c, p.f})
		}
		if f := w.enter(p); f != nil && w.writes(f.fn) {
			for _, n := range f.fn.Body.Nodes {
				w.visit(place{n, f})
			}
		}
		switch p.n.Op {
		case "Assign", "AssignVariableOp":
			if len(p.n.Ins) >= 2 {
				w.assign(port{p.n.Ins[0], p.f}, port{p.n.Ins[1], p.f})
			}
		case "LookupTableImport", "LookupTableImportV2":
			if len(p.n.Ins) >= 3 {
				w.fillTable(port{p.n.Ins[0], p.f}, port{p.n.Ins[1], p.f}, port{p.n.Ins[2], p.f})
			}
		default:
			w.other(p)
		}
	}
}

// other handles a node p that neither assigns a variable nor fills a lookup table. If the node
// stores a restored tensor in another kind of resource of the main graph, the method records the
// resource in m.unloaded.
func (w *walker) other(p place) {
	if !storesInto(p.n) || w.enter(p) != nil {
		return
	}
	var to *ir.Node
	key := ""
	for _, in := range p.n.Ins {
		if d := in.Node.Outs[in.Index].DType; d == tensor.Resource || d == tensor.Variant {
			if o := w.resolve(port{in, p.f}); o.f == nil && o.o.Node != p.n {
				to = o.o.Node
			}
			continue
		}
		if from := w.source(port{in, p.f}); from.key != "" {
			key = from.key
		}
	}
	if to != nil && key != "" && !IsVariable(to) {
		w.m.unloaded[to.Name] = unloaded{key, "is restored by " + p.n.Op}
	}
}

// storesInto reports whether a node looks like one that puts values into a resource: it has a
// resource and another input, and no output.
func storesInto(n *ir.Node) bool {
	return len(n.Ins) >= 2 && len(n.Outs) == 0 && slices.ContainsFunc(n.Ins, func(in ir.Out) bool {
		d := in.Node.Outs[in.Index].DType
		return d == tensor.Resource || d == tensor.Variant
	})
}

// writes reports whether a call of the function fn assigns variables, fills tables or puts values
// into another resource. Functions that fn calls count, too. The walk skips functions that do none
// of this. Otherwise the number of calls to follow could be exponential: it doubles with each
// function that calls the next function twice.
func (w *walker) writes(fn *ir.Function) bool {
	yes, ok := w.writing[fn]
	if ok || fn.Body == nil {
		return yes
	}
	if w.writing == nil {
		w.writing = map[*ir.Function]bool{}
	}
	// This value ends the recursion if fn calls itself. Such a function is rejected elsewhere.
	w.writing[fn] = false
	for _, n := range fn.Body.Nodes {
		switch n.Op {
		case "Assign", "AssignVariableOp", "LookupTableImport", "LookupTableImportV2":
			yes = true
		default:
			called := w.called(n)
			yes = called != nil && w.writes(called) || storesInto(n)
		}
		if yes {
			break
		}
	}
	w.writing[fn] = yes
	return yes
}

// called returns the function that a node calls, or nil.
func (w *walker) called(n *ir.Node) *ir.Function {
	lib := w.m.Graph.Library
	switch n.Op {
	case "PartitionedCall", "StatefulPartitionedCall":
		f, _ := n.Attrs["f"].(ir.Func)
		return lib.Functions[f.Name]
	}
	return lib.Functions[n.Op]
}

// enter returns the frame of the call that node p makes, or nil if the node is not a call.
func (w *walker) enter(p place) *frame {
	if f := w.calls[p]; f != nil {
		return f
	}
	fn := w.called(p.n)
	if fn == nil || len(fn.Args) != len(p.n.Ins) {
		return nil
	}
	f := &frame{call: p.n, in: p.f, fn: fn}
	if p.f != nil {
		f.depth = p.f.depth + 1
	}
	if f.depth > maxFrameDepth {
		return nil
	}
	if w.calls == nil {
		w.calls = map[place]*frame{}
	}
	w.calls[p] = f
	return f
}

// resolve follows a tensor back to the node that computed it: through Identity, from a function's
// argument to the caller's input, and from a call's output to the function's result.
func (w *walker) resolve(p port) port {
	for w.steps < maxSteps {
		w.steps++
		n := p.o.Node
		switch {
		case n.Op == "Identity" && len(n.Ins) == 1:
			p.o = n.Ins[0]
			continue
		case n.Op == "IdentityN" && p.o.Index < len(n.Ins):
			p.o = n.Ins[p.o.Index]
			continue
		case n.Op == "_Arg" && p.f != nil:
			i := n.Int("index")
			if i < 0 || i >= len(p.f.call.Ins) {
				return p
			}
			p = port{p.f.call.Ins[i], p.f.in}
			continue
		}
		if f := w.enter(place{n, p.f}); f != nil {
			if r := w.retval(f.fn, p.o.Index); r != nil {
				p = port{r.Ins[0], f}
				continue
			}
		}
		return p
	}
	return p
}

// retval returns the _Retval node of a function's result.
func (w *walker) retval(fn *ir.Function, index int) *ir.Node {
	l, ok := w.rets[fn]
	if !ok {
		l = make([]*ir.Node, len(fn.Rets))
		for _, n := range fn.Body.Nodes {
			if i := n.Int("index"); n.Op == "_Retval" && len(n.Ins) == 1 && i >= 0 && i < len(l) {
				l[i] = n
			}
		}
		if w.rets == nil {
			w.rets = map[*ir.Function][]*ir.Node{}
		}
		w.rets[fn] = l
	}
	if index >= len(l) {
		return nil
	}
	return l[index]
}

// assign records an assignment of a restored tensor to a variable of the main graph.
func (w *walker) assign(ref, value port) {
	ref = w.resolve(ref)
	if ref.f != nil || !IsVariable(ref.o.Node) {
		return
	}
	if from := w.source(value); from.key != "" {
		w.m.restore[ref.o.Node.Name] = from
	}
}

// fillTable records a table of the main graph that gets restored keys and values.
func (w *walker) fillTable(table, keys, values port) {
	table = w.resolve(table)
	k, v := w.source(keys), w.source(values)
	if table.f == nil && k.key != "" && v.key != "" {
		w.m.tables[table.o.Node.Name] = [2]restored{k, v}
	}
}

// source returns the location in the checkpoint from which a tensor is restored. The key of the
// location is "" if the tensor is not restored from the checkpoint.
func (w *walker) source(value port) restored {
	value = w.resolve(value)
	r := value.o.Node
	strs := func(i int) []string {
		c := w.resolve(port{r.Ins[i], value.f}).o.Node
		if t := c.Value(); t != nil {
			return tensor.Data[string](t)
		}
		return nil
	}
	var from restored
	switch r.Op {
	// The inputs are the prefix, the names and the slices. There is one output for each name.
	case "RestoreV2":
		if names := strs(1); value.o.Index < len(names) {
			from.key = names[value.o.Index]
		}
		if slices := strs(2); value.o.Index < len(slices) {
			from.slice = slices[value.o.Index]
		}
	// The inputs are the file pattern, the name and, for RestoreSlice, the slice.
	case "Restore", "RestoreSlice":
		if names := strs(1); len(names) == 1 {
			from.key = names[0]
		}
		if r.Op == "RestoreSlice" {
			if slices := strs(2); len(slices) == 1 {
				from.slice = slices[0]
			}
		}
	}
	return from
}
