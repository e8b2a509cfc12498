package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// port is a feed or fetch. key is the name that callers use, and declared is the name in the model.
// field is the name of the Go field that the user chose, or "" if it is derived from the key.
type port struct{ tensor, key, declared, field string }

type request struct {
	name           string
	declared       string // name in the model
	method         string // name of the Go method that the caller chose; if "", it is derived from the signature's name
	feeds, fetches []port
	targets        []string
	shapes         map[string]string
	connect        []passes.Connection
	partial        bool
	optional       bool // whether to leave the signature out if another one computes the same results
	unpruned       bool // whether to place the whole graph; see Options.NoPlacePruned
}

// requests returns the signatures to compile, according to the options and the model.
func requests(m *frontend.Model, o Options) ([]request, error) {
	rs, err := callRequests(m, o)
	if err != nil {
		return nil, err
	}
	var cs []passes.Connection
	for _, text := range o.Connect {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return nil, tensor.Errorf(tensor.InvalidArgument, "connection %q: want FROM=TO, as a:0=y:0", text)
		}
		cs = append(cs, passes.Connection{From: tensorName(from), To: tensorName(to)})
	}
	for i := range rs {
		rs[i].connect, rs[i].unpruned = cs, o.NoPlacePruned
	}
	return rs, rename(rs, m, o.Names)
}

func callRequests(m *frontend.Model, o Options) ([]request, error) {
	if len(o.Calls) > 0 {
		var rs []request
		for _, c := range o.Calls {
			own := c.Shapes
			shapes := maps.Clone(o.Shapes)
			if shapes == nil {
				shapes = map[string]string{}
			}
			maps.Copy(shapes, own)
			c.Shapes = shapes
			r, err := ownRequest(m.Graph, c)
			if err != nil {
				return nil, &SignatureError{c.Name, err}
			}
			if err := checkShapeNames([]request{r}, own); err != nil {
				return nil, &SignatureError{c.Name, err}
			}
			rs = append(rs, r)
		}
		return rs, nil
	}
	if len(o.Feeds)+len(o.Fetches)+len(o.Targets) > 0 {
		r, err := ownRequest(m.Graph, Call{Feeds: o.Feeds, Fetches: o.Fetches, Targets: o.Targets, Shapes: o.Shapes})
		return []request{r}, err
	}
	if len(m.Signatures) == 0 {
		if len(o.Signatures) > 0 {
			return nil, tensor.Errorf(tensor.NotFound, "unknown signature %q: %s has no signatures", o.Signatures[0], m.Path)
		}
		if m.NoSignatures != nil {
			return nil, m.NoSignatures
		}
		if m.Kind == "metagraph" { // the graph of a .meta file also has nodes for training and saving, which must not be fetched
			return nil, tensor.Errorf(tensor.InvalidArgument, "%s has no signatures: name what to compute by --fetch and --feed, or signatures of your own by --call", m.Path)
		}
		r := bareGraph(m.Graph)
		if len(r.fetches) == 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "nothing to do: the graph has no unread tensor to fetch; name a fetch or a target")
		}
		r.shapes = o.Shapes
		return []request{r}, nil
	}
	var names []string
	for _, s := range m.Signatures {
		names = append(names, s.Name)
	}
	for _, s := range m.OpSignatures {
		names = append(names, s.Name)
	}
	want := o.Signatures
	if len(want) == 0 {
		for _, s := range m.Signatures {
			if len(s.Outputs) > 0 {
				want = append(want, s.Name)
			}
		}
	}
	var rs []request
	for _, w := range want {
		all := slices.Concat(m.Signatures, m.OpSignatures)
		i := slices.IndexFunc(all, func(s frontend.Signature) bool { return s.Name == w })
		if i < 0 {
			i = slices.IndexFunc(all, func(s frontend.Signature) bool { return o.Names[s.Name].Name == w })
		}
		if i < 0 {
			hint := ""
			if n := ir.Nearest(w, names); n != "" {
				hint = fmt.Sprintf("; did you mean %q?", n)
			}
			return nil, tensor.Errorf(tensor.NotFound, "%s has no signature %q; it has %s%s", m.Path, w, strings.Join(names, ", "), hint)
		}
		s := all[i]
		r := request{name: s.Name, targets: s.Targets, shapes: o.Shapes}
		r.optional = len(o.Signatures) == 0 && w == kerasServe && slices.Contains(want, kerasDefault)
		for _, p := range s.Inputs {
			r.feeds = append(r.feeds, port{tensor: p.Tensor, key: p.Key})
		}
		for _, p := range s.Outputs {
			r.fetches = append(r.fetches, port{tensor: p.Tensor, key: p.Key})
		}
		rs = append(rs, r)
	}
	if len(rs) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s: no signature has an output; name feeds and fetches", m.Path)
	}
	return rs, nil
}

