package passes

import (
	"errors"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Connection replaces the tensor To, for all nodes that read it, by the tensor From. It corresponds to
// a TensorConnection of TensorFlow's callables.
type Connection struct{ From, To string }

// Connect applies connections, one after another, to a graph that BindIO has not yet bound. It
// replaces To by an Identity of From on To's device. To's producer then runs only if something else
// needs it. A node that waits for the producer by a control edge still waits for it, unless the
// producer is a placeholder. If From is fed, readers get the fed value.
//
// Connect returns InvalidArgument if To is also fed, fetched, or the To of another connection, if
// From does not exist, if the node of To has no such output, if From depends on To, or if the types
// of From and To differ. It returns NotFound if the node of To does not exist. All errors are
// joined.
func Connect(g *ir.Graph, cs []Connection, feeds []Feed, fetches []Fetch) error {
	if len(cs) == 0 {
		return nil
	}
	ends := map[ir.Out]bool{}
	for _, f := range feeds {
		if o, err := g.Lookup(f.Tensor); err == nil { // BindIO reports unknown names
			ends[o] = true
		}
	}
	asked := map[ir.Out]bool{}
	var errs []error
	for _, c := range cs {
		from, err := g.Lookup(c.From)
		if err != nil {
			errs = append(errs, connectError(c, tensor.InvalidArgument, err))
			continue
		}
		to, err := g.Lookup(c.To)
		if err != nil {
			code := tensor.CodeOf(err)
			if code == tensor.OutOfRange {
				code = tensor.InvalidArgument
			}
			errs = append(errs, connectError(c, code, err))
			continue
		}
		a, b := from.Fact().DType, to.Fact().DType
		switch {
		case ends[to]:
			err = tensor.Errorf(tensor.InvalidArgument, "%s is fed more than once", to)
		case reaches(g, to.Node, from.Node):
			err = tensor.Errorf(tensor.InvalidArgument, "it would create a cycle: %s needs %s", from, to)
		case a != b:
			err = tensor.Errorf(tensor.InvalidArgument, "%s is %s, but readers of %s need %s", from, a, to, b)
		}
		if err != nil {
			errs = append(errs, connectError(c, tensor.InvalidArgument, err))
			continue
		}
		ends[to], asked[to] = true, true
		connect(g, from, to)
	}
	for _, f := range fetches {
		if o, err := g.Lookup(f.Tensor); err == nil && asked[o] {
			errs = append(errs, tensor.Errorf(tensor.InvalidArgument, "%s is both connected to another tensor and fetched: fetch the other tensor instead", o))
		}
	}
	return edit.SortedJoin(errs)
}

func connectError(c Connection, code tensor.Code, err error) error {
	var e *tensor.Error
	msg := err.Error()
	if errors.As(err, &e) {
		msg = e.Msg
	}
	return tensor.Errorf(code, "connection %s=%s: %s", c.From, c.To, msg)
}

// connect replaces the second tensor, for all its readers, by an Identity of the first.
func connect(g *ir.Graph, from, to ir.Out) {
	n := g.NewNode(to.Node.Name+"/connect", "Identity", map[string]ir.Attr{"T": from.Fact().DType, algebra.Connected: true}, 1)
	n.Device, n.Origin = to.Node.Device, to.Node.Origin
	n.Outs[0].DType = from.Fact().DType
	placeholder := to.Node.Op == "Placeholder" || to.Node.Op == "PlaceholderV2"
	for _, r := range g.Nodes {
		for i, o := range r.Ins {
			if o == to {
				r.Ins[i] = ir.Out{Node: n}
			}
		}
		for i, c := range r.Controls {
			if placeholder && c == to.Node {
				r.Controls[i] = n
			}
		}
	}
	n.Ins = []ir.Out{from}
	g.Journal = append(g.Journal, ir.Edit{Pass: "bind", Node: to.String(), New: ir.Out{Node: n}.String(), Why: "it is connected to " + from.String()})
}

// reaches reports whether node b depends on node a, by data or control edges.
func reaches(g *ir.Graph, a, b *ir.Node) bool { return edit.Downstream(g, a)[b] }
