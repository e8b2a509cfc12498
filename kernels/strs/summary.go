// Package strs holds TensorFlow's string ops. A string may hold arbitrary bytes.
package strs

import (
	"os"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SummaryParams describes how a tensor is written as text.
type SummaryParams struct {
	// Limit is the number of elements to write: in total, or at each end of every dimension if
	// Nested is set. A negative Limit means that all elements are written.
	Limit  int
	Nested bool // whether to write brackets for every dimension and strings in quotes, instead of a flat list
	// Unless[0], if present, is a condition under which nothing is written. len(Unless) is 0 or 1.
	Unless []bool
}

// value returns one element as text.
func value(v any) string {
	switch v := v.(type) {
	case float32:
		return float(float64(v), 32)
	case float64:
		return float(v, 64)
	case tensor.F16:
		return float(float64(v.Float32()), 32)
	case tensor.BF16:
		return float(float64(v.Float32()), 32)
	case int8:
		return strconv.Itoa(int(v))
	case int16:
		return strconv.Itoa(int(v))
	case int32:
		return strconv.Itoa(int(v))
	case int64:
		return strconv.FormatInt(v, 10)
	case uint8:
		return strconv.Itoa(int(v))
	case uint16:
		return strconv.Itoa(int(v))
	case uint32:
		return strconv.FormatUint(uint64(v), 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case bool:
		if v {
			return "1"
		}
		return "0"
	case complex64:
		return "(" + float(float64(real(v)), 32) + "," + float(float64(imag(v)), 32) + ")"
	case complex128:
		return "(" + float(real(v), 64) + "," + float(imag(v), 64) + ")"
	}
	return v.(string)
}

// quoted returns s in quotes with ASCII's control characters, quotes and backslashes
// escaped as in C. Other bytes stay unchanged.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '"', '\'', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			if c >= ' ' && c != 0x7f {
				b.WriteByte(c)
				continue
			}
			b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
		}
	}
	b.WriteByte('"')
	return b.String()
}

// float formats v as %g does, with enough digits to read back the same number.
func float(v float64, bits int) string {
	switch {
	case v != v:
		return "nan"
	case v > 0 && v-v != 0:
		return "inf"
	case v < 0 && v-v != 0:
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', shortest(v, bits), bits)
}

// shortest returns the number of digits with which %g must write the number v. For a float32, it
// returns 6 if 6 digits identify v, and otherwise 9, which identify every float32. For a float64,
// it returns 15 or 17 in the same way. The parameter bits is 32 or 64.
func shortest(v float64, bits int) int {
	n, all := 6, 9
	if bits == 64 {
		n, all = 15, 17
	}
	s := strconv.FormatFloat(v, 'e', -1, bits)
	digits := 0
	for _, c := range s {
		if c == 'e' {
			break
		}
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	if digits > n {
		return all
	}
	return n
}

func summarize[T any](dst []string, data []T, dims []int, p SummaryParams) {
	if len(p.Unless) != 0 && p.Unless[0] {
		return
	}
	var s strings.Builder
	if p.Nested {
		nested(&s, data, dims, p.Limit, 1)
	} else {
		limit := len(data)
		if p.Limit >= 0 {
			limit = min(limit, p.Limit)
		}
		for i, v := range data[:limit] {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(value(v))
		}
		if limit < len(data) {
			s.WriteString("...")
		}
	}
	dst[0] = s.String()
}

// nothing returns TensorFlow's text for a tensor without elements. The text is empty for bools, and
// otherwise "[]" if the first dimension is 0. In all other cases it is "[ ...]", with len(dims)-1
// line breaks after the opening bracket.
func nothing[T any](dims []int) string {
	var v T
	if _, ok := any(v).(bool); ok {
		return ""
	}
	if dims[0] == 0 {
		return "[]"
	}
	return "[" + strings.Repeat("\n", len(dims)-1) + " ...]"
}

// nested writes data with brackets. The elements of every dimension but the last start on separate
// lines.
func nested[T any](s *strings.Builder, data []T, dims []int, limit, depth int) {
	if len(data) == 0 && depth == 1 && len(dims) > 0 {
		s.WriteString(nothing[T](dims))
		return
	}
	if len(dims) == 0 {
		if t, ok := any(data[0]).(string); ok {
			s.WriteString(quoted(t))
			return
		}
		s.WriteString(value(data[0]))
		return
	}
	s.WriteByte('[')
	row := 1
	for _, d := range dims[1:] {
		row *= d
	}
	n := dims[0]
	for i := 0; i < n; i++ {
		if i > 0 {
			if len(dims) == 1 {
				s.WriteByte(' ')
			} else {
				s.WriteString(strings.Repeat("\n", len(dims)-1))
				s.WriteString(strings.Repeat(" ", depth))
			}
		}
		if limit >= 0 && n > 2*limit && i == limit {
			s.WriteString("...")
			i = n - limit - 1
			continue
		}
		nested(s, data[i*row:(i+1)*row], dims[1:], limit, depth+1)
	}
	s.WriteByte(']')
}

// Assert returns nil if condition[0] is true. Otherwise it returns an error whose text contains the
// summaries in parts.
func Assert(condition []bool, parts []string) error {
	if condition[0] {
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "assertion failed: [%s]", strings.Join(parts, "] ["))
}

// Print writes message and the summaries to the standard error stream.
func Print(parts []string, message string) error {
	var s strings.Builder
	s.WriteString(message)
	for _, p := range parts {
		s.WriteString("[" + p + "]")
	}
	s.WriteByte('\n')
	_, err := os.Stderr.WriteString(s.String())
	return err
}

// Room reserves memory in the run's budget for the next kernel, which makes n texts from numbers.
// The parameter each is the largest possible length of such a text in bytes. Room reserves n·each
// bytes.
func Room(run *mem.Budget, n, each int) error { return run.Make(mem.Mul(n, each)) }

// ToFile reports whether an output stream is a file. PrintString does not support files.
func ToFile(stream string) bool { return strings.HasPrefix(stream, "file://") }

// PrintString writes text[0] + end to the standard output if stream is "stdout", and otherwise to
// the standard error stream.
func PrintString(text []string, stream, end string) error {
	w := os.Stderr
	if stream == "stdout" {
		w = os.Stdout
	}
	_, err := w.WriteString(text[0] + end)
	return err
}

// Template replaces the placeholders of a template with the parts, in order.
func Template(run *mem.Budget, out, parts []string, template, placeholder string) error {
	if strings.Count(template, placeholder) != len(parts) {
		return tensor.Errorf(tensor.InvalidArgument, "the template has %d placeholders for %d inputs", strings.Count(template, placeholder), len(parts))
	}
	size := len(template)
	for _, p := range parts {
		size += len(p)
	}
	if err := run.Make(size); err != nil {
		return err
	}
	s := template
	var b strings.Builder
	for _, p := range parts {
		before, after, _ := strings.Cut(s, placeholder)
		b.WriteString(before)
		b.WriteString(p)
		s = after
	}
	b.WriteString(s)
	out[0] = b.String()
	return nil
}
