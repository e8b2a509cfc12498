package ir

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// maxAttrDepth bounds the nesting of functions in functions' attributes.
const maxAttrDepth = 50

func (s *scanner) attrs(depth int) map[string]Attr {
	m := map[string]Attr{}
	s.expect("{")
	for i := 0; !s.accept("}") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		k := s.name()
		s.expect("=")
		if _, twice := m[k]; twice {
			s.fail("attribute %q is given twice", clip(k))
		}
		m[k] = s.attr(depth)
	}
	return m
}

// attr reads the value of an attribute. The parameter depth is the nesting depth of functions in
// attributes.
func (s *scanner) attr(depth int) Attr {
	if depth > maxAttrDepth {
		s.fail("attributes are nested deeper than %d", maxAttrDepth)
		return nil
	}
	switch s.peek() {
	case '"':
		return s.str()
	case '@':
		return s.fn(depth)
	case '$':
		s.accept("$")
		return Placeholder(s.name())
	case '+':
		s.fail("%q is not a value", clip(s.s[s.pos:]))
		return nil
	}
	start := s.pos
	w := s.word()
	switch w {
	case "true", "false":
		return w == "true"
	case "nan":
		s.pos = start
		return float32(s.nan(nan32, math.Float32frombits))
	case "inf", "-inf":
		return float32(math.Inf(1 - 2*strings.Count(w, "-")))
	case "shape":
		return s.partial()
	case "strings", "ints", "floats", "bools", "types", "shapes", "tensors", "funcs":
		s.expect("[")
		return s.list(w, depth)
	}
	if d, ok := tensor.ParseDType(w); ok || w == tensor.Invalid.String() {
		if s.pos < len(s.s) && s.s[s.pos] == '[' {
			s.pos = start
			return s.tensor()
		}
		return d
	}
	s.pos = start
	w = s.number()
	if !strings.ContainsAny(w, ".e") {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			s.fail("%q is not a value", clip(w+s.s[s.pos:]))
		}
		return n
	}
	f, err := strconv.ParseFloat(w, 32)
	if err != nil {
		s.fail("%q is not a value", clip(w))
	}
	return float32(f)
}

// number reads the characters of a number, as Print writes numbers.
func (s *scanner) number() string {
	s.skip()
	start := s.pos
	for s.pos < len(s.s) {
		c := s.s[s.pos]
		if c >= '0' && c <= '9' || c == '.' && !strings.HasPrefix(s.s[s.pos:], "...") || c == '-' || c == '+' || c == 'e' {
			s.pos++
			continue
		}
		break
	}
	return s.s[start:s.pos]
}

// token reads a word. It stops before the dots that follow the only element in f32[2]{1...}.
func (s *scanner) token() string {
	w := s.word()
	if i := strings.Index(w, "..."); i >= 0 {
		s.pos -= len(w) - i
		w = w[:i]
	}
	return w
}

// nan reads nan or nan(0x7fc00001).
func (s *scanner) nan(quiet uint32, of func(uint32) float32) float32 {
	return of(uint32(s.nanBits(uint64(quiet), 32)))
}

func (s *scanner) nanBits(quiet uint64, size int) uint64 {
	s.expect("nan")
	if !s.accept("(0x") {
		return quiet
	}
	w := s.word()
	bits, err := strconv.ParseUint(w, 16, size)
	if err != nil {
		s.fail("%q is not the bits of a NaN", clip(w))
	}
	s.expect(")")
	return bits
}

func (s *scanner) fn(depth int) Func {
	s.expect("@")
	f := Func{Name: s.name()}
	if s.err == nil && s.pos < len(s.s) && s.s[s.pos] == '{' {
		f.Attrs = s.attrs(depth + 1)
	}
	return f
}

func (s *scanner) partial() PartialShape {
	s.expect("[")
	if s.accept("*") {
		s.expect("]")
		return PartialShape{UnknownRank: true}
	}
	p := PartialShape{Dims: []int64{}}
	for i := 0; !s.accept("]") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		if s.accept("?") {
			p.Dims = append(p.Dims, -1)
			continue
		}
		p.Dims = append(p.Dims, int64(s.int()))
	}
	return p
}

// list reads the elements of a list, up to the closing bracket. The word kind, such as ints, and
// the opening bracket are already read.
func (s *scanner) list(kind string, depth int) Attr {
	switch kind {
	case "strings":
		return listOf(s, (*scanner).str)
	case "ints":
		return listOf(s, attrOf[int64](depth))
	case "floats":
		return listOf(s, attrOf[float32](depth))
	case "bools":
		return listOf(s, attrOf[bool](depth))
	case "types":
		return listOf(s, (*scanner).dtype)
	case "shapes":
		return listOf(s, func(s *scanner) PartialShape { s.expect("shape"); return s.partial() })
	case "tensors":
		return listOf(s, (*scanner).tensor)
	}
	return listOf(s, func(s *scanner) Func { return s.fn(depth) })
}

