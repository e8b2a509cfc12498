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

// The phases, in their order: TensorFlow's, with the placer and the optimiser among them.
const (
	// PrePlacement leaves what is run, and one graph of it: once, in order.
	PrePlacement Phase = "PRE_PLACEMENT"
	// Placement gives nodes their devices.
	Placement Phase = "placement"
	// PostPlacement makes regions of control flow and handles of references: once, in order.
	PostPlacement Phase = "POST_PLACEMENT"
	// PostRewriteForExec decides about variables, as feeds and fetches leave them:
	// once, in order.
	PostRewriteForExec Phase = "POST_REWRITE_FOR_EXEC"
	// Optimise is repeated until nothing changes, ten rounds at most: on the whole
	// graph, and where that stands on several devices on each partition again.
	Optimise Phase = "optimise"
	// PostPartitioning joins nodes into the ones that kernels compute together: once
	// for each partition.
	PostPartitioning Phase = "POST_PARTITIONING"
)

// Pass is a row of the pass table.
type Pass struct {
	Name     string
	Phase    Phase
	Required bool // runs under NoOpt too
	Bits     bool // may change the last bits of floating-point answers
	// Whole passes may run on a graph whose nodes stand on several devices: they
	// never join nodes of two devices, and leave every node where it stands.
	Whole bool
	// CPU passes make nodes that only CPUs have kernels for.
	CPU bool
	Doc string // what it does and why it is there

	facts bool // wants facts up to date
	run   func(*edit.State) (bool, error)
}

