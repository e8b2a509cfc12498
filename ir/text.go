package ir

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// PrintOptions control how a graph is printed.
type PrintOptions struct {
	// MaxElems is the largest number of elements of a tensor that is printed in full. Of a larger
	// tensor, Print writes only the type, the shape and a hash of the elements' bits, and Parse rejects
	// such a text. If MaxElems is 0, all tensors are printed in full.
	MaxElems int
	// Brief omits the hash of tensors with more than MaxElems elements, because computing the hash
	// requires reading all elements.
	Brief bool
	// First prints a tensor that has more than MaxElems elements as its first MaxElems elements and
	// … for the rest. Parse rejects such a text.
	First bool
	// Origins prints where nodes came from.
	Origins bool
	// NoLibrary omits the functions.
	NoLibrary bool
}

// Print writes a graph as text, which Parse reads back: a line for each feed,
// fetch, target, size, region and node, in the graph's order, and the functions.
//
//	graph "main" producer=1087
//	feed "x:0" = x:0 key="x" shape=[B,4]
//	fetch "y:0" = y:0 key="y"
//	region "cond" if p:0
//	region "loop" in "cond" while c:0
//	node x = Placeholder() {dtype=f32, shape=shape[?,4]} -> f32[B,4]
//	node w = Const() {dtype=f32, value=f32[4,1]{1, 2, 3, 4}} -> f32[4,1] const
//	node y = MatMul(x:0, w:0, ^init) {T=f32, transpose_a=false} on "/cpu:0" in "loop" -> f32[B,1]
//
// The form of an attribute value shows its kind: 1 is an int, 1.0 a float, "s" a string, f32 a
// type, shape[2,?] a shape, f32[2]{1, 2} a tensor, @f{T=f32} a function, $T the caller's attribute
// T; lists are ints[1, 2], types[f32], and so on.
func Print(w io.Writer, g *Graph, o PrintOptions) error {
	b := bufio.NewWriter(w)
	p := &printer{w: b, o: o}
	p.f("graph %s producer=%d\n", quote(g.Name), g.Producer)
	p.graph(g, "")
	if g.Library != nil && !o.NoLibrary {
		p.library(g.Library)
	}
	return b.Flush()
}

// Text returns the text that Print writes.
func (g *Graph) Text(o PrintOptions) string {
	var b strings.Builder
	_ = Print(&b, g, o) // writes to a Builder never fail
	return b.String()
}

// PrintJournal writes the edits, one on each line.
func PrintJournal(w io.Writer, edits []Edit) error {
	b := bufio.NewWriter(w)
	for _, e := range edits {
		fmt.Fprintln(b, e)
	}
	return b.Flush()
}

// NodeText returns a node's line of Print, without the word node and the newline.
func NodeText(n *Node, o PrintOptions) string {
	return strings.TrimSuffix(strings.TrimPrefix(printed(o, func(p *printer) { p.node(n) }), "node "), "\n")
}

// AttrText formats the value of an attribute as Print does.
func AttrText(v Attr, o PrintOptions) string {
	return printed(o, func(p *printer) { p.attr(v) })
}

// TensorText returns a tensor as Print writes it.
func TensorText(t *tensor.Tensor, o PrintOptions) string {
	return printed(o, func(p *printer) { p.tensor(t) })
}

// printed returns the text that f prints.
func printed(o PrintOptions, f func(*printer)) string {
	var b strings.Builder
	p := &printer{w: bufio.NewWriterSize(&b, 256), o: o}
	f(p)
	_ = p.w.Flush() // writes to a Builder never fail
	return b.String()
}

type printer struct {
	w *bufio.Writer
	o PrintOptions
}

