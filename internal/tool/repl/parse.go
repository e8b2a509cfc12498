package repl

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/graphc/graphc/internal/tool/base"
)

// statement is one thing to do: a command with its arguments, an assignment, or names to fetch.
type statement struct {
	assigns string   // the name to the left of =; "" for other statements
	value   value    // the assigned value
	words   []string // the words of other statements
}

// value is the right side of an assignment. Exactly one of its first four fields is set.
type value struct {
	file    string // @FILE
	literal string // JSON
	fill    string // zeros, ones, random, normal or range
	name    string // a tensor, a signature's output or a kept value

	dims   []int // sizes for fill; nil: those of the input
	ranged bool  // a range follows the file or the fill
	lo, hi float64
}

// scanner reads a line byte by byte and keeps track of quotes and brackets.
type scanner struct {
	quote byte
	depth int
	skip  bool // the next byte is escaped
}

// outside reports whether c is outside of quotes and brackets.
func (s *scanner) outside(c byte) bool {
	switch {
	case s.skip:
		s.skip = false
		return false
	case s.quote != 0:
		switch c {
		case '\\':
			s.skip = true
		case s.quote:
			s.quote = 0
		}
		return false
	case c == '"':
		s.quote = c
		return false
	case c == '[' || c == '{':
		s.depth++
		return false
	case c == ']' || c == '}':
		s.depth--
		return false
	}
	return s.depth <= 0
}

// statements divides a line at semicolons and leaves out the comment that # begins. In quotes and
// brackets, semicolons and # are ordinary characters.
func statements(line string) []string {
	var list []string
	var s scanner
	from := 0
	for i := range len(line) {
		c := line[i]
		if !s.outside(c) {
			continue
		}
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t' || line[i-1] == ';') {
			line = line[:i]
			break
		}
		if c == ';' {
			list = append(list, line[from:i])
			from = i + 1
		}
	}
	list = append(list, line[from:])
	var out []string
	for _, t := range list {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// parse reads one statement.
func parse(text string) (statement, error) {
	if left, right, ok := assignment(text); ok {
		v, err := parseValue(right)
		return statement{assigns: left, value: v}, err
	}
	words, err := words(text)
	return statement{words: words}, err
}

// assignment divides NAME = VALUE at the equals sign. If the text before the sign is not exactly one word,
// ok is false.
func assignment(text string) (left, right string, ok bool) {
	left, right, ok = strings.Cut(text, "=")
	left = strings.TrimSpace(left)
	if !ok || left == "" || strings.ContainsAny(left, " \t\"[{,@") {
		return "", "", false
	}
	return left, strings.TrimSpace(right), true
}

// words divides text at spaces and commas. A word in double quotes may contain spaces and commas.
func words(text string) ([]string, error) {
	var list []string
	for text = strings.TrimLeft(text, " \t,"); text != ""; text = strings.TrimLeft(text, " \t,") {
		if text[0] == '"' {
			q, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, base.Usagef("%s: the closing quote is missing", text)
			}
			w, err := strconv.Unquote(q)
			if err != nil {
				return nil, base.Usagef("%s: %w", q, err)
			}
			list, text = append(list, w), text[len(q):]
			continue
		}
		end := strings.IndexAny(text, " \t,")
		if end < 0 {
			end = len(text)
		}
		list, text = append(list, text[:end]), text[end:]
	}
	return list, nil
}

var (
	fillForm  = regexp.MustCompile(`^(zeros|ones|random|normal|range)\s*(\[[0-9,\s]*\])?(?:\s+(\S+))?$`)
	rangeForm = regexp.MustCompile(`^([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\.\.([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)$`)
)

// maxDims bounds the rank of a fill; TensorFlow's largest rank is 254.
const maxDims = 254

// parseValue reads the right side of an assignment.
func parseValue(text string) (value, error) {
	switch {
	case text == "":
		return value{}, base.Usagef("the value is missing: NAME = VALUE")
	case text[0] == '@':
		return parseFile(text[1:])
	case isLiteral(text):
		return value{literal: text}, nil
	}
	if m := fillForm.FindStringSubmatch(text); m != nil {
		return parseFill(m[1], m[2], m[3])
	}
	w, err := words(text)
	if err != nil {
		return value{}, err
	}
	if len(w) != 1 {
		return value{}, base.Usagef("%q is not a value: give JSON, @FILE, zeros[2,3] or one name", text)
	}
	return value{name: w[0]}, nil
}

// isLiteral reports whether text is JSON: a list, a string, an object, a number or a truth value.
func isLiteral(text string) bool {
	switch text[0] {
	case '[', '"', '{':
		return true
	}
	if text == "true" || text == "false" {
		return true
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && (text[0] == '-' || text[0] == '+' || text[0] >= '0' && text[0] <= '9')
}

// parseFile reads FILE or FILE LO..HI.
func parseFile(text string) (value, error) {
	w, err := words(text)
	if err != nil {
		return value{}, err
	}
	if len(w) == 0 || len(w) > 2 {
		return value{}, base.Usagef("@%s: want @FILE or @FILE LO..HI; a name with spaces needs quotes", text)
	}
	v := value{file: w[0]}
	if len(w) == 2 {
		return v, v.parseRange(w[1])
	}
	return v, nil
}

// parseFill reads the sizes and the range of zeros, ones, random, normal and range.
func parseFill(word, dims, interval string) (value, error) {
	v := value{fill: word}
	if dims != "" {
		v.dims = []int{}
		for _, d := range strings.Split(strings.Trim(dims, "[]"), ",") {
			if d = strings.TrimSpace(d); d == "" {
				continue
			}
			n, err := strconv.Atoi(d)
			if err != nil {
				return v, base.Usagef("%s%s: %q is not a size", word, dims, d)
			}
			v.dims = append(v.dims, n)
		}
		if len(v.dims) > maxDims {
			return v, base.Usagef("%s: more than %d dimensions", word, maxDims)
		}
	}
	if interval == "" {
		return v, nil
	}
	if word != "random" {
		return v, base.Usagef("%s %s: only random has a range", word, interval)
	}
	return v, v.parseRange(interval)
}

// parseRange reads LO..HI.
func (v *value) parseRange(text string) error {
	m := rangeForm.FindStringSubmatch(text)
	if m == nil {
		return base.Usagef("%q is not a range: want LO..HI, as -1..1", text)
	}
	var err [2]error
	v.lo, err[0] = strconv.ParseFloat(m[1], 64)
	v.hi, err[1] = strconv.ParseFloat(m[2], 64)
	if err[0] != nil || err[1] != nil || v.lo >= v.hi {
		return base.Usagef("%q is not a range: want LO..HI with LO below HI", text)
	}
	v.ranged = true
	return nil
}
