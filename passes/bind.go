package passes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Feed describes a tensor that the caller feeds.
type Feed struct {
	Tensor string    // name of the tensor, such as x:0
	Key    string    // key in the signature; if it is "", the key is Tensor
	Shape  *ir.Shape // shape that may be fed; if it is nil, the shape is that in the graph

	// FetchesOnly says that fetches of the tensor return the fed value, but that the nodes that
	// read the tensor still read the value that the graph computes.
	FetchesOnly bool
}

// LoweredBeforeFeeding reports whether a feed of the tensor with the given name does not reach the
// tensor's readers. This is so if the tensor is computed by an If, While or Case that a session
// replaces by Switch and Merge nodes before it handles the feeds. A session does so if it places
// the whole graph.
func LoweredBeforeFeeding(ops *lower.Table, g *ir.Graph, name string) bool {
	o, err := g.Lookup(name)
	if err != nil {
		return false
	}
	low, _ := o.Node.Attrs["_lower_using_switch_merge"].(bool)
	return low && ops.Is(o.Node.Op, lower.SwitchMerge)
}

// Fetch names a tensor whose value the caller gets.
type Fetch struct {
	Tensor string
	Key    string // key in the signature; if it is "", the key is Tensor
}

// legacyScalar is the last GraphDef version in which a Placeholder's shape [] means an unknown
// shape.
const legacyScalar = 21

// BindIO sets the feeds, fetches and targets of the graph, and replaces each fed tensor by a
// Placeholder. If a fed tensor is fetched, the fetch returns the fed value.
//
// BindIO returns InvalidArgument if a tensor is fed twice, if a tensor is unknown, or if an
// attribute _output_shapes contradicts the inferred shape. It returns NotFound if a target is
// unknown, and OutOfRange if a node does not have the named output. If there are several errors, it
// returns all of them, joined.
func BindIO(ops *lower.Table, g *ir.Graph, feeds []Feed, fetches []Fetch, targets []string) error {
	for _, n := range g.Nodes {
		if n.Op == "Placeholder" && g.Producer <= legacyScalar {
			if s, ok := n.Attrs["shape"].(ir.PartialShape); ok && !s.UnknownRank && len(s.Dims) == 0 {
				n.Attrs["shape"] = ir.PartialShape{UnknownRank: true}
			}
		}
	}
	inferred := statesShapes(ops, g)
	b := &binder{g: g, fed: map[ir.Out]string{}, now: map[ir.Out]ir.Out{}, kept: map[ir.Out]bool{}, symbols: map[string]bool{}}
	b.takeNames(feeds)
	for _, f := range feeds {
		if err := b.feed(ops, f); err != nil {
			b.errs = append(b.errs, err)
		}
	}
	b.rewire()
	for _, f := range fetches {
		o, err := g.Lookup(f.Tensor)
		if err != nil {
			b.errs = append(b.errs, nameError("fetch", f.Tensor, err))
			continue
		}
		if p, ok := b.now[o]; ok {
			o = p
		}
		g.Fetches = append(g.Fetches, ir.Fetch{Name: canonical(f.Tensor), Key: keyOf(f.Key, f.Tensor), Out: o})
	}
	for _, t := range targets {
		n := g.Node(t)
		if n == nil {
			_, err := g.Lookup(t)
			if err == nil {
				err = tensor.Errorf(tensor.InvalidArgument, "%q is a tensor; a target is a node's name", t)
			}
			b.errs = append(b.errs, nameError("target", t, err))
			continue
		}
		g.Targets = append(g.Targets, n)
	}
	if inferred != nil && len(b.errs) == 0 {
		b.errs = checkStated(inferred, edit.Needed(g), g)
	}
	return tensor.Join(b.errs...)
}

// NameError is the error for a fetch or feed whose name is not that of a node. In TensorFlow, a
// callable gets the names when it is created, and rejects such a name with InvalidArgument;
// compiling does the same. Session.run gets the names with each run, and rejects such a name with
// NotFound.
type NameError struct{ err error }

// Error returns the text of the error at compile time.
func (e *NameError) Error() string { return e.err.Error() }

// Unwrap returns the error at compile time.
func (e *NameError) Unwrap() error { return e.err }

// Run returns the error of Session.run.
func (e *NameError) Run() error {
	msg := e.err.Error()
	var t *tensor.Error
	if errors.As(e.err, &t) {
		msg = t.Msg
	}
	return tensor.Errorf(tensor.NotFound, "%s", msg)
}

// nameError completes an error that Lookup has returned for a name. Parameter what says what the
// name is for: "feed", "fetch" or "target". As in TensorFlow, the error for an unknown node is
// NotFound if the name is that of a target, and a NameError otherwise.
func nameError(what, name string, err error) error {
	var e *tensor.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code == tensor.NotFound && what != "target" {
		return &NameError{tensor.Errorf(tensor.InvalidArgument, "%s %q: %s", what, name, e.Msg)}
	}
	return tensor.Errorf(e.Code, "%s %q: %s", what, name, e.Msg)
}

// canonical returns the name of a tensor with its output number. If the number is missing, it is 0:
// x becomes x:0.
func canonical(name string) string {
	if strings.LastIndexByte(name, ':') < 0 {
		return name + ":0"
	}
	return name
}

func keyOf(key, name string) string {
	if key == "" {
		return name
	}
	return key
}