func (p *printer) f(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

func (p *printer) graph(g *Graph, indent string) {
	for _, f := range g.Feeds {
		p.f("%sfeed %s = %s key=%s shape=%s\n", indent, quote(f.Name), outText(f.Out), quote(f.Key), f.Shape)
	}
	for _, f := range g.Fetches {
		p.f("%sfetch %s = %s key=%s\n", indent, quote(f.Name), outText(f.Out), quote(f.Key))
	}
	for _, t := range g.Targets {
		p.f("%starget %s\n", indent, name(t.Name))
	}
	for _, k := range sorted(g.Symbols) {
		p.f("%ssize %s = %s index=%d\n", indent, k, outText(g.Symbols[k].Out), g.Symbols[k].Index)
	}
	for _, r := range g.Regions() {
		p.f("%sregion %s", indent, quote(r.Name))
		if r.Parent != nil {
			p.f(" in %s", quote(r.Parent.Name))
		}
		switch {
		case r.Loop:
			p.f(" while ")
		case r.Neg:
			p.f(" unless ")
		default:
			p.f(" if ")
		}
		p.f("%s\n", outText(r.Cond))
	}
	for _, n := range g.Nodes {
		p.f("%s", indent)
		p.node(n)
	}
}

func (p *printer) node(n *Node) {
	p.f("node %s = %s(", name(n.Name), name(n.Op))
	for i, o := range n.Ins {
		if i > 0 {
			p.f(", ")
		}
		p.f("%s", outText(o))
	}
	for i, c := range n.Controls {
		if i+len(n.Ins) > 0 {
			p.f(", ")
		}
		p.f("^%s", name(c.Name))
	}
	p.f(")")
	if len(n.Attrs) > 0 {
		p.f(" ")
		p.attrs(n.Attrs)
	}
	if n.Device != "" {
		p.f(" on %s", quote(n.Device))
	}
	if n.Region != nil {
		p.f(" in %s", quote(n.Region.Name))
	}
	if o := n.Origin; p.o.Origins && (o.File != "" || o.Index != 0 || len(o.Names) > 0) {
		p.f(" from %s %d", quote(o.File), o.Index)
		if len(o.Names) > 0 {
			p.f(" ")
			p.attr(o.Names)
		}
	}
	for i := range n.Outs {
		if i == 0 {
			p.f(" -> ")
		} else {
			p.f("; ")
		}
		p.fact(&n.Outs[i], n.Value())
	}
	p.f("\n")
}

func (p *printer) fact(f *Fact, value *tensor.Tensor) {
	p.f("%s%s", f.DType, f.Shape)
	if f.Ints != nil {
		p.f(" = {%s}", exprs(f.Ints))
	}
	switch {
	case f.Const == nil:
	case f.Const == value:
		p.f(" const")
	default:
		p.f(" const ")
		p.tensor(f.Const)
	}
}

func exprs(es []*sym.Expr) string {
	s := make([]string, len(es))
	for i, e := range es {
		s[i] = e.String()
	}
	return strings.Join(s, ", ")
}

func (p *printer) attrs(m map[string]Attr) {
	p.f("{")
	for i, k := range sorted(m) {
		if i > 0 {
			p.f(", ")
		}
		p.f("%s=", name(k))
		p.attr(m[k])
	}
	p.f("}")
}

func (p *printer) attr(v Attr) {
	switch v := v.(type) {
	case string:
		p.f("%s", quote(v))
	case int64:
		p.f("%d", v)
	case float32:
		p.f("%s", floatText(float64(v), 32, uint64(math.Float32bits(v)), nan32, true))
	case bool:
		p.f("%v", v)
	case tensor.DType:
		p.f("%s", v)
	case PartialShape:
		p.f("shape%s", partialText(v))
	case *tensor.Tensor:
		p.tensor(v)
	case Func:
		p.f("@%s", name(v.Name))
		if len(v.Attrs) > 0 {
			p.attrs(v.Attrs)
		}
	case Placeholder:
		p.f("$%s", name(string(v)))
	case []string:
		printList(p, "strings", v)
	case []int64:
		printList(p, "ints", v)
	case []float32:
		printList(p, "floats", v)
	case []bool:
		printList(p, "bools", v)
	case []tensor.DType:
		printList(p, "types", v)
	case []PartialShape:
		printList(p, "shapes", v)
	case []*tensor.Tensor:
		printList(p, "tensors", v)
	case []Func:
		printList(p, "funcs", v)
	default:
		p.f("unprintable %T", v)
	}
}

func printList[T any](p *printer, kind string, vs []T) {
	p.f("%s[", kind)
	for i, v := range vs {
		if i > 0 {
			p.f(", ")
		}
		p.attr(v)
	}
	p.f("]")
}

func partialText(s PartialShape) string {
	if s.UnknownRank {
		return "[*]"
	}
	t := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		if t[i] = strconv.FormatInt(d, 10); d == -1 {
			t[i] = "?"
		}
	}
	return "[" + strings.Join(t, ",") + "]"
}

// maxSplat bounds the number of elements of a tensor that is printed as a single element because
// all are equal.
const maxSplat = 1 << 20

func (p *printer) tensor(t *tensor.Tensor) {
	p.f("%s%s", t.DType, t.Shape)
	n := t.Len()
	if p.o.MaxElems > 0 && n > p.o.MaxElems {
		if p.o.First {
			elem := elements(t)
			p.f("{")
			for i := range p.o.MaxElems {
				p.f("%s, ", elem(i))
			}
			p.f("…}")
			return
		}
		if p.o.Brief {
			p.f("{…}")
			return
		}
		h := NewHash()
		HashTensor(h, t)
		p.f("#%x", h.Sum(nil)[:8])
		return
	}
	elem := elements(t)
	if n > 1 && n <= maxSplat {
		first, same := elem(0), true
		for i := 1; same && i < n; i++ {
			same = elem(i) == first
		}
		if same {
			p.f("{%s...}", first)
			return
		}
	}
	p.f("{")
	for i := range n {
		if i > 0 {
			p.f(", ")
		}
		p.f("%s", elem(i))
	}
	p.f("}")
}

