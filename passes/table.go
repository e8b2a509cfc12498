package passes

import (
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/passes/flow"
	"github.com/graphc/graphc/passes/fuse"
	"github.com/graphc/graphc/passes/layout"
	"github.com/graphc/graphc/passes/state"
)

// Phase groups passes that run together.
type Phase string

// The phases, in the order in which they run. TensorFlow also has the four phases whose names are
// in capitals. Between these four phases, TensorFlow runs its placer and its optimizer. Here, the
// phases Placement and Optimise take the place of TensorFlow's placer and optimizer.
const (
	// PrePlacement drops nodes that nothing needs and inlines function calls. Its passes run once,
	// in order.
	PrePlacement Phase = "PRE_PLACEMENT"
	// Placement gives every node its device.
	Placement Phase = "placement"
	// PostPlacement turns control flow into regions and references into handles. Its passes run
	// once, in order.
	PostPlacement Phase = "POST_PLACEMENT"
	// PostRewriteForExec decides which variables become constants, given the feeds and fetches. Its
	// passes run once, in order.
	PostRewriteForExec Phase = "POST_REWRITE_FOR_EXEC"
	// Optimise repeats its passes until nothing changes, ten rounds at most. It runs on the whole
	// graph and, if the graph uses several devices, again on each partition.
	Optimise Phase = "optimise"
	// PostPartitioning joins several nodes into one that a single kernel computes. Its passes run
	// once for each partition.
	PostPartitioning Phase = "POST_PARTITIONING"
)

// Pass is a row of the pass table.
type Pass struct {
	Name     string
	Phase    Phase
	Required bool // whether the pass runs even if option NoOpt is set
	Bits     bool // whether the pass may change the last bits of floating-point answers
	// Whole is set if the pass may run on a graph whose nodes are on several devices: the pass
	// never joins nodes of two devices and never moves a node to another device.
	Whole bool
	// CPU is set if the pass makes nodes that only CPUs have kernels for.
	CPU bool
	Doc string // what the pass does and why it exists

	facts bool // needs up-to-date facts
	run   func(*edit.State) (bool, error)
}

