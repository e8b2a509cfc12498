package parse

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Examples converts texts in JSON to tf.Example messages, as TensorFlow's DecodeJSONExample does.
// Features keep the order that they have in the text, and lists of numbers are not packed. Examples
// returns InvalidArgument for a text that is not the JSON form of an Example.
func Examples(run *mem.Budget, dst, src []string) error {
	call := run.Call()
	defer call.Free()
	for i, s := range src {
		call.Free()
		call.Need(mem.Mul(jsonBytes, len(s)))
		call.Work(valueWork + len(s))
		p := jsonReader{s: s, call: &call}
		if !utf8.ValidString(s) {
			return tensor.Errorf(tensor.InvalidArgument, "Error while parsing JSON: element %d is not UTF-8", i)
		}
		b := p.object(nil, p.example)
		if p.space(); p.err == "" && p.at < len(s) {
			p.fail("extraneous characters after end of JSON object")
		}
		if p.err != "" {
			return tensor.Errorf(tensor.InvalidArgument, "Error while parsing JSON: element %d, near offset %d: %s", i, p.failed, p.err)
		}
		run.MustMake(len(b))
		dst[i] = string(b)
	}
	return nil
}

const (
	// jsonBytes is the number of bytes of memory that are counted for each character of a text. In
	// a list, two characters such as "1," can become a number of five bytes, and each message is
	// copied once more into the message that contains it.
	jsonBytes = 10
	valueWork = 64 // work counted for a value, in addition to its characters
)

// jsonReader reads a text in JSON, with the deviations that TensorFlow's protobuf
// allows: single quotes, names without quotes, a comma after the last element. It
// stops at the first error.
type jsonReader struct {
	s      string
	at     int
	depth  int // nesting depth of lists
	err    string
	failed int
	call   *mem.Call
}

func (p *jsonReader) fail(err string) {
	if p.err == "" {
		p.err, p.failed = err, p.at
	}
	p.at = len(p.s)
}

func (p *jsonReader) space() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

// peek skips white space and returns the next character, or 0 at the end.
func (p *jsonReader) peek() byte {
	if p.space(); p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

// take skips c, and reports whether c was the next character.
func (p *jsonReader) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *jsonReader) expect(c byte) {
	if p.err != "" {
		return
	}
	switch have := p.peek(); {
	case have == c:
		p.at++
	case p.at >= len(p.s):
		p.fail("unexpected EOF")
	default:
		p.fail("unexpected character: '" + string(rune(have)) + "'; expected '" + string(rune(c)) + "'")
	}
}

// null skips the word null, and reports whether it came next.
func (p *jsonReader) null() bool {
	if p.peek() == 'n' && strings.HasPrefix(p.s[p.at:], "null") {
		p.at += 4
		return true
	}
	return false
}

// object reads an object. After each name it calls member, which reads the value and appends it to
// b.
func (p *jsonReader) object(b []byte, member func(b []byte, name string) []byte) []byte {
	p.expect('{')
	for p.err == "" && !p.take('}') {
		p.call.Work(valueWork)
		name := p.name()
		p.expect(':')
		if p.err == "" {
			b = member(b, name)
		}
		if !p.take(',') {
			p.expect('}')
			break
		}
	}
	return b
}

// list reads either a list or a single element. For each element, including the elements of nested
// lists, it calls the parameter element, a function that reads an element and appends it to b.
func (p *jsonReader) list(b []byte, element func(b []byte) []byte) []byte {
	if !p.take('[') {
		p.call.Work(valueWork)
		return element(b)
	}
	if p.depth++; p.depth > 100 {
		p.fail("lists are nested too deep")
	}
	defer func() { p.depth-- }()
	for p.err == "" && !p.take(']') {
		b = p.list(b, element)
		if !p.take(',') {
			p.expect(']')
			break
		}
	}
	return b
}