// ownRequest returns the request for a signature that the caller defines. The names of tensors and
// nodes may lack their first scopes; see fullName.
func ownRequest(g *ir.Graph, c Call) (request, error) {
	if len(c.Fetches)+len(c.Targets) == 0 {
		return request{}, tensor.Errorf(tensor.InvalidArgument, "feeds are given, but neither a fetch nor a target: nothing would be computed")
	}
	r := request{name: c.Name, shapes: c.Shapes, partial: c.Partial}
	ports := func(texts []string) (ps []port, err error) {
		for _, text := range texts {
			p := parsePort(text)
			if p.tensor, err = fullName(g, p.tensor); err != nil {
				return nil, err
			}
			ps = append(ps, p)
		}
		return ps, nil
	}
	var err error
	if r.feeds, err = ports(c.Feeds); err != nil {
		return request{}, err
	}
	if r.fetches, err = ports(c.Fetches); err != nil {
		return request{}, err
	}
	for _, t := range c.Targets {
		if t, err = fullName(g, t); err != nil {
			return request{}, err
		}
		r.targets = append(r.targets, t)
	}
	return r, nil
}

// fullName returns the full name of a tensor or node. The given name may lack the first scopes, for
// example a scope that contains nearly all nodes. Emitted code and reports use such short names. An
// unknown name is returned unchanged.
func fullName(g *ir.Graph, name string) (string, error) {
	node, output := name, ""
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		node, output = name[:i], name[i:]
	}
	if node == "" || g.Node(node) != nil {
		return name, nil
	}
	if whole, ok := strings.CutPrefix(node, "/"); ok && g.Node(whole) != nil {
		return whole + output, nil
	}
	var found []string
	for _, n := range g.Nodes {
		if strings.HasSuffix(n.Name, "/"+node) {
			found = append(found, n.Name)
		}
	}
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0] + output, nil
	}
	return "", tensor.Errorf(tensor.NotFound, "the name %q is ambiguous: %d nodes have names that end with it: %s, %s and so on", node, len(found), found[0], found[1])
}

// parsePort parses the text of a feed or fetch: "tensor" or "key=tensor".
func parsePort(s string) port {
	if key, t, ok := strings.Cut(s, "="); ok {
		return port{tensor: t, key: key}
	}
	return port{tensor: s, key: s}
}

// bareGraph returns the request for a graph without signatures. The request feeds every placeholder
// and fetches every tensor that no node reads, except outputs of Switch nodes and tensors inside
// loops.
func bareGraph(g *ir.Graph) request {
	var r request
	read := map[*ir.Node]bool{}
	for _, n := range g.Nodes {
		for _, in := range n.Ins {
			read[in.Node] = true
		}
		for _, c := range n.Controls {
			read[c] = read[c] || pivot(c)
		}
	}
	inside := passes.InFrames(g)
	for _, n := range g.Nodes {
		switch {
		case inside[n] || n.Op == "Switch" || n.Op == "RefSwitch":
		case n.Op == "Placeholder" || n.Op == "PlaceholderV2":
			r.feeds = append(r.feeds, port{tensor: n.Name + ":0", key: n.Name})
		case !read[n] && n.Op != "Const" && len(n.Outs) > 0 && n.Outs[0].DType.IsData():
			key := n.Name
			for i := range n.Outs {
				if len(n.Outs) > 1 {
					key = fmt.Sprintf("%s_%d", n.Name, i)
				}
				r.fetches = append(r.fetches, port{tensor: fmt.Sprintf("%s:%d", n.Name, i), key: key})
			}
		}
	}
	return r
}

// pivot reports whether n is a node on which the nodes of a branch depend by control edges: an
// Identity that reads a Switch.
func pivot(n *ir.Node) bool {
	return n.Op == "Identity" && len(n.Ins) == 1 && n.Ins[0].Node.Op == "Switch"
}
