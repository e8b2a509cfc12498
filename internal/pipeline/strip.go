package pipeline

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// strip removes nodes that serve only for debugging from the graph and its functions. Assert and
// PrintV2 become NoOp nodes with control edges from their inputs. CheckNumerics and Print become
// Identity nodes.
func strip(g *ir.Graph) {
	stripNodes(g)
	if g.Library == nil {
		return
	}
	lib := &ir.Library{Functions: map[string]*ir.Function{}, Gradients: g.Library.Gradients}
	for name, f := range g.Library.Functions {
		c := *f
		if c.Body != nil {
			c.Body = f.Body.Clone()
			c.Body.Library = lib
			stripNodes(c.Body)
		}
		lib.Functions[name] = &c
	}
	g.Library = lib
}

func stripNodes(g *ir.Graph) {
	for _, n := range g.Nodes {
		keep := 0
		switch n.Op {
		case "Assert", "PrintV2":
			n.Op, n.Attrs = "NoOp", map[string]ir.Attr{}
		case "CheckNumerics", "Print":
			keep = 1
			n.Op, n.Attrs = "Identity", map[string]ir.Attr{"T": n.Attrs["T"]}
		default:
			continue
		}
		for _, o := range n.Ins[keep:] {
			if !slices.Contains(n.Controls, o.Node) {
				n.Controls = append(n.Controls, o.Node)
			}
		}
		n.Ins = n.Ins[:keep:keep]
		g.Journal = append(g.Journal, ir.Edit{Pass: "strip", Node: n.Name, Why: "it only checks or prints"})
	}
}
