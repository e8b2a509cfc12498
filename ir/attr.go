package ir

import (
	"github.com/graphc/graphc/rt/tensor"
)

// Attr is the value of a node's attribute. It is one of
//
//	string           TensorFlow's s, any bytes
//	int64            i
//	float32          f
//	bool             b
//	tensor.DType     type; reference types are stored as their base type
//	PartialShape     shape
//	*tensor.Tensor   tensor
//	Func             func
//	Placeholder      an attribute of the enclosing function's caller
//	[]string, []int64, []float32, []bool, []tensor.DType,
//	[]PartialShape, []*tensor.Tensor, []Func    list
//
// An empty list whose kind is not in the file is a nil []int64 until the frontend looks the
// attribute up in the op's signature.
type Attr any

// PartialShape is the value of a shape attribute. The rank may be unknown, and -1 marks an unknown
// dimension.
type PartialShape struct {
	UnknownRank bool
	Dims        []int64
}

// Func names a function of the library, and the attributes it is instantiated with.
type Func struct {
	Name  string
	Attrs map[string]Attr
}

// Placeholder is an attribute value inside a function's body. It is replaced by the call's
// attribute of that name.
type Placeholder string

// Str returns the value of the string attribute with the given name, or "" if n has no such attribute.
func (n *Node) Str(name string) string { s, _ := n.Attrs[name].(string); return s }

// Int returns the value of the int attribute with the given name, or 0 if n has no such attribute.
func (n *Node) Int(name string) int { i, _ := n.Attrs[name].(int64); return int(i) }

// Float returns the value of the float attribute with the given name, or 0 if n has no such attribute.
func (n *Node) Float(name string) float32 { f, _ := n.Attrs[name].(float32); return f }

// Bool returns the value of the bool attribute with the given name, or false if n has no such attribute.
func (n *Node) Bool(name string) bool { b, _ := n.Attrs[name].(bool); return b }

// DType returns the value of the type attribute with the given name, or tensor.Invalid if n has no such
// attribute.
func (n *Node) DType(name string) tensor.DType { d, _ := n.Attrs[name].(tensor.DType); return d }

// Ints returns the value of the list(int) attribute with the given name. The result is empty if n has no
// such attribute.
func (n *Node) Ints(name string) []int {
	l, _ := n.Attrs[name].([]int64)
	r := make([]int, len(l))
	for i, v := range l {
		r[i] = int(v)
	}
	return r
}

// DTypes returns the value of the list(type) attribute with the given name, or nil if n has no such
// attribute.
func (n *Node) DTypes(name string) []tensor.DType {
	l, _ := n.Attrs[name].([]tensor.DType)
	return l
}

// Value returns the tensor of a Const node, nil for other nodes.
func (n *Node) Value() *tensor.Tensor {
	if n.Op != "Const" {
		return nil
	}
	t, _ := n.Attrs["value"].(*tensor.Tensor)
	return t
}
