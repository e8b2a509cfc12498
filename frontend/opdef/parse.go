package opdef

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// parser parses the output of Format. It keeps the first error.
type parser struct {
	s   string
	err error
}

func parse(line string) (*Op, error) {
	p := &parser{s: line}
	o := &Op{Name: p.until("(")}
	p.expect("(")
	o.Ins = p.args()
	p.expect(" -> (")
	o.Outs = p.args()
	p.expect(" {")
	for !p.accept("}") && p.err == nil {
		if len(o.Attrs) > 0 {
			p.expect("; ")
		}
		o.Attrs = append(o.Attrs, p.attr())
	}
	for _, f := range flags {
		*f.of(o) = p.accept(" " + f.name)
	}
	if p.accept(" deprecated=") {
		o.Deprecated = int(p.int())
	}
	if p.err == nil && p.s != "" {
		p.fail("the line's end")
	}
	if p.err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, p.err)
	}
	return o, nil
}

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("found %q, expected %s", p.s[:min(20, len(p.s))], want)
	}
	p.s = ""
}

func (p *parser) accept(t string) bool {
	rest, ok := strings.CutPrefix(p.s, t)
	if ok {
		p.s = rest
	}
	return ok
}

func (p *parser) expect(t string) {
	if !p.accept(t) {
		p.fail(strconv.Quote(t))
	}
}

// until consumes and returns the text before the first occurrence of any character in chars.
func (p *parser) until(chars string) string {
	i := strings.IndexAny(p.s, chars)
	if i < 0 {
		i = len(p.s)
	}
	t := p.s[:i]
	p.s = p.s[i:]
	return t
}

func (p *parser) args() []Arg {
	var args []Arg
	for !p.accept(")") && p.err == nil {
		if len(args) > 0 {
			p.expect(", ")
		}
		a := Arg{Name: p.until(":")}
		p.expect(":")
		t := p.until(",)")
		if r, ok := strings.CutSuffix(t, "&"); ok {
			a.Ref, t = true, r
		}
		if n, r, ok := strings.Cut(t, "*"); ok {
			a.NumberAttr, t = n, r
		}
		switch {
		case strings.HasPrefix(t, "["):
			a.TypeListAttr = strings.Trim(t, "[]")
		case strings.HasPrefix(t, "."):
			a.DType = p.typeOf(t[1:])
		default:
			a.TypeAttr = t
		}
		args = append(args, a)
	}
	return args
}

func (p *parser) attr() Attr {
	a := Attr{Name: p.until(":")}
	p.expect(":")
	a.Kind = p.until(" ;}")
	if p.accept(" >= ") {
		a.HasMin, a.Min = true, p.int()
	}
	if p.accept(" in ") {
		if strings.Contains(a.Kind, "type") {
			a.Types = list(p, "", p.dtype)
		} else {
			a.Strings = list(p, "", p.str)
		}
	}
	if p.accept(" = ") {
		a.HasDefault, a.Default = true, p.value(a.Kind)
	}
	return a
}

func (p *parser) value(kind string) ir.Attr {
	switch kind {
	case "string":
		return p.str()
	case "int":
		return p.int()
	case "float":
		return p.float()
	case "bool":
		return p.bool()
	case "type":
		return p.dtype()
	case "shape":
		return p.shape()
	case "tensor":
		return p.tensor()
	}
	p.expect("[")
	defer p.expect("]")
	switch kind {
	case "list(string)":
		return list(p, "]", p.str)
	case "list(int)":
		return list(p, "]", p.int)
	case "list(float)":
		return list(p, "]", p.float)
	case "list(bool)":
		return list(p, "]", p.bool)
	case "list(type)":
		return list(p, "]", p.dtype)
	case "list(shape)":
		return list(p, "]", p.shape)
	case "list(tensor)":
		return list(p, "]", p.tensor)
	case "list(func)":
		return []ir.Func{}
	}
	p.fail("an attribute's kind")
	return nil
}

// list parses elements separated by commas. The second parameter is the closing bracket that may
// follow the list. If the remaining text begins with this bracket, the list is empty. If the
// second parameter is "", the list must have at least one element.
func list[T any](p *parser, end string, elem func() T) []T {
	l := []T{}
	if end != "" && strings.HasPrefix(p.s, end) {
		return l
	}
	for p.err == nil {
		l = append(l, elem())
		if !p.accept(",") {
			break
		}
	}
	return l
}

func (p *parser) str() string {
	q, err := strconv.QuotedPrefix(p.s)
	if err != nil {
		p.fail("a quoted string")
		return ""
	}
	p.s = p.s[len(q):]
	s, _ := strconv.Unquote(q)
	return s
}

func (p *parser) int() int64 {
	t := p.until(" ,;]>}")
	i, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		p.fail("a number")
	}
	return i
}

func (p *parser) float() float32 {
	f, err := strconv.ParseFloat(p.until(" ,;]}"), 32)
	if err != nil {
		p.fail("a number")
	}
	return float32(f)
}

func (p *parser) bool() bool {
	if p.accept("true") {
		return true
	}
	p.expect("false")
	return false
}

func (p *parser) dtype() tensor.DType { return p.typeOf(p.until(" ,;]<}")) }

func (p *parser) typeOf(t string) tensor.DType {
	if n, ok := strings.CutPrefix(t, "#"); ok {
		i, err := strconv.ParseUint(n, 10, 8)
		if err != nil {
			p.fail("a type's number")
		}
		return tensor.DType(i)
	}
	d, ok := tensor.ParseDType(t)
	if !ok {
		p.fail("a type")
	}
	return d
}

func (p *parser) shape() ir.PartialShape {
	if p.accept("?") {
		return ir.PartialShape{UnknownRank: true}
	}
	p.expect("<")
	s := ir.PartialShape{Dims: list(p, ">", p.int)}
	p.expect(">")
	return s
}

func (p *parser) tensor() *tensor.Tensor {
	d, s := p.dtype(), p.shape()
	p.expect("[")
	ints := list(p, "]", p.int)
	p.expect("]")
	dims := make(tensor.Shape, len(s.Dims))
	for i, v := range s.Dims {
		dims[i] = int(v)
	}
	t, err := tensor.New(d, dims, 0)
	if err != nil {
		p.fail("a tensor")
		return nil
	}
	for i, v := range ints {
		switch data := t.Data.(type) {
		case []int32:
			data[i] = int32(v)
		case []uint8:
			data[i] = uint8(v)
		default:
			p.fail("an int32 or uint8 tensor")
		}
	}
	return t
}