// Table returns all passes in the order they run.
func Table() []Pass {
	return []Pass{
		{Name: "varshapes", Phase: PrePlacement, Required: true, run: state.VarShapes,
			Doc: "gives each variable the shape that covers the values any signature may assign to it"},
		{Name: "prune", Phase: PrePlacement, Required: true, run: algebra.Prune,
			Doc: "drops nodes that no fetch and no target needs; a fed tensor needs nothing. TensorFlow neither runs nor rejects them"},
		{Name: "inline", Phase: PrePlacement, Required: true, run: flow.Inline,
			Doc: "replaces function calls by the functions' bodies, so that later passes see one graph"},
		{Name: "place", Phase: Placement, Required: true, run: devices,
			Doc: "gives every node its device by TensorFlow's rules; with only CPUs it rejects nodes that ask for another device, unless placement is soft"},
		{Name: "flow", Phase: PostPlacement, Required: true, run: flow.Flow,
			Doc: "turns Switch, Merge, Enter, Exit and NextIteration into regions, which tell later passes when each node runs"},
		{Name: "clean", Phase: PostPlacement, Required: true, run: algebra.Dce,
			Doc: "dce of the inlined bodies: results that no caller uses must not keep a variable from being frozen"},
		{Name: "optional", Phase: PostPlacement, Required: true, run: flow.Optionals,
			Doc: "replaces optionals by lists, so that one mechanism tracks the tensors in both"},
		{Name: "sections", Phase: PostPlacement, Required: true, run: flow.Sections,
			Doc: "orders the sections that hold mutexes one after another: a run must not wait for a lock that it holds itself"},
		{Name: "refs", Phase: PostPlacement, Required: true, run: state.Refs,
			Doc: "turns TensorFlow 1's references into handles and adds reads for their values: later passes see one form of variable"},
		{Name: "forward", Phase: PostPlacement, Required: true, run: state.Forward,
			Doc: "replaces a read that waits for its variable's only assignment by the assigned value: this reveals names of vocabularies"},
		{Name: "state", Phase: PostRewriteForExec, Required: true, run: state.HoldsState,
			Doc: "gives written variables, and tables, their initial values"},
		{Name: "freeze", Phase: PostRewriteForExec, Required: true, run: state.Freeze,
			Doc: "turns variables that nothing writes into constants"},
		{Name: "anyrank", Phase: PostRewriteForExec, Required: true, run: state.AnyRank,
			Doc: "fetches variables of unknown rank directly: their shapes are known only at run time"},
		{Name: "sweep", Phase: PostRewriteForExec, Required: true, run: algebra.Dce,
			Doc: "dce of handles and reads that freezing left without readers"},
		{Name: "watch", Phase: PostRewriteForExec, Required: true, run: watch,
			Doc: "fetches watched tensors, so that later passes keep them, and checks the requested ones for NaN and Inf"},

		{Name: "carry", Phase: Optimise, Required: true, Whole: true, run: flow.Carry,
			Doc: "removes values that loops and branches only pass through, among them shapes and axes that must be known"},
		{Name: "sizes", Phase: Optimise, Required: true, Whole: true, run: algebra.Sizes, facts: true,
			Doc: "computes small integers that depend only on constants: ranks may depend on them"},
		{Name: "sumto", Phase: Optimise, Required: true, Whole: true, run: algebra.SumTo, facts: true,
			Doc: "joins the Sum and Reshape that undo broadcasting in a gradient if the axes are known only at run time"},
		{Name: "fold", Phase: Optimise, Whole: true, run: algebra.Fold, facts: true,
			Doc: "computes nodes that depend only on constants, with the kernels that would compute them at run time"},
		{Name: "fill", Phase: Optimise, run: algebra.Fill, facts: true,
			Doc: "replaces large constants of equal elements by one element, or fills them where they are needed"},
		{Name: "identity", Phase: Optimise, Whole: true, run: algebra.Identity, facts: true,
			Doc: "removes nodes that pass their input through unchanged"},
		{Name: "cse", Phase: Optimise, Whole: true, run: algebra.Cse, facts: true,
			Doc: "merges nodes that compute the same function of the same inputs"},
		{Name: "branch", Phase: Optimise, Whole: true, run: flow.Decide, facts: true,
			Doc: "removes branches that always run or never run"},
		{Name: "arrays", Phase: Optimise, Whole: true, run: flow.Arrays, facts: true,
			Doc: "turns TensorArrays and TensorLists into dense tensors: rows are written in place, stacking costs nothing"},
		{Name: "hoist", Phase: Optimise, Whole: true, run: flow.Hoist, facts: true,
			Doc: "moves loop-invariant nodes out of loops, except nodes that might fail where the loop never runs"},
		{Name: "strength", Phase: Optimise, Bits: true, run: algebra.Strength, facts: true,
			Doc: "replaces powers with small exponents by products, and divisions by powers of two by multiplications"},
		{Name: "neutral", Phase: Optimise, run: algebra.Neutral, facts: true,
			Doc: "removes operations with a neutral or an absorbing element"},
		{Name: "constants", Phase: Optimise, Bits: true, run: algebra.Constants, facts: true,
			Doc: "joins the constants of a chain of sums, or of products, into one"},
		{Name: "factor", Phase: Optimise, Bits: true, run: algebra.Factor, facts: true,
			Doc: "moves common factors, equal terms and signs out of sums"},
		{Name: "functions", Phase: Optimise, Bits: true, run: algebra.Functions, facts: true,
			Doc: "replaces two nodes that spell out a function by that function"},
		{Name: "involution", Phase: Optimise, Bits: true, run: algebra.Involution, facts: true,
			Doc: "removes pairs of functions, and of casts, that undo each other"},
		{Name: "pieces", Phase: Optimise, run: algebra.Pieces, facts: true,
			Doc: "removes joins that are taken apart again, and merges nested joins"},
		{Name: "lift", Phase: Optimise, Bits: true, run: algebra.Lift, facts: true,
			Doc: "moves element-wise functions after reductions, to fewer elements, and before splits, to compute them once"},
		{Name: "embedding", Phase: Optimise, CPU: true, run: fuse.Embedding, facts: true,
			Doc: "makes sums over rows of a table read the rows in place instead of gathering them first"},
		{Name: "stacks", Phase: Optimise, run: flow.Stacks, facts: true,
			Doc: "removes pushes on stacks that are never popped"},
		{Name: "settle", Phase: Optimise, run: layout.Settle, facts: true,
			Doc: "moves per-channel constants from after a product's reshapes to right after the product, where batchnorm finds them"},
		{Name: "batchnorm", Phase: Optimise, Bits: true, run: fuse.Batchnorm, facts: true,
			Doc: "multiplies constant factors per channel into the filter of the convolution or matrix product before them"},
		{Name: "prescale", Phase: Optimise, Bits: true, run: fuse.Prescale, facts: true,
			Doc: "multiplies a constant factor of the image into the filter of the product that reads it"},
		{Name: "reshape", Phase: Optimise, run: layout.Reshape, facts: true,
			Doc: "merges two reshapes in a row into one"},
		{Name: "transpose", Phase: Optimise, run: layout.Transpose, facts: true,
			Doc: "merges two transpositions into one, and removes pairs that undo each other around element-wise functions"},
		{Name: "dense", Phase: Optimise, Bits: true, run: fuse.Layers, facts: true,
			Doc: "turns Einsum and BatchMatMul by one constant matrix into MatMul, so that bias and activation can join it"},
		{Name: "dilated", Phase: Optimise, Bits: true, run: fuse.Dilated, facts: true,
			Doc: "turns a convolution between SpaceToBatchND and BatchToSpaceND, which copy the image twice, into a dilated one"},
		{Name: "pad", Phase: Optimise, Bits: true, run: fuse.Pad, facts: true,
			Doc: "folds zeros around an image into the padding of the convolution or pooling that reads it: one copy less"},
		{Name: "waits", Phase: Optimise, run: flow.Waits,
			Doc: "drops control edges that longer paths imply"},
		{Name: "dce", Phase: Optimise, Required: true, Whole: true, run: algebra.Dce,
			Doc: "drops dead nodes, and control edges that order nothing"},

		{Name: "stride", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Stride, facts: true,
			Doc: "moves the stride of a 1×1 convolution up to the node that makes its pixels, which then skips the unread ones"},
		{Name: "layernorm", Phase: PostPartitioning, Bits: true, run: fuse.Layernorm, facts: true,
			Doc: "replaces a spelled-out normalization of rows by one node: a dozen passes over memory become one"},
		{Name: "activation", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Activation, facts: true,
			Doc: "replaces a spelled-out gelu, swish, hard-swish or parametric relu by one node; all but the last then join the product before them"},
		{Name: "contract", Phase: PostPartitioning, Bits: true, run: fuse.Contract, facts: true,
			Doc: "makes batched products read untransposed operands along other axes instead of copying them"},
		{Name: "softmax", Phase: PostPartitioning, Bits: true, run: fuse.Softmaxes, facts: true,
			Doc: "replaces a spelled-out softmax, with attention's scaling and mask, by one node: one pass over the scores"},
		{Name: "subpixel", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Subpixel, facts: true,
			Doc: "turns transposed convolutions whose windows do not overlap into products: no sums over windows"},
		{Name: "sink", Phase: PostPartitioning, CPU: true, run: layout.Sink, facts: true,
			Doc: "moves bias, residual and activation from after a product's reshapes to right after the product, which they then join"},
		{Name: "fusebias", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Fusebias, facts: true,
			Doc: "joins a convolution or matrix product with the bias and activation after it: one kernel keeps the tile in registers"},
		{Name: "addn", Phase: PostPartitioning, CPU: true, Bits: true, run: algebra.Addn, facts: true,
			Doc: "adds the terms of a tree of sums in one loop"},
		{Name: "drop", Phase: PostPartitioning, Required: true, run: algebra.Dce,
			Doc: "dce of nodes that fusion left without readers"},
	}
}