// The bits of the quiet NaNs that arithmetic produces. A NaN with these bits is printed as nan. Another
// NaN is printed in the format nanFmt, which shows its bits.
const (
	nan16  = 0x7e00
	nanBF  = 0x7fc0
	nan32  = 0x7fc00000
	nan64  = 0x7ff8000000000001
	nanFmt = "nan(0x%x)"
)

// elements returns a function that prints element i of a tensor.
func elements(t *tensor.Tensor) func(i int) string {
	switch d := t.Data.(type) {
	case []float32:
		return func(i int) string { return float32Text(d[i]) }
	case []float64:
		return func(i int) string { return float64Text(d[i]) }
	case []tensor.F16:
		return func(i int) string { return floatText(float64(d[i].Float32()), 32, uint64(d[i]), nan16, false) }
	case []tensor.BF16:
		return func(i int) string { return floatText(float64(d[i].Float32()), 32, uint64(d[i]), nanBF, false) }
	case []complex64:
		return func(i int) string { return "(" + float32Text(real(d[i])) + "," + float32Text(imag(d[i])) + ")" }
	case []complex128:
		return func(i int) string { return "(" + float64Text(real(d[i])) + "," + float64Text(imag(d[i])) + ")" }
	case []string:
		return func(i int) string { return quote(d[i]) }
	case []bool:
		return func(i int) string { return strconv.FormatBool(d[i]) }
	case []uint64:
		return func(i int) string { return strconv.FormatUint(d[i], 10) }
	}
	vs, _ := t.Ints()
	return func(i int) string { return strconv.FormatInt(vs[i], 10) }
}

func float32Text(v float32) string {
	return floatText(float64(v), 32, uint64(math.Float32bits(v)), nan32, false)
}

func float64Text(v float64) string {
	return floatText(v, 64, math.Float64bits(v), nan64, false)
}

// floatText prints a float so that parsing restores its bits. If point is set, the text differs
// from that of an integer.
func floatText(v float64, size int, bits, nan uint64, point bool) string {
	switch {
	case math.IsNaN(v) && bits == nan:
		return "nan"
	case math.IsNaN(v):
		return fmt.Sprintf(nanFmt, bits)
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(v, 'g', -1, size)
	if point && !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func (p *printer) library(l *Library) {
	for _, k := range sorted(l.Functions) {
		f := l.Functions[k]
		p.f("\nfunc %s(%s) -> (%s)", name(f.Name), params(f.Args), params(f.Rets))
		if f.Stateful {
			p.f(" stateful")
		}
		if len(f.Attrs) > 0 {
			p.f(" ")
			p.attrs(f.Attrs)
		}
		p.f("\n")
		if f.Body != nil {
			p.f("  body %s producer=%d\n", quote(f.Body.Name), f.Body.Producer)
		}
		for _, c := range f.Controls {
			p.f("  control %s = %s\n", name(c.Name), name(c.Node))
		}
		if f.Body != nil {
			p.graph(f.Body, "  ")
		}
		p.f("end\n")
	}
	for _, k := range sorted(l.Gradients) {
		p.f("gradient %s = %s\n", name(k), name(l.Gradients[k]))
	}
}

func params(ps []Param) string {
	t := make([]string, len(ps))
	for i, q := range ps {
		t[i] = name(q.Name) + " "
		if q.NumberAttr != "" {
			t[i] += name(q.NumberAttr) + "*"
		}
		switch {
		case q.TypeListAttr != "":
			t[i] += "[" + name(q.TypeListAttr) + "]"
		case q.TypeAttr != "":
			t[i] += "$" + name(q.TypeAttr)
		default:
			t[i] += q.DType.String()
		}
	}
	return strings.Join(t, ", ")
}

func outText(o Out) string {
	if o.Node == nil {
		return "none"
	}
	return name(o.Node.Name) + ":" + strconv.Itoa(o.Index)
}

// name prints a name, quoted if it has characters that TensorFlow's names do not have.
func name(s string) string {
	if s == "" {
		return `""`
	}
	for i := range len(s) {
		if !nameChar(s[i]) {
			return quote(s)
		}
	}
	return s
}

func nameChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '/' || c == '-'
}

func quote(s string) string { return strconv.Quote(s) }

func sorted[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}
