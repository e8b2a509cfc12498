package forms

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/fuzzgraph"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

var (
	damages    = flag.Int("damages", 0, "how many damaged graphs are made of each recorded case; with more than 10 also of the shared ones; 0 is 1, or 4 with GRAPHC_LONG")
	damageSeed = flag.Uint64("damageseed", 1, "which of all damages these are")
	damageOps  = flag.String("damageops", "", "only cases of these ops, with commas between")
)

const (
	damageBytes = 64 << 20  // limit of the buffers of a damaged graph's run
	damageHeap  = 768 << 20 // limit of the memory allocated by compiling and running a damaged graph
	damageTime  = time.Minute
)

// damaged is a copy of a case's graph in which one node, or its inputs, are changed.
type damaged struct {
	g       *ir.Graph
	n       *ir.Node // the node under test
	feeds   map[string]*tensor.Tensor
	fetches []string
	targets []string
	rng     *rand.Rand
	text    []string
}

// value returns the value of a tensor that is fed or constant, or nil for other tensors.
func (d *damaged) value(o ir.Out) *tensor.Tensor {
	switch {
	case o.Node == nil:
		return nil
	case o.Node.Op == "Const":
		t, _ := o.Node.Attrs["value"].(*tensor.Tensor)
		return t
	}
	return d.feeds[o.String()]
}

// give replaces one input of the node under test by a new node with the value t. The first argument
// is the index of the input. At random, the new node is a constant or a feed. The declared shape of
// a feed is complete, has only a rank, or is unknown, also at random.
func (d *damaged) give(in int, t *tensor.Tensor) {
	name := d.g.Fresh(fmt.Sprintf("damaged_%d", in))
	dims := make([]int64, len(t.Shape))
	for i, n := range t.Shape {
		dims[i] = int64(n)
	}
	n := &ir.Node{Name: name, Op: "Placeholder", Outs: []ir.Fact{{DType: t.DType}}}
	how := d.rng.IntN(4)
	switch how {
	case 0:
		n.Op, n.Attrs = "Const", map[string]ir.Attr{"dtype": t.DType, "value": t}
	case 1:
		n.Attrs = map[string]ir.Attr{"dtype": t.DType, "shape": ir.PartialShape{Dims: dims}}
	case 2:
		n.Attrs = map[string]ir.Attr{"dtype": t.DType, "shape": ir.PartialShape{Dims: slices.Repeat([]int64{-1}, len(dims))}}
	case 3:
		n.Attrs = map[string]ir.Attr{"dtype": t.DType, "shape": ir.PartialShape{UnknownRank: true}}
	}
	d.note("input %d is %v, known by %s", in, t, []string{"value", "shape", "rank", "type"}[how])
	if how > 0 {
		d.feeds[name+":0"] = t
	}
	if err := d.g.Add(n); err != nil {
		panic(err)
	}
	d.n.Ins[in] = ir.Out{Node: n}
}

func (d *damaged) note(format string, args ...any) {
	d.text = append(d.text, fmt.Sprintf(format, args...))
}

// damage makes one random change to the node under test. It returns false if it finds nothing to
// change.
func (d *damaged) damage() bool {
	sig := opdef.Lookup(d.n.Op)
	if sig == nil {
		return false
	}
	for range 10 {
		done := false
		switch d.rng.IntN(8) {
		case 0, 1, 2:
			done = d.reshape()
		case 3, 4:
			done = d.revalue()
		case 5:
			done = d.retype(sig)
		default:
			done = d.reattr(sig)
		}
		if done {
			return true
		}
	}
	return false
}

// input chooses an input whose value is known.
func (d *damaged) input() (int, *tensor.Tensor) {
	if len(d.n.Ins) == 0 {
		return 0, nil
	}
	i := d.rng.IntN(len(d.n.Ins))
	t := d.value(d.n.Ins[i])
	if t == nil || !t.DType.IsData() {
		return 0, nil
	}
	return i, t
}

// reshape changes an input's shape, and repeats its elements as needed.
func (d *damaged) reshape() bool {
	i, t := d.input()
	if t == nil {
		return false
	}
	s := slices.Clone(t.Shape)
	axis := 0
	if len(s) > 0 {
		axis = d.rng.IntN(len(s))
	}
	switch k := d.rng.IntN(9); {
	case k == 0:
		s = nil
	case k == 1:
		s = []int{0}
	case k == 2:
		s = append([]int{1 + d.rng.IntN(3)}, s...)
	case k == 3:
		s = append(s, 1+d.rng.IntN(3))
	case k == 4: // the shape stays, but the compiler may know more or less of it
	case len(s) == 0:
		s = []int{1}
	case k == 5:
		s = slices.Delete(s, axis, axis+1)
	case k == 6:
		s[axis] = 0
	case k == 7:
		s[axis]++
	default:
		s[axis] = max(0, s[axis]-1)
	}
	if n, err := tensor.Shape(s).Len(); err != nil || n > 1<<20 {
		return false
	}
	d.give(i, cast(t, t.DType, s))
	return true
}

