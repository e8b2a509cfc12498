package wire

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestUvarint(t *testing.T) {
	for _, c := range []struct {
		s    string
		want uint64
		next int
	}{
		{"\x00", 0, 1},
		{"\x7f!", 127, 1},
		{"\x80\x01", 128, 2},
		{"\x80\x00", 0, 2}, // longer than necessary
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", math.MaxUint64, 10},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", math.MaxUint64, 10}, // the bits beyond the 64th are ignored
		{"", 0, -1},
		{"\x80", 0, -1},
		{strings.Repeat("\x80", 10), 0, -1},
		{strings.Repeat("\x80", 10) + "\x00", 0, -1}, // eleven bytes
	} {
		if v, next := Uvarint("\xaa"+c.s, 1); v != c.want || next >= 0 && next != c.next+1 || next < 0 && c.next >= 0 {
			t.Errorf("%q is %d up to %d", c.s, v, next)
		}
	}
	for shift := range 64 {
		for _, v := range []uint64{1<<shift - 1, 1 << shift, math.MaxUint64 - 1<<shift} {
			b := AppendUvarint(nil, v)
			if got, next := Uvarint(string(b), 0); got != v || next != len(b) || UvarintLen(v) != len(b) {
				t.Errorf("%d becomes %x, of %d bytes, and that %d", v, b, UvarintLen(v), got)
			}
		}
	}
}

// read returns the fields of message s, and the value of each field, which is 0 for a field that is
// not a number. ok is false for a malformed message.
func read(s string, depth int) (fields []Field, numbers []uint64, ok bool) {
	ok = Fields(s, depth, func(f Field) bool {
		fields, numbers = append(fields, f), append(numbers, f.Number())
		return true
	})
	return fields, numbers, ok
}

func TestFields(t *testing.T) {
	tag := func(num, wire int) string { return string(AppendTag(nil, num, wire)) }
	for _, c := range []struct {
		name, s, head string // s is the field without its tag, and head is the part of s before the body
		wire          int
		body, tail    string
		number        uint64
	}{
		{"varint", "\xac\x02", "", Varint, "\xac\x02", "", 300},
		{"long varint", "\x80\x80\x00", "", Varint, "\x80\x80\x00", "", 0},
		{"8 bytes", "\x01\x02\x03\x04\x05\x06\x07\x88", "", Fixed8, "\x01\x02\x03\x04\x05\x06\x07\x88", "", 0x8807060504030201},
		{"4 bytes", "\x01\x02\x03\x84", "", Fixed4, "\x01\x02\x03\x84", "", 0x84030201},
		{"bytes", "\x03abc", "\x03", Bytes, "abc", "", 0},
		{"no bytes", "\x00", "\x00", Bytes, "", "", 0},
		{"length of two bytes", "\x83\x00abc", "\x83\x00", Bytes, "abc", "", 0},
	} {
		for _, num := range []int{1, 15, 16, 1<<29 - 1} {
			before := string(AppendBytes(nil, 7, "xy"))
			field := tag(num, c.wire) + c.s
			fs, numbers, ok := read(before+field+before, 0)
			at := len(before) + len(tag(num, c.wire)) + len(c.head)
			if !ok || len(fs) != 3 || fs[1].Num() != num || fs[1].Wire() != c.wire || fs[1].Body != c.body || fs[1].At != at || numbers[1] != c.number {
				t.Errorf("%s: %v %v %v", c.name, fs, numbers, ok)
			}
			// Every prefix of a field is malformed, except the empty one and the whole field.
			for n := range len(field) {
				if _, _, ok := read(field[:n], 0); ok != (n == 0) {
					t.Errorf("%s: %q is read", c.name, field[:n])
				}
			}
		}
	}
}

func TestGroups(t *testing.T) {
	in := func(num int, s string) string {
		return string(AppendTag(append(AppendTag(nil, num, Open), s...), num, Close))
	}
	for _, num := range []int{1, 15, 16, 1<<29 - 1} {
		body := "\x08\x05" + in(2, "\x12\x01a")
		s := in(num, body)
		f, after := Next(s, 0, 0)
		if after != len(s) || f.Num() != num || f.Wire() != Open || f.Body != body || s[f.At:f.At+len(f.Body)] != body || f.Number() != 0 {
			t.Errorf("%q: %v up to %d", s, f, after)
		}
		for n := 1; n < len(s); n++ {
			if _, after := Next(s[:n], 0, 0); after >= 0 {
				t.Errorf("%q is read", s[:n])
			}
		}
	}
	if f, after := Next("\x0b\x08\x05\x8c\x00", 0, 0); after != 5 || f.Body != "\x08\x05" {
		t.Errorf("a closing tag longer than it must be: %v %d", f, after)
	}
	deep := ""
	for range MaxDepth {
		deep = in(1, deep)
	}
	for _, c := range []struct {
		depth int
		s     string
		ok    bool
	}{
		{0, deep, true},
		{1, deep, false},
		{0, in(1, deep), false},
		{MaxDepth - 1, in(1, ""), true},
		{MaxDepth, in(1, ""), false},
		{MaxDepth, "\x08\x05", true},
		{MaxDepth + 1, "\x08\x05", false},
		{MaxDepth + 1, "", false},
	} {
		if _, _, ok := read(c.s, c.depth); ok != c.ok {
			t.Errorf("%d bytes at depth %d: %v", len(c.s), c.depth, ok)
		}
	}
}

