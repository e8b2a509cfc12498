package text

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	kernel "github.com/graphc/graphc/kernels/proto"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

const bytesDescriptor = "bytes://"

// messageDefs describes the ops that read and write fields of protobuf messages. The descriptors of
// the messages are read at compile time.
var messageDefs = []*lower.Def{
	{Name: "DecodeProtoV2", Limits: "descriptor_source must be bytes://…", Access: readsDescriptor, Shape: decodeProtoShape, Lower: decodeProtoLower},
	{Name: "EncodeProto", Limits: "descriptor_source must be bytes://…", Access: readsDescriptor, Shape: encodeProtoShape, Lower: encodeProtoLower},
}

// readsDescriptor returns the kind of file access that an op needs for its descriptors. An op whose
// attribute descriptor_source names a file is denied.
func readsDescriptor(n *ir.Node) (lower.Access, string) {
	s := n.Str("descriptor_source")
	if s == "" || s == "local://" || strings.HasPrefix(s, bytesDescriptor) {
		return lower.NoAccess, ""
	}
	return lower.Denied, "the op reads its descriptors from a file; give them as bytes:// and a serialized FileDescriptorSet"
}

// messageType reads the descriptor of a node's message.
func messageType(n *ir.Node) (protoreflect.MessageDescriptor, *protoregistry.Files, error) {
	src, ok := strings.CutPrefix(n.Str("descriptor_source"), bytesDescriptor)
	if !ok {
		return nil, nil, tensor.Errorf(tensor.Unimplemented, "descriptor_source is %q; only bytes:// and a serialized FileDescriptorSet is supported", n.Str("descriptor_source"))
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal([]byte(src), &set); err != nil {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Unable to parse FileDescriptorSet from descriptor_source: %v", err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "descriptor_source: %v", err)
	}
	name := n.Str("message_type")
	d, err := files.FindDescriptorByName(protoreflect.FullName(name))
	m, isMessage := d.(protoreflect.MessageDescriptor)
	if err != nil || !isMessage {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "No descriptor found for message type %s", name)
	}
	return m, files, nil
}

// messageField returns the field of m with the given name. If extensions is true, the name may also
// be the full name of an extension of m.
func messageField(m protoreflect.MessageDescriptor, files *protoregistry.Files, name string, extensions bool) (protoreflect.FieldDescriptor, error) {
	if f := m.Fields().ByName(protoreflect.Name(name)); f != nil {
		return f, nil
	}
	if extensions {
		d, _ := files.FindDescriptorByName(protoreflect.FullName(name))
		if f, ok := d.(protoreflect.FieldDescriptor); ok && f.IsExtension() && f.ContainingMessage().FullName() == m.FullName() {
			return f, nil
		}
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "Unknown field: %s in message type %s", name, m.FullName())
}

// holds reports whether the values of a message field of kind k can be stored in a tensor of type
// d.
func holds(k protoreflect.Kind, d tensor.DType) bool {
	switch k {
	case protoreflect.DoubleKind:
		return d == tensor.Float64
	case protoreflect.FloatKind:
		return d == tensor.Float32 || d == tensor.Float64
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind, protoreflect.Sint64Kind:
		return d == tensor.Int64
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return d == tensor.Uint64
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.Sint32Kind:
		return d == tensor.Int32 || d == tensor.Int64
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return d == tensor.Uint32 || d == tensor.Uint64
	case protoreflect.BoolKind:
		return d == tensor.Bool
	case protoreflect.EnumKind:
		return d == tensor.Int32
	}
	return d == tensor.String
}

// schemaOf returns a description of the message m, and of all messages that occur in m, in the form
// that the kernels need.
func schemaOf(m protoreflect.MessageDescriptor, files *protoregistry.Files) *kernel.Schema {
	s := &kernel.Schema{}
	types := map[protoreflect.FullName]int{}
	enums := map[protoreflect.FullName]int{}
	extensions := map[protoreflect.FullName][]protoreflect.FieldDescriptor{}
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		eachExtension(f, func(x protoreflect.FieldDescriptor) {
			of := x.ContainingMessage().FullName()
			extensions[of] = append(extensions[of], x)
		})
		return true
	})
	var visit func(m protoreflect.MessageDescriptor) int
	visit = func(m protoreflect.MessageDescriptor) int {
		if i, ok := types[m.FullName()]; ok {
			return i
		}
		i := len(s.Types)
		types[m.FullName()] = i
		s.Types = append(s.Types, kernel.Type{Name: string(m.FullName())})
		var fields []protoreflect.FieldDescriptor
		for k := range m.Fields().Len() {
			fields = append(fields, m.Fields().Get(k))
		}
		fields = append(fields, extensions[m.FullName()]...)
		sort.SliceStable(fields, func(a, b int) bool { return fields[a].Number() < fields[b].Number() })
		var out []kernel.Field
		for _, f := range fields {
			x := kernel.Field{Num: int(f.Number()), Kind: kernel.Kind(f.Kind()), Repeated: f.Cardinality() == protoreflect.Repeated,
				Packed: f.IsPacked(), Presence: f.HasPresence() || m.IsMapEntry(), Required: f.Cardinality() == protoreflect.Required,
				Sub: -1, Enum: -1, Name: string(f.Name())}
			if f.IsExtension() {
				x.Name = string(f.FullName())
			} else if f.Kind() == protoreflect.GroupKind {
				x.Name = string(f.Message().Name())
			}
			if f.Kind() == protoreflect.StringKind {
				x.UTF8 = f.ParentFile().Syntax() == protoreflect.Proto3
			}
			if o := f.ContainingOneof(); o != nil && !o.IsSynthetic() {
				x.Oneof = o.Index() + 1
			}
			if f.Message() != nil {
				x.Sub = visit(f.Message())
			}
			if e := f.Enum(); e != nil {
				k, ok := enums[e.FullName()]
				if !ok {
					k = len(s.Enums)
					enums[e.FullName()] = k
					t := kernel.Enumeration{Closed: e.IsClosed()}
					for v := range e.Values().Len() {
						t.Numbers = append(t.Numbers, int32(e.Values().Get(v).Number()))
						t.Names = append(t.Names, string(e.Values().Get(v).Name()))
					}
					s.Enums = append(s.Enums, t)
				}
				x.Enum = k
			}
			out = append(out, x)
		}
		s.Types[i].Fields = out
		return i
	}
	visit(m)
	return s
}

