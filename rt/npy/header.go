package npy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// header is the parsed header of a file.
type header struct {
	dtype   tensor.DType
	big     bool // big-endian
	width   int  // bytes per element
	unit    int  // bytes per number; a complex number counts as two numbers
	fortran bool
	shape   tensor.Shape
}

// kinds lists the type codes, without byte order, and the element type for each. V2 is how
// ml_dtypes saves bfloat16.
var kinds = []struct {
	code  string
	dtype tensor.DType
	unit  int
}{
	{"f4", tensor.Float32, 4}, {"f8", tensor.Float64, 8}, {"f2", tensor.Half, 2}, {"V2", tensor.BFloat16, 2},
	{"i1", tensor.Int8, 1}, {"i2", tensor.Int16, 2}, {"i4", tensor.Int32, 4}, {"i8", tensor.Int64, 8},
	{"u1", tensor.Uint8, 1}, {"u2", tensor.Uint16, 2}, {"u4", tensor.Uint32, 4}, {"u8", tensor.Uint64, 8},
	{"c8", tensor.Complex64, 4}, {"c16", tensor.Complex128, 8}, {"b1", tensor.Bool, 1},
}

// maxRank is NumPy's largest rank.
const maxRank = 64

// maxString bounds the characters of a string.
const maxString = 1 << 28

func (h *header) setType(descr string) error {
	bad := tensor.Errorf(tensor.Unimplemented, "arrays of type %q are not supported", descr)
	if len(descr) < 2 {
		return bad
	}
	code := descr[1:]
	switch descr[0] {
	case '<', '|', '=':
	case '>':
		h.big = true
	default:
		code = descr
	}
	for _, k := range kinds {
		if k.code == code {
			h.dtype, h.unit, h.width = k.dtype, k.unit, k.dtype.Size()
			return nil
		}
	}
	if code[0] != 'S' && code[0] != 'a' && code[0] != 'U' {
		return bad
	}
	n, err := strconv.Atoi(code[1:])
	if err != nil || n < 0 || n > maxString {
		return bad
	}
	h.dtype, h.unit, h.width = tensor.String, 1, n
	if code[0] == 'U' {
		h.unit, h.width = 4, 4*n
	}
	return nil
}

// parseHeader parses the Python dictionary {'descr': …, 'fortran_order': …, 'shape': (…), }.
func parseHeader(s string) (*header, error) {
	h := &header{}
	p := &literal{s: s}
	seen := map[string]bool{}
	p.want('{')
	for p.err == nil && !p.eat('}') {
		key := p.text()
		p.want(':')
		if seen[key] {
			p.fail("%q is given twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			if p.peek() == '[' {
				return nil, tensor.Errorf(tensor.Unimplemented, "structured arrays are not supported")
			}
			if d := p.text(); p.err == nil {
				p.err = h.setType(d)
			}
		case "fortran_order":
			switch w := p.word(); w {
			case "True":
				h.fortran = true
			case "False":
			default:
				p.fail("fortran_order is %q", w)
			}
		case "shape":
			h.shape = p.tuple()
		default:
			p.fail("unknown key %q", key)
		}
		if !p.eat(',') && p.peek() != '}' {
			p.fail("a comma is missing")
		}
	}
	if p.err == nil && strings.TrimSpace(p.s[p.i:]) != "" {
		p.fail("text after the dictionary")
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("descr, fortran_order and shape are required")
	}
	return h, p.err
}

// literal parses the Python literals that occur in headers. It keeps the first error.
type literal struct {
	s   string
	i   int
	err error
}

func (p *literal) fail(format string, args ...any) {
	if p.err == nil {
		p.err = tensor.Errorf(tensor.InvalidArgument, ".npy header: %s", fmt.Sprintf(format, args...))
	}
	p.i = len(p.s)
}

func (p *literal) peek() byte {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *literal) eat(c byte) bool {
	if p.peek() != c || c == 0 {
		return false
	}
	p.i++
	return true
}

func (p *literal) want(c byte) {
	if !p.eat(c) {
		p.fail("%q is missing", string(c))
	}
}

func (p *literal) text() string {
	q := p.peek()
	if q != '\'' && q != '"' {
		p.fail("a string is missing")
		return ""
	}
	rest := p.s[p.i+1:]
	end := strings.IndexByte(rest, q)
	if end < 0 || strings.IndexByte(rest[:end], '\\') >= 0 {
		p.fail("a string does not end")
		return ""
	}
	p.i += end + 2
	return rest[:end]
}

func (p *literal) word() string {
	p.peek()
	start := p.i
	for p.i < len(p.s) && (p.s[p.i] >= 'a' && p.s[p.i] <= 'z' || p.s[p.i] >= 'A' && p.s[p.i] <= 'Z' || p.s[p.i] >= '0' && p.s[p.i] <= '9') {
		p.i++
	}
	return p.s[start:p.i]
}

func (p *literal) tuple() tensor.Shape {
	shape := tensor.Shape{}
	p.want('(')
	for p.err == nil && !p.eat(')') {
		w := strings.TrimSuffix(p.word(), "L") // Python 2 wrote long integers with an L
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			p.fail("%q is not a dimension", w)
		}
		if shape = append(shape, n); len(shape) > maxRank {
			p.fail("more than %d dimensions", maxRank)
		}
		if !p.eat(',') && p.peek() != ')' {
			p.fail("a comma is missing")
		}
	}
	return shape
}