func attrOf[T any](depth int) func(*scanner) T {
	return func(s *scanner) T {
		v, ok := s.attr(depth + 1).(T)
		if !ok {
			s.fail("a list has values of two kinds")
		}
		return v
	}
}

func listOf[T any](s *scanner, elem func(*scanner) T) []T {
	l := []T{}
	for i := 0; !s.accept("]") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		l = append(l, elem(s))
	}
	return l
}

// tensor reads f32[2]{1, 2}, or f32[2]{1...} for equal elements.
func (s *scanner) tensor() *tensor.Tensor {
	t := &tensor.Tensor{DType: s.dtype(), Shape: tensor.Shape{}}
	s.expect("[")
	for i := 0; !s.accept("]") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		t.Shape = append(t.Shape, s.int())
	}
	n, err := t.Shape.Len()
	if err != nil {
		s.fail("%s", message(err))
	}
	if s.err == nil && s.accept("#") {
		s.err = tensor.Errorf(tensor.FailedPrecondition, "the text does not include the values of %v", t)
	}
	s.expect("{")
	if s.err != nil {
		return t
	}
	if !t.DType.IsData() {
		s.expect("}")
		return t
	}
	// The shape may claim more elements than the text has. The slice grows one element at a time,
	// so that the length of the text bounds the memory.
	slice := reflect.MakeSlice(reflect.SliceOf(t.DType.GoType()), 0, min(n, len(s.s)))
	read := reader(t.DType)
	for i := 0; !s.accept("}") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		if s.err != nil {
			break
		}
		slice = reflect.Append(slice, read(s))
		if i == 0 && s.accept("...") {
			if n > maxSplat {
				s.fail("%v is too large for the form with one value", t)
				break
			}
			for j := 1; j < n; j++ {
				slice = reflect.Append(slice, slice.Index(0))
			}
		}
	}
	t.Data = slice.Interface()
	if s.err == nil && slice.Len() != n {
		s.fail("%v has %d elements, but %d are given", t, n, slice.Len())
	}
	return t
}

// reader returns a function that parses one element of a type.
func reader(d tensor.DType) func(*scanner) reflect.Value {
	t := d.GoType()
	convert := func(v any) reflect.Value { return reflect.ValueOf(v).Convert(t) }
	switch d {
	case tensor.String:
		return func(s *scanner) reflect.Value { return reflect.ValueOf(s.str()) }
	case tensor.Bool:
		return func(s *scanner) reflect.Value {
			w := s.token()
			if w != "true" && w != "false" {
				s.fail("%q is not a bool", clip(w))
			}
			return reflect.ValueOf(w == "true")
		}
	case tensor.Float32:
		return func(s *scanner) reflect.Value { return convert(s.float32()) }
	case tensor.Float64:
		return func(s *scanner) reflect.Value { return convert(s.float64()) }
	case tensor.Half:
		return func(s *scanner) reflect.Value {
			if s.peek() == 'n' {
				return convert(uint16(s.nanBits(nan16, 16)))
			}
			return convert(uint16(tensor.ToF16(s.float32())))
		}
	case tensor.BFloat16:
		return func(s *scanner) reflect.Value {
			if s.peek() == 'n' {
				return convert(uint16(s.nanBits(nanBF, 16)))
			}
			return convert(uint16(tensor.ToBF16(s.float32())))
		}
	case tensor.Complex64, tensor.Complex128:
		return func(s *scanner) reflect.Value {
			s.expect("(")
			if d == tensor.Complex64 {
				re := s.float32()
				s.expect(",")
				c := complex(re, s.float32())
				s.expect(")")
				return reflect.ValueOf(c)
			}
			re := s.float64()
			s.expect(",")
			c := complex(re, s.float64())
			s.expect(")")
			return reflect.ValueOf(c)
		}
	}
	size := t.Bits()
	if k := t.Kind(); k >= reflect.Uint8 && k <= reflect.Uint64 {
		return func(s *scanner) reflect.Value {
			w := s.token()
			v, err := strconv.ParseUint(w, 10, size)
			if err != nil {
				s.fail("%q is not a valid %s", clip(w), d)
			}
			return convert(v)
		}
	}
	return func(s *scanner) reflect.Value {
		w := s.token()
		v, err := strconv.ParseInt(w, 10, size)
		if err != nil {
			s.fail("%q is not a valid %s", clip(w), d)
		}
		return convert(v)
	}
}

func (s *scanner) float32() float32 {
	if s.peek() == 'n' {
		return s.nan(nan32, math.Float32frombits)
	}
	return float32(s.float(32))
}

func (s *scanner) float64() float64 {
	if s.peek() == 'n' {
		return math.Float64frombits(s.nanBits(nan64, 64))
	}
	return s.float(64)
}

func (s *scanner) float(size int) float64 {
	if s.accept("inf") {
		return math.Inf(1)
	}
	if s.accept("-inf") {
		return math.Inf(-1)
	}
	w := s.number()
	v, err := strconv.ParseFloat(w, size)
	if err != nil {
		s.fail("%q is not a number", clip(w))
	}
	return v
}