// eachExtension calls visit for each extension that is declared in a file or a message, or in the
// messages inside.
func eachExtension(of interface {
	Extensions() protoreflect.ExtensionDescriptors
	Messages() protoreflect.MessageDescriptors
}, visit func(protoreflect.FieldDescriptor)) {
	for i := range of.Extensions().Len() {
		visit(of.Extensions().Get(i))
	}
	for i := range of.Messages().Len() {
		eachExtension(of.Messages().Get(i), visit)
	}
}

// decodeProtoShape infers the shapes of the outputs of DecodeProtoV2(bytes). If bytes has the shape
// S, output 0 is sizes[S, n], where n is the number of fields. There is one more output for each
// field: its values, of shape [S, m], where m is the largest number of values.
func decodeProtoShape(c *lower.Shaper) error {
	types := c.Node.DTypes("output_types")
	s := c.Shape(0)
	if !s.Known {
		c.UnknownShape(0, tensor.Int32)
		for i, d := range types {
			c.UnknownShape(1+i, d)
		}
		return nil
	}
	c.Set(0, tensor.Int32, ir.ShapeOf(append(slices.Clone(s.Dims), sym.Int(len(types)))...))
	for i, d := range types {
		c.Set(1+i, d, ir.ShapeOf(append(slices.Clone(s.Dims), c.NewSize(1+i))...))
	}
	return nil
}

func decodeProtoLower(b *lower.Builder) error {
	n := b.Node
	m, files, err := messageType(n)
	if err != nil {
		return err
	}
	names, _ := n.Attrs["field_names"].([]string)
	types := n.DTypes("output_types")
	if len(names) != len(types) {
		return b.Errorf(tensor.InvalidArgument, "field_names and output_types attributes must have the same length: %d and %d", len(names), len(types))
	}
	p := kernel.InputParams{Sanitize: n.Bool("sanitize")}
	switch format := n.Str("message_format"); format {
	case "", "binary":
	case "text":
		p.Text = true
	default:
		return b.Errorf(tensor.InvalidArgument, "format must be one of binary or text, not %q", format)
	}
	params := make([]kernel.FieldParams, len(names))
	for i, name := range names {
		f, err := messageField(m, files, name, true)
		if err != nil {
			return err
		}
		if !holds(f.Kind(), types[i]) {
			return b.Errorf(tensor.InvalidArgument, "Unexpected output type for %s: %v to %v", f.FullName(), f.Kind(), types[i])
		}
		params[i] = kernel.FieldParams{Num: int(f.Number()), Kind: kernel.Kind(f.Kind()), Repeated: f.Cardinality() == protoreflect.Repeated,
			Column: i, Columns: len(names)}
		defaultValue(&params[i], f)
	}
	text := schemaOf(m, files).Text()
	hash := sha256.Sum256([]byte(text))
	schema := b.Kept("protos:"+hex.EncodeToString(hash[:8]), kernel.NewSchema, text)
	messages := b.Temp(tensor.String, b.InLen(0))
	b.Call(kernel.Messages, kit.Writes(messages), b.In(0), schema, p)
	sizes := b.Out(0)
	if len(params) == 0 {
		b.Call(shape.SetI32, sizes, []*sym.Expr{}) // no fields
	}
	for i := range params {
		b.CallSizes(kernel.Sizes, []*sym.Expr{b.NewSize(1 + i)}, sizes, kit.Reads(messages), params[i])
		sizes.Mode = plan.ReadWrite
	}
	for i, d := range types {
		fn := byProtoType(d, kernel.DecodeF64, kernel.DecodeF32, kernel.DecodeI64, kernel.DecodeI32, kernel.DecodeU64, kernel.DecodeU32, kernel.DecodeBool, kernel.DecodeString)
		b.Call(fn, b.Out(1+i), kit.Reads(messages), plan.Lit(params[i], "Width", b.NewSize(1+i)))
	}
	return nil
}

