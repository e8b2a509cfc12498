package frontend

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/formats"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/strictjson"
	"github.com/graphc/graphc/rt/tensor"
)

// tfjsModel is the content of model.json of a tfjs graph model.
type tfjsModel struct {
	Format    string          `json:"format"`
	Topology  json.RawMessage `json:"modelTopology"`
	Manifest  []tfjsGroup     `json:"weightsManifest"`
	Signature json.RawMessage `json:"signature"`
	Metadata  struct {
		Signature json.RawMessage `json:"signature"`
	} `json:"userDefinedMetadata"`
}

// tfjsGroup is a group of weights. The contents of the group's files, in the order of Paths, are
// these weights one after another.
type tfjsGroup struct {
	Paths   []string     `json:"paths"`
	Weights []tfjsWeight `json:"weights"`
}

type tfjsWeight struct {
	Name         string     `json:"name"`
	Shape        []int      `json:"shape"`
	DType        string     `json:"dtype"`
	Quantization *tfjsQuant `json:"quantization"`
}

// tfjsQuant describes how a weight is stored: as a float16, or as an integer v that stands for the
// value v*scale + min.
type tfjsQuant struct {
	DType string  `json:"dtype"`
	Scale float64 `json:"scale"`
	Min   float64 `json:"min"`
}

