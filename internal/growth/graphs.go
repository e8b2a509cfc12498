package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/graphc/graphc/frontend/pb"
)

// kind is a family of graphs of any size.
type kind struct {
	name  string
	about string
	// graph returns a graph with about n nodes, and the tensor that is fetched. Its feed is x.
	graph func(n int) (g *pb.GraphDef, fetch string)
}

var kinds = []kind{
	{"unary", "a chain of Tanh", unary},
	{"binary", "a chain of additions and multiplications by a second feed", binaryChain},
	{"layers", "a chain of products with weights, with bias and Relu", layers},
	{"wide", "sums of the feed and constants", wide},
	{"loop", "a While op with a chain in its body", loop},
	{"nested", "conditionals, each in a branch of another one", nested},
	{"calls", "calls of one function, in a chain", calls},
	{"variables", "variables, each read and changed", variables},
}

// builder appends nodes to a graph.
type builder struct {
	nodes      *[]*pb.NodeDef
	n          int
	inFunction bool
}

// outputs are the names of the outputs of ops whose first output is not named output.
var outputs = map[string]string{"AddV2": "z", "Mul": "z", "Less": "z", "Greater": "z", "Tanh": "y", "Exp": "y", "Neg": "y"}

func (b *builder) node(op string, attrs map[string]*pb.AttrValue, in ...string) string {
	b.n++
	name := fmt.Sprintf("%s_%d", op, b.n)
	b.named(name, op, attrs, in...)
	if !b.inFunction {
		return name
	}
	out, ok := outputs[op]
	if !ok {
		out = "output"
	}
	return name + ":" + out + ":0"
}

func (b *builder) named(name, op string, attrs map[string]*pb.AttrValue, in ...string) {
	*b.nodes = append(*b.nodes, &pb.NodeDef{Name: name, Op: op, Input: in, Attr: attrs})
}

type attrs = map[string]*pb.AttrValue

func dtype(d pb.DataType) *pb.AttrValue { return &pb.AttrValue{Value: &pb.AttrValue_Type{Type: d}} }
func number(n int) *pb.AttrValue        { return &pb.AttrValue{Value: &pb.AttrValue_I{I: int64(n)}} }
func text(s string) *pb.AttrValue       { return &pb.AttrValue{Value: &pb.AttrValue_S{S: []byte(s)}} }
func function(name string) *pb.AttrValue {
	return &pb.AttrValue{Value: &pb.AttrValue_Func{Func: &pb.NameAttrList{Name: name}}}
}
func types(ds ...pb.DataType) *pb.AttrValue {
	return &pb.AttrValue{Value: &pb.AttrValue_List{List: &pb.AttrValue_ListValue{Type: ds}}}
}
func shapeProto(dims ...int) *pb.TensorShapeProto {
	s := &pb.TensorShapeProto{}
	for _, d := range dims {
		s.Dim = append(s.Dim, &pb.TensorShapeProto_Dim{Size: int64(d)})
	}
	return s
}
func shape(dims ...int) *pb.AttrValue {
	return &pb.AttrValue{Value: &pb.AttrValue_Shape{Shape: shapeProto(dims...)}}
}

const f32, i32 = pb.DataType_DT_FLOAT, pb.DataType_DT_INT32

func float() attrs { return attrs{"T": dtype(f32)} }

// width is the number of columns of the feed, and of most tensors.
const width = 8

// constant appends a float32 tensor with different elements for each seed.
func (b *builder) constant(seed int, dims ...int) string {
	n := 1
	for _, d := range dims {
		n *= d
	}
	data := make([]byte, 4*n)
	for i := range n {
		v := float32(math.Sin(float64(seed*31+i+1))) / 4
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v))
	}
	t := &pb.TensorProto{Dtype: f32, TensorShape: shapeProto(dims...), TensorContent: data}
	return b.value(t)
}

func (b *builder) int32(v int32) string {
	return b.value(&pb.TensorProto{Dtype: i32, TensorShape: shapeProto(), IntVal: []int32{v}})
}

func (b *builder) value(t *pb.TensorProto) string {
	return b.node("Const", attrs{"dtype": dtype(t.Dtype), "value": {Value: &pb.AttrValue_Tensor{Tensor: t}}})
}

// graph returns an empty graph with the feeds of the given names: matrices with an unknown number
// of rows.
func graph(feeds ...string) (*pb.GraphDef, *builder) {
	g := &pb.GraphDef{Versions: &pb.VersionDef{Producer: 2000}, Library: &pb.FunctionDefLibrary{}}
	b := &builder{nodes: &g.Node}
	for _, f := range feeds {
		b.named(f, "Placeholder", attrs{"dtype": dtype(f32), "shape": shape(-1, width)})
	}
	return g, b
}

func unary(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	y := "x"
	for range n {
		y = b.node("Tanh", float(), y)
	}
	return g, y
}

// chain appends n additions and multiplications by tensor c, beginning with tensor x.
func (b *builder) chain(n int, x, c string) string {
	for i := range n {
		op := "AddV2"
		if i%2 == 1 {
			op = "Mul"
		}
		x = b.node(op, float(), x, c)
	}
	return x
}

func binaryChain(n int) (*pb.GraphDef, string) {
	g, b := graph("x", "y")
	return g, b.chain(n, "x", "y")
}

