package frontend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// library holds the functions of the files and their instances. A function with attributes is
// instantiated once for each set of attribute values with which it is called. Therefore every
// function body in ir has concrete types.
type library struct {
	defs     map[string]*function
	order    []string // names of the functions, in the order of the files
	grads    map[string]string
	producer int
	own      map[string]*OwnOp
	splat    *int64
	maxNodes int
	maxCalls int

	instances map[string]*instance
	queue     []*instance // instances whose bodies have not been built yet
	nodes     int         // number of nodes built so far
	edges     int         // number of inputs and outputs of the nodes built so far
}

type function struct {
	def  *pb.FunctionDef
	sig  *opdef.Op
	file string
}

type instance struct {
	name string
	fn   *function
	bind map[string]ir.Attr

	body   *ir.Function
	calls  map[string]bool
	broken error
}

const (
	// maxInstances is the largest number of instances of all functions with attributes.
	maxInstances = 10_000
	// maxInstanceKey is the largest length in bytes of the text that printAttr makes of the
	// attributes of one instance.
	maxInstanceKey = 1 << 16
)

func newLibrary(limits ir.Limits, producer int, splat *int64) *library {
	return &library{defs: map[string]*function{}, grads: map[string]string{}, producer: producer, splat: splat, maxNodes: limits.Nodes, maxCalls: limits.Calls,
		instances: map[string]*instance{}}
}

// add adds the functions of a file. Two functions of the same name must be equal. No function may
// have the name of an op.
func (l *library) add(s source, errs *Errors) {
	for _, d := range functionDefs(s) {
		name := d.GetSignature().GetName()
		fail := func(err error) {
			*errs = append(*errs, &FileError{File: s.file, Function: tensor.Clip(name), Err: err})
		}
		if name == "" {
			fail(invalid("a function has no name"))
			continue
		}
		if opdef.Lookup(name) != nil || l.own[name] != nil {
			fail(invalid("an op has the name of this function"))
			continue
		}
		if old := l.defs[name]; old != nil {
			if !proto.Equal(old.def, d) {
				fail(invalid("another function has this name"))
			}
			continue
		}
		sig, err := signatureOf(d.GetSignature())
		if err != nil {
			fail(err)
			continue
		}
		f := &function{def: d, sig: sig, file: s.file}
		l.defs[name] = f
		l.order = append(l.order, name)
		if len(sig.Attrs) == 0 {
			inst := &instance{name: name, fn: f}
			l.instances[name] = inst
			l.queue = append(l.queue, inst)
		}
	}
}

// gradients records which function is the gradient of which other function. Both functions must
// exist, and a function may have only one gradient.
func (l *library) gradients(sources []source, errs *Errors) {
	for _, s := range sources {
		for _, d := range s.def.GetLibrary().GetGradient() {
			fail := func(err error) {
				*errs = append(*errs, &FileError{File: s.file, Function: tensor.Clip(d.FunctionName), Err: err})
			}
			switch old, twice := l.grads[d.FunctionName]; {
			case l.defs[d.FunctionName] == nil && opdef.Lookup(d.FunctionName) == nil:
				fail(invalid("a gradient is given for it, but it is not in the library"))
			case l.defs[d.GradientFunc] == nil:
				fail(invalid("its gradient %q is not in the library", tensor.Clip(d.GradientFunc)))
			case twice && old != d.GradientFunc:
				fail(invalid("it has two gradients, %q and %q", old, d.GradientFunc))
			default:
				l.grads[d.FunctionName] = d.GradientFunc
			}
		}
	}
}

// count adds the inputs and outputs of a node to the total number. It returns an error if the total
// exceeds a limit, which is far above the numbers in real graphs. Without this limit, a few bytes
// of a file could declare millions of inputs.
func (l *library) count(ins, outs int) error {
	if l.edges += ins + outs; l.full() {
		return ir.Exceeded(ir.FlagNodes, "the graph's nodes have more than %d inputs and outputs", 8*l.maxNodes)
	}
	return nil
}

