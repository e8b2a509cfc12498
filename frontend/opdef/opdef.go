// Package opdef holds the signature of every op that TensorFlow registers: arguments, attributes
// with their defaults and constraints, and flags.
//
// The table is ops.txt, with a line for each op in the form of Format. A line is parsed when its op
// is first looked up.
package opdef

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run ./_gen _gen/ops.pb.gz ops.txt

// GraphVersion is the GraphDef version of the TensorFlow version from which the table was made. It
// is also the consumer version of this reader.
const GraphVersion = 2474

// Op is the signature of an op, or of a function that is called as an op.
type Op struct {
	Name      string
	Ins, Outs []Arg
	Attrs     []Attr

	Stateful            bool
	Commutative         bool
	Aggregate           bool
	AllowsUninitialized bool // whether the op accepts a reference to a variable that has no value
	Distributed         bool // whether the op communicates with other tasks of a cluster

	// Deprecated is the first GraphDef version that must not contain the op. It is 0 for an op that
	// all versions may contain.
	Deprecated int
}

// Arg is an argument or a result. Exactly one of DType, TypeAttr and TypeListAttr is set.
// NumberAttr is the name of an attribute. If it is set, the value of that attribute is the number
// of tensors of which the argument consists. If TypeListAttr is set, the argument consists of one
// tensor for each type in the list.
type Arg struct {
	Name         string
	DType        tensor.DType
	Ref          bool // whether the argument is a reference to a variable's buffer
	TypeAttr     string
	NumberAttr   string
	TypeListAttr string
}

// Attr declares an attribute. Kind is TensorFlow's word for its type: type, int, list(shape), …
type Attr struct {
	Name       string
	Kind       string
	HasDefault bool
	Default    ir.Attr
	HasMin     bool
	Min        int64          // smallest allowed value of an int, or smallest allowed length of a list
	Types      []tensor.DType // the allowed types; nil means all
	Strings    []string       // the allowed strings; nil means all
}

// Attr returns the declaration of the attribute with this name, or nil if the op has no such
// attribute.
func (o *Op) Attr(name string) *Attr {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name {
			return &o.Attrs[i]
		}
	}
	return nil
}

// HasRef reports whether an argument or a result is a reference.
func (o *Op) HasRef() bool {
	for _, l := range [][]Arg{o.Ins, o.Outs} {
		for _, a := range l {
			if a.Ref {
				return true
			}
		}
	}
	return false
}

//go:embed ops.txt
var table string

var lines = sync.OnceValue(func() map[string]string {
	m := make(map[string]string, 2048)
	for l := range strings.Lines(table) {
		name, _, _ := strings.Cut(l, "(")
		m[name] = strings.TrimSuffix(l, "\n")
	}
	return m
})

var parsed sync.Map // name → *Op

// Lookup returns the signature of a registered op, or nil for an unknown name. The result is shared
// by all callers and must not be changed.
func Lookup(name string) *Op {
	if o, ok := parsed.Load(name); ok {
		return o.(*Op)
	}
	l, ok := lines()[name]
	if !ok {
		return nil
	}
	o, err := parse(l)
	if err != nil {
		panic(fmt.Sprintf("opdef: ops.txt is damaged: %v", err)) // cannot happen: a test parses every line
	}
	got, _ := parsed.LoadOrStore(name, o)
	return got.(*Op)
}

// Names returns the sorted names of all ops.
func Names() []string {
	var names []string
	for l := range strings.Lines(table) {
		name, _, _ := strings.Cut(l, "(")
		names = append(names, name)
	}
	return names
}

// Parse parses a signature in the form of Format.
func Parse(line string) (*Op, error) { return parse(line) }
