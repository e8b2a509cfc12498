// Package proto decodes and encodes protocol buffers whose schema is given at
// compile time, as TensorFlow's DecodeProtoV2 and EncodeProto do, without building messages.
package proto

import (
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/tensor"
)

// Kind is the type of a field, with the numbers of the types in descriptor.proto.
type Kind int

// The kinds.
const (
	Double   Kind = 1
	Float    Kind = 2
	Int64    Kind = 3
	Uint64   Kind = 4
	Int32    Kind = 5
	Fixed64  Kind = 6
	Fixed32  Kind = 7
	Bool     Kind = 8
	String   Kind = 9
	Group    Kind = 10
	Message  Kind = 11
	Bytes    Kind = 12
	Uint32   Kind = 13
	Enum     Kind = 14
	Sfixed32 Kind = 15
	Sfixed64 Kind = 16
	Sint32   Kind = 17
	Sint64   Kind = 18
)

// wire returns the wire type of a value that is not packed.
func (k Kind) wire() int {
	switch k {
	case Double, Fixed64, Sfixed64:
		return wire.Fixed8
	case Float, Fixed32, Sfixed32:
		return wire.Fixed4
	case String, Bytes, Message:
		return wire.Bytes
	case Group:
		return wire.Open
	}
	return wire.Varint
}

// Field is a field of a message type.
type Field struct {
	Num      int
	Kind     Kind
	Repeated bool
	Packed   bool // whether repeated numbers are written as one packed list
	Presence bool // whether a value is written even if it is the zero of its type
	Required bool
	UTF8     bool   // whether a string must be valid UTF-8
	Oneof    int    // number of the oneof that contains the field, counted from 1; 0 if there is none
	Sub      int    // for a message: index of its type in Schema.Types; -1 if the message's fields are not parsed
	Enum     int    // for an enumeration: its index in Schema.Enums; -1 if all numbers are allowed
	Name     string // the name in the text form
}

// Type is the type of a message. Its fields are sorted by their numbers.
type Type struct {
	Name   string
	Fields []Field
}

// field returns the field with the number num, or nil.
func (t *Type) field(num int) *Field {
	i := sort.Search(len(t.Fields), func(i int) bool { return t.Fields[i].Num >= num })
	if i < len(t.Fields) && t.Fields[i].Num == num {
		return &t.Fields[i]
	}
	return nil
}

// Enumeration holds the numbers of an enumeration and their names.
type Enumeration struct {
	Closed  bool // whether a value whose number is not in Numbers is kept as an unknown field
	Numbers []int32
	Names   []string
}

func (e *Enumeration) has(v int32) bool {
	for _, n := range e.Numbers {
		if n == v {
			return true
		}
	}
	return false
}

// Schema is a set of types that refer to each other. The first is the type of the messages
// that are decoded or encoded.
type Schema struct {
	Types []Type
	Enums []Enumeration
}

// Flags of fields in the text form of a schema, which Text writes and ParseSchema reads.
const (
	flagRepeated = 1 << iota
	flagPacked
	flagPresence
	flagRequired
	flagUTF8
)

// Text returns the schema as a text that ParseSchema can read. It has a line for each type, field,
// enumeration and enumeration value.
func (s *Schema) Text() string {
	var b strings.Builder
	line := func(kind string, words ...string) { b.WriteString(kind + " " + strings.Join(words, " ") + "\n") }
	for _, t := range s.Types {
		line("t", t.Name)
		for _, f := range t.Fields {
			flags := 0
			for i, set := range []bool{f.Repeated, f.Packed, f.Presence, f.Required, f.UTF8} {
				if set {
					flags |= 1 << i
				}
			}
			line("f", strconv.Itoa(f.Num), strconv.Itoa(int(f.Kind)), strconv.Itoa(flags), strconv.Itoa(f.Oneof), strconv.Itoa(f.Sub), strconv.Itoa(f.Enum), f.Name)
		}
	}
	for _, e := range s.Enums {
		closed := "0"
		if e.Closed {
			closed = "1"
		}
		line("e", closed)
		for i, n := range e.Numbers {
			line("v", strconv.Itoa(int(n)), e.Names[i])
		}
	}
	return b.String()
}

// ParseSchema reads a schema that Text wrote. It returns Internal for any other text.
func ParseSchema(text string) (*Schema, error) {
	s := &Schema{}
	bad := func(l string) (*Schema, error) {
		return nil, tensor.Errorf(tensor.Internal, "%q is not a line of a schema", l)
	}
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		w := strings.Split(l, " ")
		var n [6]int
		for i := 1; i < len(w) && i <= len(n); i++ {
			n[i-1], _ = strconv.Atoi(w[i])
		}
		switch {
		case w[0] == "t" && len(w) == 2:
			s.Types = append(s.Types, Type{Name: w[1]})
		case w[0] == "f" && len(w) == 8 && len(s.Types) > 0:
			t := &s.Types[len(s.Types)-1]
			t.Fields = append(t.Fields, Field{Num: n[0], Kind: Kind(n[1]), Repeated: n[2]&flagRepeated != 0, Packed: n[2]&flagPacked != 0,
				Presence: n[2]&flagPresence != 0, Required: n[2]&flagRequired != 0, UTF8: n[2]&flagUTF8 != 0, Oneof: n[3], Sub: n[4], Enum: n[5], Name: w[7]})
		case w[0] == "e" && len(w) == 2:
			s.Enums = append(s.Enums, Enumeration{Closed: n[0] == 1})
		case w[0] == "v" && len(w) == 3 && len(s.Enums) > 0:
			e := &s.Enums[len(s.Enums)-1]
			e.Numbers, e.Names = append(e.Numbers, int32(n[0])), append(e.Names, w[2])
		default:
			return bad(l)
		}
	}
	for _, t := range s.Types {
		for _, f := range t.Fields {
			if f.Sub >= len(s.Types) || f.Enum >= len(s.Enums) || f.Sub < -1 || f.Enum < -1 {
				return bad(t.Name + "." + f.Name)
			}
		}
	}
	if len(s.Types) == 0 {
		return bad("")
	}
	return s, nil
}

// NewSchema parses a schema as ParseSchema does, and returns a handle that holds it.
func NewSchema(text string) (tensor.Handle, error) {
	s, err := ParseSchema(text)
	return tensor.Handle{V: s}, err
}

// schemaOf returns the schema that h holds.
func schemaOf(h []tensor.Handle) (*Schema, error) {
	if s, ok := h[0].V.(*Schema); ok {
		return s, nil
	}
	return nil, tensor.Errorf(tensor.Internal, "the handle is of a %T, not of a schema", h[0].V)
}