// byProtoType returns the parameter that is the kernel for the element type d.
func byProtoType(d tensor.DType, f64, f32, i64, i32, u64, u32, truth, str any) any {
	switch d {
	case tensor.Float64:
		return f64
	case tensor.Float32:
		return f32
	case tensor.Int64:
		return i64
	case tensor.Int32:
		return i32
	case tensor.Uint64:
		return u64
	case tensor.Uint32:
		return u32
	case tensor.Bool:
		return truth
	}
	return str
}

// defaultValue sets in p the value that is returned for the field f if a message does not contain
// this field.
func defaultValue(p *kernel.FieldParams, f protoreflect.FieldDescriptor) {
	v := f.Default()
	if f.Cardinality() == protoreflect.Repeated || !v.IsValid() {
		if f.Kind() != protoreflect.EnumKind {
			return
		}
		v = protoreflect.ValueOfEnum(f.Enum().Values().Get(0).Number())
	}
	switch x := v.Interface().(type) {
	case bool:
		if x {
			p.Whole = 1
		}
	case int32:
		p.Whole = int(x)
	case int64:
		p.Whole = int(x)
	case uint32:
		p.Whole = int(x)
	case uint64:
		p.Whole = int(x)
	case float32:
		p.Number = float64(x)
	case float64:
		p.Number = x
	case string:
		p.Text = x
	case []byte:
		p.Text = string(x)
	case protoreflect.EnumNumber:
		p.Whole = int(x)
	}
}

// encodeProtoShape infers the shape of the output of EncodeProto(sizes, values…). The output has
// one serialized message for each row of sizes.
func encodeProtoShape(c *lower.Shaper) error {
	s := c.Shape(0)
	if !s.Known {
		c.UnknownShape(0, tensor.String)
		return nil
	}
	if len(s.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "sizes must be at least a vector")
	}
	for i := 1; i < c.NumIn(); i++ {
		v := c.Shape(i)
		switch {
		case !v.Known:
		case len(v.Dims) < 2:
			return tensor.Errorf(tensor.InvalidArgument, "Invalid shape for field %d. Saw shape %v but it should be at least a matrix.", i-1, v)
		case len(v.Dims) != len(s.Dims):
			return tensor.Errorf(tensor.InvalidArgument, "the values of field %d have the shape %v, but sizes %v: they must match up to the last dimension", i-1, v, s)
		}
	}
	c.Set(0, tensor.String, ir.ShapeOf(s.Dims[:len(s.Dims)-1]...))
	return nil
}

func encodeProtoLower(b *lower.Builder) error {
	m, files, err := messageType(b.Node)
	if err != nil {
		return err
	}
	names, _ := b.Node.Attrs["field_names"].([]string)
	if len(names) != b.NumIn()-1 {
		return b.Errorf(tensor.InvalidArgument, "Length of inputs list must match field_names: %d and %d", b.NumIn()-1, len(names))
	}
	sizes := b.InShape(0)
	last := len(sizes) - 1
	if err := kit.RequireSame(b, sizes[last], sym.Int(len(names)), "sizes should be batch_size + [len(field_names)]"); err != nil {
		return err
	}
	params := make([]kernel.EncodeParams, len(names))
	order := make([]int, len(names))
	for i, name := range names {
		f, err := messageField(m, files, name, false)
		if err != nil {
			return err
		}
		if d := b.InFact(1 + i).DType; !holds(f.Kind(), d) {
			return b.Errorf(tensor.InvalidArgument, "Incompatible type for field %s. Saw dtype: %v but field type is: %v", name, d, f.Kind())
		}
		dims := b.InShape(1 + i)
		for k := range last {
			if err := kit.RequireSame(b, dims[k], sizes[k], "Values must match up to the last dimension"); err != nil {
				return err
			}
		}
		order[i] = i
		params[i] = kernel.EncodeParams{Num: int(f.Number()), Kind: kernel.Kind(f.Kind()), Packed: f.IsPacked(), Column: i, Columns: len(names)}
	}
	slices.SortStableFunc(order, func(a, c int) int { return params[a].Num - params[c].Num })
	out := b.Temp(tensor.Variant, sym.One)
	b.Call(kernel.Begin, kit.Writes(out), b.OutLen(0))
	for _, i := range order {
		fn := byProtoType(b.InFact(1+i).DType, kernel.EncodeF64, kernel.EncodeF32, kernel.EncodeI64, kernel.EncodeI32, kernel.EncodeU64, kernel.EncodeU32, kernel.EncodeBool, kernel.EncodeString)
		b.Call(fn, out, b.In(0), b.In(1+i), plan.Lit(params[i], "Width", b.InShape(1 + i)[last]))
	}
	b.Call(kernel.End, b.Out(0), kit.Reads(out))
	return nil
}
