package ops_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

var updateRefusals = flag.Bool("update", false, "rewrite the outcomes in testdata/refused")

// TestRefusals compiles and runs the graphs in testdata/refused, and compares the outcome of each
// graph with the expected one. An outcome is either the code and text of an error, at compile time
// or at run time, or the types and shapes of the results. The expected codes are those of
// TensorFlow. testdata/refused/README.txt describes the format of the files.
func TestRefusals(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "refused", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Base(file) == "README.txt" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			root, path := refusalFiles(t), filepath.Join(t.TempDir(), "graph.pb")
			var out strings.Builder
			for i, l := range strings.SplitAfter(string(raw), "\n") {
				text, want, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t> ")
				if text == "" || text[0] == '#' {
					out.WriteString(l)
					continue
				}
				got := refusalOf(t, text, path, root)
				if got != want && !*updateRefusals {
					t.Errorf("%s:%d: %s\n\tgot  %s\n\twant %s", file, i+1, text, got, want)
				}
				fmt.Fprintf(&out, "%s\t> %s\n", text, got)
			}
			if *updateRefusals {
				if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// refusalOf compiles and runs the graph that a line of a test file describes. It returns the
// outcome as a text.
func refusalOf(t *testing.T, line, path string, root *os.Root) string {
	t.Helper()
	r, err := readRefusal(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	out, err := r.run(path, root)
	if err != nil {
		return refusalText(err)
	}
	var s []string
	for _, f := range r.fetches {
		s = append(s, out[f].String())
	}
	return strings.Join(s, " ")
}

// refusalFiles creates the files that the graphs read.
func refusalFiles(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for name, text := range map[string]string{"text": "one\ntwo\nlast", "raw": "\x00\x01\x00\x01\x01\x00\x01\x00"} {
		if err := root.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func refusalText(err error) string {
	msg := err.Error()
	if e := (*tensor.Error)(nil); errors.As(err, &e) {
		msg = e.Msg
	}
	msg, _, _ = strings.Cut(msg, "\n")
	return fmt.Sprintf("%v: %s", tensor.CodeOf(err), strings.TrimSpace(msg))
}

// refusal is a graph and its feeds.
type refusal struct {
	g       *ir.Graph
	feeds   map[string]*tensor.Tensor
	names   []string // of the feeds
	fetches []string
	targets []string
}

// run writes the graph to the file path, compiles it, runs it, and returns the fetched tensors. The
// graph may read files below root.
func (r *refusal) run(path string, root *os.Root) (map[string]*tensor.Tensor, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(frontend.WriteGraphDef(f, r.g), f.Close()); err != nil {
		return nil, err
	}
	m, err := frontend.Load([]string{path}, frontend.Options{})
	if err != nil {
		return nil, err
	}
	p, err := pipeline.CompileModel(m, pipeline.Options{Feeds: r.names, Fetches: r.fetches, Targets: r.targets, AllowFiles: true})
	if err != nil {
		return nil, err
	}
	x, err := p.Runner(p.Signatures[0])
	if err != nil {
		return nil, err
	}
	x.SetFiles(root)
	x.SetMaxBytes(64 << 20)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return x.Run(ctx, r.feeds)
}

// refusalReader parses a line.
type refusalReader struct {
	s     string
	g     *ir.Graph
	named map[string]*ir.Node
	types map[*ir.Node][]tensor.DType
	r     *refusal
}

func readRefusal(line string) (r *refusal, err error) {
	p := &refusalReader{s: line, g: ir.NewGraph("g"), named: map[string]*ir.Node{}, types: map[*ir.Node][]tensor.DType{}}
	p.g.Producer = opdef.GraphVersion
	p.r = &refusal{g: p.g, feeds: map[string]*tensor.Tensor{}}
	defer func() {
		if e := recover(); e != nil {
			text, ok := e.(string)
			if !ok {
				panic(e)
			}
			r, err = nil, fmt.Errorf("%s before %q", text, p.s)
		}
	}()
	if p.accept("producer=") {
		n, err := strconv.Atoi(p.until(" "))
		if err != nil {
			return nil, err
		}
		p.g.Producer = n
		p.expect("  ")
	}
	var last *ir.Node
	for {
		name := ""
		if i := strings.Index(p.s, " = "); i > 0 && !strings.ContainsAny(p.s[:i], "([{") {
			name, p.s = p.s[:i], p.s[i+3:]
		}
		last = p.node()
		if name != "" {
			p.named[name] = last
		}
		if p.s == "" {
			break
		}
		p.expect("  ")
	}
	for i := range p.types[last] {
		p.r.fetches = append(p.r.fetches, last.Name+":"+strconv.Itoa(i))
	}
	if len(p.types[last]) == 0 {
		p.r.targets = []string{last.Name}
	}
	return p.r, nil
}

func (p *refusalReader) accept(t string) bool {
	s, ok := strings.CutPrefix(p.s, t)
	p.s = s
	return ok
}

func (p *refusalReader) expect(t string) {
	if !p.accept(t) {
		panic(fmt.Sprintf("%q is missing", t))
	}
}

// until returns the rest of the line up to the first occurrence of a character in chars, and
// advances to that character.
func (p *refusalReader) until(chars string) string {
	i := strings.IndexAny(p.s, chars)
	if i < 0 {
		i = len(p.s)
	}
	t := p.s[:i]
	p.s = p.s[i:]
	return t
}

// node parses Op(arg, arg; attr=value, attr=value).
func (p *refusalReader) node() *ir.Node {
	op := p.until("(")
	sig := opdef.Lookup(op)
	if sig == nil {
		panic("there is no op " + op)
	}
	p.expect("(")
	var ins []ir.Out
	var types []tensor.DType
	var control []*ir.Node
	for !strings.HasPrefix(p.s, ";") && !strings.HasPrefix(p.s, ")") {
		if p.accept("^") {
			control = append(control, p.arg().Node)
		} else {
			o := p.arg()
			ins = append(ins, o)
			types = append(types, p.types[o.Node][o.Index])
		}
		if !p.accept(", ") {
			break
		}
	}
	attrs := inferred(sig, types)
	if p.accept("; ") {
		for {
			name := p.until("=")
			p.expect("=")
			a := sig.Attr(name)
			if a == nil {
				panic("there is no attribute " + name)
			}
			attrs[name] = p.value(a.Kind)
			if !p.accept(", ") {
				break
			}
		}
	}
	p.expect(")")
	n := p.g.NewNode(strings.ToLower(strings.TrimLeft(op, "_")), op, attrs, 0, ins...)
	n.Controls = append(n.Controls, control...)
	p.types[n] = outTypes(sig, attrs)
	n.Outs = make([]ir.Fact, len(p.types[n]))
	for i, d := range p.types[n] {
		n.Outs[i].DType = d
	}
	return n
}

// inferred returns the attributes determined by the types and the number of inputs.
func inferred(sig *opdef.Op, types []tensor.DType) map[string]ir.Attr {
	attrs := map[string]ir.Attr{}
	variable := 0
	for _, a := range sig.Ins {
		if a.NumberAttr != "" || a.TypeListAttr != "" {
			variable++
		}
	}
	for i, a := range sig.Ins {
		n := 1
		if a.NumberAttr != "" || a.TypeListAttr != "" {
			n = max(0, len(types)-(len(sig.Ins)-i-1))
			if variable > 1 {
				// The number of tensors in each input is ambiguous. The line therefore contains
				// these attributes.
				return attrs
			}
		}
		n = min(n, len(types))
		if _, known := attrs[a.TypeAttr]; a.TypeAttr != "" && n > 0 && !known {
			attrs[a.TypeAttr] = types[0]
		}
		if a.NumberAttr != "" {
			attrs[a.NumberAttr] = int64(n)
		}
		if a.TypeListAttr != "" {
			attrs[a.TypeListAttr] = slices.Clone(types[:n])
		}
		types = types[n:]
	}
	return attrs
}

func outTypes(sig *opdef.Op, attrs map[string]ir.Attr) (types []tensor.DType) {
	get := func(name string) ir.Attr {
		if v, ok := attrs[name]; ok {
			return v
		}
		if a := sig.Attr(name); a != nil && a.HasDefault {
			return a.Default
		}
		panic("attribute " + name + " is missing")
	}
	for _, o := range sig.Outs {
		d, n := o.DType, 1
		switch {
		case o.TypeListAttr != "":
			types = append(types, get(o.TypeListAttr).([]tensor.DType)...)
			continue
		case o.TypeAttr != "":
			d = get(o.TypeAttr).(tensor.DType)
		}
		if o.NumberAttr != "" {
			n = int(get(o.NumberAttr).(int64))
		}
		types = append(types, slices.Repeat([]tensor.DType{d}, max(0, min(n, 1000)))...)
	}
	return types
}

// arg parses an input, which is an output of a node in the form Op(…), the name of a node, or a
// tensor.
func (p *refusalReader) arg() ir.Out {
	for _, k := range []string{"@", "~", "?"} {
		if p.accept(k) {
			return p.tensor(k)
		}
	}
	var n *ir.Node
	word := p.s[:len(p.s)-len(strings.TrimLeft(p.s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))]
	switch rest := p.s[len(word):]; {
	case strings.HasPrefix(rest, "("):
		n = p.node()
	case strings.HasPrefix(rest, "["):
		return p.tensor("")
	default:
		if n, p.s = p.named[word], rest; n == nil {
			panic("there is no " + word)
		}
	}
	if p.accept(":") {
		i, err := strconv.Atoi(p.until(",;)"))
		if err != nil || i >= len(p.types[n]) {
			panic("no output")
		}
		return ir.Out{Node: n, Index: i}
	}
	if len(p.types[n]) == 0 {
		p.types[n] = nil
		return ir.Out{Node: n}
	}
	return ir.Out{Node: n}
}

// tensor parses type[dims]{values}. The parameter known is the prefix before this text, or "". The
// tensor is a constant if there is no prefix and {values} is present. In all other cases, the
// tensor is a feed, whose elements are 0 if {values} is missing.
func (p *refusalReader) tensor(known string) ir.Out {
	d := p.dtype()
	p.expect("[")
	var shape tensor.Shape
	var dims []int64
	for !strings.HasPrefix(p.s, "]") {
		n, err := strconv.Atoi(p.until(",]"))
		if err != nil {
			panic(err.Error())
		}
		shape, dims = append(shape, n), append(dims, int64(n))
		p.accept(",")
	}
	p.expect("]")
	v, err := tensor.New(d, shape, 0)
	if err != nil {
		panic(err.Error())
	}
	constant := false
	if p.accept("{") {
		constant = known == ""
		for i := 0; !strings.HasPrefix(p.s, "}"); i++ {
			p.set(v, i)
			p.accept(",")
		}
		p.expect("}")
	}
	if constant {
		o := p.g.NewConst("c", v)
		if o.Node.Attrs == nil {
			o.Node.Attrs = map[string]ir.Attr{}
		}
		p.types[o.Node] = []tensor.DType{d}
		return o
	}
	s := ir.PartialShape{Dims: dims}
	switch known {
	case "~":
		s.Dims = slices.Repeat([]int64{-1}, len(dims))
	case "?":
		s = ir.PartialShape{UnknownRank: true}
	}
	n := p.g.NewNode("x", "Placeholder", map[string]ir.Attr{"dtype": d, "shape": s}, 1)
	n.Outs[0].DType = d
	p.types[n] = []tensor.DType{d}
	p.r.feeds[n.Name+":0"] = v
	p.r.names = append(p.r.names, n.Name+":0")
	return ir.Out{Node: n}
}

// set parses one value and assigns it to all elements from i on.
func (p *refusalReader) set(v *tensor.Tensor, i int) {
	if strings.HasPrefix(p.s, `"`) {
		s := p.str()
		for data := v.Data.([]string); i < len(data); i++ {
			data[i] = s
		}
		return
	}
	word := p.until(",}")
	x, err := strconv.ParseFloat(word, 64)
	n, _ := strconv.ParseInt(word, 0, 64)
	if err != nil {
		panic(err.Error())
	}
	for ; i < v.Len(); i++ {
		switch data := v.Data.(type) {
		case []float32:
			data[i] = float32(x)
		case []float64:
			data[i] = x
		case []tensor.F16:
			data[i] = tensor.ToF16(float32(x))
		case []tensor.BF16:
			data[i] = tensor.ToBF16(float32(x))
		case []int8:
			data[i] = int8(n)
		case []uint8:
			data[i] = uint8(n)
		case []int16:
			data[i] = int16(n)
		case []uint16:
			data[i] = uint16(n)
		case []int32:
			data[i] = int32(n)
		case []uint32:
			data[i] = uint32(n)
		case []int64:
			data[i] = n
		case []uint64:
			data[i] = uint64(n)
		case []complex64:
			data[i] = complex(float32(x), 0)
		case []complex128:
			data[i] = complex(x, 0)
		case []bool:
			data[i] = x != 0
		default:
			panic("no values of this type are read")
		}
	}
}

func (p *refusalReader) str() string {
	q, err := strconv.QuotedPrefix(p.s)
	if err != nil {
		panic("a string is missing")
	}
	p.s = p.s[len(q):]
	s, _ := strconv.Unquote(q)
	return s
}

func (p *refusalReader) dtype() tensor.DType {
	d, ok := tensor.ParseDType(p.until("[],;){}"))
	if !ok {
		panic("a type is missing")
	}
	return d
}

// value parses an attribute.
func (p *refusalReader) value(kind string) ir.Attr {
	switch kind {
	case "string":
		return p.str()
	case "int":
		i, err := strconv.ParseInt(p.until(",)]"), 10, 64)
		if err != nil {
			panic(err.Error())
		}
		return i
	case "float":
		f, err := strconv.ParseFloat(p.until(",)]"), 32)
		if err != nil {
			panic(err.Error())
		}
		return float32(f)
	case "bool":
		return p.until(",)]") == "true"
	case "type":
		return p.dtype()
	case "shape":
		if p.accept("?") {
			return ir.PartialShape{UnknownRank: true}
		}
		return ir.PartialShape{Dims: refusalList[int64](p, "int")}
	case "list(string)":
		return refusalList[string](p, "string")
	case "list(int)":
		return refusalList[int64](p, "int")
	case "list(float)":
		return refusalList[float32](p, "float")
	case "list(bool)":
		return refusalList[bool](p, "bool")
	case "list(type)":
		return refusalList[tensor.DType](p, "type")
	case "list(shape)":
		return refusalList[ir.PartialShape](p, "shape")
	}
	panic("attributes of kind " + kind + " are not read")
}

func refusalList[T any](p *refusalReader, kind string) []T {
	l := []T{}
	p.expect("[")
	for !p.accept("]") {
		l = append(l, p.value(kind).(T))
		p.accept(",")
	}
	return l
}