func (l *library) full() bool { return l.edges > 8*l.maxNodes }

// signature returns the signature of the op or function with this name, or nil for an unknown name.
// The result isFunc reports whether the name is that of a function of the library.
func (l *library) signature(name string) (sig *opdef.Op, isFunc bool) {
	if o := l.own[name]; o != nil {
		return o.Signature, false
	}
	if o := opdef.Lookup(name); o != nil {
		return o, false
	}
	if f := l.defs[name]; f != nil {
		return f.sig, true
	}
	return nil, false
}

// instance returns the name of a function's instance for the attributes of a call. For a function
// without attributes, this is the function's own name.
func (l *library) instance(name string, given map[string]ir.Attr) (string, error) {
	f := l.defs[name]
	if f == nil || len(f.sig.Attrs) == 0 {
		return name, nil
	}
	bind := make(map[string]ir.Attr, len(f.sig.Attrs))
	var key strings.Builder
	for i := range f.sig.Attrs {
		a := &f.sig.Attrs[i]
		v, ok := given[a.Name]
		if !ok && a.HasDefault {
			v, ok = a.Default, true
		}
		if !ok {
			return "", invalid("function %q needs attribute %q (%s), which the call does not have", name, a.Name, a.Kind)
		}
		if k := kindOf(v); k != a.Kind && !emptyList(v, a.Kind) {
			return "", invalid("function %q needs attribute %q as %s, but the call has %s", name, a.Name, a.Kind, k)
		}
		if err := checkAttr(a, v); err != nil {
			return "", invalid("function %q, attribute %q: %s", name, a.Name, plain(err))
		}
		bind[a.Name] = v
		fmt.Fprintf(&key, ",%s=", a.Name)
		printAttr(&key, v)
		if key.Len() > maxInstanceKey {
			return "", tensor.Errorf(tensor.ResourceExhausted, "the attributes function %q is called with are too long", name)
		}
	}
	k := key.String()[1:]
	if len(k) > 100 {
		sum := sha256.Sum256([]byte(k))
		k = hex.EncodeToString(sum[:8])
	}
	full := name + "[" + k + "]"
	if l.instances[full] == nil {
		if len(l.instances) > maxInstances+len(l.defs) {
			return "", tensor.Errorf(tensor.ResourceExhausted, "more than %d instances of functions", maxInstances)
		}
		inst := &instance{name: full, fn: f, bind: bind}
		l.instances[full] = inst
		l.queue = append(l.queue, inst)
	}
	return full, nil
}

// emptyList reports whether kind is a list kind and v is an empty list. An empty list in a file
// does not show its kind, and is converted to a nil []int64.
func emptyList(v ir.Attr, kind string) bool {
	l, ok := v.([]int64)
	return ok && l == nil && strings.HasPrefix(kind, "list(")
}

// printAttr appends a text for the value of an attribute to b. Different values have different
// texts. If b becomes longer than maxInstanceKey, the end of the text may be missing.
func printAttr(b *strings.Builder, a ir.Attr) {
	if b.Len() > maxInstanceKey {
		return
	}
	switch v := a.(type) {
	case string:
		fmt.Fprintf(b, "%q", v)
	case []string:
		fmt.Fprintf(b, "%q", v)
	case *tensor.Tensor:
		b.WriteString(v.String())
		if s, ok := v.Data.([]string); ok {
			fmt.Fprintf(b, "%q", s)
			return
		}
		if data := reflect.ValueOf(v.Data); data.IsValid() {
			// the text of each element has at least one byte
			fmt.Fprint(b, data.Slice(0, min(data.Len(), maxInstanceKey+1)))
		}
	case []*tensor.Tensor:
		for _, t := range v {
			printAttr(b, t)
			b.WriteByte(' ')
		}
	case ir.Func:
		fmt.Fprintf(b, "%q", v.Name)
		for _, k := range sortedKeys(v.Attrs) {
			fmt.Fprintf(b, "(%q=", k)
			printAttr(b, v.Attrs[k])
			b.WriteByte(')')
		}
	case []ir.Func:
		for _, f := range v {
			printAttr(b, f)
			b.WriteByte(' ')
		}
	default:
		fmt.Fprint(b, v)
	}
}

