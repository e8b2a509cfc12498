package opnames

import (
	"strings"

	"github.com/graphc/graphc/internal/vet/house"
)

// reason returns the reason why a declaration may list ops, or "".
func reason(pkg, name string) string {
	pkg = house.Package(pkg)
	if strings.HasPrefix(pkg+"/", commands) {
		return Allowed.Reason(pkg, name)
	}
	for _, room := range rooms {
		if strings.HasPrefix(pkg+"/", room.path) {
			return room.reason
		}
	}
	return Allowed.Reason(pkg, name)
}

// commands is the folder of the code of graphc's commands. The exception for "internal/" below does
// not cover it.
const commands = "internal/tool/"

// rooms lists the folders of packages that may list ops, each with the reason.
var rooms = []struct{ path, reason string }{
	{"ir/", "the ops that form the structure of a graph: regions and TensorFlow 1's loops"},
	{"ops/bytype/", "tables of kernels by op, generated"},
	{"ops/kit/", "formulas of ops, and rules of TensorFlow's kernels that families share"},
	{"ops/", "a family is where its ops are described"},
	{"frontend/", "file formats, which describe nodes before they are in a graph"},
	{"internal/vet/", "this analyzer"},
	{"internal/", "tests and tools choose ops to try"},
}

const (
	matches   = "matches a pattern of ops, or builds one"
	regions   = "the ops that join regions, and those that only give a tensor another name"
	handles   = "follows handles through control flow, by TensorFlow's rules"
	rules     = "a rule of TensorFlow's placer or partitioner about these ops"
	variables = "the ops that stand for a variable's value or handle"
	shows     = "prints or counts nodes for people"
)

// Allowed lists declarations that may list ops, with the reason.
var Allowed = house.List{
	"internal/tool/casebuild.tensorFlowOp": shows,
	"internal/tool/casebuild.uncounted":    shows,
	"internal/tool/dump.writePartitions":   shows,
	"internal/tool/view.kindOf":            shows,

	"lower.HandsOn":                    handles,
	"lower.lowerer.conditions":         regions,
	"lower.lowerer.devReads":           regions,
	"lower.lowerer.madeOnDevice":       regions,
	"lower.lowerer.sides":              regions,
	"lower.transfersOf":                "the transfers of a partition and their forms",
	"partition.HasKernel":              rules,
	"partition.memoryRowOf":            rules,
	"partition.splitter.incarnationOf": rules,
	"partition/regions.floating":       rules,
	"placer.exempt":                    rules,
	"placer.handsOn":                   rules,

	"lower.IsVariable":                variables,
	"partition.closesLoop":            rules,
	"partition/regions.divider.homes": regions,
	"partition/regions.divider.want":  regions,
	"placer.isMetadata":               rules,

	"passes/algebra.Algebra.node":       matches,
	"passes/algebra.Factor":             matches,
	"passes/algebra.Folder.known":       "passed on by other passes, with their constants",
	"passes/algebra.Functions":          matches,
	"passes/algebra.Involution":         matches,
	"passes/algebra.Lift":               matches,
	"passes/algebra.Neutral":            matches,
	"passes/algebra.Pieces":             matches,
	"passes/algebra.Strength":           matches,
	"passes/algebra.common":             matches,
	"passes/algebra.identities.neutral": matches,
	"passes/algebra.isSum":              matches,
	"passes/algebra.logarithm":          matches,
	"passes/algebra.neutral":            matches,
	"passes/algebra.normalises":         matches,
	"passes/algebra.opposite":           matches,
	"passes/algebra.products":           matches,
	"passes/algebra.sums":               matches,
	"passes/algebra.unmoved":            matches,
	"passes/edit.FilledWith":            matches,
	"passes/edit.IsRefSource":           variables,
	"passes/edit.ProductOf":             matches,
	"passes/edit.Reshapes":              matches,
	"passes/edit.State.NotNegative":     matches,
	"passes/edit.State.Place":           regions,
	"passes/flow.Optionals":             matches,
	"passes/flow.counts":                matches,
	"passes/flow.denseArray.array":      matches,
	"passes/flow.denseArray.follow":     matches,
	"passes/flow.denseArray.list":       matches,
	"passes/flow.flowKinds":             "reads control flow of TensorFlow 1",
	"passes/flow.inliner.placed":        "puts functions in the place of each kind of call",
	"passes/flow.makesArray":            matches,
	"passes/flow.pushedOnly":            matches,
	"passes/flow.regions.hoisted":       regions,
	"passes/flow.startsBelow":           matches,
	"passes/fuse.Activations":           matches,
	"passes/fuse.Contract":              matches,
	"passes/fuse.Embedding":             matches,
	"passes/fuse.Fusable":               matches,
	"passes/fuse.Layernorm":             matches,
	"passes/fuse.Layers":                matches,
	"passes/fuse.Softmaxes":             matches,
	"passes/fuse.affine.arith":          matches,
	"passes/fuse.affine.take":           matches,
	"passes/fuse.arguments":             matches,
	"passes/fuse.fusedName":             matches,
	"passes/fuse.fuser.bias":            matches,
	"passes/fuse.fuser.refuse":          matches,
	"passes/fuse.fuser.residual":        matches,
	"passes/fuse.isWindow":              matches,
	"passes/fuse.rowsOf":                matches,
	"passes/fuse.unique":                matches,
	"passes/fuse.windowOf":              matches,
	"passes/grad.Body.Prune":            "arguments and results of a function stay",
	"passes/layout.sinker.takes":        matches,
	"passes/layout.turner.absorb":       matches,
	"passes/state.anyFed":               "goes back through ops that preserve a shape",
	"passes/state.freezer.reader":       "reads of variables that become constants, each in its form",
	"passes/state.isKept":               variables,
	"passes/state.readsHandle":          handles,
	"passes/state.referrer.from":        handles,
	"passes/state.referrer.handles":     handles,
	"passes/state.valueShapes.of":       "what each kind of node assigns to a variable",
	"passes.binder.declared":            "the forms of a placeholder",
	"passes.TakenOut":                   "optionals, which a pass takes out of graphs",
	"passes.watch":                      "placeholders and constants have no kernel to watch",
}
