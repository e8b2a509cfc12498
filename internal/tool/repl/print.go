package repl

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/rt/tensor"
)

const (
	// printedWhole is the maximum number of elements of a tensor that is printed completely.
	printedWhole = 200
	// printedEdge is the number of indices that are printed at each end of a dimension if the
	// tensor has more than printedWhole elements.
	printedEdge = 3
	// printedString is the maximum number of bytes of a string that are printed.
	printedString = 100
	// fractionDigits is the maximum number of digits after the decimal point.
	fractionDigits = 6
)

// printTensor prints the elements of t as nested lists, as NumPy does. Each row begins a new line,
// and a row that is longer than width is wrapped. The elements are aligned in columns. If t has
// more than printedWhole elements, only the two ends of each dimension are printed.
func printTensor(w io.Writer, t *tensor.Tensor, width int) error {
	p := &lists{w: bufio.NewWriter(w), t: t, width: width, elide: t.Len() > printedWhole}
	p.texts()
	p.list(0, 0, 0)
	p.w.WriteByte('\n')
	return p.w.Flush()
}

// lists prints the elements of a tensor as nested lists.
type lists struct {
	w     *bufio.Writer // bufio keeps the first error, which Flush returns
	t     *tensor.Tensor
	width int
	elide bool
	text  func(i int) string
	pad   int // minimum number of characters of an element
}

// shown calls f with each index of a dimension that is printed, in order. The dimension has size n.
// If indices are left out, shown calls f once with -1 instead of them.
func (p *lists) shown(n int, f func(i int)) {
	for i := 0; i < n; i++ {
		if p.elide && n > 2*printedEdge && i == printedEdge {
			f(-1)
			i = n - printedEdge
		}
		f(i)
	}
}

// each calls f with the row-major index of each printed element in a part of the tensor. In this
// part, the indices of the dimensions before axis are fixed, and the parameter at is their
// row-major index. If axis and at are 0, the part is the whole tensor.
func (p *lists) each(axis, at int, f func(i int)) {
	if axis == len(p.t.Shape) {
		f(at)
		return
	}
	n := p.t.Shape[axis]
	p.shown(n, func(i int) {
		if i >= 0 {
			p.each(axis+1, at*n+i, f)
		}
	})
}

// texts sets p.text to a function that formats all printed elements in the same way, and p.pad to
// the width of a column.
func (p *lists) texts() {
	p.text = elementText(p.t, func(f func(i int)) { p.each(0, 0, f) })
	p.each(0, 0, func(i int) { p.pad = max(p.pad, utf8.RuneCountInString(p.text(i))) })
	if p.t.DType == tensor.String {
		p.pad = 0
	}
}

// list prints the list that begins at dimension axis, with all lists in it. The indices of the
// dimensions before axis are fixed; the parameter at is their row-major index.
func (p *lists) list(axis, at, indent int) {
	if axis == len(p.t.Shape) {
		fmt.Fprintf(p.w, "%s", p.text(at))
		return
	}
	n, last := p.t.Shape[axis], axis == len(p.t.Shape)-1
	p.w.WriteByte('[')
	if n == 0 || p.t.Len() == 0 {
		p.w.WriteByte(']')
		return
	}
	first, column := true, indent+1
	p.shown(n, func(i int) {
		text := "…"
		if last && i >= 0 {
			text = fmt.Sprintf("%*s", p.pad, p.text(at*n+i))
		}
		size := utf8.RuneCountInString(text) + 2
		switch {
		case first:
		case !last:
			p.w.WriteByte(',')
			p.w.WriteString(strings.Repeat("\n", len(p.t.Shape)-axis-1))
			p.w.WriteString(strings.Repeat(" ", indent+1))
		case column+size > p.width:
			p.w.WriteString(",\n" + strings.Repeat(" ", indent+1))
			column = indent + 1
		default:
			p.w.WriteString(", ")
		}
		first, column = false, column+size
		if last || i < 0 {
			p.w.WriteString(text)
			return
		}
		p.list(axis+1, at*n+i, indent+1)
	})
	p.w.WriteByte(']')
}

// elementText returns a function that formats element i of t as text. The number of digits is the
// same for all elements that will be formatted. The parameter each is a function that calls its
// argument with the index of each of these elements.
func elementText(t *tensor.Tensor, each func(func(i int))) func(i int) string {
	switch d := t.Data.(type) {
	case []string:
		return func(i int) string { return quoted(d[i]) }
	case []bool:
		return func(i int) string { return strconv.FormatBool(d[i]) }
	case []complex64:
		return func(i int) string { return strconv.FormatComplex(complex128(d[i]), 'g', fractionDigits, 64) }
	case []complex128:
		return func(i int) string { return strconv.FormatComplex(d[i], 'g', fractionDigits, 128) }
	}
	at, ok := numbers(t)
	if ok && t.DType.IsFloat() {
		bits := 32
		if t.DType == tensor.Float64 {
			bits = 64
		}
		f := floatForm(bits, func(g func(float64)) { each(func(i int) { g(at(i)) }) })
		return func(i int) string { return f(at(i)) }
	}
	v := reflect.ValueOf(t.Data)
	return func(i int) string { return fmt.Sprint(v.Index(i).Interface()) }
}

// quoted returns a string in quotes. If the string is longer than printedString bytes, quoted
// returns its beginning and its length.
func quoted(s string) string {
	if len(s) <= printedString {
		return strconv.Quote(s)
	}
	cut := printedString
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(s[:cut]), len(s))
}

// floatForm returns a function that formats numbers with a common number of digits after the
// decimal point. This is the maximum that any of the numbers needs, but at most fractionDigits. If
// the numbers are very large or differ much in size, the function formats them with exponents. The
// parameter each calls its argument with each number that will be formatted.
func floatForm(bits int, each func(func(float64))) func(float64) string {
	lo, hi, digits := math.Inf(1), 0.0, 0
	each(func(x float64) {
		a := math.Abs(x)
		if a == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		lo, hi = min(lo, a), max(hi, a)
		if digits < fractionDigits && a < 1e15 {
			digits = max(digits, fraction(strconv.FormatFloat(x, 'f', -1, bits)))
		}
	})
	if hi >= 1e8 || hi > 0 && (lo < 1e-4 || hi/lo > 1e5) {
		return func(x float64) string { return special(x, 'e', 4, bits) }
	}
	digits = min(digits, fractionDigits)
	return func(x float64) string { return special(x, 'f', digits, bits) }
}

// fraction returns the number of digits after the decimal point in the text of a number.
func fraction(text string) int {
	if i := strings.IndexByte(text, '.'); i >= 0 {
		return len(text) - i - 1
	}
	return 0
}

// special formats a number as JSON that the user can feed: NaN and infinities are strings, such as
// "NaN".
func special(x float64, form byte, digits, bits int) string {
	switch {
	case math.IsNaN(x):
		return `"NaN"`
	case math.IsInf(x, 1):
		return `"Infinity"`
	case math.IsInf(x, -1):
		return `"-Infinity"`
	}
	return strconv.FormatFloat(x, form, digits, bits)
}