// loadTFJS reads a tfjs graph model: a GraphDef in JSON, and its constants in files next to it. It
// reads the JSON file by calling the function read.
func loadTFJS(path string, read func(dir, path string) ([]byte, error), o Options) (*Model, error) {
	d, dir := disk{o.FS}, filepath.Dir(path)
	raw, err := read(dir, path)
	if err != nil {
		return nil, err
	}
	h := ir.NewHash()
	h.Write(raw)
	file := filepath.Base(path)
	j, def, err := parseTFJS(path, raw, o)
	if err != nil {
		return nil, inFile(file, err)
	}
	var errs Errors
	weights := map[string]*pb.TensorProto{}
	seen := map[string]bool{}
	for _, g := range j.Manifest {
		var data []byte
		for _, p := range g.Paths {
			if !filepath.IsLocal(p) {
				return nil, inFile(file, invalid("the weights file %q is not in the model's folder", tensor.Clip(p)))
			}
			name := filepath.Join(dir, p)
			if seen[name] { // a small manifest could otherwise load one file many times
				return nil, inFile(file, invalid("the manifest names the weights file %q twice", tensor.Clip(p)))
			}
			seen[name] = true
			b, err := d.readIn(dir, name)
			if err != nil {
				return nil, err
			}
			h.Write(b)
			if data == nil {
				data = b
			} else {
				data = append(data, b...)
			}
		}
		if err := readWeights(g.Weights, data, weights); err != nil {
			errs = append(errs, inFile(file, err))
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if err := fillConstants(def, weights); err != nil {
		return nil, inFile(file, err)
	}
	m := &Model{Path: path, Kind: "tfjs", disk: d, SHA256: hex.EncodeToString(h.Sum(nil)), sources: []source{{file, def}}}
	if err := m.checkSize(o); err != nil {
		return nil, err
	}
	standardOps(def)
	widenConstants(def)
	pinLoopConstants(def)
	if err := m.build(o); err != nil {
		return nil, err
	}
	if err := m.tfjsSignature(file, j, o); err != nil {
		return nil, err
	}
	return m, nil
}

// parseTFJS reads model.json.
func parseTFJS(path string, raw []byte, o Options) (*tfjsModel, *pb.GraphDef, error) {
	j := &tfjsModel{}
	if err := json.Unmarshal(raw, j); err != nil {
		return nil, nil, invalid("not a tfjs model: %v", err)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, nil, invalid("%v", err)
	}
	if err := formats.Unread(formats.Bytes(path, raw)); err != nil {
		return nil, nil, err
	}
	if len(j.Topology) == 0 {
		return nil, nil, invalid("not a tfjs graph model: it has no modelTopology")
	}
	def := &pb.GraphDef{}
	topology, err := base64Bytes(j.Topology, def.ProtoReflect().Descriptor(), o.Limits.Depth)
	if err != nil {
		return nil, nil, err
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: o.Limits.Depth}).Unmarshal(topology, def); err != nil {
		return nil, nil, invalid("modelTopology is not a GraphDef: %s", protoMessage(err))
	}
	return j, def, nil
}

// tfjsTypes maps the names of types in tfjs to the element types of weights.
var tfjsTypes = map[string]tensor.DType{"float32": tensor.Float32, "int32": tensor.Int32, "bool": tensor.Bool,
	"string": tensor.String, "complex64": tensor.Complex64, "uint8": tensor.Uint8, "uint16": tensor.Uint16, "float16": tensor.Half}

// readWeights splits data into the weights and decodes them.
func readWeights(specs []tfjsWeight, data []byte, weights map[string]*pb.TensorProto) error {
	for _, w := range specs {
		d, ok := tfjsTypes[w.DType]
		stored := d
		if ok && w.Quantization != nil {
			stored, ok = tfjsTypes[w.Quantization.DType]
		}
		if !ok {
			return invalid("weight %q: unknown type %q", tensor.Clip(w.Name), w.DType)
		}
		n, err := tensor.Shape(w.Shape).Len()
		if err != nil {
			return invalid("weight %q: %s", tensor.Clip(w.Name), plain(err))
		}
		if weights[w.Name] != nil {
			return invalid("two weights are named %q", tensor.Clip(w.Name))
		}
		t := &pb.TensorProto{Dtype: pb.DataType(d), TensorShape: &pb.TensorShapeProto{}}
		for _, dim := range w.Shape {
			t.TensorShape.Dim = append(t.TensorShape.Dim, &pb.TensorShapeProto_Dim{Size: int64(dim)})
		}
		if d == tensor.String {
			if data, err = stringWeights(t, n, data); err != nil {
				return invalid("weight %q: %s", tensor.Clip(w.Name), plain(err))
			}
			weights[w.Name] = t
			continue
		}
		if n > len(data)/stored.Size() {
			return tensor.Errorf(tensor.OutOfRange, "weight %q, %s%v, ends past the weights files: %d bytes are left", tensor.Clip(w.Name), stored, w.Shape, len(data))
		}
		raw := data[:n*stored.Size()]
		data = data[n*stored.Size():]
		if w.Quantization == nil {
			t.TensorContent = raw
		} else if err := dequantize(t, d, stored, n, raw, w.Quantization); err != nil {
			return invalid("weight %q: %s", tensor.Clip(w.Name), plain(err))
		}
		weights[w.Name] = t
	}
	if len(data) > 0 {
		return invalid("the weights files have %d bytes beyond the last weight", len(data))
	}
	return nil
}

// stringWeights appends n strings from data to t. In the data, each string follows its length in
// bytes. It returns the rest of data.
func stringWeights(t *pb.TensorProto, n int, data []byte) ([]byte, error) {
	for i := range n {
		if len(data) < 4 {
			return nil, invalid("string %d ends past the weights files", i)
		}
		l := binary.LittleEndian.Uint32(data)
		data = data[4:]
		if uint64(l) > uint64(len(data)) {
			return nil, invalid("string %d has %d bytes, %d are left", i, l, len(data))
		}
		t.StringVal = append(t.StringVal, data[:l])
		data = data[l:]
	}
	return data, nil
}

// dequantize decodes raw as tfjs does. A float16 is converted exactly; any other number v becomes
// v*scale + min, computed in double precision and rounded to the weight's type.
func dequantize(t *pb.TensorProto, d, stored tensor.DType, n int, raw []byte, q *tfjsQuant) error {
	src := tensor.MakeSlice(stored, n)
	bundle.Decode(src, raw, false)
	var at func(i int) float64
	switch s := src.(type) {
	case []tensor.F16:
		if d != tensor.Float32 {
			return invalid("float16 is stored for a weight of type %s", d)
		}
		at = func(i int) float64 { return float64(s[i].Float32()) }
	case []uint8:
		at = func(i int) float64 { return float64(s[i])*q.Scale + q.Min }
	case []uint16:
		at = func(i int) float64 { return float64(s[i])*q.Scale + q.Min }
	default:
		return invalid("%s is not a type of quantized weights; float16, uint8 and uint16 are", stored)
	}
	beyond := func(i int) error {
		return invalid("element %d is %g by the scale %g and the minimum %g, which is out of range for %s", i, at(i), q.Scale, q.Min, d)
	}
	out := make([]byte, 4*n)
	for i := range n {
		switch d {
		case tensor.Float32:
			v := float32(at(i))
			if stored != tensor.Half && (math.IsInf(float64(v), 0) || v != v) {
				return beyond(i)
			}
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(v))
		case tensor.Int32:
			v := math.Floor(at(i) + 0.5)
			if !(v >= math.MinInt32 && v <= math.MaxInt32) {
				return beyond(i)
			}
			binary.LittleEndian.PutUint32(out[4*i:], uint32(int32(v)))
		default:
			return invalid("weights of type %s are not quantized", d)
		}
	}
	t.TensorContent = out
	return nil
}

