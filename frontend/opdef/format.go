package opdef

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Format returns a signature as one line of text:
//
//	Conv2D(input:T, filter:T) -> (output:T) {T:type in f16,bf16,f32; strides:list(int); use_cudnn_on_gpu:bool = true}
//
// The type of an argument has one of these forms, where T, N and Tin are names of attributes:
//
//	T      one tensor of the type that is the value of T
//	.f32   one tensor of the element type f32
//	N*T    N tensors of type T
//	[Tin]  one tensor for each type in the list Tin
//
// An & after the type means a reference. After the attributes, there can be the flags stateful,
// commutative, aggregate, uninitialized, distributed and deprecated=N.
func Format(o *Op) string {
	var b strings.Builder
	b.WriteString(o.Name)
	formatArgs(&b, o.Ins)
	b.WriteString(" -> ")
	formatArgs(&b, o.Outs)
	b.WriteString(" {")
	for i, a := range o.Attrs {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s:%s", a.Name, a.Kind)
		if a.HasMin {
			fmt.Fprintf(&b, " >= %d", a.Min)
		}
		if a.Types != nil {
			b.WriteString(" in ")
			formatList(&b, a.Types, formatType)
		}
		if a.Strings != nil {
			b.WriteString(" in ")
			formatList(&b, a.Strings, strconv.Quote)
		}
		if a.HasDefault {
			b.WriteString(" = ")
			formatValue(&b, a.Default)
		}
	}
	b.WriteString("}")
	for _, f := range flags {
		if *f.of(o) {
			b.WriteString(" " + f.name)
		}
	}
	if o.Deprecated > 0 {
		fmt.Fprintf(&b, " deprecated=%d", o.Deprecated)
	}
	return b.String()
}

type flag struct {
	name string
	of   func(*Op) *bool
}

var flags = []flag{
	{"stateful", func(o *Op) *bool { return &o.Stateful }},
	{"commutative", func(o *Op) *bool { return &o.Commutative }},
	{"aggregate", func(o *Op) *bool { return &o.Aggregate }},
	{"uninitialized", func(o *Op) *bool { return &o.AllowsUninitialized }},
	{"distributed", func(o *Op) *bool { return &o.Distributed }},
}

func formatArgs(b *strings.Builder, args []Arg) {
	b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.Name + ":")
		if a.NumberAttr != "" {
			b.WriteString(a.NumberAttr + "*")
		}
		switch {
		case a.TypeListAttr != "":
			b.WriteString("[" + a.TypeListAttr + "]")
		case a.TypeAttr != "":
			b.WriteString(a.TypeAttr)
		default:
			b.WriteString("." + formatType(a.DType))
		}
		if a.Ref {
			b.WriteByte('&')
		}
	}
	b.WriteByte(')')
}

func formatList[T any](b *strings.Builder, l []T, f func(T) string) {
	for i, v := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f(v))
	}
}

// formatType returns the text for a type. For a type that this compiler cannot store, the text is
// the number of the type.
func formatType(d tensor.DType) string {
	if d.Valid() {
		return d.String()
	}
	return "#" + strconv.Itoa(int(d))
}

func formatShape(s ir.PartialShape) string {
	if s.UnknownRank {
		return "?"
	}
	var b strings.Builder
	b.WriteByte('<')
	formatList(&b, s.Dims, func(d int64) string { return strconv.FormatInt(d, 10) })
	return b.String() + ">"
}

func formatFloat(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// formatTensor returns the text for a small integer tensor. Such tensors occur as default values.
func formatTensor(t *tensor.Tensor) string {
	ints, _ := t.Ints()
	dims := make([]int64, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = int64(d)
	}
	var b strings.Builder
	b.WriteString(formatType(t.DType) + formatShape(ir.PartialShape{Dims: dims}) + "[")
	formatList(&b, ints, func(i int64) string { return strconv.FormatInt(i, 10) })
	return b.String() + "]"
}

func formatValue(b *strings.Builder, v ir.Attr) {
	list := func(f func()) { b.WriteByte('['); f(); b.WriteByte(']') }
	switch v := v.(type) {
	case string:
		b.WriteString(strconv.Quote(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float32:
		b.WriteString(formatFloat(v))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case tensor.DType:
		b.WriteString(formatType(v))
	case ir.PartialShape:
		b.WriteString(formatShape(v))
	case *tensor.Tensor:
		b.WriteString(formatTensor(v))
	case []string:
		list(func() { formatList(b, v, strconv.Quote) })
	case []int64:
		list(func() { formatList(b, v, func(i int64) string { return strconv.FormatInt(i, 10) }) })
	case []float32:
		list(func() { formatList(b, v, formatFloat) })
	case []bool:
		list(func() { formatList(b, v, strconv.FormatBool) })
	case []tensor.DType:
		list(func() { formatList(b, v, formatType) })
	case []ir.PartialShape:
		list(func() { formatList(b, v, formatShape) })
	case []*tensor.Tensor:
		list(func() { formatList(b, v, formatTensor) })
	case []ir.Func: // no op has a default value that is a list of functions
		b.WriteString("[]")
	default:
		fmt.Fprintf(b, "!%T", v)
	}
}