var (
	oddInts   = []int64{-1, 0, 1, 2, 3, 7, -2, -128, 255, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64, 1 << 40, 1 << 62, 1 << 31}
	oddFloats = []float64{0, -1, 1, 0.5, -0.5, 2, 1e30, -1e30, 1e-40, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32}
	oddWords  = []string{"", " ", "x", "VALID", "SAME", "NHWC", "NCHW", "\x00", "\xff\xfe", "-1", "1e400", "*", "(", "a,b", "/", "../x", strings.Repeat("w", 300), "{}", "%s%n"}
)

// revalue changes one or all elements of an input.
func (d *damaged) revalue() bool {
	i, t := d.input()
	if t == nil || t.Len() == 0 {
		return false
	}
	u := cast(t, t.DType, t.Shape)
	v := reflect.ValueOf(u.Data)
	from, to := 0, v.Len()
	if d.rng.IntN(3) > 0 {
		from = d.rng.IntN(v.Len())
		to = from + 1
	}
	var text any
	switch {
	case t.DType == tensor.String:
		text = oddWords[d.rng.IntN(len(oddWords))]
	case t.DType.IsInteger() || t.DType.IsQuantized():
		text = oddInts[d.rng.IntN(len(oddInts))]
	case t.DType == tensor.Bool:
		text = d.rng.IntN(2)
	default:
		text = oddFloats[d.rng.IntN(len(oddFloats))]
	}
	for j := from; j < to; j++ {
		put(u.DType, v.Index(j), reflect.ValueOf(text))
	}
	d.note("elements %d to %d are %v", from, to, text)
	d.give(i, u)
	return true
}

// retype sets a type attribute to another type that the signature allows, and converts the inputs
// of that type. It removes the nodes that the node under test does not need, such as readers of its
// outputs.
func (d *damaged) retype(sig *opdef.Op) bool {
	var attrs []opdef.Attr
	for _, a := range sig.Attrs {
		if a.Kind == "type" && d.n.Attrs[a.Name] != nil {
			attrs = append(attrs, a)
		}
	}
	if len(attrs) == 0 {
		return false
	}
	a := attrs[d.rng.IntN(len(attrs))]
	types := a.Types
	if types == nil {
		for t := tensor.DType(1); t.Valid(); t++ {
			types = append(types, t)
		}
	}
	to := types[d.rng.IntN(len(types))]
	if to == d.n.DType(a.Name) || !to.IsData() {
		return false
	}
	given := map[int]*tensor.Tensor{}
	for i, arg := range d.places(sig.Ins, len(d.n.Ins)) {
		if arg.TypeAttr == a.Name {
			t := d.value(d.n.Ins[i])
			if t == nil || arg.Ref {
				return false
			}
			given[i] = cast(t, to, t.Shape)
		}
	}
	d.n.Attrs[a.Name] = to
	d.note("%s is %v", a.Name, to)
	for _, i := range slices.Sorted(maps.Keys(given)) {
		d.give(i, given[i])
	}
	for i, arg := range d.places(sig.Outs, len(d.n.Outs)) {
		if arg.TypeAttr == a.Name {
			d.n.Outs[i].DType = to
		}
	}
	d.alone()
	return true
}

// places returns, for each of the first n inputs or outputs of the node, the argument of the op's
// signature to which the input or output belongs. The parameter args has the signature's arguments.
func (d *damaged) places(args []opdef.Arg, n int) []opdef.Arg {
	var of []opdef.Arg
	for _, arg := range args {
		count := 1
		switch {
		case arg.NumberAttr != "":
			count = d.n.Int(arg.NumberAttr)
		case arg.TypeListAttr != "":
			count = len(d.n.DTypes(arg.TypeListAttr))
		}
		for ; count > 0 && len(of) < n; count-- {
			of = append(of, arg)
		}
	}
	return of
}

// alone removes all nodes that the node under test does not need, and fetches the outputs of the
// node under test.
func (d *damaged) alone() {
	keep := map[*ir.Node]bool{}
	var need func(n *ir.Node)
	need = func(n *ir.Node) {
		if n == nil || keep[n] {
			return
		}
		keep[n] = true
		for _, o := range n.Ins {
			need(o.Node)
		}
		for _, c := range n.Controls {
			need(c)
		}
	}
	need(d.n)
	d.g.Keep(keep)
	d.fetches, d.targets = nil, []string{d.n.Name}
	for i := range d.n.Outs {
		if d.n.Outs[i].DType.IsData() {
			d.fetches = append(d.fetches, ir.Out{Node: d.n, Index: i}.String())
		}
	}
	maps.DeleteFunc(d.feeds, func(name string, _ *tensor.Tensor) bool {
		o, err := d.g.Lookup(name)
		return err != nil || o.Node == nil
	})
}