// fillConstants sets the value of each Const node for which there is a weight with the node's name.
// A node may declare a wider type than the weight's type, because tfjs has no float64 and no int64.
func fillConstants(def *pb.GraphDef, weights map[string]*pb.TensorProto) error {
	nodes := [][]*pb.NodeDef{def.Node}
	for _, f := range def.GetLibrary().GetFunction() {
		nodes = append(nodes, f.NodeDef)
	}
	for _, l := range nodes {
		for _, n := range l {
			w := weights[n.GetName()]
			if n.GetOp() != "Const" || w == nil {
				continue
			}
			d := pb.DataType(n.Attr["dtype"].GetType())
			if d == 0 {
				d = w.Dtype
			}
			t, err := widen(w, d)
			if err != nil {
				return tensor.AtNode(err, n.Name, n.Op)
			}
			setAttr(n, "value", &pb.AttrValue{Value: &pb.AttrValue_Tensor{Tensor: t}})
			setAttr(n, "dtype", typeAttr(d))
		}
	}
	return nil
}

func setAttr(n *pb.NodeDef, key string, v *pb.AttrValue) {
	if n.Attr == nil {
		n.Attr = map[string]*pb.AttrValue{}
	}
	n.Attr[key] = v
}

func typeAttr(d pb.DataType) *pb.AttrValue {
	return &pb.AttrValue{Value: &pb.AttrValue_Type{Type: d}}
}

// widen returns the weight w converted to the type d, which the node of the weight declares.
func widen(w *pb.TensorProto, d pb.DataType) (*pb.TensorProto, error) {
	if w.Dtype == d {
		return w, nil
	}
	t, err := attrs{}.tensor(w)
	if err != nil {
		return nil, err
	}
	r := &pb.TensorProto{Dtype: d, TensorShape: w.TensorShape}
	values := func(at func(i int) float64) bool {
		for i := range t.Len() {
			v := at(i)
			switch tensor.DType(d) {
			case tensor.Float64:
				r.DoubleVal = append(r.DoubleVal, v)
			case tensor.Int64:
				r.Int64Val = append(r.Int64Val, int64(v))
			case tensor.Float32:
				r.FloatVal = append(r.FloatVal, float32(v))
			case tensor.Int32, tensor.Int16, tensor.Int8, tensor.Uint8, tensor.Uint16:
				r.IntVal = append(r.IntVal, int32(v))
			case tensor.Uint32:
				r.Uint32Val = append(r.Uint32Val, uint32(int64(v)))
			case tensor.Uint64:
				r.Uint64Val = append(r.Uint64Val, uint64(int64(v)))
			case tensor.Half:
				r.HalfVal = append(r.HalfVal, int32(tensor.ToF16(float32(v))))
			case tensor.BFloat16:
				r.HalfVal = append(r.HalfVal, int32(tensor.ToBF16(float32(v))))
			case tensor.Bool:
				r.BoolVal = append(r.BoolVal, v != 0)
			default:
				return false
			}
		}
		return true
	}
	ok := false
	switch data := t.Data.(type) {
	case []float32:
		ok = values(func(i int) float64 { return float64(data[i]) })
	case []int32:
		ok = values(func(i int) float64 { return float64(data[i]) })
	case []uint8:
		ok = values(func(i int) float64 { return float64(data[i]) })
	case []bool:
		ok = values(func(i int) float64 {
			if data[i] {
				return 1
			}
			return 0
		})
	}
	if !ok {
		return nil, invalid("the weight is %v, but the node declares %v", t, d)
	}
	return r, nil
}

