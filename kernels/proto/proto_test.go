package proto

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// testSchema returns a schema whose first type has a field of each kind: kind k has the field
// number k. The field with the number 20+k is its repeated form.
func testSchema() *Schema {
	s := &Schema{Types: []Type{{Name: "p.M"}, {Name: "p.Sub"}},
		Enums: []Enumeration{{Closed: true, Numbers: []int32{0, 1, -3}, Names: []string{"Z", "A", "B"}}}}
	kind := func(k Kind) Field {
		f := Field{Num: int(k), Kind: k, Sub: -1, Enum: -1, Name: "f" + string(rune('a'+k))}
		switch k {
		case Message, Group:
			f.Sub, f.Presence = 1, true
		case Enum:
			f.Enum = 0
		case String:
			f.UTF8 = true
		}
		return f
	}
	m, sub := &s.Types[0], &s.Types[1]
	for k := Double; k <= Sint64; k++ {
		m.Fields = append(m.Fields, kind(k))
	}
	for k := Double; k <= Sint64; k++ {
		f := kind(k)
		f.Num, f.Repeated, f.Packed, f.Name = int(k)+20, true, k.wire() != wire.Bytes && k.wire() != wire.Open && k%2 == 0, "r"+string(rune('a'+k))
		m.Fields = append(m.Fields, f)
	}
	for i, k := range []Kind{Int32, String, Message} {
		f := kind(k)
		f.Num, f.Oneof, f.Presence, f.Name = 50+i, 1, true, "o"+string(rune('a'+i))
		m.Fields = append(m.Fields, f)
	}
	sub.Fields = []Field{{Num: 1, Kind: Int32, Required: true, Presence: true, Sub: -1, Enum: -1, Name: "a"}, {Num: 2, Kind: Message, Sub: 1, Enum: -1, Presence: true, Name: "sub"}}
	return s
}

func TestSchemaText(t *testing.T) {
	s := testSchema()
	got, err := ParseSchema(s.Text())
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%v\n%v\n%v", err, got, s)
	}
	for _, bad := range []string{"", "x", "f 1 1 0 0 -1 -1 a", "v 1 A", "t a\nf 1 11 0 0 3 -1 a", "t a\nf 1 14 0 0 -1 0 a", "t a b"} {
		if _, err := NewSchema(bad); tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := schemaOf([]tensor.Handle{{}}); tensor.CodeOf(err) != tensor.Internal {
		t.Error(err)
	}
}

func TestNormal(t *testing.T) {
	s := testSchema()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"\x28\x00", ""},                         // zero is not written
		{"\x28\x05\x28\x06", "\x28\x06"},         // the last value is used
		{"\x28\x05\x18\x01", "\x18\x01\x28\x05"}, // sorted by number
		{"\x28\xff\xff\xff\xff\x0f", "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}, // the sign is extended
		{"\x40\x02", "\x40\x01"}, // a bool
		{"\x68\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x68\xff\xff\xff\xff\x0f"},
		{"\x70\x07\x70\x01", "\x70\x01\x70\x07"}, // a number that the enumeration lacks is an unknown field
		{"\x4a\x02ab", "\x4a\x02ab"},
		{"\x62\x01\xff", "\x62\x01\xff"},
		{"\x5a\x02\x08\x01\x5a\x04\x12\x02\x08\x02", "\x5a\x06\x08\x01\x12\x02\x08\x02"}, // messages are merged
		{"\x53\x08\x01\x54", "\x53\x08\x01\x54"},
		{"\x2d\x01\x00\x00\x00", "\x2d\x01\x00\x00\x00"},                             // a field with another wire type is unknown
		{"\xc8\x01\x01\xca\x01\x02\x02\x03", "\xc8\x01\x01\xc8\x01\x02\xc8\x01\x03"}, // a packed list is accepted, but its values are written separately
		{"\x90\x03\x05\x9a\x03\x01x", "\x9a\x03\x01x"},                               // only the last field of a oneof is kept
		{"\xba\x06\x01z\x28\x01", "\x28\x01\xba\x06\x01z"},
	} {
		got, ok := s.Normal(nil, nil, c.in, 0)
		if !ok || string(got) != c.want {
			t.Errorf("%q: %q %v, want %q", c.in, got, ok, c.want)
		}
	}
	for _, bad := range []string{"\x28", "\x00", "\x4a\x05a", "\x4a\x01\xff", "\x5a\x00", "\x09\x01", "\x53\x08\x01", "\x53\x08\x01\x5c", "\x54", "\xaa\x01\x03abc",
		"\xca\x01\x01\x80", strings.Repeat("\x53", 150), "\x5a\x02\x08\x01\x5a\x02\x12\x00", "\x0f"} {
		if got, ok := s.Normal(nil, nil, bad, 0); ok {
			t.Errorf("%q: %q", bad, got)
		}
	}
	deep := "\x08\x01"
	for range 120 {
		deep = "\x08\x01" + string(wire.AppendUvarint([]byte{0x12}, uint64(len(deep)))) + deep
	}
	if _, ok := s.Normal(nil, nil, deep, 1); ok {
		t.Error("messages 120 deep")
	}
	n := 0
	if err := Each("\x28\x05\x4a\x02ab", func(num int, body, raw string) error { n += num + len(body) + len(raw); return nil }); err != nil || n != 5+9+2+2+4 {
		t.Error(n, err)
	}
	if err := Each("\x28\x05", func(int, string, string) error { return tensor.Errorf(tensor.DataLoss, "") }); err == nil {
		t.Error("no error")
	}
}

