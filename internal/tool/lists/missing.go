package lists

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ops"
	flowops "github.com/graphc/graphc/ops/flow"
	"github.com/graphc/graphc/passes"
)

// notWritten is the name of the group of ops that graphc lacks although programs could use them.
const notWritten = "other"

// missingOp describes an op of TensorFlow that graphc cannot compile.
type missingOp struct {
	Name   string `json:"name"`
	Group  string `json:"group"`
	Reason string `json:"reason"`
}

// scope describes a group of ops that graphc is not intended to compile.
type scope struct {
	group, reason string
	names         *regexp.Regexp
}

// outOfScope lists groups of ops that a program without TensorFlow does not need. An op belongs to
// the first group whose pattern matches the name of the op.
var outOfScope = []scope{
	{"tests", "registered for TensorFlow's own tests", regexp.MustCompile(`^(A|B|None|Old|Attr.*|Binary|Unary|Simple|SimpleStruct|MixedStruct|ComplexStruct|CopyOp|DefaultAttrs|` +
		`DtypeWithDefaultOp|OpWithDefaultAttr|OpWithFutureDefaultAttr|FiveFloatOutputs|Float(Input|Output.*)|Foo[123]|Func(List)?Attr|In(Polymorphic)?(Twice)?|InPolymorphicTwice|` +
		`Int64Output|Int(Attr|Input.*|Output.*)|KernelLabel(Required)?|ListInput|ListOutput|MlirPassthroughOp|N(Polymorphic|InPolymorphic|InTwo?|Ints)?.*(In|Out|Twice|Default|TypeVariables)|` +
		`Namespace>TestStringOutput|OutT|OutTypeList.*|Polymorphic.*|Ref(In|Out|Output|InputFloatInput.*|InputIntInput)|RequiresOlderGraphVersion|Reserved(Attr|Input)|Restrict|` +
		`ResourceCreateOp|ResourceInitializedOp|ResourceUsingOp|StringListAttr|StubResourceHandleOp|IsResourceHandleRefCounting|MakeWeakResourceHandle|Test(Attr|StringOutput)|` +
		`Two(Float|Int)(Inputs|Outputs).*|TwoRefsIn|RefOutputFloatOutput|TypeList.*|ConstructionFails|SleepOp|SleepIdentityOp|FakeQueue|GraphDefVersion|GetDeadline|Fact|KthOrderStatistic|MakeUnique|TopK(With)?Unique)$`)},
	{"no CPU kernel", "TensorFlow has no kernel for CPUs that can run, with graphs of today", regexp.MustCompile(`^(BatchI?FFT[23]?D?|I?R?FFTND|CTCLossV2|Conv2DBackprop(Filter|Input)V2|MaxPoolGradGradWithArgmax|QuantizedReluX|` +
		`Segment(Max|Min|Prod|Sum)V2|SparseMatrix(Add|Mul|Softmax|SoftmaxGrad|Zeros)|TileGrad|QuantizeAndDequantize|NegTrain|Quantized(Concat|Conv2D|DepthwiseConv2D|MatMul).+|QuantizedDepthwiseConv2D)$`)},
	{"oneDNN", "put into graphs by TensorFlow's own rewrites when it runs", regexp.MustCompile(`^(_Mkl|__Mkl|_QuantizedMatMul|_QuantizedMaxPool3D|_Fused(Quantized.*|BatchNormGradEx)|_UnaryOpsComposition|_TensorToHashBucketFast)`)},
	{"run time", "put into graphs by TensorFlow's run time", regexp.MustCompile(`^_(Arg|Retval|Device(Arg|Retval)|ArrayToList|ListToArray|EagerConst|Host(Cast|Recv|Send)|ParallelConcat.*|ScopedAllocator.*|Xla.*)$|^(Send|Recv|HostConst|RemoteCall|SyncDevice|DevicePlacementOp|Copy|CopyHost)$`)},
	{"TPU", "runs on a TPU", regexp.MustCompile(`TPU|Tpu|Infeed|Outfeed|SparseCore|MinibatchS|Minibatches|Dedup|^Xla(Sparse|.*Minibatch)|^StoreMinibatch|CooTensor|^Prelinearize|^GlobalIterId|^UpdateTaskId`)},
	{"XLA", "made by and for the XLA compiler, which has to run first", regexp.MustCompile(`^Xla|^AssignVariableXla|^ReadVariableXla|^CollectivePermute|^AllToAll|^CrossReplicaSum`)},
	{"RISC", "an intermediate form without kernels", regexp.MustCompile(`^Risc`)},
	{"GPU", "has kernels for GPUs only", regexp.MustCompile(`^Cudnn|^_?Nccl`)},
	{"DTensor", "needs several hosts or accelerators", regexp.MustCompile(`^DTensor|ToMesh|^Relayout`)},
	{"input pipelines", "a dataset, an iterator or what serves them; a Go program feeds what these give", regexp.MustCompile(`Dataset|Iterator|^Experimental|MemoryCache|^StatsAggregator|^(Delete|Anonymous|Dummy).*(Cache|Generator)|` +
		`^DummyIterationCounter|^ThreadPoolHandle|^GetOptions|^(Unc|C)ompressElement|^ComputeBatchSize|^MapDefun|^RecordInput|^Snapshot(Chunk|Nested)|^GetElementAtIndex|^WindowOp`)},
	{"boosted trees", "TensorFlow itself has no kernels for them any longer", regexp.MustCompile(`BoostedTrees`)},
	{"server batching", "joins requests that come at the same time, which is a server's part", regexp.MustCompile(`^(Batch|Unbatch|UnbatchGrad|BatchFunction)$`)},
}

