package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
)

// missingOp is an op of TensorFlow that does not compile.
type missingOp struct {
	Name   string `json:"name"`
	Group  string `json:"group"`
	Reason string `json:"reason"`
}

// outOfScope are the groups of ops that a program without TensorFlow has no use
// for; the first that a name fits is its group.
var outOfScope = []struct {
	group, reason string
	names         *regexp.Regexp
}{
	{"tests", "registered for TensorFlow's own tests", regexp.MustCompile(`^(A|B|None|Old|Attr.*|Binary|Unary|Simple|SimpleStruct|MixedStruct|ComplexStruct|CopyOp|DefaultAttrs|` +
		`DtypeWithDefaultOp|OpWithDefaultAttr|OpWithFutureDefaultAttr|FiveFloatOutputs|Float(Input|Output.*)|Foo[123]|Func(List)?Attr|In(Polymorphic)?(Twice)?|InPolymorphicTwice|` +
		`Int64Output|Int(Attr|Input.*|Output.*)|KernelLabel(Required)?|ListInput|ListOutput|MlirPassthroughOp|N(Polymorphic|InPolymorphic|InTwo?|Ints)?.*(In|Out|Twice|Default|TypeVariables)|` +
		`Namespace>TestStringOutput|OutT|OutTypeList.*|Polymorphic.*|Ref(In|Out|Output|InputFloatInput.*|InputIntInput)|RequiresOlderGraphVersion|Reserved(Attr|Input)|Restrict|` +
		`ResourceCreateOp|ResourceInitializedOp|ResourceUsingOp|StringListAttr|StubResourceHandleOp|IsResourceHandleRefCounting|MakeWeakResourceHandle|Test(Attr|StringOutput)|` +
		`Two(Float|Int)(Inputs|Outputs).*|TwoRefsIn|RefOutputFloatOutput|TypeList.*|ConstructionFails|SleepOp|SleepIdentityOp|FakeQueue|GraphDefVersion|GetDeadline|Fact|KthOrderStatistic|MakeUnique|TopK(With)?Unique)$`)},
	{"no CPU kernel", "TensorFlow has no kernel for CPUs that can run, with graphs of today", regexp.MustCompile(`^(BatchI?FFT[23]?D?|I?R?FFTND|CTCLossV2|Conv2DBackprop(Filter|Input)V2|MaxPoolGradGradWithArgmax|QuantizedReluX|` +
		`Segment(Max|Min|Prod|Sum)V2|SparseMatrix(Add|Mul|Softmax|SoftmaxGrad|Zeros)|TileGrad|QuantizeAndDequantize|NegTrain|Quantized(Concat|Conv2D|DepthwiseConv2D|MatMul).+)$`)},
	{"oneDNN", "put into graphs by TensorFlow's own rewrites when it runs", regexp.MustCompile(`^(_Mkl|__Mkl|_QuantizedMatMul|_QuantizedMaxPool3D|_Fused(Quantized.*|BatchNormGradEx)|_UnaryOpsComposition|_TensorToHashBucketFast)`)},
	{"run time", "put into graphs by TensorFlow's run time", regexp.MustCompile(`^_(Arg|Retval|Device(Arg|Retval)|ArrayToList|ListToArray|EagerConst|Host(Cast|Recv|Send)|ParallelConcat.*|ScopedAllocator.*|Xla.*)$|^(Send|Recv|HostConst|RemoteCall|SyncDevice|DevicePlacementOp|Copy|CopyHost)$`)},
	{"TPU", "runs on a TPU", regexp.MustCompile(`TPU|Tpu|Infeed|Outfeed|SparseCore|MinibatchS|Minibatches|Dedup|^Xla(Sparse|.*Minibatch)|^StoreMinibatch|CooTensor|^Prelinearize|^GlobalIterId|^UpdateTaskId`)},
	{"XLA", "made by and for the XLA compiler, which has to run first", regexp.MustCompile(`^Xla|^AssignVariableXla|^ReadVariableXla|^CollectivePermute|^AllToAll|^CrossReplicaSum`)},
	{"RISC", "an intermediate form without kernels", regexp.MustCompile(`^Risc`)},
	{"GPU", "has kernels for GPUs only", regexp.MustCompile(`^Cudnn|^_?Nccl`)},
	{"DTensor", "needs several hosts or accelerators", regexp.MustCompile(`^DTensor|ToMesh|^Relayout`)},
	{"network", "talks to other processes", regexp.MustCompile(`^Collective|^Rpc|^DeleteRpc|^DataService|^WorkerHeartbeat`)},
	{"input pipelines", "a dataset, an iterator or what serves them; a Go program feeds what these give", regexp.MustCompile(`Dataset|Iterator|^Experimental|MemoryCache|^StatsAggregator|^(Delete|Anonymous|Dummy).*(Cache|Generator)|` +
		`^DummyIterationCounter|^ThreadPoolHandle|^GetOptions|^(Unc|C)ompressElement|^ComputeBatchSize|^MapDefun|^RecordInput|^Snapshot(Chunk|Nested)|^GetElementAtIndex|^WindowOp`)},
	{"boosted trees", "TensorFlow itself has no kernels for them any longer", regexp.MustCompile(`BoostedTrees`)},
	{"Python", "calls a Python function", regexp.MustCompile(`PyFunc`)},
	{"server batching", "joins requests that come at the same time, which is a server's part", regexp.MustCompile(`^(Batch|Unbatch|UnbatchGrad|BatchFunction)$`)},
}

// compiles is the set of ops that compile.
func compiles() map[string]bool {
	have := map[string]bool{}
	for _, d := range ops.All() {
		have[d.Name] = d.Lower != nil
	}
	for _, op := range passes.TakenOut() {
		have[op] = true
	}
	return have
}

// missingOps are TensorFlow's ops that do not compile, by group and name, and the
// number of those that do.
func missingOps() (missing []missingOp, have int) {
	all := compiles()
	for _, name := range opdef.Names() {
		if all[name] {
			have++
			continue
		}
		m := missingOp{Name: name, Group: "other", Reason: "not written yet"}
		if d := ops.Lookup(name); d != nil && strings.HasPrefix(d.Limits, ops.Refused) {
			m.Group, m.Reason = "refused", "reaches files, the network or other processes without bounds, or ends the process: docs/sandbox.md"
		}
		for _, g := range outOfScope {
			if m.Group != "other" {
				break
			}
			if g.names.MatchString(name) {
				m.Group, m.Reason = g.group, g.reason
				break
			}
		}
		missing = append(missing, m)
	}
	rank := func(group string) int {
		return slices.IndexFunc(outOfScope, func(g struct {
			group, reason string
			names         *regexp.Regexp
		}) bool {
			return g.group == group
		})
	}
	slices.SortStableFunc(missing, func(a, b missingOp) int { return rank(a.Group) - rank(b.Group) })
	return missing, have
}

// opsMissing prints the ops that do not compile by groups.
func (a *app) opsMissing() error {
	missing, have := missingOps()
	for i := 0; i < len(missing); {
		j := i
		var names []string
		for ; j < len(missing) && missing[j].Group == missing[i].Group; j++ {
			names = append(names, missing[j].Name)
		}
		fmt.Fprintf(a.out, "%s (%d): %s\n  %s\n", missing[i].Group, len(names), missing[i].Reason, strings.Join(names, " "))
		i = j
	}
	_, err := fmt.Fprintf(a.out, "%d of the %d ops that TensorFlow registers compile\n", have, have+len(missing))
	return err
}