// Table returns all passes in the order they run.
func Table() []Pass {
	return []Pass{
		{Name: "varshapes", Phase: PrePlacement, Required: true, run: state.VarShapes,
			Doc: "has variables state the shapes that any signature may give their values"},
		{Name: "prune", Phase: PrePlacement, Required: true, run: algebra.Prune,
			Doc: "drops what no fetch and no target needs; a fed tensor needs nothing. TensorFlow never runs, nor refuses, the rest"},
		{Name: "inline", Phase: PrePlacement, Required: true, run: flow.Inline,
			Doc: "puts functions' bodies in the place of their calls, so that everything after sees one graph"},
		{Name: "place", Phase: Placement, Required: true, run: devices,
			Doc: "gives every node its device by TensorFlow's rules; with CPUs only refuses nodes that ask for another device, unless placement is soft"},
		{Name: "flow", Phase: PostPlacement, Required: true, run: flow.Flow,
			Doc: "makes regions of Switch, Merge, Enter, Exit and NextIteration: what is alive when is written down once, for all passes after it"},
		{Name: "clean", Phase: PostPlacement, Required: true, run: algebra.Dce,
			Doc: "dce on the bodies: what a caller does not use may not keep a variable from being frozen"},
		{Name: "optional", Phase: PostPlacement, Required: true, run: flow.Optionals,
			Doc: "makes lists of optionals: what the graph tells of the tensors in them is known in one way"},
		{Name: "sections", Phase: PostPlacement, Required: true, run: flow.Sections,
			Doc: "puts the sections that hold mutexes one behind the other: a run must not wait for a lock that it holds itself"},
		{Name: "refs", Phase: PostPlacement, Required: true, run: state.Refs,
			Doc: "makes handles of TensorFlow 1's references, and a read of what takes the value: a variable has one form from here on"},
		{Name: "forward", Phase: PostPlacement, Required: true, run: state.Forward,
			Doc: "gives a read that waits for the only assignment of its variable what is assigned: the name of a vocabulary is known then"},
		{Name: "state", Phase: PostRewriteForExec, Required: true, run: state.HoldsState,
			Doc: "gives variables that are written, and tables, what they begin with"},
		{Name: "freeze", Phase: PostRewriteForExec, Required: true, run: state.Freeze,
			Doc: "makes constants of the variables' values, since nothing writes them"},
		{Name: "anyrank", Phase: PostRewriteForExec, Required: true, run: state.AnyRank,
			Doc: "fetches variables of any rank as what they are: only the run tells their shape"},
		{Name: "sweep", Phase: PostRewriteForExec, Required: true, run: algebra.Dce,
			Doc: "dce of handles and reads that freezing left without readers"},
		{Name: "watch", Phase: PostRewriteForExec, Required: true, run: watch,
			Doc: "fetches the tensors that are watched, and has those looked at for NaN and Inf that are checked: passes after it keep them"},

		{Name: "carry", Phase: Optimise, Required: true, Whole: true, run: flow.Carry,
			Doc: "takes out what loops and branches only hand on: shapes and axes among it, which must be known"},
		{Name: "sizes", Phase: Optimise, Required: true, Whole: true, run: algebra.Sizes, facts: true,
			Doc: "computes small integers that depend on constants only: ranks may depend on them"},
		{Name: "sumto", Phase: Optimise, Required: true, Whole: true, run: algebra.SumTo, facts: true,
			Doc: "makes one node of the sum and the shape that undo broadcasting in gradients, where a run tells the axes"},
		{Name: "fold", Phase: Optimise, Whole: true, run: algebra.Fold, facts: true,
			Doc: "computes what depends on constants only, by the kernels that would compute it at run time"},
		{Name: "fill", Phase: Optimise, run: algebra.Fill, facts: true,
			Doc: "has large constants of equal elements read as one, or filled where they are needed"},
		{Name: "identity", Phase: Optimise, Whole: true, run: algebra.Identity, facts: true,
			Doc: "takes out nodes that hand on their input unchanged"},
		{Name: "cse", Phase: Optimise, Whole: true, run: algebra.Cse, facts: true,
			Doc: "merges nodes that compute the same from the same"},
		{Name: "branch", Phase: Optimise, Whole: true, run: flow.Decide, facts: true,
			Doc: "takes out branches that always run or never do"},
		{Name: "arrays", Phase: Optimise, Whole: true, run: flow.Arrays, facts: true,
			Doc: "makes dense tensors of TensorArrays and TensorLists: rows are written in place, stacking is nothing at all"},
		{Name: "hoist", Phase: Optimise, Whole: true, run: flow.Hoist, facts: true,
			Doc: "moves out of a loop what every iteration computes from the same, unless it might fail where the loop never runs"},
		{Name: "strength", Phase: Optimise, Bits: true, run: algebra.Strength, facts: true,
			Doc: "powers with small exponents become products, divisions by powers of two multiplications"},
		{Name: "neutral", Phase: Optimise, run: algebra.Neutral, facts: true,
			Doc: "takes out what computes with a neutral or an absorbing element"},
		{Name: "constants", Phase: Optimise, Bits: true, run: algebra.Constants, facts: true,
			Doc: "joins the constants of a chain of sums, or of products, into one"},
		{Name: "factor", Phase: Optimise, Bits: true, run: algebra.Factor, facts: true,
			Doc: "takes common factors, equal terms and signs out of sums"},
		{Name: "functions", Phase: Optimise, Bits: true, run: algebra.Functions, facts: true,
			Doc: "puts the function that two nodes spell out in their place"},
		{Name: "involution", Phase: Optimise, Bits: true, run: algebra.Involution, facts: true,
			Doc: "takes out pairs of functions that undo each other, and of casts"},
		{Name: "pieces", Phase: Optimise, run: algebra.Pieces, facts: true,
			Doc: "takes out what is put together to be taken apart, and joins what is put together twice"},
		{Name: "lift", Phase: Optimise, Bits: true, run: algebra.Lift, facts: true,
			Doc: "computes functions of elements behind reductions and before splits: of fewer elements, or once"},
		{Name: "embedding", Phase: Optimise, CPU: true, run: fuse.Embedding, facts: true,
			Doc: "lets sums over rows of a table read the rows where they are, not gathered first"},
		{Name: "stacks", Phase: Optimise, run: flow.Stacks, facts: true,
			Doc: "pushes nothing on a stack that nobody pops"},
		{Name: "settle", Phase: Optimise, run: layout.Settle, facts: true,
			Doc: "moves constants per channel before the reshapes behind a product, to where batchnorm finds them"},
		{Name: "batchnorm", Phase: Optimise, Bits: true, run: fuse.Batchnorm, facts: true,
			Doc: "multiplies constant factors per channel into the filter of the convolution or matrix product before them"},
		{Name: "prescale", Phase: Optimise, Bits: true, run: fuse.Prescale, facts: true,
			Doc: "multiplies a constant factor of the image into the filter of the product that reads it"},
		{Name: "reshape", Phase: Optimise, run: layout.Reshape, facts: true,
			Doc: "shapes once where a tensor is shaped twice"},
		{Name: "transpose", Phase: Optimise, run: layout.Transpose, facts: true,
			Doc: "makes one transposition of two, none of two that undo each other around functions of single elements"},
		{Name: "dense", Phase: Optimise, Bits: true, run: fuse.Layers, facts: true,
			Doc: "makes matrix products of Einsum and BatchMatMul by one constant matrix, so that bias and activation join them"},
		{Name: "dilated", Phase: Optimise, Bits: true, run: fuse.Dilated, facts: true,
			Doc: "makes dilated convolutions of those between SpaceToBatchND and BatchToSpaceND, which copy the image twice"},
		{Name: "pad", Phase: Optimise, Bits: true, run: fuse.Pad, facts: true,
			Doc: "folds zeros around an image into the padding of the convolution or pooling that reads it: one copy less"},
		{Name: "waits", Phase: Optimise, run: flow.Waits,
			Doc: "drops control edges that longer ways imply"},
		{Name: "dce", Phase: Optimise, Required: true, Whole: true, run: algebra.Dce,
			Doc: "drops dead nodes, and control edges that order nothing"},

		{Name: "stride", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Stride, facts: true,
			Doc: "moves the stride of 1×1 convolutions up to where the pixels are made that they do not look at"},
		{Name: "layernorm", Phase: PostPartitioning, Bits: true, run: fuse.Layernorm, facts: true,
			Doc: "makes one node of a spelled-out normalisation of rows: a dozen passes over memory become one"},
		{Name: "activation", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Activation, facts: true,
			Doc: "makes one node of a spelled-out gelu, swish or hard-swish, which then joins the product before it"},
		{Name: "contract", Phase: PostPartitioning, Bits: true, run: fuse.Contract, facts: true,
			Doc: "lets batched products go along the axes of what was transposed for them, instead of copying it"},
		{Name: "softmax", Phase: PostPartitioning, Bits: true, run: fuse.Softmaxes, facts: true,
			Doc: "makes one node of a spelled-out softmax, and of attention's scaling, mask and softmax: one pass over the scores"},
		{Name: "subpixel", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Subpixel, facts: true,
			Doc: "makes products of transposed convolutions whose windows lie side by side: no sums over windows"},
		{Name: "sink", Phase: PostPartitioning, CPU: true, run: layout.Sink, facts: true,
			Doc: "moves bias, residual and activation before the reshapes behind a product, to where they join it"},
		{Name: "fusebias", Phase: PostPartitioning, CPU: true, Bits: true, run: fuse.Fusebias, facts: true,
			Doc: "joins a convolution or matrix product with the bias and activation after it: one kernel keeps the tile in registers"},
		{Name: "addn", Phase: PostPartitioning, CPU: true, Bits: true, run: algebra.Addn, facts: true,
			Doc: "adds the terms of a tree of sums in one loop"},
		{Name: "drop", Phase: PostPartitioning, Required: true, run: algebra.Dce,
			Doc: "dce of what fusion left"},
	}
}

