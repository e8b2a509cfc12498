package passes

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// level says what running a node means beyond its outputs.
type level uint8

const (
	// pure nodes give the same outputs for the same inputs: they may be merged,
	// folded, moved and left out.
	pure level = iota
	// source nodes are told apart by what they stand for, but order means nothing to
	// them: feeds and handles.
	source
	// reads depend on when they run: variables, random numbers. They are left
	// out when nobody wants their outputs.
	reads
	// effect nodes change something, or fail on purpose: they run when they are reached.
	effect
)

// sourceOps are stateful by their signature, or flags, but only name something.
var sourceOps = set("Placeholder", "PlaceholderV2", "_Arg", "_Retval", "VarHandleOp", "_VarHandlesOp", "Variable", "VariableV2",
	"TemporaryVariable", "HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", "MutableDenseHashTable",
	"MutableDenseHashTableV2", "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "AnonymousHashTable",
	"FIFOQueue", "FIFOQueueV2", "RandomShuffleQueue", "RandomShuffleQueueV2", "PaddingFIFOQueue", "PaddingFIFOQueueV2",
	"PriorityQueue", "PriorityQueueV2", "Barrier", "ConditionalAccumulator", "SparseConditionalAccumulator",
	"ResourceConditionalAccumulator", "MutexV2")

// readOps are stateful by their signature, or take a reference or the name of an
// array, but change nothing that another node could see: they read, draw random
// numbers, or make something new at every run.
var readOps = set("ReadVariableOp", "_ReadVariablesOp", "ResourceGather", "ResourceGatherNd", "VariableShape",
	"VarIsInitializedOp", "IsVariableInitialized", "DisableCopyOnRead", "RefIdentity", "RefSwitch", "RefMerge", "RefEnter",
	"RefExit", "RefNextIteration", "RefSelect",
	"RandomUniform", "RandomUniformInt", "RandomStandardNormal", "ParameterizedTruncatedNormal", "TruncatedNormal",
	"RandomGamma", "RandomPoisson", "RandomPoissonV2", "RandomShuffle", "Multinomial", "StatefulRandomBinomial",
	"LookupTableFind", "LookupTableFindV2", "LookupTableSize", "LookupTableSizeV2", "LookupTableExport", "LookupTableExportV2",
	"IsBoostedTreesEnsembleInitialized", "Timestamp", "IteratorGetDevice", "QueueSize", "QueueSizeV2", "QueueIsClosed",
	"QueueIsClosedV2", "FakeQueue", "ReadFile", "MatchingFiles", "Restore", "RestoreSlice", "RestoreV2", "LoadAndRemapMatrix",
	"TensorArray", "TensorArrayV2", "TensorArrayV3", "TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3", "TensorArrayGather",
	"TensorArrayGatherV2", "TensorArrayGatherV3", "TensorArrayPack", "TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3",
	"TensorArraySize", "TensorArraySizeV2", "TensorArraySizeV3", "Stack", "StackV2", "AnonymousMutableHashTable",
	"AnonymousMutableHashTableOfTensors", "AnonymousMutableDenseHashTable", "AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated",
	"BarrierReadySize", "BarrierIncompleteSize", "MapSize", "MapIncompleteSize", "MapPeek", "OrderedMapSize", "OrderedMapIncompleteSize",
	"OrderedMapPeek", "StageSize", "StagePeek", "ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompleted",
	"ReaderNumWorkUnitsCompletedV2", "ReaderSerializeState", "ReaderSerializeStateV2", "NonDeterministicInts", "RandomCrop",
	"SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2", "UniformCandidateSampler", "LogUniformCandidateSampler",
	"LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler", "FixedUnigramCandidateSampler", "AllCandidateSampler", "Empty")

// pureOps are stateful by their signature for the sake of devices that differ, or
// of TensorFlow's own folding.
var pureOps = set("StatelessRandomGetAlg", "GuaranteeConst", "DeviceIndex", "IsTensorFloat32Enabled")

// effectOps have no state by their signature, but are there to fail, or write to an
// array that they know by name.
var effectOps = set("Assert", "CheckNumerics", "CheckNumericsV2", "Abort", "TensorArrayWriteV2", "TensorArrayScatterV2", "TensorArraySplitV2",
	"TensorArrayUnpack", "TensorArrayCloseV2")