func TestMalformed(t *testing.T) {
	for name, s := range map[string]string{
		"no tag":                        "\x80",
		"field 0":                       "\x00\x01",
		"field 0 of bytes":              "\x02\x00",
		"a field beyond 29 bits":        "\x80\x80\x80\x80\x10\x00",
		"a tag of 64 bits":              "\xf8\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00",
		"a tag of eleven bytes":         strings.Repeat("\x88", 10) + "\x00\x00",
		"wire type 6":                   "\x0e\x01",
		"wire type 7":                   "\x0f\x01",
		"no number":                     "\x08",
		"half a number":                 "\x08\x80",
		"a number of eleven bytes":      "\x08" + strings.Repeat("\x80", 10) + "\x00",
		"7 of 8 bytes":                  "\x09\x01\x02\x03\x04\x05\x06\x07",
		"3 of 4 bytes":                  "\x0d\x01\x02\x03",
		"no length":                     "\x0a",
		"half a length":                 "\x0a\x80",
		"a length beyond the message":   "\x0a\x03ab",
		"a length of 63 bits":           "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7fab",
		"a length of 64 bits":           "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01ab",
		"a closed group":                "\x0c",
		"an open group":                 "\x0b",
		"an open group in a group":      "\x0b\x13\x0c",
		"a group another one closes":    "\x0b\x14",
		"a group field 0 closes":        "\x0b\x04",
		"a group of half a tag":         "\x0b\x80",
		"a group of half a field":       "\x0b\x0d\x01\x0c",
		"a group of field 0":            "\x0b\x00\x01\x0c",
		"a malformed field behind one":  "\x08\x01\x0d",
		"a closing tag beyond 32 bits":  "\x0b\x8c\x80\x80\x80\x80\x80\x01",
		"an opening tag beyond 32 bits": "\x8b\x80\x80\x80\x80\x80\x01\x0c",
	} {
		if fs, _, ok := read(s, 0); ok {
			t.Errorf("%s: %q is %v", name, s, fs)
		}
	}
	if _, _, ok := read("", 0); !ok {
		t.Error("an empty message is malformed")
	}
}

func TestFieldsStops(t *testing.T) {
	n := 0
	if Fields("\x08\x01\x08\x02\x0d", 0, func(Field) bool { n++; return n < 2 }) || n != 2 {
		t.Errorf("%d fields", n)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		s    string
		wire int
		want []uint64
		ok   bool
	}{
		{"", Varint, nil, true},
		{"\x05\xac\x02", Varint, []uint64{5, 300}, true},
		{"\x05\xac", Varint, []uint64{5}, false},
		{"", Fixed4, nil, true},
		{"\x01\x00\x00\x00\x02\x00\x00\x80", Fixed4, []uint64{1, 0x80000002}, true},
		{"\x01\x00\x00\x00\x02", Fixed4, nil, false},
		{"\x01\x00\x00\x00\x02\x00\x00\x80", Fixed8, []uint64{0x8000000200000001}, true},
		{"\x01\x00\x00\x00", Fixed8, nil, false},
		{"\x01", Bytes, nil, false},
		{"", Open, nil, false},
	} {
		var got []uint64
		if ok := Numbers(c.s, c.wire, func(v uint64) { got = append(got, v) }); ok != c.ok || !slices.Equal(got, c.want) {
			t.Errorf("%q of wire type %d: %v %v", c.s, c.wire, got, ok)
		}
	}
}

// TestAllocations checks that reading allocates nothing, whatever the input.
func TestAllocations(t *testing.T) {
	s := "\x08\xac\x02\x0d\x01\x02\x03\x04\x12\x03abc\x1b\x08\x01\x1c\x1a\x02\x05\x06"
	sum := uint64(0)
	if n := testing.AllocsPerRun(10, func() {
		Fields(s, 0, func(f Field) bool {
			sum += f.Number() + uint64(f.Num())
			return f.Wire() != Bytes || f.Num() != 3 || Numbers(f.Body, Varint, func(v uint64) { sum += v })
		})
	}); n != 0 || sum == 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFields(f *testing.F) {
	f.Add("\x08\xac\x02\x0d\x01\x02\x03\x04\x12\x03abc\x1b\x08\x01\x1c")
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		Fields(s, 0, func(f Field) bool {
			if f.At <= at || s[f.At:f.At+len(f.Body)] != f.Body {
				t.Fatalf("%q: field %d at %d", s, f.Num(), f.At)
			}
			at = f.At + len(f.Body) - 1
			return true
		})
	})
}