// reattr sets an attribute that is not a type to an extreme value, or removes it.
func (d *damaged) reattr(sig *opdef.Op) bool {
	var attrs []opdef.Attr
	for _, a := range sig.Attrs {
		if v := d.n.Attrs[a.Name]; v != nil && a.Kind != "type" && a.Kind != "list(type)" && a.Kind != "func" && a.Kind != "list(func)" {
			attrs = append(attrs, a)
		}
	}
	if len(attrs) == 0 {
		return false
	}
	a := attrs[d.rng.IntN(len(attrs))]
	odd := func() int64 { return oddInts[d.rng.IntN(len(oddInts))] }
	word := func() string {
		if len(a.Strings) > 0 && d.rng.IntN(4) > 0 {
			return a.Strings[d.rng.IntN(len(a.Strings))]
		}
		return oddWords[d.rng.IntN(len(oddWords))]
	}
	shape := func() ir.PartialShape {
		if d.rng.IntN(4) == 0 {
			return ir.PartialShape{UnknownRank: true}
		}
		s := ir.PartialShape{}
		for range d.rng.IntN(4) {
			s.Dims = append(s.Dims, []int64{-1, 0, 1, 2, 3, 1 << 20, 1 << 40, math.MaxInt64}[d.rng.IntN(8)])
		}
		return s
	}
	switch v := d.n.Attrs[a.Name].(type) {
	case int64:
		d.n.Attrs[a.Name] = odd()
	case float32:
		d.n.Attrs[a.Name] = float32(oddFloats[d.rng.IntN(len(oddFloats))])
	case bool:
		d.n.Attrs[a.Name] = !v
	case string:
		d.n.Attrs[a.Name] = word()
	case ir.PartialShape:
		d.n.Attrs[a.Name] = shape()
	case []int64:
		d.n.Attrs[a.Name] = changed(d.rng, v, odd)
	case []float32:
		d.n.Attrs[a.Name] = changed(d.rng, v, func() float32 { return float32(oddFloats[d.rng.IntN(len(oddFloats))]) })
	case []string:
		d.n.Attrs[a.Name] = changed(d.rng, v, word)
	case []bool:
		d.n.Attrs[a.Name] = changed(d.rng, v, func() bool { return d.rng.IntN(2) == 0 })
	case []ir.PartialShape:
		d.n.Attrs[a.Name] = changed(d.rng, v, shape)
	default:
		return false
	}
	d.note("%s is %.100v", a.Name, d.n.Attrs[a.Name])
	return true
}

// changed returns a list with an element added, removed or replaced.
func changed[E any](rng *rand.Rand, list []E, e func() E) []E {
	list = slices.Clone(list)
	switch k := rng.IntN(5); {
	case len(list) == 0 || k == 0:
		return append(list, e())
	case k == 1:
		return slices.Delete(list, 0, 1)
	}
	list[rng.IntN(len(list))] = e()
	return list
}

// cast returns a tensor of the given type and shape. Its elements are those of t, converted to the
// type and repeated as often as needed.
func cast(t *tensor.Tensor, to tensor.DType, shape []int) *tensor.Tensor {
	u, err := tensor.New(to, slices.Clone(shape), 1<<30)
	if err != nil {
		panic(err)
	}
	from, v := reflect.ValueOf(t.Data), reflect.ValueOf(u.Data)
	for i := range v.Len() {
		if from.Len() == 0 {
			break
		}
		e := from.Index(i % from.Len())
		switch {
		case t.DType == to:
			v.Index(i).Set(e)
		default:
			put(to, v.Index(i), reflect.ValueOf(number(e.Interface())))
		}
	}
	return u
}

// number converts an element to an int64, a float64 or a string.
func number(e any) any {
	switch e := e.(type) {
	case tensor.F16:
		return float64(e.Float32())
	case tensor.BF16:
		return float64(e.Float32())
	case bool:
		if e {
			return int64(1)
		}
		return int64(0)
	case string:
		return e
	case complex64:
		return float64(real(e))
	case complex128:
		return real(e)
	}
	v := reflect.ValueOf(e)
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return int64(1)
}

