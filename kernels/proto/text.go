package proto

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
)

// ParseText converts a message from its text form to bytes. Working memory is counted
// against the run for the duration of the call.
func (s *Schema) ParseText(run *mem.Budget, text string) ([]byte, error) {
	p := &textReader{schema: s, s: text, call: run.Call()}
	defer p.call.Free()
	b, err := p.message(nil, 0, "", 0)
	if err == nil && p.tok != "" {
		err = p.unexpected()
	}
	return b, err
}

// textReader reads a message in the text form. The field tok is the current token, or "" at the end
// of the text.
type textReader struct {
	schema *Schema
	s      string
	at     int
	tok    string
	begun  bool
	call   mem.Call
}

func (p *textReader) unexpected() error {
	if p.tok == "" {
		return errors.New("unexpected end")
	}
	return fmt.Errorf("unexpected %q near offset %d", p.tok, p.at)
}

func word(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// step reads the next token: a name, a number, a string with its quotes, or a character.
func (p *textReader) step() {
	for p.at < len(p.s) {
		c := p.s[p.at]
		if c == '#' {
			for p.at < len(p.s) && p.s[p.at] != '\n' {
				p.at++
			}
		} else if strings.IndexByte(" \t\r\n\v\f", c) < 0 {
			break
		} else {
			p.at++
		}
	}
	from := p.at
	if from == len(p.s) {
		p.tok = ""
		return
	}
	p.at++
	switch c := p.s[from]; {
	case c == '"' || c == '\'':
		for p.at < len(p.s) && p.s[p.at] != c && p.s[p.at] != '\n' {
			if p.s[p.at] == '\\' {
				p.at++
			}
			p.at++
		}
		p.at = min(p.at+1, len(p.s))
	case word(c) || c == '.' && p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9':
		number := c >= '0' && c <= '9' || c == '.'
		for p.at < len(p.s) && (word(p.s[p.at]) || number && (p.s[p.at] == '.' || (p.s[p.at] == '+' || p.s[p.at] == '-') && p.s[p.at-1]|0x20 == 'e')) {
			p.at++
		}
	}
	p.tok = p.s[from:p.at]
}

// take skips the token t, and reports whether it was the current one.
func (p *textReader) take(t string) bool {
	if p.tok != t {
		return false
	}
	p.step()
	return true
}

// message reads the fields of a message up to the token `end`, and appends them to b in their encoded
// form. An empty `end` means the end of the text. The parameter typ is the index of the message's type
// in the schema.
func (p *textReader) message(b []byte, typ int, end string, depth int) ([]byte, error) {
	if depth > wire.MaxDepth {
		return nil, errors.New("messages are nested too deep")
	}
	if !p.begun {
		p.begun = true
		p.step()
	}
	set := map[int]bool{}
	for p.tok != "" && p.tok != end {
		f, err := p.field(typ)
		if err != nil {
			return nil, err
		}
		if !f.Repeated && set[f.Num] {
			return nil, fmt.Errorf("non-repeated field %q is specified multiple times", f.Name)
		}
		if f.Oneof != 0 {
			if set[-f.Oneof] {
				return nil, fmt.Errorf("field %q is specified along with another member of its oneof", f.Name)
			}
			set[-f.Oneof] = true
		}
		set[f.Num] = true
		sub := f.Kind == Message || f.Kind == Group
		if !p.take(":") && !sub {
			return nil, p.unexpected()
		}
		p.call.Work(len(p.schema.Types[typ].Fields))
		if p.tok == "[" && f.Repeated {
			p.step()
			for first := true; !p.take("]"); first = false {
				if !first && !p.take(",") {
					return nil, p.unexpected()
				}
				if b, err = p.value(b, f, depth); err != nil {
					return nil, err
				}
			}
		} else if b, err = p.value(b, f, depth); err != nil {
			return nil, err
		}
		if !p.take(";") {
			p.take(",")
		}
	}
	if p.tok != end {
		return nil, p.unexpected()
	}
	return b, nil
}

// field reads the name of a field, or the name of an extension in brackets. It returns the field.
func (p *textReader) field(typ int) (*Field, error) {
	name := p.tok
	p.step()
	if name == "[" {
		var b strings.Builder // this memory is not counted, since it is at most as large as the text
		for p.tok != "]" && p.tok != "" {
			p.call.Work(valueWork)
			b.WriteString(p.tok)
			p.step()
		}
		name = b.String()
		if !p.take("]") {
			return nil, p.unexpected()
		}
	}
	for i := range p.schema.Types[typ].Fields {
		if f := &p.schema.Types[typ].Fields[i]; f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("message type %q has no field named %q", p.schema.Types[typ].Name, name)
}

// valueWork is the work counted for a value, in addition to its characters.
const valueWork = 64

// value reads a value and appends it with its tag.
func (p *textReader) value(b []byte, f *Field, depth int) ([]byte, error) {
	p.call.Work(valueWork)
	switch f.Kind {
	case Message, Group:
		end := "}"
		if p.tok == "<" {
			end = ">"
		} else if p.tok != "{" {
			return nil, p.unexpected()
		}
		p.step()
		if f.Sub < 0 {
			return nil, fmt.Errorf("the type of %q is not known", f.Name)
		}
		mark := p.call.Mark()
		body, err := p.message(nil, f.Sub, end, depth+1)
		if err != nil {
			return nil, err
		}
		p.step()
		p.call.Release(mark)
		return enclose(mem.Grow(&p.call, b, len(body)+mostNumber), f, body), nil
	case String, Bytes:
		var body []byte
		if p.tok == "" || p.tok[0] != '"' && p.tok[0] != '\'' {
			return nil, p.unexpected()
		}
		for p.tok != "" && (p.tok[0] == '"' || p.tok[0] == '\'') {
			p.call.Work(valueWork + 4*len(p.tok))
			body = mem.Grow(&p.call, body, len(p.tok))
			part, err := unquote(p.tok)
			if err != nil {
				return nil, err
			}
			body = append(body, part...)
			p.step()
		}
		return wire.AppendBytes(mem.Grow(&p.call, b, len(body)+mostNumber), f.Num, body), nil
	}
	v, err := p.number(f)
	if err != nil {
		return nil, err
	}
	return appendValue(wire.AppendTag(mem.Grow(&p.call, b, mostNumber), f.Num, f.Kind.wire()), f.Kind, v), nil
}

// number reads a number, a bool or the name of an enumeration value. It returns the bits to encode.
func (p *textReader) number(f *Field) (uint64, error) {
	minus := p.take("-")
	t := p.tok
	bad := func() (uint64, error) { return 0, fmt.Errorf("%q is not a value of the field %q", t, f.Name) }
	if t == "" {
		return 0, p.unexpected()
	}
	p.step()
	switch f.Kind {
	case Double, Float:
		v, ok := textFloat(t)
		if !ok {
			return bad()
		}
		if minus {
			v = -v
		}
		if f.Kind == Float {
			return uint64(math.Float32bits(float32(v))), nil
		}
		return math.Float64bits(v), nil
	case Bool:
		switch {
		case !minus && (t == "true" || t == "True" || t == "t" || t == "1"):
			return 1, nil
		case !minus && (t == "false" || t == "False" || t == "f" || t == "0"):
			return 0, nil
		}
		return bad()
	case Enum:
		if f.Enum >= 0 && !minus {
			e := &p.schema.Enums[f.Enum]
			for i, name := range e.Names {
				if name == t {
					return uint64(int64(e.Numbers[i])), nil
				}
			}
		}
	}
	u, err := strconv.ParseUint(t, 0, 64)
	if err != nil || strings.ContainsAny(t, "_oObB") && !strings.HasPrefix(t, "0x") && !strings.HasPrefix(t, "0X") {
		return bad()
	}
	bits := 64
	switch f.Kind {
	case Int32, Sint32, Sfixed32, Enum, Uint32, Fixed32:
		bits = 32
	}
	switch f.Kind {
	case Uint64, Uint32, Fixed64, Fixed32:
		if minus || bits == 32 && u > math.MaxUint32 {
			return bad()
		}
		return u, nil
	}
	most := uint64(1) << (bits - 1)
	if u > most || u == most && !minus {
		return bad()
	}
	v := int64(u)
	if minus {
		v = -v
	}
	if f.Kind == Enum && f.Enum >= 0 && p.schema.Enums[f.Enum].Closed && !p.schema.Enums[f.Enum].has(int32(v)) {
		return bad()
	}
	switch f.Kind {
	case Sint32:
		return uint64(uint32(int32(v)<<1) ^ uint32(int32(v)>>31)), nil
	case Sint64:
		return uint64(v<<1) ^ uint64(v>>63), nil
	}
	return uint64(v), nil
}

func textFloat(t string) (float64, bool) {
	switch l := strings.ToLower(t); l {
	case "inf", "infinity", "inff", "infinityf":
		return math.Inf(1), true
	case "nan", "nanf":
		return math.NaN(), true
	default:
		if strings.ContainsAny(l, "xp_") || strings.HasPrefix(l, "i") || strings.HasPrefix(l, "n") {
			return 0, false
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(l, "f"), 64)
		return v, err == nil || math.IsInf(v, 0)
	}
}

// unquote returns the bytes that a quoted string denotes.
func unquote(t string) ([]byte, error) {
	if len(t) < 2 || t[len(t)-1] != t[0] {
		return nil, errors.New("a string is not ended")
	}
	t = t[1 : len(t)-1]
	var b []byte
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' {
			b = append(b, t[i])
			continue
		}
		if i++; i == len(t) {
			return nil, errors.New("a string is not ended")
		}
		c := t[i]
		if k := strings.IndexByte(`abfnrtv\?'"`, c); k >= 0 {
			b = append(b, "\a\b\f\n\r\t\v\\?'\""[k])
			continue
		}
		base, most, from := 8, 3, i
		switch {
		case c == 'x' || c == 'X':
			base, most, from = 16, 2, i+1
		case c == 'u':
			base, most, from = 16, 4, i+1
		case c == 'U':
			base, most, from = 16, 8, i+1
		case c < '0' || c > '7':
			return nil, fmt.Errorf("the escape \\%c is not known", c)
		}
		to := from
		for to < len(t) && to < from+most {
			d := t[to] | 0x20
			if !(t[to] >= '0' && t[to] <= '7' || base == 16 && (t[to] >= '8' && t[to] <= '9' || d >= 'a' && d <= 'f')) {
				break
			}
			to++
		}
		v, err := strconv.ParseUint(t[from:to], base, 32)
		if err != nil || (c == 'u' || c == 'U') && to != from+most {
			return nil, errors.New("an escape has no digits")
		}
		if c == 'u' || c == 'U' {
			b = append(b, string(rune(v))...)
		} else {
			b = append(b, byte(v))
		}
		i = to - 1
	}
	return b, nil
}