// Order is a constraint on the table: Before comes before After in it.
type Order struct {
	Before, After string
	Reason        string
}

// Orders returns the constraints that the order of the table keeps.
func Orders() []Order {
	return []Order{
		{"varshapes", "prune", "assignments of other signatures are still there"},
		{"prune", "inline", "functions nobody needs are not expanded, and may be recursive or broken"},
		{"prune", "place", "what nobody needs may stand on any device; an option turns it round"},
		{"inline", "place", "functions' bodies are placed with their callers"},
		{"place", "flow", "colocation follows Switch, Merge, Enter and Exit"},
		{"inline", "flow", "If and While are control flow once they are inlined"},
		{"flow", "clean", "the control edges it leaves only order, and most order nothing"},
		{"inline", "clean", "unused results are seen only once the body stands in the graph"},
		{"flow", "optional", "in a loop of TensorFlow 1 a constant must hang on the loop; after it, it may stand anywhere"},
		{"flow", "sections", "a section ends in the region it begins in"},
		{"clean", "state", "a writer that nothing needs writes nothing"},
		{"inline", "refs", "the body of a function takes its caller's references through arguments"},
		{"refs", "state", "handles say which node writes"},
		{"refs", "forward", "handles say which node writes"},
		{"forward", "freeze", "a read that is left reads a value of its own"},
		{"refs", "freeze", "only reads of handles are frozen"},
		{"state", "freeze", "a variable that is written has no one value"},
		{"inline", "freeze", "functions read their caller's variables through arguments"},
		{"refs", "anyrank", "a reference is read by a node then"},
		{"freeze", "anyrank", "what nothing writes has a known rank"},
		{"anyrank", "sweep", "the reads it stands for go"},
		{"freeze", "sweep", "variables' handles have no kernel and must be gone"},
		{"sweep", "watch", "only what is computed can be watched"},
		{"watch", "fold", "what is watched must stay"},
		{"watch", "carry", "what is watched must stay"},
		{"sweep", "fold", "folding looks at each node that is left"},
		{"sweep", "sizes", "it evaluates nodes, as folding does"},
		{"sweep", "carry", "it looks at each node that is left"},
		{"carry", "sizes", "a size that a loop hands on is that of its first value"},
		{"fold", "branch", "most conditions that are known are computed"},
		{"cse", "branch", "equal conditions are one"},
		{"carry", "arrays", "a container that a loop only hands on is read from outside of it"},
		{"fold", "arrays", "element shapes and the steps of counters are often computed"},
		{"branch", "arrays", "a loop that runs once is none"},
		{"arrays", "hoist", "lists stay in their loop, tensors need not"},
		{"branch", "hoist", "what always runs in a loop may move out of it"},
		{"carry", "hoist", "what every iteration reads from around the loop is read from there"},
		{"cse", "hoist", "of what is computed before the loop as well, nothing is left in it"},
		{"hoist", "settle", "a product's factors stand where it does"},
		{"branch", "dce", "what only a branch needed that never runs goes"},
		{"sizes", "fold", "shapes that sizes tell make more of the graph constant"},
		{"sizes", "sumto", "what sizes tell needs no rewriting"},
		{"sumto", "fold", "shapes that are known make more of the graph constant"},
		{"freeze", "fold", "most constant subgraphs begin at a variable"},
		{"fold", "identity", "folded nodes need no looking at; a shape that folding makes constant proves a Reshape useless"},
		{"identity", "cse", "two readers of one tensor through different identities compute the same"},
		{"fold", "fill", "what is computed may be all the same"},
		{"fill", "identity", "a neutral element is looked at as one number"},
		{"fold", "strength", "an exponent is often computed"},
		{"fold", "neutral", "an element that is neutral is often computed"},
		{"strength", "neutral", "a division by a power of two is a product"},
		{"neutral", "constants", "what is neutral joins nothing"},
		{"neutral", "factor", "1/x is one node then"},
		{"constants", "factor", "what two terms are multiplied with stands beside them then"},
		{"factor", "functions", "a square is a product when factors are looked for"},
		{"pieces", "lift", "parts of parts are parts then"},
		{"identity", "involution", "functions that undo each other stand side by side then"},
		{"identity", "embedding", "a sum reads the gathered rows themselves then"},
		{"carry", "stacks", "a handle that a loop only hands on is read from outside of it"},
		{"batchnorm", "prescale", "the factors behind the product stand in the filter then"},
		{"strength", "prescale", "dividing the pixels is multiplying them"},
		{"prescale", "dce", "the factor without readers goes"},
		{"branch", "waits", "what runs in one region waits there"},
		{"waits", "dce", "what is left of control edges is looked at"},
		{"fusebias", "addn", "a product's kernel takes a sum first"},
		{"addn", "drop", "the sums in between are dead"},
		{"pieces", "settle", "a product's factors stand right behind it then"},
		{"strength", "settle", "a spelled-out normalisation divides or multiplies"},
		{"settle", "batchnorm", "the factors stand right behind the product then"},
		{"strength", "batchnorm", "a spelled-out normalisation divides or multiplies"},
		{"cse", "batchnorm", "one reader is a condition of the rewrite, and merged readers are one"},
		{"fold", "batchnorm", "the factors of a spelled-out normalisation are constant only after folding"},
		{"fold", "dilated", "paddings and crops are often computed"},
		{"dilated", "pad", "the zeros of a causal convolution stand before SpaceToBatchND"},
		{"pad", "dce", "a Pad without readers goes"},
		{"pad", "fusebias", "the plain forms are looked for"},
		{"batchnorm", "dce", "the replaced normalisation must not count as a reader in the next round"},
		{"batchnorm", "fusebias", "what is left of a normalisation is the bias that is fused"},
		{"dce", "fusebias", "a dead reader would keep an intermediate result from being fused away"},
		{"batchnorm", "stride", "between convolutions are sums and activations only"},
		{"stride", "fusebias", "the plain forms are looked for"},
		{"batchnorm", "layernorm", "constants that a product takes in are not the normalisation's"},
		{"layernorm", "fusebias", "a sum with a constant is the normalisation's before it is a product's bias"},
		{"activation", "fusebias", "a product ends with an activation that is one node"},
		{"identity", "reshape", "what changes no shape is gone"},
		{"fold", "transpose", "permutations are often computed"},
		{"transpose", "dce", "a transposition without readers goes"},
		{"transpose", "contract", "what is left of transpositions stands beside products"},
		{"fold", "dense", "a matrix is often cast or reshaped first"},
		{"cse", "reshape", "of equal reshapes one is looked at"},
		{"dense", "dce", "the replaced product must not count as a reader"},
		{"reshape", "dce", "a reshape without readers goes"},
		{"activation", "sink", "an activation is one node"},
		{"softmax", "sink", "a mask's sum is no residual"},
		{"batchnorm", "subpixel", "a normalisation is folded into the filter as it was"},
		{"activation", "subpixel", "an activation is one node"},
		{"subpixel", "fusebias", "the product's bias and activation stand right behind it then"},
		{"sink", "fusebias", "what stands right behind a product joins it"},
		{"fold", "contract", "permutations are often computed"},
		{"softmax", "fusebias", "a residual must not take a mask's sum"},
		{"fusebias", "drop", "the fused nodes' parts are dead"},
	}
}