func TestText(t *testing.T) {
	s := testSchema()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"ff: -5 # five\nfd: 6", "\x18\x06\x28\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{"fb: 1.5, fc: .5;fi: true", "\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x15\x00\x00\x00\x3f\x40\x01"},
		{"fb: -inf fc: 1e1f", "\x09\x00\x00\x00\x00\x00\x00\xf0\xff\x15\x00\x00\x20\x41"},
		{"fi: false fi2: 1", "?"},
		{"fo: B", "\x70\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{"fo: 1", "\x70\x01"},
		{`fj: "a" 'b\n\x41\101\u00e9\'' fm: "\377"`, "\x4a\x08ab\nAAé'\x62\x01\xff"},
		{"fl { a: 1 sub < a: 2 > }", "\x5a\x06\x08\x01\x12\x02\x08\x02"},
		{"fk { a: 1 }", "\x53\x08\x01\x54"},
		{"rf: [1, 2] rf: 3 rj: ['x', 'y']", "\xc8\x01\x01\xc8\x01\x02\xc8\x01\x03\xea\x01\x01x\xea\x01\x01y"},
		{"fr: -1 fs: -2 fe: 0x10 fn: 4294967295", "\x20\x10\x68\xff\xff\xff\xff\x0f\x88\x01\x01\x90\x01\x03"},
		{"oa: 0", "\x90\x03\x00"},
	} {
		b, err := s.ParseText(nil, c.in)
		if c.want == "?" {
			if err == nil {
				t.Errorf("%s: no error", c.in)
			}
			continue
		}
		got, ok := s.Normal(nil, nil, string(b), 0)
		if err != nil || !ok || string(got) != c.want {
			t.Errorf("%s: %q %v %v, want %q", c.in, got, ok, err, c.want)
		}
	}
	for _, bad := range []string{"x: 1", "ff", "ff: ", "ff: 1 ff: 2", "ff: x", "ff: 3000000000", "ff: -3000000000", "ff: 1.5", "ff: 1_0", "fn: -1", "fn: 4294967296", "fi: 2", "fi: -1",
		"fo: Q", "fo: 7", "fb: x", "fb: 0x1p3", "fc: inx", `fj: "a`, "fj: a", `fj: "\q"`, `fj: "\x"`, `fj: "\u12"`, `fj: "\`, "fl { a: 1", "fl: 1", "fl { a: 1 } }", "rf: [1 2]", "rf: [1",
		"oa: 1 ob: 'x'", "[x", "[p.ext]: 1", "}", "fd: \"a\"", strings.Repeat("fl { sub { ", 80)} {
		if b, err := s.ParseText(nil, bad); err == nil {
			t.Errorf("%s: %q", bad, b)
		}
	}
}

func TestDeepText(t *testing.T) {
	for depth, ok := range map[int]bool{90: true, 200: false, 1 << 12: false} {
		s := "fl { " + strings.Repeat("sub { ", depth) + "a: 1" + strings.Repeat(" }", depth+1)
		if _, err := testSchema().ParseText(nil, s); (err == nil) != ok {
			t.Errorf("%d messages in each other: %v", depth, err)
		}
	}
}

func handleOf(s *Schema) []tensor.Handle { return []tensor.Handle{{V: s}} }

func TestDecode(t *testing.T) {
	schema := handleOf(testSchema())
	dst := make([]string, 1)
	for _, c := range []struct {
		in   string
		p    InputParams
		want tensor.Code
	}{
		{"\x28\x05", InputParams{}, tensor.OK}, {"\x28", InputParams{}, tensor.OK}, {"\x28", InputParams{Sanitize: true}, tensor.DataLoss},
		{"\x28\x05\x28\x06", InputParams{Sanitize: true}, tensor.OK}, {"ff: 5", InputParams{Text: true}, tensor.OK}, {"ff", InputParams{Text: true}, tensor.DataLoss},
		{"fl {}", InputParams{Text: true}, tensor.DataLoss},
	} {
		if err := Messages(nil, dst, []string{c.in}, schema, c.p); tensor.CodeOf(err) != c.want {
			t.Errorf("%q: %v, want %v", c.in, err, c.want)
		}
	}
	if err := Messages(nil, nil, nil, schema, InputParams{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := Messages(nil, dst, dst, []tensor.Handle{{}}, InputParams{}); tensor.CodeOf(err) != tensor.Internal {
		t.Error(err)
	}
	neg := "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	m := []string{"\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x15\x00\x00\x00\x3f\x28" + neg + "\x3d\x05\x00\x00\x00\x40\x01\x4a\x01a\x88\x01\x03\x90\x01\x05\xca\x01\x0a" + neg + "\x53\x08\x01\x54", ""}
	sizes := make([]int32, 4)
	rep := FieldParams{Num: 25, Kind: Int32, Repeated: true, Column: 1, Columns: 2}
	if n, err := Sizes(sizes, m, rep); n != 1 || err != nil || !reflect.DeepEqual(sizes, []int32{0, 1, 0, 0}) {
		t.Error(n, sizes, err)
	}
	if n, err := Sizes(sizes, []string{"\x28\x01\x28\x02"}, FieldParams{Num: 5, Kind: Int32, Columns: 2}); n != 1 || err != nil || sizes[0] != 1 {
		t.Error(n, sizes, err)
	}
	if _, err := Sizes(sizes, []string{"\x28"}, rep); tensor.CodeOf(err) != tensor.DataLoss {
		t.Error(err)
	}
	f64, f32, i64, i32 := make([]float64, 2), make([]float32, 2), make([]int64, 2), make([]int32, 2)
	u64, u32, b, s := make([]uint64, 2), make([]uint32, 2), make([]bool, 2), make([]string, 2)
	p := func(k Kind) FieldParams {
		return FieldParams{Num: int(k), Kind: k, Width: 1, Number: 2.5, Whole: 7, Text: "d"}
	}
	rep.Width = 1
	for _, c := range []struct {
		f         func() error
		got, want any
	}{
		{func() error { return DecodeF64(f64, m, p(Double)) }, f64, []float64{1.5, 2.5}},
		{func() error { return DecodeF64(f64, m, p(Float)) }, f64, []float64{.5, 2.5}},
		{func() error { return DecodeF32(f32, m, p(Float)) }, f32, []float32{.5, 2.5}},
		{func() error { return DecodeI64(i64, m, p(Int32)) }, i64, []int64{-1, 7}},
		{func() error { return DecodeI64(i64, m, p(Sint32)) }, i64, []int64{-2, 7}},
		{func() error { return DecodeI64(i64, m, p(Sint64)) }, i64, []int64{-3, 7}},
		{func() error { return DecodeI64(i64, m, rep) }, i64, []int64{math.MaxUint32, 0}},
		{func() error { return DecodeI32(i32, m, p(Sint32)) }, i32, []int32{-2, 7}},
		{func() error { return DecodeU64(u64, m, p(Fixed32)) }, u64, []uint64{5, 7}},
		{func() error { return DecodeU32(u32, m, p(Fixed32)) }, u32, []uint32{5, 7}},
		{func() error { return DecodeBool(b, m, p(Bool)) }, b, []bool{true, true}},
		{func() error { return DecodeString(s, m, p(String)) }, s, []string{"a", "d"}},
		{func() error { return DecodeString(s, m, p(Group)) }, s, []string{"\x53\x08\x01\x54", "d"}},
	} {
		if err := c.f(); err != nil || !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%v, %v, want %v", c.got, err, c.want)
		}
	}
	if err := DecodeI32(i32, []string{"\x28"}, p(Int32)); tensor.CodeOf(err) != tensor.DataLoss {
		t.Error(err)
	}
}

func TestEncode(t *testing.T) {
	p := func(k Kind, packed bool) EncodeParams {
		return EncodeParams{Num: int(k), Kind: k, Packed: packed, Columns: 1, Width: 2}
	}
	sizes := []int32{2, 0}
	for _, c := range []struct {
		f    func(out []tensor.Handle) error
		want string
	}{
		{func(o []tensor.Handle) error { return EncodeF64(nil, o, sizes, []float64{1, 2, 3, 4}, p(Float, false)) }, "\x15\x00\x00\x80\x3f\x15\x00\x00\x00\x40"},
		{func(o []tensor.Handle) error { return EncodeF64(nil, o, sizes, []float64{1, 2, 3, 4}, p(Double, true)) }, "\x0a\x10\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40"},
		{func(o []tensor.Handle) error { return EncodeF32(nil, o, sizes, []float32{1, 2, 3, 4}, p(Float, true)) }, "\x12\x08\x00\x00\x80\x3f\x00\x00\x00\x40"},
		{func(o []tensor.Handle) error { return EncodeI64(nil, o, sizes, []int64{-1, 2, 3, 4}, p(Sint64, false)) }, "\x90\x01\x01\x90\x01\x04"},
		{func(o []tensor.Handle) error {
			return EncodeI64(nil, o, sizes, []int64{-1, 2, 3, 4}, p(Sfixed64, false))
		}, "\x81\x01\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01\x02\x00\x00\x00\x00\x00\x00\x00"},
		{func(o []tensor.Handle) error { return EncodeI32(nil, o, sizes, []int32{-1, 2, 3, 4}, p(Sint32, true)) }, "\x8a\x01\x02\x01\x04"},
		{func(o []tensor.Handle) error { return EncodeI32(nil, o, sizes, []int32{1, 2, 3, 4}, p(Enum, false)) }, "\x70\x01\x70\x02"},
		{func(o []tensor.Handle) error {
			return EncodeU64(nil, o, sizes, []uint64{1, 300, 3, 4}, p(Uint64, false))
		}, "\x20\x01\x20\xac\x02"},
		{func(o []tensor.Handle) error {
			return EncodeU32(nil, o, sizes, []uint32{1, 2, 3, 4}, p(Fixed32, false))
		}, "\x3d\x01\x00\x00\x00\x3d\x02\x00\x00\x00"},
		{func(o []tensor.Handle) error {
			return EncodeBool(nil, o, sizes, []bool{true, false, true, true}, p(Bool, true))
		}, "\x42\x02\x01\x00"},
		{func(o []tensor.Handle) error {
			return EncodeString(nil, o, sizes, []string{"a", "", "b", "c"}, p(String, false))
		}, "\x4a\x01a\x4a\x00"},
		{func(o []tensor.Handle) error {
			return EncodeString(nil, o, sizes, []string{"\x08\x01", "", "b", "c"}, p(Group, false))
		}, "\x53\x08\x01\x54\x53\x54"},
	} {
		out := make([]tensor.Handle, 1)
		Begin(nil, out, 2)
		dst := make([]string, 2)
		err := c.f(out)
		End(nil, dst, out)
		if err != nil || dst[0] != c.want || dst[1] != "" {
			t.Errorf("%q %v, want %q", dst, err, c.want)
		}
		Begin(nil, out, 2)
		sizes[1] = 3
		if err := c.f(out); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("three of two: %v", err)
		}
		sizes[1] = 0
	}
}

func FuzzNormal(f *testing.F) {
	f.Add("\x28\x05\x5a\x02\x08\x01\xca\x01\x02\x01\x02")
	s := testSchema()
	f.Fuzz(func(t *testing.T, in string) {
		if b, ok := s.Normal(nil, nil, in, 0); ok {
			again, ok := s.Normal(nil, nil, string(b), 0)
			if !ok || string(again) != string(b) {
				t.Errorf("%q becomes %q, then %q %v", in, b, again, ok)
			}
		}
		for k := Double; k <= Sint64; k++ {
			_, _ = Sizes(make([]int32, 1), []string{in}, FieldParams{Num: int(k) + 20, Kind: k, Repeated: true, Columns: 1})
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add(`ff: 1 fl { a: 2 } rj: ["x", 'y\n']`)
	s := testSchema()
	f.Fuzz(func(t *testing.T, in string) {
		if b, err := s.ParseText(nil, in); err == nil {
			for i := 0; i < len(b); {
				if _, i = wire.Next(string(b), i, 0); i < 0 {
					t.Fatalf("%q becomes %q", in, b)
				}
			}
		}
	})
}

// TestBudget checks that reading, writing and sorting count towards the run's limits and stop when
// the run is cancelled. It also checks that merging many messages does not copy the previous result
// for each of them.
func TestBudget(t *testing.T) {
	s := testSchema()
	const n = 150_000
	got, ok := s.Normal(nil, nil, strings.Repeat("\x5a\x02\x08\x01", n), 0)
	if want := "\x5a\x02\x08\x01"; !ok || string(got) != want {
		t.Errorf("%d messages become %d bytes, %v", n, len(got), ok)
	}
	numbers := string(wire.AppendBytes(nil, 24, strings.Repeat("\x01", n))) // packed
	dst := make([]string, 1)
	for _, p := range []InputParams{{Sanitize: true}, {Text: true}} {
		in := []string{numbers}
		if p.Text {
			in[0] = "re: [" + strings.Repeat("1,", n) + "1]"
		}
		if err := Messages(nil, dst, in, handleOf(s), p); err != nil || len(dst[0]) < n {
			t.Errorf("%v: %d bytes, %v", p, len(dst[0]), err)
		}
		typed.Ends(t, "many numbers", []any{Messages}, dst, in, handleOf(s), p)
		typed.Exhausts(t, "many numbers", []any{Messages}, n, dst, in, handleOf(s), p)
	}
	name := "[" + strings.Repeat("a ", n) + "]: 1"
	if _, err := s.ParseText(nil, name); err == nil {
		t.Error("a long name of an extension is read")
	}

	out := make([]tensor.Handle, 1)
	Begin(nil, out, 1)
	p := EncodeParams{Num: 9, Kind: String, Columns: 1, Width: 1000}
	texts := slices.Repeat([]string{strings.Repeat("x", 100)}, 1000)
	typed.Exhausts(t, "many texts", []any{EncodeString}, 1000, out, []int32{1000}, texts, p)
	typed.Exhausts(t, "many messages", []any{Begin}, 1000, out, 1000)
	Begin(nil, out, 1)
	if err := EncodeString(nil, out, []int32{1000}, texts, p); err != nil || mem.Held(nil, [][]tensor.Handle{out}) < 100_000 {
		t.Errorf("an unfinished message holds %d bytes, %v", mem.Held(nil, [][]tensor.Handle{out}), err)
	}
	End(nil, dst, out)
	if len(dst[0]) != 102_000 || mem.Held(nil, [][]tensor.Handle{out}) != 0 {
		t.Errorf("%d bytes, %d held then", len(dst[0]), mem.Held(nil, [][]tensor.Handle{out}))
	}
}
