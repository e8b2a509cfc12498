package fuzzgraph

import (
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
)

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// attribute changes an attribute of a node.
func (m *Mutator) attribute(n *pb.NodeDef) {
	keys := sortedKeys(n.Attr)
	if len(keys) == 0 {
		return
	}
	k := pick(m, keys)
	m.note("%s (%s): attribute %s", n.Name, n.Op, k)
	if m.Rand.IntN(10) == 0 {
		delete(n.Attr, k)
		return
	}
	v := proto.Clone(n.Attr[k]).(*pb.AttrValue) // the node may share its attributes with the node of the corpus that it was copied from
	n.Attr[k] = v
	switch a := v.Value.(type) {
	case *pb.AttrValue_S:
		a.S = []byte(pick(m, []string{"SAME", "VALID", "EXPLICIT", "NCHW", "NHWC", "REFLECT", "", "bogus", "half_to_even", "ij,jk->ik", "...", "BYTE", "UTF-8", "loc:@x", "relu", "skip"}))
	case *pb.AttrValue_I:
		a.I = m.extreme()
	case *pb.AttrValue_F:
		a.F = float32(m.float())
	case *pb.AttrValue_B:
		a.B = !a.B
	case *pb.AttrValue_Type:
		a.Type = m.dtype()
	case *pb.AttrValue_Shape:
		m.shape(a.Shape)
	case *pb.AttrValue_Tensor:
		m.tensor(a.Tensor)
	case *pb.AttrValue_List:
		m.list(a.List)
	case *pb.AttrValue_Func:
		if len(a.Func.Attr) > 0 && m.Rand.IntN(2) == 0 {
			a.Func.Attr = nil
		} else {
			a.Func.Name += "x"
		}
	}
}

func (m *Mutator) dtype() pb.DataType {
	if m.Rand.IntN(3) > 0 {
		return pick(m, []pb.DataType{1, 2, 3, 9, 10, 7}) // float, double, int32, int64, bool, string
	}
	return pb.DataType(m.Rand.IntN(30) + 100*m.Rand.IntN(2))
}

func (m *Mutator) float() float64 {
	return pick(m, []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-40, 1e38, -1e38, math.Inf(1), math.Inf(-1), math.NaN(), 1e300})
}

func (m *Mutator) shape(s *pb.TensorShapeProto) {
	if s == nil {
		return
	}
	switch i := m.Rand.IntN(6); {
	case i == 0:
		s.UnknownRank, s.Dim = true, nil
	case i == 1:
		s.UnknownRank, s.Dim = false, append(s.Dim, &pb.TensorShapeProto_Dim{Size: m.extreme()})
	case i == 2 && len(s.Dim) > 0:
		s.Dim = s.Dim[:len(s.Dim)-1]
	case i == 3 && len(s.Dim) > 0:
		for _, d := range s.Dim {
			d.Size = -1
		}
	case len(s.Dim) > 0:
		pick(m, s.Dim).Size = m.extreme()
	}
}

// tensor changes a constant: its shape, its type or its elements.
func (m *Mutator) tensor(t *pb.TensorProto) {
	if t == nil {
		return
	}
	switch m.Rand.IntN(6) {
	case 0:
		m.shape(t.TensorShape)
	case 1:
		t.Dtype = m.dtype()
	default:
		switch {
		case len(t.TensorContent) > 0:
			for range 1 + m.Rand.IntN(4) {
				t.TensorContent[m.Rand.IntN(len(t.TensorContent))] = pick(m, []byte{0, 1, 2, 0x7f, 0x80, 0xff, 0xc0})
			}
		case len(t.IntVal) > 0:
			t.IntVal[m.Rand.IntN(len(t.IntVal))] = int32(m.extreme())
		case len(t.Int64Val) > 0:
			t.Int64Val[m.Rand.IntN(len(t.Int64Val))] = m.extreme()
		case len(t.FloatVal) > 0:
			t.FloatVal[m.Rand.IntN(len(t.FloatVal))] = float32(m.float())
		case len(t.DoubleVal) > 0:
			t.DoubleVal[m.Rand.IntN(len(t.DoubleVal))] = m.float()
		case len(t.BoolVal) > 0:
			t.BoolVal[m.Rand.IntN(len(t.BoolVal))] = m.Rand.IntN(2) == 0
		case len(t.StringVal) > 0:
			t.StringVal[m.Rand.IntN(len(t.StringVal))] = []byte(pick(m, []string{"", "[", "1e999", "\xff\xfe", "(", "a,b", "nan"}))
		default:
			t.IntVal = append(t.IntVal, int32(m.extreme()))
		}
	}
}

// list changes, duplicates or removes one element of a list.
func (m *Mutator) list(l *pb.AttrValue_ListValue) {
	if l == nil {
		return
	}
	how := m.Rand.IntN(4)
	l.I = changed(m, l.I, how, func(int64) int64 { return m.extreme() })
	l.F = changed(m, l.F, how, func(float32) float32 { return float32(m.float()) })
	l.B = changed(m, l.B, how, func(b bool) bool { return !b })
	l.Type = changed(m, l.Type, how, func(pb.DataType) pb.DataType { return m.dtype() })
	l.S = changed(m, l.S, how, func([]byte) []byte { return []byte("loc:@none") })
	l.Shape = changed(m, l.Shape, how, func(s *pb.TensorShapeProto) *pb.TensorShapeProto { m.shape(s); return s })
	l.Func = changed(m, l.Func, how, func(f *pb.NameAttrList) *pb.NameAttrList { return &pb.NameAttrList{Name: f.Name + "x"} })
}

func changed[T any](m *Mutator, list []T, how int, f func(T) T) []T {
	if len(list) == 0 {
		return list
	}
	i := m.Rand.IntN(len(list))
	switch how {
	case 0:
		return slices.Insert(list, i, list[i])
	case 1:
		return slices.Delete(list, i, i+1)
	}
	list[i] = f(list[i])
	return list
}