func layers(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	y := "x"
	for i := range n / 5 {
		y = b.node("MatMul", attrs{"T": dtype(f32)}, y, b.constant(2*i, width, width))
		y = b.node("BiasAdd", float(), y, b.constant(2*i+1, width))
		y = b.node("Relu", float(), y)
	}
	return g, y
}

func wide(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	var parts []string
	for i := range n / 2 {
		parts = append(parts, b.node("AddV2", float(), "x", b.constant(i)))
	}
	return g, b.total(parts)
}

// arg is an argument or a result of a function. For a result, value is the tensor in the body.
type arg struct {
	name  string
	dtype pb.DataType
	value string
}

// define adds a function to g. Within the body, a tensor has the name of its node's output.
func define(g *pb.GraphDef, name string, ins []arg, body func(b *builder) []arg) {
	f := &pb.FunctionDef{Signature: &pb.OpDef{Name: name}, Ret: map[string]string{}}
	for _, in := range ins {
		f.Signature.InputArg = append(f.Signature.InputArg, &pb.OpDef_ArgDef{Name: in.name, Type: in.dtype})
	}
	for _, r := range body(&builder{nodes: &f.NodeDef, inFunction: true}) {
		f.Signature.OutputArg = append(f.Signature.OutputArg, &pb.OpDef_ArgDef{Name: r.name, Type: r.dtype})
		f.Ret[r.name] = r.value
	}
	g.Library.Function = append(g.Library.Function, f)
}

func loop(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	ins := []arg{{"i", i32, ""}, {"x", f32, ""}, {"c", f32, ""}}
	define(g, "cond", ins, func(b *builder) []arg {
		return []arg{{"r", pb.DataType_DT_BOOL, b.node("Less", attrs{"T": dtype(i32)}, "i", b.int32(3))}}
	})
	define(g, "body", ins, func(b *builder) []arg {
		next := b.node("AddV2", attrs{"T": dtype(i32)}, "i", b.int32(1))
		return []arg{{"next", i32, next}, {"y", f32, b.chain(n, "x", "c")}, {"same", f32, "c"}}
	})
	w := b.node("While", attrs{"T": types(i32, f32, f32), "cond": function("cond"), "body": function("body"), "parallel_iterations": number(1)},
		b.int32(0), "x", b.node("Tanh", float(), "x"))
	return g, w + ":1"
}

func nested(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	ins := []arg{{"x", f32, ""}}
	define(g, "leaf", ins, func(b *builder) []arg { return []arg{{"y", f32, b.node("Neg", float(), "x")}} })
	inner := "leaf"
	levels := n / 4 // an If, a sum, a comparison and a constant
	for i := range levels {
		name := fmt.Sprintf("level_%d", i)
		then := inner
		define(g, name, ins, func(b *builder) []arg {
			return []arg{{"y", f32, b.branch(then, b.node("Tanh", float(), "x"), float32(i))}}
		})
		inner = name
	}
	return g, b.branch(inner, "x", -1)
}

// branch appends an If op. It calls the function of the given name with x if the sum of the
// elements of x is greater than limit, and the function leaf otherwise.
func (b *builder) branch(then, x string, limit float32) string {
	axes := b.value(&pb.TensorProto{Dtype: i32, TensorShape: shapeProto(2), IntVal: []int32{0, 1}})
	sum := b.node("Sum", attrs{"T": dtype(f32), "Tidx": dtype(i32), "keep_dims": {Value: &pb.AttrValue_B{}}}, x, axes)
	c := b.value(&pb.TensorProto{Dtype: f32, TensorShape: shapeProto(), FloatVal: []float32{limit}})
	greater := b.node("Greater", float(), sum, c)
	return b.node("If", attrs{"Tcond": dtype(pb.DataType_DT_BOOL), "Tin": types(f32), "Tout": types(f32),
		"then_branch": function(then), "else_branch": function("leaf")}, greater, x)
}

func calls(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	define(g, "step", []arg{{"x", f32, ""}}, func(b *builder) []arg {
		return []arg{{"y", f32, b.node("Tanh", float(), b.node("Exp", float(), "x"))}}
	})
	y := "x"
	for range n {
		y = b.node("PartitionedCall", attrs{"Tin": types(f32), "Tout": types(f32), "f": function("step")}, y)
	}
	return g, y
}

func variables(n int) (*pb.GraphDef, string) {
	g, b := graph("x")
	var parts []string
	for i := range n / 6 {
		v := b.node("VarHandleOp", attrs{"dtype": dtype(f32), "shape": shape(width), "shared_name": text(fmt.Sprintf("v%d", i)), "container": text("")})
		init := b.node("AssignVariableOp", attrs{"dtype": dtype(f32)}, v, b.constant(i, width))
		read := b.node("ReadVariableOp", attrs{"dtype": dtype(f32)}, v, "^"+init)
		parts = append(parts, b.node("Mul", float(), "x", read))
		b.node("AssignAddVariableOp", attrs{"dtype": dtype(f32)}, v, b.node("Neg", float(), read))
	}
	return g, b.total(parts)
}

// total appends sums of up to 64 tensors each, and returns the sum of all.
func (b *builder) total(parts []string) string {
	for len(parts) > 1 {
		var next []string
		for i := 0; i < len(parts); i += 64 {
			group := parts[i:min(i+64, len(parts))]
			next = append(next, b.node("AddN", attrs{"T": dtype(f32), "N": number(len(group))}, group...))
		}
		parts = next
	}
	return parts[0]
}
