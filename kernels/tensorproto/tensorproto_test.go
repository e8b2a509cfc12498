package tensorproto

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/tensor"
)

// TestAppend compares messages with the bytes of TensorFlow's SerializeTensor and SerializeSparse.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want string
	}{
		{"scalar", string(Append(nil, tensor.Float32, nil, []byte("\x00\x00@@"))), "\x08\x01\x12\x00\"\x04\x00\x00@@"},
		{"empty", string(Append(nil, tensor.Float32, []int{0, 2}, nil)), "\x08\x01\x12\x06\x12\x00\x12\x02\x08\x02"},
		{"long", string(Append([]byte("x"), tensor.Uint8, []int{300}, make([]byte, 300))), "x\x08\x04\x12\x05\x12\x03\x08\xac\x02\"\xac\x02" + strings.Repeat("\x00", 300)},
		{"strings", string(AppendStrings(nil, []int{1}, []string{"a"})), "\x08\x07\x12\x04\x12\x02\x08\x01B\x01a"},
		{"no strings", string(AppendStrings(nil, []int{0}, nil)), "\x08\x07\x12\x02\x12\x00"},
		{"content", string(AppendStringContent(nil, []int{2}, []string{"a", "bcd"})), "\x08\x07\x12\x04\x12\x02\x08\x02\"\x06\x01\x03abcd"},
		{"no content", string(AppendStringContent(nil, []int{0}, nil)), "\x08\x07\x12\x02\x12\x00"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

const two = "\x12\x04\x12\x02\x08\x02" // tensor_shape: [2]

// TestRaw compares the elements of messages with those that TensorFlow reads.
func TestRaw(t *testing.T) {
	for _, c := range []struct {
		name, src string
		dtype     tensor.DType
		shape     []int
		want      string
	}{
		{"content", "\x08\x04" + two + "\"\x02ab", tensor.Uint8, []int{2}, "ab"},
		{"content before a field", "\x08\x04" + two + "8\x07\"\x02ab", tensor.Uint8, []int{2}, "ab"},
		{"nothing", "\x08\x01" + two, tensor.Float32, []int{2}, strings.Repeat("\x00", 8)},
		{"one repeats", "\x08\x01\x12\x04\x12\x02\x08\x03-\x00\x00\x80?", tensor.Float32, []int{3}, strings.Repeat("\x00\x00\x80?", 3)},
		{"packed, too many", "\x08\x01\x12\x00*\x08\x00\x00\x80?abcd", tensor.Float32, nil, "\x00\x00\x80?"},
		{"another field", "\x08\x01" + two + "8\x05", tensor.Float32, []int{2}, strings.Repeat("\x00", 8)},
		{"double", "\x08\x02" + two + "1abcdefgh", tensor.Float64, []int{2}, "abcdefghabcdefgh"},
		{"int wraps", "\x08\x04" + two + "8\xac\x02", tensor.Uint8, []int{2}, "\x2c\x2c"},
		{"negative int", "\x08\x03\x12\x008\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", tensor.Int32, nil, "\xff\xff\xff\xff"},
		{"packed ints", "\x08\x05" + two + ":\x03\x01\xac\x02", tensor.Int16, []int{2}, "\x01\x00\x2c\x01"},
		{"int64", "\x08\x09" + two + "P\x07", tensor.Int64, []int{2}, "\x07\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"uint32", "\x08\x16" + two + "\x80\x01\x07", tensor.Uint32, []int{2}, "\x07\x00\x00\x00\x07\x00\x00\x00"},
		{"uint64", "\x08\x17\x12\x00\x88\x01\x07", tensor.Uint64, nil, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"bool", "\x08\x0a" + two + "Z\x02\x05\x00", tensor.Bool, []int{2}, "\x01\x00"},
		{"half", "\x08\x13" + two + "h\x80\x78", tensor.Half, []int{2}, "\x00\x3c\x00\x3c"},
		{"bfloat16", "\x08\x0e" + two + "h\x80\x7f", tensor.BFloat16, []int{2}, "\x80\x3f\x80\x3f"},
		{"complex", "\x08\x08" + two + "J\x0cabcdefghijkl", tensor.Complex64, []int{2}, "abcdefghabcdefgh"},
		{"half a complex", "\x08\x08" + two + "Mabcd", tensor.Complex64, []int{2}, strings.Repeat("\x00", 16)},
		{"complex128", "\x08\x12\x12\x00b\x10abcdefghijklmnop", tensor.Complex128, nil, "abcdefghijklmnop"},
		{"no elements", "\x08\x01\x12\x02\x12\x00\"\x04abcd", tensor.Float32, []int{0}, ""},
		{"empty and large", "\x08\x01\x12\x0e\x12\x00\x12\x0a\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40", tensor.Float32, []int{0, 1 << 62}, ""},
		{"shape in two", "\x08\x04\x12\x04\x12\x02\x08\x02\x12\x04\x12\x02\x08\x01", tensor.Uint8, []int{2, 1}, "\x00\x00"},
		{"unknown rank", "\x08\x04\x12\x02\x18\x01", tensor.Uint8, nil, "\x00"},
		{"last type counts", "\x08\x01\x08\x04" + two, tensor.Uint8, []int{2}, "\x00\x00"},
		{"type of many bits", "\x08\x84\x80\x80\x80\x10" + two, tensor.Uint8, []int{2}, "\x00\x00"},
		{"wrong wire type", "\x08\x01" + two + "(\x01", tensor.Float32, []int{2}, strings.Repeat("\x00", 8)},
		{"group", "\x08\x04" + two + "\xa3\x06\x08\x01\xa4\x06", tensor.Uint8, []int{2}, "\x00\x00"},
		{"handle", "\x08\x04" + two + "r\x09\x0a\x01d2\x04\x08\x01\x12\x00", tensor.Uint8, []int{2}, "\x00\x00"},
		{"variant", "\x08\x04" + two + "z\x07\x0a\x01t\x1a\x02\x08\x01", tensor.Uint8, []int{2}, "\x00\x00"},
	} {
		m, err := Parse(c.src)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := []byte(strings.Repeat("?", m.Len*m.DType.Size()))
		m.Raw(got)
		if m.DType != c.dtype || string(got) != c.want || !slices.Equal(m.Shape, c.shape) {
			t.Errorf("%s: %v%v %q, want %v%v %q", c.name, m.DType, m.Shape, got, c.dtype, c.shape, c.want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{"\x08\x07" + two + "B\x01aB\x02bc", []string{"a", "bc"}},
		{"\x08\x07" + two + "B\x01a", []string{"a", "a"}},
		{"\x08\x07" + two, []string{"", ""}},
		{"\x08\x07\x12\x00B\x01aB\x02bc", []string{"a"}},
		{"\x08\x07" + two + "\"\x05\x01\x02abc", []string{"a", "bc"}},
	} {
		m, err := Parse(c.src)
		if err != nil {
			t.Fatalf("%q: %v", c.src, err)
		}
		got := make([]string, m.Len)
		if m.Strings(got); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.src, got, c.want)
		}
	}
}

// TestParseRefuses checks that Parse refuses messages that TensorFlow's ParseTensor refuses.
func TestParseRefuses(t *testing.T) {
	for name, src := range map[string]string{
		"no type":             two,
		"nothing":             "",
		"an unknown type":     "\x08\x63" + two,
		"a variant":           "\x08\x15" + two,
		"a large type":        "\x08\x81\x02" + two,
		"negative":            "\x08\x01\x12\x0d\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"too many":            "\x08\x01\x12\x10\x12\x0a\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40\x12\x02\x08\x04",
		"rank":                "\x08\x01\x12\xfe\x03" + strings.Repeat("\x12\x00", 255),
		"short content":       "\x08\x01" + two + "\"\x04abcd",
		"odd content":         "\x08\x01" + two + "\"\x09abcdefghi",
		"no bool":             "\x08\x0a" + two + "\"\x02\x00\x02",
		"strings left":        "\x08\x07" + two + "\"\x05\x01\x01abc",
		"strings missing":     "\x08\x07" + two + "\"\x04\x01\x02ab",
		"lengths missing":     "\x08\x07" + two + "\"\x01\x00",
		"lengths overflow":    "\x08\x07" + two + "\"\x0a\x06\x06abcdefgh",
		"name of a dimension": "\x08\x01\x12\x07\x12\x05\x08\x02\x12\x01\xff",
		"packed floats":       "\x08\x01" + two + "*\x03\x00\x00\x80",
		"packed ints":         "\x08\x01" + two + ":\x01\x80",
		"handle":              "\x08\x01" + two + "r\x03\x0a\x01\xff",
		"handle's shape":      "\x08\x01" + two + "r\x052\x03\x12\x01\x08",
		"variant":             "\x08\x01" + two + "z\x02\xff\xff",
		"variant's name":      "\x08\x01" + two + "z\x03\x0a\x01\xff",
		"open group":          "\x08\x01" + two + "\xa3\x06",
		"group of another":    "\x08\x01" + two + "\xa3\x06\xac\x06",
		"junk in a group":     "\x08\x01" + two + "\xa3\x06\x07\xa4\x06",
		"deep groups":         "\x08\x01" + two + strings.Repeat("\xa3\x06", 101) + strings.Repeat("\xa4\x06", 101),
		"closed group":        "\x08\x01" + two + "\xa4\x06",
		"field 0":             "\x08\x01" + two + "\x00",
		"short number":        "\x08\x01" + two + "\x08",
		"long number":         "\x08\x01" + two + "\x08" + strings.Repeat("\x80", 10) + "\x00",
		"short fixed":         "\x08\x01" + two + "-\x00",
		"short fixed8":        "\x08\x01" + two + "1\x00",
		"short bytes":         "\x08\x01" + two + "\"\x05a",
		"deep variants":       deepVariants(120),
	} {
		if _, err := Parse(src); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func deepVariants(n int) string {
	s := ""
	for range n {
		s = string(wire.AppendUvarint([]byte("\x1a"), uint64(len(s)))) + s
		s = string(wire.AppendUvarint([]byte("\x7a"), uint64(len(s)))) + s
	}
	return "\x08\x01" + two + s
}

func FuzzParse(f *testing.F) {
	f.Add("\x08\x01" + two + "-\x00\x00\x80?")
	f.Add("\x08\x07" + two + "\"\x05\x01\x02abc")
	f.Add("\x08\x04" + two + "z\x07\x0a\x01t\x1a\x02\x08\x01")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := Parse(s)
		if err != nil || m.Len > 1<<16 {
			return
		}
		if m.DType == tensor.String {
			v := make([]string, m.Len)
			m.Strings(v)
			again, err := Parse(string(AppendStringContent(nil, m.Shape, v)))
			if err != nil {
				t.Fatal(err)
			}
			w := make([]string, again.Len)
			if again.Strings(w); !slices.Equal(v, w) {
				t.Fatalf("%q became %q", v, w)
			}
			return
		}
		v := make([]byte, m.Len*m.DType.Size())
		m.Raw(v)
		again, err := Parse(string(Append(nil, m.DType, m.Shape, v)))
		if err != nil {
			t.Fatal(err)
		}
		w := make([]byte, len(v))
		if again.Raw(w); !slices.Equal(v, w) {
			t.Fatalf("%q became %q", v, w)
		}
	})
}
