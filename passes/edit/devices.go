package edit

import "github.com/graphc/graphc/ir"

// Together reports whether two nodes may become one: they run in one region, and ask
// for one device, or one of them for none.
func Together(a, b *ir.Node) bool {
	return a.Region == b.Region && (a.Device == b.Device || a.Device == "" || b.Device == "")
}
