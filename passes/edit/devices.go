package edit

import "github.com/graphc/graphc/ir"

// Together reports whether two nodes may become one: they are in one region, and they request the
// same device or at least one of them requests none.
func Together(a, b *ir.Node) bool {
	return a.Region == b.Region && (a.Device == b.Device || a.Device == "" || b.Device == "")
}