type binder struct {
	g        *ir.Graph
	fed      map[ir.Out]string
	now      map[ir.Out]ir.Out // for a fed tensor, its placeholder, if the placeholder is a new node
	kept     map[ir.Out]bool   // fed tensors whose readers still read the value that the graph computes
	symbols  map[string]bool
	inferred bool
	errs     []error
}

// takeNames records that the symbols in the caller's shapes are in use. Two sizes with the same
// symbol are equal, so the symbols that BindIO creates must differ from these.
func (b *binder) takeNames(feeds []Feed) {
	for _, f := range feeds {
		if f.Shape != nil {
			for _, d := range f.Shape.Dims {
				d.Vars(b.symbols)
			}
		}
	}
}

func (b *binder) feed(ops *lower.Table, f Feed) error {
	o, err := b.g.Lookup(f.Tensor)
	if err != nil {
		return nameError("feed", f.Tensor, err)
	}
	if other, twice := b.fed[o]; twice {
		return tensor.Errorf(tensor.InvalidArgument, "%s is fed more than once, as %q and as %q", o, other, f.Tensor)
	}
	b.fed[o] = f.Tensor
	d := o.Fact().DType
	if d != tensor.Invalid && !d.IsData() {
		return tensor.Errorf(tensor.InvalidArgument, "%s is a %s and cannot be fed", o, d)
	}
	shape := b.declared(ops, o)
	if f.Shape != nil {
		if err := compatible(f.Tensor, *f.Shape, shape); err != nil {
			return err
		}
		shape = *f.Shape
	} else {
		shape = b.named(o, shape)
	}
	p := o
	if op := o.Node.Op; op != "Placeholder" && op != "PlaceholderV2" {
		base := o.Node.Name + "/feed"
		if o.Index > 0 {
			base += fmt.Sprintf("_%d", o.Index)
		}
		n := b.g.NewNode(base, "Placeholder", map[string]ir.Attr{"dtype": d, "shape": edit.Partial(shape)}, 1)
		n.Device, n.Origin = o.Node.Device, o.Node.Origin
		p = ir.Out{Node: n}
		b.now[o], b.kept[o] = p, f.FetchesOnly
		b.g.Journal = append(b.g.Journal, ir.Edit{Pass: "bind", Node: o.String(), New: p.String(), Why: "it is fed"})
	} else if len(o.Node.Controls) > 0 {
		o.Node.Controls = nil // a fed node computes nothing, so it need not wait for other nodes
		b.g.Journal = append(b.g.Journal, ir.Edit{Pass: "bind", Node: o.String(), New: o.String(), Why: "it is fed, and waits for nothing"})
	}
	*p.Fact() = ir.Fact{DType: d, Shape: shape}
	b.g.Feeds = append(b.g.Feeds, ir.Feed{Name: canonical(f.Tensor), Key: keyOf(f.Key, f.Tensor), Out: p, Shape: shape})
	return nil
}

// declared returns the shape that the graph specifies for a tensor, in an attribute or by shape
// inference.
func (b *binder) declared(ops *lower.Table, o ir.Out) ir.Shape {
	switch o.Node.Op {
	case "Placeholder", "PlaceholderV2", "PlaceholderWithDefault":
		if s, ok := o.Node.Attrs["shape"].(ir.PartialShape); ok {
			return lower.ShapeFromAttr(o.Node.Name, s)
		}
		return ir.Shape{}
	}
	if !b.inferred {
		b.inferred = true
		// if inference rejects a node, its shape stays unknown; Run reports the error if the node
		// is needed
		_ = edit.Infer(ops, b.g)
	}
	return o.Fact().Shape
}

// named returns the shape s with a new symbol for each unknown dimension. The symbols contain the
// name of the node that computes o. The symbols in the inferred shape of o cannot be used, because
// the fed value may have other sizes than the value that the graph would compute.
func (b *binder) named(o ir.Out, s ir.Shape) ir.Shape {
	if !s.Known {
		return s
	}
	base := o.Node.Name
	if o.Index > 0 {
		base = o.String()
	}
	dims := make([]*sym.Expr, len(s.Dims))
	for i, d := range s.Dims {
		if _, ok := d.IsInt(); ok {
			dims[i] = d
			continue
		}
		dims[i] = lower.FreshDim(b.symbols, base, i)
	}
	return ir.ShapeOf(dims...)
}

// compatible returns an error if a caller's shape contradicts the graph's.
func compatible(name string, got, want ir.Shape) error {
	if !got.Known || !want.Known {
		return nil
	}
	bad := len(got.Dims) != len(want.Dims)
	for i := 0; !bad && i < len(got.Dims); i++ {
		x, xok := got.Dims[i].IsInt()
		y, yok := want.Dims[i].IsInt()
		bad = xok && yok && x != y
	}
	if bad {
		return tensor.Errorf(tensor.InvalidArgument, "the shape %v given for %q contradicts the graph, which says %v", got, name, want)
	}
	return nil
}

// rewire makes the readers of fed tensors read the placeholders. Nodes that wait for a fed node by
// a control edge still wait for the node itself, as in TensorFlow.
func (b *binder) rewire() {
	if len(b.now) == 0 {
		return
	}
	for _, n := range b.g.Nodes {
		for i, o := range n.Ins {
			if p, ok := b.now[o]; ok && !b.kept[o] {
				n.Ins[i] = p
			}
		}
	}
}
