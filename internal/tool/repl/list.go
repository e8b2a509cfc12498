package repl

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// listedNodes is the maximum number of nodes that ls prints.
const listedNodes = 60

// listedOutputs is the maximum number of outputs that the command signature prints for a graph
// without signatures.
const listedOutputs = 20

// isSignature reports whether the model has a signature of that name.
func (s *Session) isSignature(name string) bool {
	return slices.ContainsFunc(s.model.Signatures(), func(sig frontend.Signature) bool { return sig.Name == name })
}

// signature prints one signature, or all of them. For a graph without signatures, it prints the
// placeholders, as inputs, and the tensors that no node reads, as outputs.
func signature(_ context.Context, s *Session, args []string) error {
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	found := false
	for _, sig := range s.model.Signatures() {
		if len(args) > 0 && sig.Name != args[0] {
			continue
		}
		found = true
		fmt.Fprintf(w, "%s\n", printable(sig.Name))
		for _, p := range sig.Inputs {
			fmt.Fprintf(w, "  input\t%s\t%s\t%v\n", printable(p.Key), p.Tensor, s.port(canonical(p.Tensor)))
		}
		for _, p := range sig.Outputs {
			port := s.port(canonical(p.Tensor))
			text := port.String()
			// The shape may not have been inferred, because functions are not inlined yet. Print
			// the declared shape.
			if port.AnyRank {
				text = p.DType.String() + partial(p.Shape)
			}
			fmt.Fprintf(w, "  output\t%s\t%s\t%s\n", printable(p.Key), p.Tensor, text)
		}
		for _, t := range sig.Targets {
			fmt.Fprintf(w, "  target\t%s\n", t)
		}
	}
	switch {
	case !found && len(args) > 0:
		var names []string
		for _, sig := range s.model.Signatures() {
			names = append(names, sig.Name)
		}
		return base.Usagef("unknown signature %q%s", args[0], base.Nearest(args[0], names))
	case !found:
		fmt.Fprintf(w, "no signatures\n")
		in, out := s.ends()
		for _, name := range in {
			fmt.Fprintf(w, "  input\t%s\t%v\n", name, s.port(name))
		}
		for i, name := range out {
			if i == listedOutputs {
				fmt.Fprintf(w, "  … and %d more tensors that nothing reads\n", len(out)-i)
				break
			}
			fmt.Fprintf(w, "  output\t%s\t%v\n", name, s.port(name))
		}
	}
	return w.Flush()
}

// ends returns the names of the graph's placeholders, and of the tensors that no node reads.
func (s *Session) ends() (in, out []string) {
	g := s.model.Graph()
	read := map[*ir.Node]bool{}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			read[o.Node] = true
		}
	}
	for _, n := range g.Nodes {
		switch {
		case isPlaceholder(n):
			in = append(in, n.Name+":0")
		case !read[n] && n.Op != "Const":
			for i, f := range n.Outs {
				if f.DType.IsData() {
					out = append(out, ir.Out{Node: n, Index: i}.String())
				}
			}
		}
	}
	return in, out
}

// list implements the command "ls". It prints the variables whose names match a pattern, and then
// the other nodes whose names match the pattern. Without a pattern, it prints all variables and
// nodes. A pattern with a star must match the whole name. A pattern without a star matches if it is
// a part of the name.
func list(_ context.Context, s *Session, args []string) error {
	match := func(string) bool { return true }
	if len(args) > 0 {
		text := regexp.QuoteMeta(args[0])
		if strings.Contains(args[0], "*") {
			text = "^" + strings.ReplaceAll(text, `\*`, ".*") + "$"
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return base.Usagef("ls: %w", err)
		}
		match = re.MatchString
	}
	var variables, others []*ir.Node
	for _, n := range s.model.Graph().Nodes {
		switch {
		case !match(n.Name):
		case lower.IsVariable(n.Op):
			variables = append(variables, n)
		default:
			others = append(others, n)
		}
	}
	if len(variables)+len(others) == 0 {
		return base.Usagef("no node matches %q", args[0])
	}
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	s.listNodes(w, variables, args)
	s.listNodes(w, others, args)
	return w.Flush()
}

func (s *Session) listNodes(w io.Writer, nodes []*ir.Node, args []string) {
	for i, n := range nodes {
		if i == listedNodes {
			hint := ""
			if len(args) == 0 {
				hint = "; ls PATTERN lists some of them"
			}
			fmt.Fprintf(w, "… and %d more%s\n", len(nodes)-i, hint)
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", n.Name, n.Op, s.outputsText(n))
	}
}

// outputsText describes the outputs of a node.
func (s *Session) outputsText(n *ir.Node) string {
	if lower.IsVariable(n.Op) {
		d, shape := n.Attrs["dtype"], n.Attrs["shape"]
		if p, ok := shape.(ir.PartialShape); ok {
			return fmt.Sprintf("%v%s", d, partial(p))
		}
	}
	var texts []string
	for i := range n.Outs {
		texts = append(texts, s.port(ir.Out{Node: n, Index: i}.String()).String())
	}
	return strings.Join(texts, ", ")
}

// partial returns a declared shape as text, with ? for unknown sizes.
func partial(p ir.PartialShape) string {
	if p.UnknownRank {
		return " of any rank"
	}
	var dims []string
	for _, d := range p.Dims {
		text := "?"
		if d >= 0 {
			text = fmt.Sprint(d)
		}
		dims = append(dims, text)
	}
	return "[" + strings.Join(dims, ",") + "]"
}

// infoReaders is the maximum number of a node's readers that info prints.
const infoReaders = 20

// info implements the command "info". It prints a node's op, inputs, outputs, attributes and
// readers.
func info(_ context.Context, s *Session, args []string) error {
	name := args[0]
	if found := withKey(slices.Concat(s.outputs(), s.inputs()), name); len(found) > 0 {
		name = found[0]
	}
	o, _, err := s.lookup(name)
	if err != nil {
		return err
	}
	n := o.Node
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", n.Name, n.OpName())
	if n.Device != "" {
		fmt.Fprintf(w, "  device\t%s\n", n.Device)
	}
	for _, in := range n.Ins {
		fmt.Fprintf(w, "  input\t%s\t%v\n", in, s.port(in.String()))
	}
	for _, c := range n.Controls {
		fmt.Fprintf(w, "  after\t%s\n", c.Name)
	}
	for i := range n.Outs {
		out := ir.Out{Node: n, Index: i}.String()
		fed := ""
		if s.feeds[out] != nil {
			fed = "\tfed"
		}
		fmt.Fprintf(w, "  output\t%s\t%v%s\n", out, s.port(out), fed)
	}
	for _, key := range base.SortedKeys(n.Attrs) {
		fmt.Fprintf(w, "  %s\t%s\n", key, base.Clip(ir.AttrText(n.Attrs[key], ir.PrintOptions{MaxElems: 8}), s.screen.width))
	}
	for i, r := range s.readers(n) {
		if i == infoReaders {
			fmt.Fprintf(w, "  …\n")
			break
		}
		fmt.Fprintf(w, "  read by\t%s\t%s\n", r.Name, r.OpName())
	}
	return w.Flush()
}

// readers returns the nodes that read an output of n.
func (s *Session) readers(n *ir.Node) (list []*ir.Node) {
	for _, r := range s.model.Graph().Nodes {
		if slices.ContainsFunc(r.Ins, func(o ir.Out) bool { return o.Node == n }) {
			list = append(list, r)
		}
	}
	return list
}