// instances replaces the functions in a node's attributes by the names of their instances and
// records which functions the node calls.
func (b *builder) instances(n *ir.Node, fail func(error)) {
	one := func(f ir.Func) ir.Func {
		name, err := b.lib.instance(f.Name, f.Attrs)
		if err != nil {
			fail(err)
			return f
		}
		b.calls[name] = true
		if name != f.Name {
			return ir.Func{Name: name}
		}
		return f
	}
	keys := make([]string, 0, 4)
	for k, v := range n.Attrs {
		switch v.(type) {
		case ir.Func, []ir.Func:
			if !strings.HasPrefix(k, "_") {
				keys = append(keys, k)
			}
		}
	}
	sort.Strings(keys)
	for _, k := range keys {
		switch v := n.Attrs[k].(type) {
		case ir.Func:
			n.Attrs[k] = one(v)
		case []ir.Func:
			l := make([]ir.Func, len(v))
			for i, f := range v {
				l[i] = one(f)
			}
			n.Attrs[k] = l
		}
	}
}

// build builds the bodies of all instances, until the deadline. It omits functions that are invalid
// or call themselves, and returns their errors.
func (l *library) build(deadline ir.Deadline) (*ir.Library, map[string]error) {
	for len(l.queue) > 0 {
		inst := l.queue[0]
		l.queue = l.queue[1:]
		if deadline.Err() != nil {
			break
		}
		l.nodes += len(inst.fn.def.NodeDef)
		if l.nodes > l.maxNodes {
			inst.broken = &FileError{File: inst.fn.file, Function: inst.name, Err: ir.Exceeded(ir.FlagNodes, "the functions have more than %d nodes", l.maxNodes)}
			continue
		}
		l.body(inst)
	}
	l.findRecursion()
	lib := &ir.Library{Functions: map[string]*ir.Function{}, Gradients: l.grads}
	broken := map[string]error{}
	for name, inst := range l.instances {
		if inst.broken != nil {
			broken[name] = inst.broken
			continue
		}
		lib.Functions[name] = inst.body
	}
	return lib, broken
}

// findRecursion marks the functions that call themselves, directly or through others, and those
// that call such a function: TensorFlow cannot run them. It also marks functions whose calls nest
// too deep, so that no other code recurses into these functions.
func (l *library) findRecursion() {
	callers := map[string][]string{}
	// number of called functions that are not yet known to be free of recursion
	open := map[string]int{}
	depth := map[string]int{} // nesting depth of the calls in a function
	var ready []string
	for name, inst := range l.instances {
		for c := range inst.calls {
			if l.instances[c] != nil {
				callers[c] = append(callers[c], name)
				open[name]++
			}
		}
		if open[name] == 0 {
			ready = append(ready, name)
		}
	}
	for len(ready) > 0 {
		name := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if inst := l.instances[name]; depth[name] >= l.maxCalls && inst.broken == nil {
			inst.broken = &FileError{File: inst.fn.file, Function: name, Err: ir.Exceeded(ir.FlagCalls, "calls in the function nest deeper than %d", l.maxCalls)}
		}
		for _, c := range callers[name] {
			depth[c] = max(depth[c], depth[name]+1)
			if open[c]--; open[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
	for name, n := range open {
		if inst := l.instances[name]; n > 0 && inst.broken == nil {
			inst.broken = &FileError{File: inst.fn.file, Function: name, Err: invalid("the function calls itself, or calls a function that does")}
		}
	}
}