// compiles returns the set of ops that graphc can compile.
func compiles() map[string]bool {
	have := map[string]bool{}
	for _, d := range ops.All() {
		have[d.Name] = d.Lower != nil
	}
	for _, op := range passes.TakenOut(ops.Ops()) {
		have[op] = true
	}
	return have
}

// missingOps returns the ops of TensorFlow that graphc cannot compile, sorted by group and name. It
// also returns the number of ops that graphc can compile.
func missingOps() (missing []missingOp, have int) {
	all := compiles()
	for _, name := range opdef.Names() {
		if all[name] {
			have++
			continue
		}
		m := missingOp{Name: name, Group: notWritten, Reason: "not written yet"}
		if d := ops.Lookup(name); d != nil && strings.HasPrefix(d.Limits, flowops.Refused) {
			m.Group, m.Reason = "refused", "reaches files, the network or other processes without bounds, or ends the process: docs/sandbox.md"
		}
		for _, g := range outOfScope {
			if m.Group != notWritten {
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
		at := slices.IndexFunc(outOfScope, func(g scope) bool { return g.group == group })
		if at < 0 && group != notWritten { // the group of refused ops is not in outOfScope
			return len(outOfScope)
		}
		return at
	}
	slices.SortStableFunc(missing, func(a, b missingOp) int { return rank(a.Group) - rank(b.Group) })
	return missing, have
}

// opsMissing prints the ops that graphc cannot compile, group by group, and a table of the ops in
// each family.
func opsMissing(a *base.App) error {
	missing, have := missingOps()
	for i := 0; i < len(missing); {
		j := i
		var names []string
		for ; j < len(missing) && missing[j].Group == missing[i].Group; j++ {
			names = append(names, missing[j].Name)
		}
		fmt.Fprintf(a.Out, "%s (%d): %s\n  %s\n", missing[i].Group, len(names), missing[i].Reason, strings.Join(names, " "))
		i = j
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "family\tcompile\tof\tnot written")
	for _, f := range opFamilies() {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", f.name, f.have, f.all, strings.Join(f.open, " "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "%d of the %d ops that TensorFlow registers compile\n", have, have+len(missing))
	return err
}

// familyText lists TensorFlow's ops by family. Each line has the form "name: ops". A family has the
// ops of one Python module of TensorFlow, or of several small modules. Ops without a family are
// internal, or are for TensorFlow's tests.
//
//go:embed families.txt
var familyText string

const noFamily = "internal and tests"

// opFamily has the numbers of ops in a family: those that graphc can compile, and all of them.
type opFamily struct {
	name      string
	have, all int
	groups    map[string]int // number of ops in each group that graphc is not intended to compile
	open      []string       // other ops that graphc cannot compile
}

// opFamilies returns the families in the order of familyText. Ops without a family come last, as
// one more family.
func opFamilies() []*opFamily {
	family := map[string]string{}
	var list []*opFamily
	by := map[string]*opFamily{}
	add := func(name string) {
		by[name] = &opFamily{name: name, groups: map[string]int{}}
		list = append(list, by[name])
	}
	for line := range strings.Lines(familyText) {
		name, ops, _ := strings.Cut(line, ": ")
		name = strings.ReplaceAll(name, "_", " ")
		add(name)
		for _, op := range strings.Fields(ops) {
			family[op] = name
		}
	}
	add(noFamily)
	missing, _ := missingOps()
	lacks := map[string]string{}
	for _, m := range missing {
		lacks[m.Name] = m.Group
	}
	for _, op := range opdef.Names() {
		f := by[cmp.Or(family[op], noFamily)]
		f.all++
		switch group, lacking := lacks[op]; {
		case !lacking:
			f.have++
		case group == notWritten:
			f.open = append(f.open, op)
		default:
			f.groups[group]++
		}
	}
	return list
}
