package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// printGraph prints a graph, a node a line in the order they run.
func (a *app) printGraph(title string, g *ir.Graph) {
	fmt.Fprintf(a.out, "graph %s {\n", title)
	for _, f := range g.Feeds {
		fmt.Fprintf(a.out, "  feed %s = %s %v%s\n", f.Name, f.Out, f.Out.Fact().DType, shapeText(f.Shape))
	}
	nodes, err := g.Order()
	if err != nil {
		nodes = g.Nodes
	}
	for _, n := range nodes {
		fmt.Fprintf(a.out, "  %s\n", nodeText(n))
	}
	for _, f := range g.Fetches {
		fmt.Fprintf(a.out, "  fetch %s = %s\n", f.Name, f.Out)
	}
	for _, t := range g.Targets {
		fmt.Fprintf(a.out, "  target %s\n", t.Name)
	}
	fmt.Fprintln(a.out, "}")
}

// nodeText formats as name = Op(in, in, ^control) {attr=value} f32[2,3].
func nodeText(n *ir.Node) string {
	var ins []string
	for _, o := range n.Ins {
		ins = append(ins, o.String())
	}
	for _, c := range n.Controls {
		ins = append(ins, "^"+c.Name)
	}
	var attrs []string
	for _, k := range sortedKeys(n.Attrs) {
		if !strings.HasPrefix(k, "_") {
			attrs = append(attrs, k+"="+attrText(n.Attrs[k]))
		}
	}
	var outs []string
	for i := range n.Outs {
		outs = append(outs, n.Outs[i].DType.String()+shapeText(n.Outs[i].Shape))
	}
	s := fmt.Sprintf("%s = %s(%s)", n.Name, n.Op, strings.Join(ins, ", "))
	if len(attrs) > 0 {
		s += " {" + strings.Join(attrs, ", ") + "}"
	}
	if len(outs) > 0 {
		s += " " + strings.Join(outs, ", ")
	}
	if n.Device != "" {
		s += " @" + n.Device
	}
	return s
}

// maxElems is how many elements of a constant a dump shows.
const maxElems = 8

func attrText(a ir.Attr) string {
	switch v := a.(type) {
	case string:
		return quoteShort(v)
	case ir.PartialShape:
		return partialText(v)
	case *tensor.Tensor:
		return tensorText(v)
	case ir.Func:
		return "@" + v.Name
	case ir.Placeholder:
		return "$" + string(v)
	}
	v := reflect.ValueOf(a)
	if v.Kind() == reflect.Slice {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = attrText(v.Index(i).Interface())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return fmt.Sprint(a)
}

func partialText(s ir.PartialShape) string {
	if s.UnknownRank {
		return "[…]"
	}
	parts := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		parts[i] = "?"
		if d >= 0 {
			parts[i] = strconv.FormatInt(d, 10)
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func tensorText(t *tensor.Tensor) string {
	if t == nil {
		return "<none>"
	}
	v := reflect.ValueOf(t.Data)
	if t.Len() > maxElems {
		return t.String() + "{…}"
	}
	parts := make([]string, t.Len())
	for i := range parts {
		switch e := v.Index(i).Interface().(type) {
		case string:
			parts[i] = quoteShort(e)
		case tensor.F16:
			parts[i] = fmt.Sprint(e.Float32())
		case tensor.BF16:
			parts[i] = fmt.Sprint(e.Float32())
		default:
			parts[i] = fmt.Sprint(e)
		}
	}
	return t.String() + "{" + strings.Join(parts, " ") + "}"
}

func quoteShort(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}
