package edit

import "github.com/graphc/graphc/ir"

// Together reports whether two nodes may be replaced by one node. They must be in the same region,
// and they must request the same device unless one of them requests no device.
func Together(a, b *ir.Node) bool {
	return a.Region == b.Region && (a.Device == b.Device || a.Device == "" || b.Device == "")
}