// tfjsSignature builds the signature serving_default from the model's own signature. If the model's
// signature declares no inputs, all placeholders become inputs. If it declares no outputs, the
// nodes whose results are not read become outputs.
func (m *Model) tfjsSignature(file string, j *tfjsModel, o Options) error {
	raw := j.Signature
	if len(raw) == 0 {
		raw = j.Metadata.Signature
	}
	d := &pb.SignatureDef{}
	if len(raw) > 0 {
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: o.Limits.Depth}).Unmarshal(raw, d); err != nil {
			return inFile(file, invalid("the signature does not parse: %s", protoMessage(err)))
		}
	}
	if len(d.Inputs) == 0 {
		d.Inputs = map[string]*pb.TensorInfo{}
		for _, n := range m.Graph.Nodes {
			if n.Op == "Placeholder" || n.Op == "PlaceholderV2" || n.Op == "PlaceholderWithDefault" {
				d.Inputs[n.Name] = tfjsPort(n)
			}
		}
	}
	if len(d.Outputs) == 0 {
		d.Outputs = map[string]*pb.TensorInfo{}
		read := m.Graph.Readers()
		for _, n := range m.Graph.Nodes {
			used := false
			for i := range n.Outs {
				used = used || len(read[ir.Out{Node: n, Index: i}]) > 0
			}
			if !used && len(n.Outs) > 0 && n.Op != "Const" && n.Op != "Placeholder" {
				d.Outputs[n.Name] = tfjsPort(n)
			}
		}
	}
	var errs Errors
	s := m.signature(defaultSignature, d, &errs)
	if len(errs) > 0 {
		for i := range errs {
			errs[i] = inFile(file, errs[i])
		}
		return errs
	}
	m.Signatures = []Signature{s}
	return nil
}

// tfjsPort returns the description of output 0 of a node, for a signature.
func tfjsPort(n *ir.Node) *pb.TensorInfo {
	info := &pb.TensorInfo{Encoding: &pb.TensorInfo_Name{Name: n.Name + ":0"}}
	if s, ok := n.Attrs["shape"].(ir.PartialShape); ok && !s.UnknownRank {
		info.TensorShape = &pb.TensorShapeProto{}
		for _, d := range s.Dims {
			info.TensorShape.Dim = append(info.TensorShape.Dim, &pb.TensorShapeProto_Dim{Size: d})
		}
	}
	return info
}

// freshNames is the set of the node names in use. The method called name returns an unused name.
type freshNames map[string]bool

func namesOf(def *pb.GraphDef) freshNames {
	f := make(freshNames, len(def.Node))
	for _, n := range def.Node {
		f[n.GetName()] = true
	}
	return f
}

func (f freshNames) name(base string) string {
	name := base
	for i := 1; f[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	f[name] = true
	return name
}

func cloneNode(n *pb.NodeDef) *pb.NodeDef { return proto.Clone(n).(*pb.NodeDef) }

// inputNode returns the node from which an input comes, or "" for a control input.
func inputNode(in string) string {
	if strings.HasPrefix(in, "^") {
		return ""
	}
	node, _ := tensorName(in)
	return node
}
