package frontend

import (
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// maxRank is TensorFlow's limit on a shape's rank.
const maxRank = 254

// baseType converts a type: a reference type becomes its value type, and a number beyond
// TensorFlow's enumeration becomes Invalid.
func baseType(d pb.DataType) tensor.DType {
	if d > 100 {
		d -= 100
	}
	if d < 0 || d > 100 {
		return tensor.Invalid
	}
	return tensor.DType(d)
}

func isRefType(d pb.DataType) bool { return d > 100 }

// knownType reports whether d is in TensorFlow's enumeration, including references.
func knownType(d pb.DataType) bool {
	_, ok := pb.DataType_name[int32(d)]
	return ok
}

// partialShape converts a shape. The error is InvalidArgument if a dimension is below -1.
func partialShape(s *pb.TensorShapeProto) (ir.PartialShape, error) {
	if s.GetUnknownRank() {
		if len(s.Dim) > 0 {
			return ir.PartialShape{}, invalid("a shape of unknown rank has %d dimensions", len(s.Dim))
		}
		return ir.PartialShape{UnknownRank: true}, nil
	}
	if len(s.GetDim()) > maxRank {
		return ir.PartialShape{}, invalid("a shape of rank %d; at most %d", len(s.Dim), maxRank)
	}
	p := ir.PartialShape{Dims: make([]int64, len(s.GetDim()))}
	known := tensor.Shape{}
	for i, d := range s.GetDim() {
		if d.Size < -1 {
			return ir.PartialShape{}, invalid("a shape has the dimension %d; -1 (unknown) or more is accepted", d.Size)
		}
		p.Dims[i] = d.Size
		if d.Size >= 0 {
			known = append(known, int(d.Size))
		}
	}
	if _, err := known.Len(); err != nil {
		return ir.PartialShape{}, err
	}
	return p, nil
}

// attrKind returns TensorFlow's name for the kind of a value, such as int. It returns "" for a
// value that is not set.
func attrKind(v *pb.AttrValue) string {
	switch v.GetValue().(type) {
	case *pb.AttrValue_S:
		return "string"
	case *pb.AttrValue_I:
		return "int"
	case *pb.AttrValue_F:
		return "float"
	case *pb.AttrValue_B:
		return "bool"
	case *pb.AttrValue_Type:
		return "type"
	case *pb.AttrValue_Shape:
		return "shape"
	case *pb.AttrValue_Tensor:
		return "tensor"
	case *pb.AttrValue_Func:
		return "func"
	case *pb.AttrValue_Placeholder:
		return "placeholder"
	case *pb.AttrValue_List:
		return "list" + listKind(v.GetList())
	}
	return ""
}

// listKind returns the kind of a list's elements, in parentheses. It returns "" for an empty list
// and "(mixed)" for elements of several kinds.
func listKind(l *pb.AttrValue_ListValue) string {
	kind := ""
	for _, k := range []struct {
		name string
		n    int
	}{{"(string)", len(l.S)}, {"(int)", len(l.I)}, {"(float)", len(l.F)}, {"(bool)", len(l.B)}, {"(type)", len(l.Type)},
		{"(shape)", len(l.Shape)}, {"(tensor)", len(l.Tensor)}, {"(func)", len(l.Func)}} {
		if k.n > 0 {
			if kind != "" {
				return "(mixed)"
			}
			kind = k.name
		}
	}
	return kind
}

// attrs converts attributes. The field bind holds the attribute values of the function that
// encloses the node. A placeholder is replaced by one of these values.
type attrs struct {
	bind map[string]ir.Attr
	// splat is a budget in bytes for constants whose values are repeated to fill their shapes. It
	// is the number of bytes that may still be allocated for such constants.
	splat *int64
}

// value converts the value of an attribute. kind is the attribute's declared kind; if it is "", a
// value of any kind is accepted.
func (c attrs) value(v *pb.AttrValue, kind string) (ir.Attr, error) {
	got := attrKind(v)
	if got == "placeholder" {
		name := v.GetPlaceholder()
		a, ok := c.bind[name]
		if !ok {
			return nil, invalid("it refers to attribute %q, which the enclosing function does not have", name)
		}
		if kind != "" && kindOf(a) != kind {
			return nil, invalid("it refers to attribute %q, a %s; a %s is accepted", name, kindOf(a), kind)
		}
		return a, nil
	}
	if got == "" {
		return nil, invalid("it has no value; a %s is accepted", kindOr(kind))
	}
	if got == "list(mixed)" {
		return nil, invalid("its list has elements of several kinds")
	}
	if kind != "" && got != kind && !(got == "list" && kind[0] == 'l') {
		return nil, invalid("its value is a %s; a %s is accepted", got, kind)
	}
	if got == "list" && kind != "" {
		got = kind
	}
	switch x := v.Value.(type) {
	case *pb.AttrValue_S:
		return string(x.S), nil
	case *pb.AttrValue_I:
		return x.I, nil
	case *pb.AttrValue_F:
		return x.F, nil
	case *pb.AttrValue_B:
		return x.B, nil
	case *pb.AttrValue_Type:
		return c.dtype(x.Type, kind != "")
	case *pb.AttrValue_Shape:
		return partialShape(x.Shape)
	case *pb.AttrValue_Tensor:
		return c.tensor(x.Tensor)
	case *pb.AttrValue_Func:
		return c.fn(x.Func)
	}
	l := v.GetList()
	switch got {
	case "list(string)":
		return each(l.S, func(s []byte) (string, error) { return string(s), nil })
	case "list(float)":
		return each(l.F, func(f float32) (float32, error) { return f, nil })
	case "list(bool)":
		return each(l.B, func(b bool) (bool, error) { return b, nil })
	case "list(type)":
		return each(l.Type, func(t pb.DataType) (tensor.DType, error) { return c.dtype(t, kind != "") })
	case "list(shape)":
		return each(l.Shape, partialShape)
	case "list(tensor)":
		return each(l.Tensor, c.tensor)
	case "list(func)":
		return each(l.Func, c.fn)
	}
	if len(l.I) == 0 && kind == "" {
		return []int64(nil), nil
	}
	return each(l.I, func(i int64) (int64, error) { return i, nil })
}

func kindOr(kind string) string {
	if kind == "" {
		return "value"
	}
	return kind
}

func each[A, B any](l []A, f func(A) (B, error)) (ir.Attr, error) {
	r := make([]B, len(l))
	for i, v := range l {
		var err error
		if r[i], err = f(v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// dtype converts an element type. For a declared attribute, it returns an error for the types that
// TensorFlow rejects: references, DT_INVALID, and numbers that are not in TensorFlow's enumeration.
func (c attrs) dtype(d pb.DataType, declared bool) (tensor.DType, error) {
	if declared {
		switch {
		case d == 0:
			return 0, invalid("its type is DT_INVALID")
		case !knownType(d):
			return 0, invalid("its type is number %d, which is not a type", d)
		case isRefType(d):
			return 0, invalid("its type is the reference %v; a plain type is accepted", d)
		}
	}
	return baseType(d), nil
}

func (c attrs) fn(f *pb.NameAttrList) (ir.Func, error) {
	r := ir.Func{Name: f.Name}
	if len(f.Attr) > 0 {
		r.Attrs = make(map[string]ir.Attr, len(f.Attr))
	}
	for k, v := range f.Attr {
		a, err := c.value(v, "")
		if err != nil {
			return r, invalid("attribute %q of function %q: %s", k, f.Name, plain(err))
		}
		r.Attrs[k] = a
	}
	return r, nil
}

// kindOf returns the kind of a converted value.
func kindOf(a ir.Attr) string {
	switch a.(type) {
	case string:
		return "string"
	case int64:
		return "int"
	case float32:
		return "float"
	case bool:
		return "bool"
	case tensor.DType:
		return "type"
	case ir.PartialShape:
		return "shape"
	case *tensor.Tensor:
		return "tensor"
	case ir.Func:
		return "func"
	case []string:
		return "list(string)"
	case []int64:
		return "list(int)"
	case []float32:
		return "list(float)"
	case []bool:
		return "list(bool)"
	case []tensor.DType:
		return "list(type)"
	case []ir.PartialShape:
		return "list(shape)"
	case []*tensor.Tensor:
		return "list(tensor)"
	case []ir.Func:
		return "list(func)"
	}
	return ""
}

// plain returns an error's message without its code.
func plain(err error) string {
	if e, ok := err.(*tensor.Error); ok && e.Node == "" {
		return e.Msg
	}
	return err.Error()
}
