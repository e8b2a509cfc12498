package ops

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir"
)

// debugDefs are ops that debuggers insert. Without URLs that they send tensors to they
// only hand tensors on, or compute what is odd about them.
var debugDefs = []*Def{
	{Name: "Copy", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "CopyHost", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "DebugIdentity", Flags: Stateful | NoFold, Limits: noURLs, Access: sends, Shape: forwardShape, Lower: forwardLower},
	{Name: "DebugIdentityV2", Flags: Stateful | NoFold, Limits: noURLs, Access: sends, Shape: forwardShape, Lower: forwardLower},
	{Name: "DebugIdentityV3", Flags: Stateful | NoFold, Limits: noURLs, Access: sends, Shape: forwardShape, Lower: forwardLower},
	{Name: "DebugGradientRefIdentity", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
}

const noURLs = "refused with debug_urls"

// sends is the access of ops that send what they get to debug_urls.
func sends(n *ir.Node) (Access, string) {
	urls, _ := n.Attrs["debug_urls"].([]string)
	if len(urls) == 0 {
		return NoAccess, ""
	}
	return Denied, fmt.Sprintf("the op sends tensors to %s; without debug_urls it is compiled", strings.Join(urls, ", "))
}
