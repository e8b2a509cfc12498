package ptx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	eof    tokenKind = iota
	word             // a name, register, directive or instruction, including dots
	number           // a number, as spelled in the source
	text             // a quoted string
	mark             // one character
)

type token struct {
	kind tokenKind
	text string
	line int
}

// fail ends parsing with an error, which Parse recovers.
func fail(line int, format string, args ...any) {
	panic(&Error{Line: line, Why: fmt.Sprintf(format, args...)})
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%' || c == '.'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// lex splits a module's text into tokens. The last one is eof.
func lex(s string) []token {
	out := make([]token, 0, len(s)/4+1)
	line := 1
	for i := range len(s) {
		if s[i] >= 0x80 { // the driver refuses such a character even in comments
			fail(1+strings.Count(s[:i], "\n"), "a character that is not ASCII")
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == 0:
			i++
		case c == '/' && i+1 < len(s) && s[i+1] == '/':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(s) && s[i+1] == '*':
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				fail(line, "a comment has no end")
			}
			line += strings.Count(s[i:i+2+end], "\n")
			i += end + 4
		case c == '"':
			j := i + 1
			for j < len(s) && s[j] != '"' && s[j] != '\n' {
				j++
			}
			if j >= len(s) || s[j] != '"' {
				fail(line, "a string has no end")
			}
			out = append(out, token{text, s[i+1 : j], line})
			i = j + 1
		case digit(c):
			j := i + 1
			for j < len(s) && (digit(s[j]) || letter(s[j]) && s[j] != '%' && s[j] != '$' ||
				(s[j] == '+' || s[j] == '-') && (s[j-1] == 'e' || s[j-1] == 'E') && !strings.HasPrefix(s[i:], "0x") && !strings.HasPrefix(s[i:], "0f") && !strings.HasPrefix(s[i:], "0d") && !strings.HasPrefix(s[i:], "0F") && !strings.HasPrefix(s[i:], "0D") && !strings.HasPrefix(s[i:], "0X")) {
				j++
			}
			out = append(out, token{number, s[i:j], line})
			i = j
		case letter(c):
			j := i + 1
			for j < len(s) && (letter(s[j]) || digit(s[j]) || s[j] == ':' && j+2 < len(s) && s[j+1] == ':' && letter(s[j+2]) || s[j] == ':' && s[j-1] == ':') {
				j++
			}
			out = append(out, token{word, s[i:j], line})
			i = j
		case strings.IndexByte("@!{}[]()<>,;:=+-|~", c) >= 0:
			out = append(out, token{mark, s[i : i+1], line})
			i++
		default:
			fail(line, "%q is not expected", string(rune(c)))
		}
	}
	return append(out, token{eof, "", line})
}

// literal is a number in a module's text: its bits, and the notation in which it is written.
type literal struct {
	bits uint64
	form byte // 'i' for integers, 'f' for 0f, 'd' for 0d and decimal fractions
}

// as returns the literal's bits for an instruction of type t.
func (l literal) as(t typ) uint64 {
	switch {
	case t == f32 && l.form == 'd':
		return uint64(math.Float32bits(float32(math.Float64frombits(l.bits))))
	case t == f64 && l.form == 'f':
		return math.Float64bits(float64(math.Float32frombits(uint32(l.bits))))
	}
	return l.bits
}

func parseNumber(t token) literal {
	s := t.text
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'f', 'F':
			if v, err := strconv.ParseUint(s[2:], 16, 32); err == nil && len(s) == 10 {
				return literal{v, 'f'}
			}
			fail(t.line, "%s is not a number", s)
		case 'd', 'D':
			if v, err := strconv.ParseUint(s[2:], 16, 64); err == nil && len(s) == 18 {
				return literal{v, 'd'}
			}
			fail(t.line, "%s is not a number", s)
		}
	}
	if v, err := strconv.ParseUint(strings.TrimRight(s, "Uu"), 0, 64); err == nil {
		return literal{v, 'i'}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		fail(t.line, "%s is not a number", s)
	}
	return literal{math.Float64bits(v), 'd'}
}
