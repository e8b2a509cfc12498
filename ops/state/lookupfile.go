package state

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/lookup"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Special column numbers of a text file.
const (
	lineNumber = -1
	wholeLine  = -2
)

// textTable describes how to read a text file as a table.
type textTable struct {
	file             string
	key, value       tensor.DType
	keyCol, valueCol int
	vocab            int // the number of lines to read; -1 to read all lines
	delimiter        string
	offset           int // of line numbers
}

// textTableLower lowers InitializeTableFromTextFile. The name of the file must be known at compile
// time. The compiler reads the file, and the program contains its keys and values.
func textTableLower(b *lower.Builder) error {
	t := tableOf(b.Node.Ins[0])
	if t == nil {
		return b.Errorf(tensor.Unimplemented, "the table must be known when compiling")
	}
	name := b.InConst(1)
	if name == nil {
		return b.Errorf(tensor.PermissionDenied, "the file's name is known only at run time, but programs do not open files: make it a constant, or an asset of the model")
	}
	names, ok := name.Data.([]string)
	if !ok || len(names) != 1 {
		return b.Errorf(tensor.InvalidArgument, "filename should be a single string, but got %v", name.Shape)
	}
	n := b.Node
	r := textTable{file: names[0], key: t.params.Key, value: t.params.Value, keyCol: n.Int("key_index"), valueCol: n.Int("value_index"),
		vocab: n.Int("vocab_size"), delimiter: n.Str("delimiter"), offset: n.Int("offset")}
	if _, ok := n.Attrs["vocab_size"]; !ok {
		r.vocab = -1
	}
	if _, ok := n.Attrs["delimiter"]; !ok {
		r.delimiter = "\t"
	}
	if err := r.check(); err != nil {
		return err
	}
	fn, err := bytype.LookupInitialize.Get(t.params.Key, t.params.Value)
	if err != nil {
		return err
	}
	text, err := b.File(r.file)
	if err != nil {
		return err
	}
	keys, values, err := r.read(string(text))
	if err != nil {
		return err
	}
	p := lookup.Params{KeyRank: 1, ValueRank: 1, Lenient: true}
	b.Call(fn, b.In(0), b.Const("", keys), b.Const("", values), plan.Lit(p, "KeyDims", sym.Int(keys.Len()), "ValueDims", sym.Int(keys.Len())))
	return nil
}

// check rejects columns that do not fit the table's types, as TensorFlow does.
func (r *textTable) check() error {
	if r.vocab != -1 && r.vocab <= 0 {
		return tensor.Errorf(tensor.InvalidArgument, "The attribute vocab_size must be -1 or positive, got %d", r.vocab)
	}
	if len(r.delimiter) != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "delimiter should be only 1 char")
	}
	for _, c := range []struct {
		what  string
		col   int
		dtype tensor.DType
	}{{"key", r.keyCol, r.key}, {"value", r.valueCol, r.value}} {
		switch {
		case c.col < wholeLine:
			return tensor.Errorf(tensor.InvalidArgument, "Invalid %s_index %d", c.what, c.col)
		case c.col == lineNumber && c.dtype != tensor.Int64:
			return tensor.Errorf(tensor.InvalidArgument, "%s index for line number requires table %s dtype of int64, got %v", c.what, c.what, c.dtype)
		case c.col == wholeLine && c.dtype != tensor.String && !c.dtype.IsInteger():
			return tensor.Errorf(tensor.InvalidArgument, "%s index for whole line requires string or integer table %s, got %v", c.what, c.what, c.dtype)
		}
	}
	return nil
}

// read parses a file's text into keys and values. It returns InvalidArgument if a line lacks the
// key or value column, if a field is not a valid number, or if there are too few lines.
func (r *textTable) read(text string) (keys, values *tensor.Tensor, err error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if r.vocab >= 0 && len(lines) > r.vocab {
		lines = lines[:r.vocab]
	}
	if r.vocab >= 0 && len(lines) < r.vocab {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Invalid vocab_size in %s: expected %d but got %d", r.file, r.vocab, len(lines))
	}
	if len(lines) == 0 {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "%s holds no lines", r.file)
	}
	if keys, err = newColumn(r.key, len(lines)); err != nil {
		return nil, nil, err
	}
	if values, err = newColumn(r.value, len(lines)); err != nil {
		return nil, nil, err
	}
	last := max(r.keyCol, r.valueCol)
	for i, line := range lines {
		var cols []string
		if last >= 0 {
			if cols = strings.Split(line, r.delimiter); last >= len(cols) {
				return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Invalid number of columns in %s line %d (%s) : expected %d got %d", r.file, i, line, last+1, len(cols))
			}
		}
		if err := r.set(keys, i, r.keyCol, line, cols); err != nil {
			return nil, nil, err
		}
		if err := r.set(values, i, r.valueCol, line, cols); err != nil {
			return nil, nil, err
		}
	}
	return keys, values, nil
}

func newColumn(d tensor.DType, n int) (*tensor.Tensor, error) {
	switch d {
	case tensor.Int32, tensor.Int64, tensor.Float32, tensor.Float64, tensor.String:
		return &tensor.Tensor{DType: d, Shape: tensor.Shape{n}, Data: tensor.MakeSlice(d, n)}, nil
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "Data type %v not supported.", d)
}

// set stores column col of line i as an element.
func (r *textTable) set(t *tensor.Tensor, i, col int, line string, cols []string) error {
	if col == lineNumber {
		t.Data.([]int64)[i] = int64(i + r.offset)
		return nil
	}
	s := line
	if col >= 0 {
		s = cols[col]
	}
	if s == "" {
		return tensor.Errorf(tensor.InvalidArgument, "Invalid content in %s: empty line found at position %d.", r.file, i)
	}
	var err error
	switch d := t.Data.(type) {
	case []string:
		d[i] = s
	case []int32:
		var v int64
		v, err = strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		d[i] = int32(v)
	case []int64:
		d[i], err = strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	case []float32:
		var v float64
		v, err = strconv.ParseFloat(strings.TrimSpace(s), 32)
		d[i] = float32(v)
	case []float64:
		d[i], err = strconv.ParseFloat(strings.TrimSpace(s), 64)
	}
	if err != nil {
		return tensor.Errorf(tensor.InvalidArgument, "Field %s in line %d is not a valid %v.", s, i, t.DType)
	}
	return nil
}
