package formats

import "google.golang.org/protobuf/encoding/protowire"

// field is a field of a protobuf message. Its value begins at offset off and has size bytes; the
// tag and the length of the field are not part of the value.
type field struct {
	number    protowire.Number
	wire      protowire.Type
	value     uint64 // of a varint
	off, size int64
}

// fields returns the first fields of a protobuf message. The message begins at offset off and has
// size bytes. The second result is true if the message is well-formed and the list has all fields
// of the message.
func (in *Input) fields(off, size int64) (list []field, whole bool) {
	const maxTag = 2 * 10 // largest number of bytes of a tag and a length
	for end := off + size; off < end; {
		if len(list) == maxFields {
			return list, false
		}
		b := in.read(off, min(maxTag, end-off))
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return list, false
		}
		b, off = b[n:], off+int64(n)
		f := field{number: number, wire: wire, off: off}
		switch wire {
		case protowire.VarintType:
			if f.value, n = protowire.ConsumeVarint(b); n < 0 {
				return list, false
			}
			f.size = int64(n)
		case protowire.BytesType:
			length, n := protowire.ConsumeVarint(b)
			if n < 0 || length > uint64(end-off-int64(n)) {
				return list, false
			}
			f.off, f.size = off+int64(n), int64(length)
		case protowire.Fixed32Type:
			f.size = 4
		case protowire.Fixed64Type:
			f.size = 8
		default:
			return list, false
		}
		list = append(list, f)
		off = f.off + f.size
	}
	return list, true
}

// message parses the file as one protobuf message and returns the first fields.
func (in *Input) message() ([]field, bool) {
	if !in.isFile() {
		return nil, false
	}
	return in.fields(0, in.size)
}

// version reports whether the first field is a version number: field 1 with a varint. In a
// GraphDef, field 1 holds a node, which is not a varint.
func version(list []field) bool {
	return len(list) > 0 && list[0].number == 1 && list[0].wire == protowire.VarintType && list[0].value > 0 && list[0].value < 1000
}

// isONNX reports whether the file is ONNX's ModelProto: its first field is ir_version, it has a
// graph, and it has no field that ModelProto lacks.
func isONNX(in *Input) bool {
	list, _ := in.message()
	if !version(list) {
		return false
	}
	graph := false
	for _, f := range list[1:] {
		want := protowire.BytesType
		switch f.number {
		case 5: // model_version
			want = protowire.VarintType
		case 7:
			graph = true
		case 2, 3, 4, 6, 8, 14, 20, 25, 26:
		default:
			return false
		}
		if f.wire != want {
			return false
		}
	}
	return graph
}

// isCoreML reports whether the file is a Core ML Model. Such a file has the fields
// specificationVersion and description, followed by a field for the model itself. The number of
// that field depends on the model's type and is at least 200.
func isCoreML(in *Input) bool {
	list, _ := in.message()
	if !version(list) || len(list) < 2 || list[1].number != 2 || list[1].wire != protowire.BytesType {
		return false
	}
	for _, f := range list[2:] {
		if f.number >= 200 && f.wire == protowire.BytesType {
			return true
		}
	}
	return false
}

// isSavedModel reports whether the file is a SavedModel message: the schema's version, followed
// only by meta graphs.
func isSavedModel(in *Input) bool {
	list, whole := in.message()
	if !whole || !version(list) || len(list) < 2 {
		return false
	}
	for _, f := range list[1:] {
		if f.number != 2 || f.wire != protowire.BytesType {
			return false
		}
		if inner, _ := in.fields(f.off, f.size); len(inner) == 0 || inner[0].number > 2 || inner[0].wire != protowire.BytesType {
			return false
		}
	}
	return true
}

// isMetaGraph reports whether the file is a MetaGraphDef. Field 2 of a MetaGraphDef is a GraphDef,
// and field 2 of a GraphDef is a library of functions. To distinguish the two, isMetaGraph looks at
// field 1 of the message in field 2. In a GraphDef, this is a node; in a library, it is a function.
func isMetaGraph(in *Input) bool {
	list, _ := in.message()
	if len(list) < 2 || list[0].number != 1 || list[1].number != 2 || list[0].wire != protowire.BytesType || list[1].wire != protowire.BytesType {
		return false
	}
	graph, _ := in.fields(list[1].off, list[1].size)
	return len(graph) > 0 && graph[0].number == 1 && graph[0].wire == protowire.BytesType && in.isNode(graph[0])
}

// isNode reports whether a field is a NodeDef: whether it has a name and an op.
func (in *Input) isNode(f field) bool {
	list, _ := in.fields(f.off, f.size)
	if len(list) < 2 {
		return false
	}
	for i, part := range list[:2] {
		if int(part.number) != i+1 || part.wire != protowire.BytesType || !isName(in.read(part.off, min(part.size, 256))) {
			return false
		}
	}
	return true
}

// isName reports whether b may be the name of a node or of an op: b is not empty and has only
// printable ASCII characters other than the space.
func isName(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return len(b) > 0
}
