package repl

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/graphc/graphc/internal/tool/base"
)

// statement is one thing to do: a command with its arguments, an assignment, or names to fetch.
type statement struct {
	assigns string   // name to the left of the equals sign in an assignment; "" for other statements
	value   value    // the assigned value
	words   []string // words of a statement that is not an assignment
}

// value is the right side of an assignment. Exactly one of its first four fields is set.
type value struct {
	file    string // @FILE
	literal string // JSON
	fill    string // one of the words zeros, ones, random, normal and range
	name    string // a tensor, a signature's output or a kept value

	dims   []int // sizes after fill; nil means the sizes of the input
	ranged bool  // whether a range LO..HI was given after the file or the fill
	lo, hi float64
}

// scanner reads a line byte by byte. It has the state that says whether the next byte is inside of
// quotes or brackets.
type scanner struct {
	quote byte
	depth int
	skip  bool // whether the next byte follows a backslash in quotes
}

// outside reads the next byte c of a line, and reports whether c is outside of quotes and brackets.
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

// statements divides a line into statements, which end at semicolons. A comment begins at # and is
// left out. In quotes and brackets, semicolons and # have no special meaning.
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

// assignment divides a statement of the form NAME = VALUE into its two sides. The result ok is
// false if the text before the equals sign is not exactly one word.
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

// maxDims is the maximum number of sizes after zeros, ones, random, normal or range. It is the
// largest rank of a tensor in TensorFlow.
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

// parseFile parses the text after @ in the right side of an assignment: FILE, or FILE LO..HI.
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

// parseFill parses one of the words zeros, ones, random, normal and range, with the sizes and the
// range that follow it.
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