// calls are the ops whose behaviour is that of the functions they name.
var calls = set("PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf", "While", "StatelessWhile",
	"Case", "StatelessCase", "For", "SymbolicGradient", "_If", "_While")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// levels finds the level of nodes, with what is known of the library's functions.
type levels struct {
	lib   *ir.Library
	fn    map[string]level
	stack map[string]bool
}

func newLevels(lib *ir.Library) *levels {
	return &levels{lib: lib, fn: map[string]level{}, stack: map[string]bool{}}
}

// of returns the level of a node.
func (l *levels) of(n *ir.Node) level {
	switch {
	case sourceOps[n.Op]:
		return source
	case readOps[n.Op]:
		return reads
	case effectOps[n.Op]:
		return effect
	case pureOps[n.Op]:
		return pure
	case n.Op == "SymbolicGradient":
		return l.gradientLevel(n)
	case calls[n.Op]:
		return l.funcs(n)
	}
	if l.lib != nil && l.lib.Functions[n.Op] != nil {
		return l.function(n.Op)
	}
	if d := ops.Lookup(n.Op); d != nil && (d.Has(ops.Effect) || d.Has(ops.Stateful)) {
		return effect
	}
	if s := opdef.Lookup(n.Op); s != nil {
		if s.Stateful {
			return effect
		}
		for _, a := range s.Ins {
			if a.Ref {
				return effect
			}
		}
	}
	return value(n)
}

// value returns the level of a node that has none by its op: before pass refs, one
// that takes the value of a reference reads a variable.
func value(n *ir.Node) level {
	if lo, hi := ops.HandsOn(n); lo < hi {
		return pure
	}
	for _, o := range n.Ins {
		for range maxDepth {
			m := o.Node
			if (isRefSource(m.Op) || ops.HandsOutRef(m.Op)) && o.Fact().DType != tensor.Resource {
				return reads
			}
			lo, hi := ops.HandsOn(m)
			if lo >= hi {
				break
			}
			o = m.Ins[lo]
		}
	}
	return pure
}

// funcs returns the highest level of the functions a node names.
func (l *levels) funcs(n *ir.Node) level {
	top := pure
	for _, v := range n.Attrs {
		switch v := v.(type) {
		case ir.Func:
			top = max(top, l.function(v.Name))
		case []ir.Func:
			for _, f := range v {
				top = max(top, l.function(f.Name))
			}
		}
	}
	return top
}

func (l *levels) function(name string) level {
	if v, ok := l.fn[name]; ok {
		return v
	}
	if l.lib == nil || l.lib.Functions[name] == nil || l.stack[name] {
		return effect
	}
	f := l.lib.Functions[name]
	if f.Body == nil {
		return effect
	}
	l.stack[name] = true
	top := pure
	for _, n := range f.Body.Nodes {
		if v := l.of(n); v != source {
			top = max(top, v)
		}
	}
	delete(l.stack, name)
	l.fn[name] = top
	return top
}

// v1Flow are TensorFlow 1's control flow ops: the nodes after them may be dead,
// or run more than once, and then control edges carry that too.
var v1Flow = set("Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit",
	"NextIteration", "RefNextIteration", "LoopCond", "ControlTrigger")

// conditional returns the nodes that may be dead or stand in a loop: Switch and
// Enter nodes and everything after them. It is empty for plain dataflow.
func conditional(g *ir.Graph) map[*ir.Node]bool {
	var flow []*ir.Node
	for _, n := range g.Nodes {
		if v1Flow[n.Op] {
			flow = append(flow, n)
		}
	}
	if len(flow) == 0 {
		return map[*ir.Node]bool{}
	}
	return downstream(g, flow...)
}

// downstream returns these nodes and all that wait for one of them.
func downstream(g *ir.Graph, nodes ...*ir.Node) map[*ir.Node]bool {
	next := map[*ir.Node][]*ir.Node{}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			next[o.Node] = append(next[o.Node], n)
		}
		for _, c := range n.Controls {
			next[c] = append(next[c], n)
		}
	}
	in := map[*ir.Node]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	for work := nodes; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, m := range next[n] {
			if !in[m] {
				in[m] = true
				work = append(work, m)
			}
		}
	}
	return in
}
