package opnames

import (
	"strings"

	"github.com/graphc/graphc/internal/vet/house"
)

// reason says why a declaration may list ops; "" where nothing does.
func reason(pkg, name string) string {
	pkg = house.Package(pkg)
	for _, room := range rooms {
		if strings.HasPrefix(pkg+"/", room.path) {
			return room.reason
		}
	}
	return Allowed.Reason(pkg, name)
}

// rooms are packages that may list ops, with the reason.
var rooms = []struct{ path, reason string }{
	{"ir/", "the ops that the structure of a graph is made of: regions and TensorFlow 1's loops"},
	{"ops/bytype/", "tables of kernels by op, generated"},
	{"ops/kit/", "formulas of ops, and rules of TensorFlow's kernels that families share"},
	{"ops/", "a family is where its ops are described"},
	{"frontend/", "what a format says of nodes, before they are nodes of a graph"},
	{"internal/vet/", "this analyzer"},
	{"internal/", "tests and tools choose ops to try"},
}

const (
	matches   = "matches a pattern of ops, or builds one"
	gradient  = "builds the gradient of each op"
	follows   = "follows what is put into lists and arrays, op by op"
	regions   = "the ops that join regions, and those that only give a tensor another name"
	handles   = "follows handles through control flow, by TensorFlow's rules"
	rules     = "a rule of TensorFlow's placer or partitioner about these ops"
	variables = "the ops that stand for a variable's value or handle"
	shows     = "prints or counts nodes for people"
)

// Allowed says of declarations that list ops why they may.
var Allowed = house.List{
	"cmd/graphc.nodeMACs":        shows,
	"cmd/graphc.tensorFlowOp":    shows,
	"cmd/graphc.uncounted":       shows,
	"cmd/graphc.writePartitions": shows,

	"lower.Contents.HoldersOf":         follows,
	"lower.Contents.len":               follows,
	"lower.HandedOn":                   follows,
	"lower.ListHolder":                 follows,
	"lower.ListShapeInput":             follows,
	"lower.MakesHolder":                follows,
	"lower.arrayWrites":                follows,
	"lower.listFrom":                   follows,
	"lower.listMakes":                  follows,
	"lower.listWrites":                 follows,
	"lower.looksInside":                follows,
	"lower.ownership.owned":            follows,
	"lower.HandsOn":                    handles,
	"lower.lowerer.conditions":         regions,
	"lower.lowerer.devReads":           regions,
	"lower.lowerer.madeOnDevice":       regions,
	"lower.lowerer.sides":              regions,
	"lower.transfersOf":                "the transfers of a partition and their forms",
	"plan.readers":                     "steps know the name of their op only: a plan has no op table",
	"partition.HasKernel":              rules,
	"partition.memoryRowOf":            rules,
	"partition.splitter.incarnationOf": rules,
	"partition/regions.floating":       rules,
	"placer.exempt":                    rules,
	"placer.handsOn":                   rules,

	"passes.arrayGradients":   gradient,
	"passes.binaryGradients":  gradient,
	"passes.nnGradients":      gradient,
	"passes.productGradients": gradient,
	"passes.reduceGradients":  gradient,
	"passes.sliceGradients":   gradient,
	"passes.unaryGradients":   gradient,

	"passes.counts":            follows,
	"passes.denseArray.array":  follows,
	"passes.denseArray.follow": follows,
	"passes.denseArray.list":   follows,
	"passes.makesArray":        follows,
	"passes.pushedOnly":        follows,

	"passes.flowKinds":        "reads control flow of TensorFlow 1",
	"passes.inliner.placed":   "puts functions in the place of each kind of call",
	"passes.readsHandle":      handles,
	"passes.referrer.from":    handles,
	"passes.referrer.handles": handles,
	"passes.freezer.reader":   "reads of variables that become constants, each in its form",
	"passes.valueShapes.of":   "what each kind of node assigns to a variable",
	"passes.anyFed":           "goes back through ops that hand on a shape",
	"passes.binder.declared":  "the forms of a placeholder",
	"passes.TakenOut":         "optionals, which a pass takes out of graphs",

	"lower.IsVariable":                variables,
	"passes.isRefSource":              variables,
	"passes.isKept":                   variables,
	"passes.writes":                   handles,
	"partition.closesLoop":            rules,
	"partition/regions.divider.homes": regions,
	"partition/regions.divider.want":  regions,
	"placer.isMetadata":               rules,
	"passes.regions.hoisted":          regions,
	"passes.state.place":              regions,
	"passes.watch":                    "placeholders and constants have no kernel to watch",
	"passes.folder.known":             "handed on by other passes, with their constants",
	"passes.gradientBody.prune":       "arguments and results of a function stay",

	"passes.isSum":              matches,
	"passes.isWindow":           matches,
	"passes.strength":           matches,
	"passes.fuser.refuse":       matches,
	"passes.fuser.residual":     matches,
	"passes.rewriter.common":    matches,
	"passes.rewriter.unique":    matches,
	"passes.activations":        matches,
	"passes.affine.arith":       matches,
	"passes.affine.take":        matches,
	"passes.algebra.node":       matches,
	"passes.contract":           matches,
	"passes.embedding":          matches,
	"passes.factor":             matches,
	"passes.filledWith":         matches,
	"passes.functions":          matches,
	"passes.fusable":            matches,
	"passes.fusedName":          matches,
	"passes.fuser.bias":         matches,
	"passes.identities.neutral": matches,
	"passes.involution":         matches,
	"passes.layernorm":          matches,
	"passes.layers":             matches,
	"passes.lift":               matches,
	"passes.neutral":            matches,
	"passes.normalises":         matches,
	"passes.opposite":           matches,
	"passes.optionals":          matches,
	"passes.pattern.arguments":  matches,
	"passes.pattern.rowsOf":     matches,
	"passes.pieces":             matches,
	"passes.productOf":          matches,
	"passes.products":           matches,
	"passes.reshapes":           matches,
	"passes.rewriter.logarithm": matches,
	"passes.rewriter.neutral":   matches,
	"passes.sinker.takes":       matches,
	"passes.softmaxes":          matches,
	"passes.startsBelow":        matches,
	"passes.state.notNegative":  matches,
	"passes.sums":               matches,
	"passes.turner.absorb":      matches,
	"passes.unmoved":            matches,
	"passes.windowOf":           matches,
}
