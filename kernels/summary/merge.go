package summary

import (
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/kernels/proto"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// The types of the schema of Summary messages.
const (
	summaryMessage = iota
	valueMessage
	metadataMessage
	pluginMessage
	imageMessage
	audioMessage
	histoMessage
)

// schema returns the schema of Summary messages. It does not describe the fields of the tensors in
// a Summary.
func schema() *proto.Schema {
	text := func(num int) proto.Field {
		return proto.Field{Num: num, Kind: proto.String, UTF8: true, Sub: -1, Enum: -1}
	}
	plain := func(num int, k proto.Kind) proto.Field { return proto.Field{Num: num, Kind: k, Sub: -1, Enum: -1} }
	one := func(f proto.Field) proto.Field { f.Oneof, f.Presence = 1, true; return f }
	sub := func(num, typ int) proto.Field {
		return proto.Field{Num: num, Kind: proto.Message, Sub: typ, Enum: -1, Presence: true}
	}
	packed := func(num int) proto.Field {
		return proto.Field{Num: num, Kind: proto.Double, Repeated: true, Packed: true, Sub: -1, Enum: -1}
	}
	value := sub(numValue, valueMessage)
	value.Repeated = true
	return &proto.Schema{Types: []proto.Type{
		summaryMessage: {Name: "Summary", Fields: []proto.Field{value}},
		valueMessage: {Name: "Value", Fields: []proto.Field{text(numTag), one(plain(numSimple, proto.Float)), one(plain(3, proto.Bytes)),
			one(sub(4, imageMessage)), one(sub(numHisto, histoMessage)), one(sub(6, audioMessage)), text(numNode),
			one(sub(numTensor, -1)), sub(numMetadata, metadataMessage)}},
		metadataMessage: {Name: "SummaryMetadata", Fields: []proto.Field{sub(1, pluginMessage), text(2), text(3), plain(4, proto.Enum)}},
		pluginMessage:   {Name: "PluginData", Fields: []proto.Field{text(1), plain(2, proto.Bytes)}},
		imageMessage:    {Name: "Image", Fields: []proto.Field{plain(1, proto.Int32), plain(2, proto.Int32), plain(3, proto.Int32), plain(4, proto.Bytes)}},
		audioMessage:    {Name: "Audio", Fields: []proto.Field{plain(1, proto.Float), plain(2, proto.Int64), plain(3, proto.Int64), plain(4, proto.Bytes), text(5)}},
		histoMessage: {Name: "HistogramProto", Fields: []proto.Field{plain(1, proto.Double), plain(2, proto.Double), plain(3, proto.Double),
			plain(4, proto.Double), plain(5, proto.Double), packed(6), packed(7)}},
	}}
}

// normal returns a message in the form in which a protobuf library would write it. It returns nil
// if the message cannot be parsed.
func normal(run *mem.Budget, typ int, msg string) []byte {
	b, ok := schema().Normal(run, nil, msg, typ)
	if !ok {
		return nil
	}
	return b
}

// delimited reports whether a field has the wire type of length-delimited bytes. A field with the
// number of a known bytes field but another wire type counts as unknown.
func delimited(raw string) bool { return raw[0]&7 == wire.Bytes }

const (
	tagWork  = 128 // number of operations for a value and its tag
	tagBytes = 64  // number of bytes of a tag in a map
)

// Merge stores in dst[0] a Summary with the values of all serialized Summary messages in parts. It
// returns InvalidArgument for bytes that are not a Summary, and for a tag that occurs twice.
func Merge(run *mem.Budget, dst, parts []string) error {
	call := run.Call()
	defer call.Free()
	s := schema()
	tags := map[string]bool{}
	var all []byte
	for _, p := range parts {
		b, ok := s.Normal(run, nil, p, summaryMessage)
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "Could not parse one of the summary inputs")
		}
		call.Need(mem.Mul(3, len(b))) // for the message, its copy as a string, and its part of the result
		err := proto.Each(string(b), func(num int, value, raw string) error {
			if num != numValue || !delimited(raw) {
				return nil
			}
			tag := ""
			_ = proto.Each(value, func(num int, text, raw string) error {
				if num == numTag && delimited(raw) {
					tag = text
				}
				return nil
			})
			if tag != "" && tags[tag] {
				return tensor.Errorf(tensor.InvalidArgument, "Duplicate tag %s found in summary inputs", tag)
			}
			call.Work(tagWork)
			call.Need(tagBytes)
			tags[tag] = true
			all = append(all, raw...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	run.MustMake(len(all))
	dst[0] = string(all)
	return nil
}