// put converts the value x to type d, and assigns the result to an element of a tensor. The element
// is the parameter to. The value x is an integer, a float64 or a string. If d is not String, a string
// is replaced by the number of its bytes.
func put(d tensor.DType, to, x reflect.Value) {
	if x.Kind() == reflect.String && d != tensor.String {
		x = reflect.ValueOf(x.Len())
	}
	float := func() float64 {
		if x.CanInt() {
			return float64(x.Int())
		}
		return x.Float()
	}
	switch {
	case d == tensor.String:
		to.SetString(fmt.Sprint(x))
	case d == tensor.Bool:
		to.SetBool(float() != 0)
	case to.CanComplex():
		to.SetComplex(complex(float(), 0))
	case to.Type() == reflect.TypeFor[tensor.F16]():
		to.Set(reflect.ValueOf(tensor.ToF16(float32(float()))))
	case to.Type() == reflect.TypeFor[tensor.BF16]():
		to.Set(reflect.ValueOf(tensor.ToBF16(float32(float()))))
	case x.Type().ConvertibleTo(to.Type()):
		to.Set(x.Convert(to.Type()))
	}
}

// run writes the graph to the file path, reads it back, compiles it and runs it.
func (d *damaged) run(path string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = tensor.Errorf(tensor.Internal, "panic: %v\n%s", p, debug.Stack())
		}
	}()
	var b bytes.Buffer
	if err := frontend.WriteGraphDef(&b, d.g); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return err
	}
	limits := ir.Limits{Time: damageTime / 4, RunBytes: damageBytes}
	m, err := frontend.Load([]string{path}, frontend.Options{})
	if err != nil {
		return err
	}
	p, err := pipeline.CompileModel(m, pipeline.Options{Check: true, Feeds: slices.Sorted(maps.Keys(d.feeds)), Fetches: d.fetches, Targets: d.targets, Limits: limits})
	if err != nil {
		return err
	}
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		return err
	}
	r.SetMaxBytes(damageBytes)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err = r.Run(ctx, d.feeds)
	return err
}

// faulty reports whether err is unacceptable for a damaged graph.
func faulty(err error) bool {
	var lacking *lower.UnsupportedError
	if err == nil || errors.As(err, &lacking) {
		return false
	}
	c := tensor.CodeOf(err)
	if fuzzgraph.Internal(err) {
		return false
	}
	return c == tensor.Internal || c == tensor.Unknown || c == tensor.OK
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestDamage changes recorded cases: shapes, values and types of inputs, and attributes. Most of
// the changed cases are invalid. A changed case must return results or an error with a code for
// invalid input, in time and with little memory.
func TestDamage(t *testing.T) {
	dirs := testkit.Sample(t, "ops")
	if *damages > 10 {
		dirs = append(dirs, testkit.SharedCases(t, "ops")...)
	}
	list, err := cases.Find(dirs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "graph.pb")
	ends := map[string]int{}
	for _, c := range list {
		if c.Err != nil || c.ConfigPath != "" || filepath.Base(c.ModelPath) == "saved_model" {
			continue
		}
		if *damageOps != "" && !slices.Contains(strings.Split(*damageOps, ","), filepath.Base(filepath.Dir(c.Dir))) {
			continue
		}
		m, err := frontend.Load([]string{c.ModelPath}, frontend.Options{})
		if err != nil {
			continue // the recorded graph itself is invalid
		}
		fed, _, err := c.LoadRun(0)
		if err != nil {
			t.Fatal(err)
		}
		seed := fnv.New64()
		fmt.Fprint(seed, c.Rel)
		rng := rand.New(rand.NewPCG(seed.Sum64(), *damageSeed))
		var under []string
		for _, n := range m.Graph.Nodes {
			delete(n.Attrs, "_output_shapes")
			if n.Op != "Const" && n.Op != "Placeholder" && n.Op != "Identity" && n.Op != "NoOp" {
				under = append(under, n.Name)
			}
		}
		if len(under) == 0 {
			continue
		}
		for range cmp.Or(*damages, testkit.Times(1, 4)) {
			d := &damaged{g: m.Graph.Clone(), feeds: maps.Clone(fed), fetches: c.Runs[0].Fetches, targets: c.Runs[0].Targets, rng: rng}
			d.n = d.g.Node(under[rng.IntN(len(under))])
			if !d.damage() || rng.IntN(3) == 0 && !d.damage() {
				continue
			}
			before, start := allocated(), time.Now()
			done := make(chan error, 1)
			go func() { done <- d.run(path) }()
			what := fmt.Sprintf("%s: %s (%s): %s", c.Rel, d.n.Name, d.n.Op, strings.Join(d.text, "; "))
			select {
			case err = <-done:
			case <-time.After(damageTime):
				t.Fatalf("%s: does not end", what)
			}
			if took := time.Since(start); took > damageTime/3 {
				t.Errorf("%s: takes %v", what, took)
			}
			if took := allocated() - before; took > damageHeap {
				t.Errorf("%s: allocates %d MiB", what, took>>20)
			}
			var lacking *lower.UnsupportedError
			switch {
			case errors.As(err, &lacking):
				ends["no kernel"]++
			default:
				ends[tensor.CodeOf(err).String()]++
			}
			if faulty(err) {
				t.Errorf("%s: %.1000v", what, err)
			}
		}
	}
	t.Log(ends)
}