// name reads a member's name, which needs no quotes if it is an identifier.
func (p *jsonReader) name() string {
	if c := p.peek(); c == '"' || c == '\'' {
		return p.text()
	}
	from := p.at
	for p.at < len(p.s) {
		c := p.s[p.at]
		if c != '_' && c != '$' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9' || p.at == from) {
			break
		}
		p.at++
	}
	if p.at == from {
		p.fail("expected a member's name")
		return ""
	}
	return p.s[from:p.at]
}

// text reads a string.
func (p *jsonReader) text() string {
	quote := p.peek()
	if quote != '"' && quote != '\'' {
		p.fail("expected a string")
		return ""
	}
	p.at++
	var b strings.Builder
	for p.at < len(p.s) {
		p.call.Work(4)
		c := p.s[p.at]
		switch {
		case c == quote:
			p.at++
			return b.String()
		case c == '\\':
			p.escape(&b)
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.fail("unexpected EOF")
	return ""
}

// escape reads an escape sequence.
func (p *jsonReader) escape(b *strings.Builder) {
	p.at++
	if p.at >= len(p.s) {
		return
	}
	c := p.s[p.at]
	p.at++
	if i := strings.IndexByte(`"\/'bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/'\b\f\n\r\t"[i])
		return
	}
	if c != 'u' {
		p.fail("invalid escape char: '" + string(rune(c)) + "'")
		return
	}
	r := p.unit()
	if utf16.IsSurrogate(r) {
		low := rune(-1)
		if strings.HasPrefix(p.s[p.at:], `\u`) {
			p.at += 2
			low = p.unit()
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			p.fail("unpaired surrogate")
			return
		}
	}
	b.WriteRune(r)
}

// unit reads four hexadecimal digits.
func (p *jsonReader) unit() rune {
	if len(p.s)-p.at < 4 {
		p.fail("invalid Unicode escape")
		return 0
	}
	v, err := strconv.ParseUint(p.s[p.at:p.at+4], 16, 32)
	if err != nil {
		p.fail("invalid Unicode escape")
		return 0
	}
	p.at += 4
	return rune(v)
}

func (p *jsonReader) unknown(name string) { p.fail("no such field: '" + name + "'") }

// example reads a member of an Example.
func (p *jsonReader) example(b []byte, name string) []byte {
	switch {
	case name != "features":
		p.unknown(name)
		return b
	case p.null():
		return b
	}
	return wire.AppendBytes(b, 1, p.object(nil, p.features))
}

// features reads a member of Features.
func (p *jsonReader) features(b []byte, name string) []byte {
	switch {
	case name != "feature":
		p.unknown(name)
		return b
	case p.null():
		return b
	}
	seen := map[string]bool{}
	return p.object(b, func(b []byte, key string) []byte {
		if seen[key] {
			p.fail("got unexpectedly-repeated map key: '" + key + "'")
		}
		seen[key] = true
		e := wire.AppendBytes(nil, 1, key)
		if !p.null() {
			e = wire.AppendBytes(e, 2, p.feature())
		}
		return wire.AppendBytes(b, 1, e)
	})
}

// feature reads a Feature, which has at most one list.
func (p *jsonReader) feature() []byte {
	filled := ""
	return p.object(nil, func(b []byte, name string) []byte {
		num := 0
		element := p.bytes
		switch name {
		case "bytesList", "bytes_list":
			num = 1
		case "floatList", "float_list":
			num, element = 2, p.float
		case "int64List", "int64_list":
			num, element = 3, p.int64
		default:
			p.unknown(name)
			return b
		}
		if p.null() {
			return b
		}
		if filled != "" {
			p.fail("'" + filled + "' has already been set")
		}
		filled = name
		return wire.AppendBytes(b, num, p.object(nil, func(b []byte, name string) []byte {
			switch {
			case name != "value":
				p.unknown(name)
				return b
			case p.null():
				return b
			}
			return p.list(b, element)
		}))
	})
}

// bytes reads an element of a BytesList: base64 with the standard or the web-safe alphabet.
func (p *jsonReader) bytes(b []byte) []byte {
	s := p.text()
	v, ok := unbase64(s)
	if !ok {
		p.fail("corrupt base64")
	}
	return wire.AppendBytes(b, 1, v)
}

func unbase64(s string) ([]byte, bool) {
	body := strings.TrimRight(s, "=")
	if pad := len(s) - len(body); len(body)%4 == 1 || pad > 0 && (pad > 2 || len(s)%4 != 0) {
		return nil, false
	}
	out := make([]byte, 0, len(body)*3/4)
	word, n := uint32(0), 0
	for i := range len(body) {
		c := body[i]
		v := uint32(0)
		switch {
		case c >= 'A' && c <= 'Z':
			v = uint32(c - 'A')
		case c >= 'a' && c <= 'z':
			v = uint32(c-'a') + 26
		case c >= '0' && c <= '9':
			v = uint32(c-'0') + 52
		case c == '+' || c == '-':
			v = 62
		case c == '/' || c == '_':
			v = 63
		default:
			return nil, false
		}
		word, n = word<<6|v, n+6
		if n >= 8 {
			n -= 8
			out = append(out, byte(word>>n))
		}
	}
	return out, true
}

// number reads the text of a number, with quotes or without.
func (p *jsonReader) number() (s string, inQuotes bool) {
	if c := p.peek(); c == '"' || c == '\'' {
		return p.text(), true
	}
	from := p.at
	digits := func() int {
		n := 0
		for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
			p.at++
			n++
		}
		return n
	}
	if p.peek() == '-' {
		p.at++
	}
	first := p.at
	switch n := digits(); {
	case n == 0:
		p.at = from
		p.fail("expected number or string")
		return "", false
	case n > 1 && p.s[first] == '0':
		p.fail("number cannot have extraneous leading zero")
		return "", false
	}
	if p.at < len(p.s) && p.s[p.at] == '.' {
		if p.at++; digits() == 0 {
			p.fail("expected digits behind a point")
			return "", false
		}
	}
	if p.at < len(p.s) && p.s[p.at]|0x20 == 'e' {
		p.at++
		if p.at < len(p.s) && (p.s[p.at] == '+' || p.s[p.at] == '-') {
			p.at++
		}
		if digits() == 0 {
			p.fail("expected digits in an exponent")
			return "", false
		}
	}
	return p.s[from:p.at], false
}

// float reads an element of a FloatList.
func (p *jsonReader) float(b []byte) []byte {
	s, inQuotes := p.number()
	if p.err != "" {
		return b
	}
	if strings.EqualFold(s, "-nan") {
		return append(b, 1<<3|wire.Fixed4, 0, 0, 0xc0, 0xff)
	}
	v, err := strconv.ParseFloat(s, 64)
	switch out := err != nil && v != 0 && math.IsInf(v, 0); {
	case err != nil && !out || strings.ContainsAny(s, "_xXpP "):
		p.fail("non-number characters in quoted number")
	case out, !math.IsInf(v, 0) && math.Abs(v) > math.MaxFloat32:
		if !inQuotes || !out {
			p.fail("float out of range")
		}
	}
	u := math.Float32bits(float32(v))
	if v != v {
		u = 0x7fc00000
	}
	return append(b, 1<<3|wire.Fixed4, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

// int64 reads an element of an Int64List.
func (p *jsonReader) int64(b []byte) []byte {
	s, inQuotes := p.number()
	if p.err != "" {
		return b
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil && inQuotes && len(s) > 2 && strings.EqualFold(strings.TrimPrefix(s, "-")[:2], "0x") {
		v, err = strconv.ParseInt(s, 0, 64)
	}
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		switch {
		case ferr != nil || strings.ContainsAny(s, "_xXpP "):
			p.fail("non-number characters in quoted number")
		case f != math.Trunc(f):
			p.fail("expected integer, but JSON number had fractional part")
		case !(f >= math.MinInt64 && f < math.MaxInt64):
			p.fail("JSON number out of range for int")
		}
		v = int64(f)
	}
	return wire.AppendUvarint(append(b, 1<<3|wire.Varint), uint64(v))
}
