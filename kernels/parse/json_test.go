package parse

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestExamples compares the messages for texts in JSON with TensorFlow 2.21's results.
func TestExamples(t *testing.T) {
	one := func(feature string) string { return `{"features":{"feature":{` + feature + `}}}` }
	for _, c := range []struct {
		in, want string
		bad      bool
	}{
		{in: "{}"},
		{in: ` {"features" : { } } `, want: "\n\x00"},
		{in: `{"features":null}`},
		{in: one(""), want: "\n\x00"},
		{in: `{"features":{"feature":null}}`, want: "\n\x00"},
		{in: one(`"a":{}`), want: "\n\x07\n\x05\n\x01a\x12\x00"},
		{in: one(`"a":null`), want: "\n\x05\n\x03\n\x01a"},
		{in: one(`'a':{int64_list:{"value":[1,"2",-1,2.0,"0x10",],}}`), want: "\n\x1c\n\x1a\n\x01a\x12\x15\x1a\x13\x08\x01\x08\x02\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x08\x02\x08\x10"},
		{in: one(`"a":{"int64List":{"value":3}}`), want: "\n\x0b\n\t\n\x01a\x12\x04\x1a\x02\x08\x03"},
		{in: one(`"a":{"int64List":{"value":null}}`), want: "\n\t\n\x07\n\x01a\x12\x02\x1a\x00"},
		{in: one(`"a":{"int64List":null}`), want: "\n\x07\n\x05\n\x01a\x12\x00"},
		{in: one(`"a":{"floatList":{"value":["NaN","-nan","Infinity",[-0.0],1e-50]}}`), want: "\n\x22\n \n\x01a\x12\x1b\x12\x19\r\x00\x00\xc0\x7f\r\x00\x00\xc0\xff\r\x00\x00\x80\x7f\r\x00\x00\x00\x80\r\x00\x00\x00\x00"},
		{in: one(`"b":{"bytesList":{"value":["aGk=","aGk","a-_="]}}`), want: "\n\x15\n\x13\n\x01b\x12\x0e\n\x0c\n\x02hi\n\x02hi\n\x02k\xef"},
		{in: one(`"\u00e4\ud83d\ude00\n":{}`), want: "\n\x0d\n\x0b\n\x07ä😀\n\x12\x00"},
		{in: "", bad: true}, {in: "null", bad: true}, {in: "[]", bad: true}, {in: `{"x":1}`, bad: true}, {in: "{}{}", bad: true},
		{in: `{"features":{"x":1}}`, bad: true}, {in: `{"features":3}`, bad: true}, {in: `{"features":{"feature":[]}}`, bad: true}, {in: `{3:1}`, bad: true},
		{in: `{"features"`, bad: true}, {in: `{"features`, bad: true}, {in: `{"fea\`, bad: true}, {in: "{\"\xff\":1}", bad: true},
		{in: one(`"a":{"x":{}}`), bad: true},
		{in: one(`"a":{"int64List":{"x":1}}`), bad: true},
		{in: one(`"a":{"int64List":{},"floatList":{}}`), bad: true},
		{in: one(`"a":{},"a":{}`), bad: true},
		{in: one(`"\ud800":{}`), bad: true}, {in: one(`"\u12":{}`), bad: true}, {in: one(`"\uxxxx":{}`), bad: true}, {in: one(`"\q":{}`), bad: true},
		{in: one(`"a":{"int64List":{"value":[1.5]}}`), bad: true},
		{in: one(`"a":{"int64List":{"value":[9223372036854775808]}}`), bad: true},
		{in: one(`"a":{"int64List":{"value":[01]}}`), bad: true}, {in: one(`"a":{"int64List":{"value":[1.]}}`), bad: true},
		{in: one(`"a":{"int64List":{"value":[1e]}}`), bad: true}, {in: one(`"a":{"int64List":{"value":[true]}}`), bad: true},
		{in: one(`"a":{"int64List":{"value":[" 1"]}}`), bad: true}, {in: one(`"a":{"int64List":{"value":["x"]}}`), bad: true},
		{in: one(`"a":{"int64List":{"value":[1 2]}}`), bad: true},
		{in: one(`"a":{"floatList":{"value":[1e50]}}`), bad: true}, {in: one(`"a":{"floatList":{"value":["x"]}}`), bad: true},
		{in: one(`"a":{"floatList":{"value":[NaN]}}`), bad: true},
		{in: one(`"b":{"bytesList":{"value":["****"]}}`), bad: true}, {in: one(`"b":{"bytesList":{"value":["aGk=="]}}`), bad: true},
		{in: one(`"b":{"bytesList":{"value":[3]}}`), bad: true},
	} {
		var got [1]string
		err := Examples(nil, got[:], []string{c.in})
		if c.bad != (tensor.CodeOf(err) == tensor.InvalidArgument) || !c.bad && got[0] != c.want {
			t.Errorf("%s: %q, %v, want %q", c.in, got[0], err, c.want)
		}
	}
	deep := make([]byte, 0, 1000)
	for range 200 {
		deep = append(deep, '[')
	}
	if err := Examples(nil, make([]string, 1), []string{one(`"a":{"floatList":{"value":` + string(deep))}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("deep lists: %v", err)
	}
}

func TestDeepLists(t *testing.T) {
	for depth, ok := range map[int]bool{90: true, 101: false, 1 << 12: false} {
		s := `{"features":{"feature":{"a":{"int64List":{"value":` + strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth) + `}}}}}`
		if err := Examples(nil, make([]string, 1), []string{s}); (err == nil) != ok {
			t.Errorf("%d lists in each other: %v", depth, err)
		}
	}
}

func FuzzExamples(f *testing.F) {
	f.Add(`{"features":{"feature":{"a":{"int64List":{"value":[1,"2"]}},"b":{"floatList":{"value":["NaN",1e3]}},"c":{"bytesList":{"value":["aGk="]}}}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		var got [1]string
		if err := Examples(nil, got[:], []string{s}); err == nil {
			if err := Locate(nil, make([]int64, 2), got[:], []string{"a"}); err != nil {
				t.Errorf("%q becomes %q: %v", s, got[0], err)
			}
		}
	})
}