// Order is a constraint on the table: pass Before precedes pass After.
type Order struct {
	Before, After string
	Reason        string
}

// Orders returns the constraints that the table's order satisfies.
func Orders() []Order {
	return []Order{
		{"varshapes", "prune", "varshapes needs the assignments of other signatures, which prune drops"},
		{"prune", "inline", "unneeded functions may be recursive or broken and must not be expanded"},
		{"prune", "place", "unneeded nodes may ask for any device; an option reverses this order"},
		{"inline", "place", "functions' bodies are placed with their callers"},
		{"place", "flow", "colocation follows Switch, Merge, Enter and Exit"},
		{"inline", "flow", "If and While become control flow when they are inlined"},
		{"flow", "clean", "flow leaves control edges that only order, and most order nothing"},
		{"inline", "clean", "unused results are visible only once the body is in the graph"},
		{"flow", "optional", "a new constant in a TensorFlow 1 loop needs an edge to the loop; after flow it needs none"},
		{"flow", "sections", "a section ends in the region it begins in"},
		{"clean", "state", "a writer that nothing needs must not count as one"},
		{"inline", "refs", "a function's body gets its caller's references through arguments"},
		{"refs", "state", "handles show which nodes write"},
		{"refs", "forward", "handles show which nodes write"},
		{"forward", "freeze", "the remaining reads read the variable itself"},
		{"refs", "freeze", "freeze handles only reads of handles"},
		{"state", "freeze", "a written variable has no single value"},
		{"inline", "freeze", "functions read their caller's variables through arguments"},
		{"refs", "anyrank", "refs gives each reference an explicit read"},
		{"freeze", "anyrank", "a variable that nothing writes has a known rank"},
		{"anyrank", "sweep", "anyrank leaves reads that sweep drops"},
		{"freeze", "sweep", "handles of frozen variables have no kernel and must be dropped"},
		{"sweep", "watch", "only computed tensors can be watched"},
		{"watch", "fold", "watched tensors must stay"},
		{"watch", "carry", "watched tensors must stay"},
		{"sweep", "fold", "fold inspects every remaining node"},
		{"sweep", "sizes", "sizes evaluates nodes, as fold does"},
		{"sweep", "carry", "carry inspects every remaining node"},
		{"carry", "sizes", "a size that a loop only passes through equals its first value"},
		{"fold", "branch", "most known conditions are results of folding"},
		{"cse", "branch", "cse makes equal conditions one node"},
		{"carry", "arrays", "a container that a loop only passes through is then read from outside the loop"},
		{"fold", "arrays", "element shapes and counter steps are often results of folding"},
		{"branch", "arrays", "branch removes loops that run once"},
		{"arrays", "hoist", "lists must stay in their loop, tensors need not"},
		{"branch", "hoist", "code that always runs in a loop may move out of it"},
		{"carry", "hoist", "loop-invariant values are then read from outside the loop"},
		{"cse", "hoist", "cse removes nodes that are also computed before the loop"},
		{"hoist", "settle", "a product's factors are then in the product's region"},
		{"branch", "dce", "dce drops nodes that only a removed branch needed"},
		{"sizes", "fold", "known sizes make more of the graph constant"},
		{"sizes", "sumto", "sumto skips shapes that sizes made known"},
		{"sumto", "fold", "known shapes make more of the graph constant"},
		{"freeze", "fold", "most constant subgraphs begin at a variable"},
		{"fold", "identity", "folded nodes need no inspection; a shape that fold makes constant proves a Reshape useless"},
		{"identity", "cse", "two readers of one tensor through different identities compute the same value"},
		{"fold", "fill", "a folded tensor may have equal elements"},
		{"fill", "identity", "a neutral element is then a single number"},
		{"fold", "strength", "an exponent is often a result of folding"},
		{"fold", "neutral", "a neutral element is often a result of folding"},
		{"strength", "neutral", "a division by a power of two is then a product"},
		{"neutral", "constants", "neutral constants need not be joined"},
		{"neutral", "factor", "1/x is then one node"},
		{"constants", "factor", "constant factors are then next to their terms"},
		{"factor", "functions", "factor looks for products, and functions turns x·x into a square"},
		{"pieces", "lift", "parts of parts are then parts"},
		{"identity", "involution", "functions that undo each other are then adjacent"},
		{"identity", "embedding", "a sum then reads the gathered rows directly"},
		{"carry", "stacks", "a handle that a loop only passes through is then read from outside the loop"},
		{"batchnorm", "prescale", "the factors after the product are then in the filter"},
		{"strength", "prescale", "a division of the pixels is then a multiplication"},
		{"prescale", "dce", "dce drops the factor that lost its readers"},
		{"branch", "waits", "nodes of one region can then wait for each other in it"},
		{"waits", "dce", "dce inspects the remaining control edges"},
		{"fusebias", "addn", "a product's kernel is the first choice for a sum"},
		{"addn", "drop", "the intermediate sums are dead"},
		{"pieces", "settle", "a product's factors then follow it directly"},
		{"strength", "settle", "a spelled-out normalization divides or multiplies"},
		{"settle", "batchnorm", "the factors then follow the product directly"},
		{"strength", "batchnorm", "a spelled-out normalization divides or multiplies"},
		{"cse", "batchnorm", "batchnorm requires a single reader, and cse merges equal readers"},
		{"fold", "batchnorm", "the factors of a spelled-out normalization are constant only after folding"},
		{"fold", "dilated", "paddings and crops are often results of folding"},
		{"dilated", "pad", "the zeros of a causal convolution are before SpaceToBatchND"},
		{"pad", "dce", "dce drops a Pad without readers"},
		{"pad", "fusebias", "pad looks for unfused products"},
		{"batchnorm", "dce", "the replaced normalization must not count as a reader in the next round"},
		{"batchnorm", "fusebias", "a folded normalization leaves a bias, which fusebias fuses"},
		{"dce", "fusebias", "a dead reader would keep an intermediate result from being fused away"},
		{"batchnorm", "stride", "only sums and activations then remain between convolutions"},
		{"stride", "fusebias", "stride looks for unfused products"},
		{"batchnorm", "layernorm", "constants that go into a product's filter are not part of the normalization"},
		{"layernorm", "fusebias", "a sum with a constant belongs first to the normalization, then to a product's bias"},
		{"activation", "fusebias", "fusebias accepts activations that are one node"},
		{"identity", "reshape", "reshapes that change nothing are then gone"},
		{"fold", "transpose", "permutations are often results of folding"},
		{"transpose", "dce", "dce drops a transposition without readers"},
		{"transpose", "contract", "the remaining transpositions are next to products"},
		{"fold", "dense", "a matrix is often cast or reshaped first"},
		{"cse", "reshape", "reshape then inspects only one of several equal reshapes"},
		{"dense", "dce", "the replaced product must not count as a reader"},
		{"reshape", "dce", "dce drops a reshape without readers"},
		{"activation", "sink", "an activation is then one node"},
		{"softmax", "sink", "a sum with a mask must not become a residual"},
		{"batchnorm", "subpixel", "batchnorm folds a normalization only into the original filter"},
		{"activation", "subpixel", "an activation is then one node"},
		{"subpixel", "fusebias", "the product's bias and activation then follow it directly"},
		{"sink", "fusebias", "fusebias joins only nodes that follow a product directly"},
		{"fold", "contract", "permutations are often results of folding"},
		{"softmax", "fusebias", "a sum with a mask must not become a residual"},
		{"fusebias", "drop", "the parts of fused nodes are dead"},
	}
}
