package parse

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// CSVParams describes how records of comma-separated values are read.
type CSVParams struct {
	Columns int    // number of fields that are read from each record
	Delim   string // one byte
	NoQuote bool   // whether a quote is treated as an ordinary character
	Select  []int  // increasing indices of the fields to read; if it is empty, all fields are read
}

// CSVFields writes the fields of each record to dst, without their quotes. The fields of records[i]
// are written to dst[i*Columns:(i+1)*Columns]. CSVFields returns InvalidArgument if the number of
// fields read from a record is not Columns, and for misplaced quotes and line ends.
func CSVFields(run *mem.Budget, dst, records []string, p CSVParams) error {
	call := run.Call()
	for i, r := range records {
		call.Work(valueWork + 2*len(r))
		own := dst[i*p.Columns : (i+1)*p.Columns]
		n, err := csvRecord(run, own, r, &p)
		if err != nil {
			return err
		}
		if n != p.Columns {
			return tensor.Errorf(tensor.InvalidArgument, "Expect %d fields but have %d in record %d", p.Columns, n, i)
		}
	}
	return nil
}

// csvRecord reads a record and returns its number of fields, which may exceed len(dst).
func csvRecord(run *mem.Budget, dst []string, s string, p *CSVParams) (n int, err error) {
	delim := p.Delim[0]
	seen := 0 // number of fields seen so far, including those that p.Select does not select
	add := func(field string) (last bool) {
		wanted := len(p.Select) == 0 || n < len(p.Select) && p.Select[n] == seen
		seen++
		if !wanted {
			return false
		}
		if n < len(dst) {
			dst[n] = field
		}
		n++
		return n == len(p.Select)
	}
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\n' || s[i] == '\r':
			i++
			continue
		case s[i] == '"' && !p.NoQuote:
			field, next, err := quoted(run, s, i+1, delim)
			if err != nil {
				return 0, err
			}
			i = next
			if add(field) {
				return n, nil
			}
		default:
			end := i
			for ; end < len(s) && s[end] != delim; end++ {
				if c := s[end]; c == '\n' || c == '\r' || c == '"' && !p.NoQuote {
					return 0, tensor.Errorf(tensor.InvalidArgument, "Unquoted fields cannot have quotes/CRLFs inside")
				}
			}
			field := s[i:end]
			i = end + 1
			if add(field) {
				return n, nil
			}
		}
	}
	if len(s) > 0 && s[len(s)-1] == delim {
		add("")
	}
	return n, nil
}

// quoted reads the field that begins at s[i], after the opening quote. next is the position after
// the delimiter that ends the field.
func quoted(run *mem.Budget, s string, i int, delim byte) (field string, next int, err error) {
	var b strings.Builder // the unescaped text of the field before s[from]
	from := i
	for i < len(s)-1 && (s[i] != '"' || s[i+1] != delim) {
		if s[i] != '"' {
			i++
			continue
		}
		if s[i+1] != '"' {
			return "", 0, tensor.Errorf(tensor.InvalidArgument, "Quote inside a string has to be escaped by another quote")
		}
		b.WriteString(s[from : i+1])
		i += 2
		from = i
	}
	if i >= len(s) || s[i] != '"' || i != len(s)-1 && s[i+1] != delim {
		return "", 0, tensor.Errorf(tensor.InvalidArgument, "Quoted field has to end with quote followed by delim or end")
	}
	if b.Len() == 0 {
		return s[from:i], i + 2, nil
	}
	b.WriteString(s[from:i])
	run.MustMake(b.Len())
	return b.String(), i + 2, nil
}

// CSVColumn selects one of the columns of fields that CSVFields has written. Column is the index of
// the selected column, and Columns is the number of columns.
type CSVColumn struct {
	Column, Columns int
	NA              string // text that, like the empty string, means a missing value
}

// column converts the fields of one column with the function read and stores the values in dst. def
// holds the value for missing fields, or is empty.
func column[T any](dst []T, fields []string, def []T, p *CSVColumn, read func(string) (T, bool), what string) error {
	if len(def) > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "There should only be 1 default per field but field %d has %d", p.Column, len(def))
	}
	for i := range dst {
		f := fields[i*p.Columns+p.Column]
		if f == "" || f == p.NA {
			if len(def) == 0 {
				return tensor.Errorf(tensor.InvalidArgument, "Field %d is required but missing in record %d!", p.Column, i)
			}
			dst[i] = def[0]
			continue
		}
		v, ok := read(f)
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "Field %d in record %d is not a valid %s: %s", p.Column, i, what, f)
		}
		dst[i] = v
	}
	return nil
}

// decimal reads an integer with white space around it.
func decimal(s string, bits int) (int64, bool) {
	v, err := strconv.ParseInt(strings.Trim(s, " \t\n\v\f\r"), 10, bits)
	return v, err == nil
}

// CSVI32 converts one column of fields to integers and stores them in dst. The slice fields is the
// result of CSVFields. def holds the default value for missing fields, or is empty. CSVI32 returns
// InvalidArgument if def has more than one element, if a value is missing and def is empty, and if a
// field is not a decimal integer in the range of int32.
func CSVI32(dst []int32, fields []string, def []int32, p CSVColumn) error {
	return column(dst, fields, def, &p, func(s string) (int32, bool) {
		v, ok := decimal(s, 32)
		return int32(v), ok
	}, "int32")
}

// CSVI64 is CSVI32 for i64.
func CSVI64(dst []int64, fields []string, def []int64, p CSVColumn) error {
	return column(dst, fields, def, &p, func(s string) (int64, bool) { return decimal(s, 64) }, "int64")
}

// CSVF32 is CSVI32 for numbers in the form that strs.ParseFloat reads.
func CSVF32(dst []float32, fields []string, def []float32, p CSVColumn) error {
	return column(dst, fields, def, &p, func(s string) (float32, bool) {
		v, ok := strs.ParseFloat(s, 32)
		return float32(v), ok
	}, "float")
}

// CSVF64 is CSVF32 for f64.
func CSVF64(dst []float64, fields []string, def []float64, p CSVColumn) error {
	return column(dst, fields, def, &p, func(s string) (float64, bool) { return strs.ParseFloat(s, 64) }, "double")
}

// CSVString is CSVI32 for texts.
func CSVString(dst, fields, def []string, p CSVColumn) error {
	return column(dst, fields, def, &p, func(s string) (string, bool) { return s, true }, "string")
}
