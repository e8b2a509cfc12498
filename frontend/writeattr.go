package frontend

import (
	"bytes"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

// attr writes the value of an attribute.
func (w *writer) attr(a ir.Attr) (*pb.AttrValue, error) {
	one := func(v *pb.AttrValue) (*pb.AttrValue, error) { return v, nil }
	list := &pb.AttrValue_ListValue{}
	switch v := a.(type) {
	case string:
		return one(&pb.AttrValue{Value: &pb.AttrValue_S{S: []byte(v)}})
	case int64:
		return one(&pb.AttrValue{Value: &pb.AttrValue_I{I: v}})
	case float32:
		return one(&pb.AttrValue{Value: &pb.AttrValue_F{F: v}})
	case bool:
		return one(&pb.AttrValue{Value: &pb.AttrValue_B{B: v}})
	case tensor.DType:
		return one(&pb.AttrValue{Value: &pb.AttrValue_Type{Type: pb.DataType(v)}})
	case ir.PartialShape:
		return one(&pb.AttrValue{Value: &pb.AttrValue_Shape{Shape: shapeProto(v)}})
	case *tensor.Tensor:
		t, err := tensorProto(v)
		return &pb.AttrValue{Value: &pb.AttrValue_Tensor{Tensor: t}}, err
	case ir.Func:
		f, err := w.fn(v)
		return &pb.AttrValue{Value: &pb.AttrValue_Func{Func: f}}, err
	case ir.Placeholder:
		return one(&pb.AttrValue{Value: &pb.AttrValue_Placeholder{Placeholder: string(v)}})
	case []string:
		for _, s := range v {
			list.S = append(list.S, []byte(s))
		}
	case []int64:
		list.I = v
	case []float32:
		list.F = v
	case []bool:
		list.B = v
	case []tensor.DType:
		for _, t := range v {
			list.Type = append(list.Type, pb.DataType(t))
		}
	case []ir.PartialShape:
		for _, s := range v {
			list.Shape = append(list.Shape, shapeProto(s))
		}
	case []*tensor.Tensor:
		for _, t := range v {
			p, err := tensorProto(t)
			if err != nil {
				return nil, err
			}
			list.Tensor = append(list.Tensor, p)
		}
	case []ir.Func:
		for _, f := range v {
			p, err := w.fn(f)
			if err != nil {
				return nil, err
			}
			list.Func = append(list.Func, p)
		}
	default:
		return nil, tensor.Errorf(tensor.Internal, "TensorFlow has no attribute values of type %T", a)
	}
	return one(&pb.AttrValue{Value: &pb.AttrValue_List{List: list}})
}

func (w *writer) fn(f ir.Func) (*pb.NameAttrList, error) {
	p := &pb.NameAttrList{Name: w.call(f.Name)}
	for k, a := range f.Attrs {
		v, err := w.attr(a)
		if err != nil {
			return nil, err
		}
		if p.Attr == nil {
			p.Attr = map[string]*pb.AttrValue{}
		}
		p.Attr[k] = v
	}
	return p, nil
}

func shapeProto(s ir.PartialShape) *pb.TensorShapeProto {
	p := &pb.TensorShapeProto{UnknownRank: s.UnknownRank}
	for _, d := range s.Dims {
		p.Dim = append(p.Dim, &pb.TensorShapeProto_Dim{Size: d})
	}
	return p
}

// tensorProto writes a constant: a single value if all elements have the same bits, otherwise all
// elements. Strings are written to their own field, other elements to tensor_content.
func tensorProto(t *tensor.Tensor) (*pb.TensorProto, error) {
	p := &pb.TensorProto{Dtype: pb.DataType(t.DType), TensorShape: &pb.TensorShapeProto{}}
	for _, d := range t.Shape {
		p.TensorShape.Dim = append(p.TensorShape.Dim, &pb.TensorShapeProto_Dim{Size: int64(d)})
	}
	if ss, ok := t.Data.([]string); ok {
		for _, s := range ss {
			p.StringVal = append(p.StringVal, []byte(s))
		}
		return p, nil
	}
	if t.Data == nil || t.Len() == 0 {
		return p, nil
	}
	size := t.DType.Size()
	b := make([]byte, 0, size*t.Len())
	bundle.Encode(t.Data, func(part []byte) { b = append(b, part...) })
	if len(b) != size*t.Len() {
		return nil, tensor.Errorf(tensor.Internal, "a tensor of %T cannot be written", t.Data)
	}
	if bytes.Equal(b[size:], b[:len(b)-size]) {
		oneValue(p, t.Data)
		return p, nil
	}
	p.TensorContent = b
	return p, nil
}

// oneValue stores the first element of data in p. It uses the field of p that is for the element's
// type.
func oneValue(p *pb.TensorProto, data any) {
	switch d := data.(type) {
	case []float32:
		p.FloatVal = d[:1]
	case []float64:
		p.DoubleVal = d[:1]
	case []int8:
		p.IntVal = []int32{int32(d[0])}
	case []uint8:
		p.IntVal = []int32{int32(d[0])}
	case []int16:
		p.IntVal = []int32{int32(d[0])}
	case []uint16:
		p.IntVal = []int32{int32(d[0])}
	case []int32:
		p.IntVal = d[:1]
	case []uint32:
		p.Uint32Val = d[:1]
	case []int64:
		p.Int64Val = d[:1]
	case []uint64:
		p.Uint64Val = d[:1]
	case []bool:
		p.BoolVal = d[:1]
	case []tensor.F16:
		p.HalfVal = []int32{int32(d[0])}
	case []tensor.BF16:
		p.HalfVal = []int32{int32(d[0])}
	case []complex64:
		p.ScomplexVal = []float32{real(d[0]), imag(d[0])}
	case []complex128:
		p.DcomplexVal = []float64{real(d[0]), imag(d[0])}
	}
}
