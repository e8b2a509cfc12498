package ptx

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/plan/ptx/libdevice"
	"github.com/graphc/graphc/rt/tensor"
)

// fragment returns the code of a libdevice function for type d, and the full name of the function.
// For a 16-bit type, it returns the function for 32 bits.
func fragment(name string, d tensor.DType) (libdevice.Fragment, string, bool) {
	if name == "ndtri" {
		name = "normcdfinv"
	}
	name += "_" + suffix(d)
	f, ok := libdevice.Lookup(name)
	return f, name, ok
}

// table returns the name that a library function's table of constants has in this kernel. Each
// kernel has its own tables, so that several kernels can be in one module.
func (g *gen) table(name string) string { return g.entry + name }

// The method call emits the code of a libdevice function, in a separate scope.
func (g *gen) call(name string, d tensor.DType, args []string) string {
	f, full, ok := fragment(name, d)
	if !ok || f.Args != len(args) {
		g.fail("no function %s of %s", name, d)
		return args[0]
	}
	for _, t := range f.Globals {
		if g.seen[t] {
			continue
		}
		if g.seen == nil {
			g.seen = map[string]bool{}
		}
		g.seen[t] = true
		g.globals = append(g.globals, strings.Replace(libdevice.Global(t), t, g.table(t), 1))
	}
	g.pastes++
	dst := g.newReg(regOf(d))
	fmt.Fprintf(&g.out, "\t{ // %s\n", full)
	text := f.Include(fmt.Sprintf("x%d", g.pastes), dst, args...)
	for _, t := range f.Globals {
		text = strings.ReplaceAll(text, t, g.table(t))
	}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		g.out.WriteString("\t" + l + "\n")
	}
	g.out.WriteString("\t}\n")
	return dst
}

// callCost returns the number of a function's instructions.
func callCost(name string, d tensor.DType) int {
	f, _, ok := fragment(name, d)
	if !ok {
		return 0
	}
	return strings.Count(f.Include("x", "y", "a", "b", "c"), ";")
}
