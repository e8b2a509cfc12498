package program

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// read reads all feeds.
func (c *command) read(sig *rt.Signature) (map[string]*tensor.Tensor, error) {
	feeds := map[string]*tensor.Tensor{}
	for _, arg := range c.feeds {
		name, file, ok := strings.Cut(arg, "=")
		if !ok {
			if !strings.HasSuffix(arg, ".npz") {
				return nil, usagef("-feed %s: name=file is wanted", arg)
			}
			all, err := npy.ReadZip(arg)
			if err != nil {
				return nil, err
			}
			for name, t := range all {
				p := port(sig, name)
				if p == nil {
					return nil, usagef("-feed %s: the array %q is no feed of %q", arg, name, sig.Name)
				}
				if feeds[p.Name], err = fit(p, t); err != nil {
					return nil, tensor.Errorf(tensor.CodeOf(err), "feed %q from %s: %s", name, arg, errorText(err))
				}
			}
			continue
		}
		p := port(sig, name)
		if p == nil {
			return nil, usagef("-feed %s: %q is no feed of %q", arg, name, sig.Name)
		}
		if feeds[p.Name] != nil {
			return nil, usagef("-feed %s: %q is fed twice", arg, name)
		}
		t, err := c.load(p, file)
		if err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "feed %q from %s: %s", name, file, errorText(err))
		}
		feeds[p.Name] = t
	}
	for i := range sig.Feeds {
		if p := &sig.Feeds[i]; feeds[p.Name] == nil && !p.Unused {
			return nil, usagef("the feed %s is missing", portText(p))
		}
	}
	return feeds, nil
}

// port finds a feed by tensor name, key or field; "x" stands for "x:0".
func port(sig *rt.Signature, name string) *rt.Port {
	for _, same := range []func(p *rt.Port) bool{
		func(p *rt.Port) bool { return p.Name == name },
		func(p *rt.Port) bool { return p.Key == name && name != "" },
		func(p *rt.Port) bool { return p.Name == name+":0" || p.Field == name },
	} {
		for i := range sig.Feeds {
			if same(&sig.Feeds[i]) {
				return &sig.Feeds[i]
			}
		}
	}
	return nil
}

// load reads one feed from a file, from standard input, or from JSON in place.
func (c *command) load(p *rt.Port, file string) (*tensor.Tensor, error) {
	if file == "-" {
		return readJSON(p, c.in)
	}
	if strings.HasPrefix(file, "[") || strings.HasPrefix(file, `"`) || isScalar(file) {
		return readJSON(p, strings.NewReader(file))
	}
	ext := strings.ToLower(filepath.Ext(file))
	if ext == ".npz" {
		all, err := npy.ReadZip(file)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{p.Name, p.Key, p.Field} {
			if t := all[name]; t != nil {
				return fit(p, t)
			}
		}
		if len(all) == 1 {
			for _, t := range all {
				return fit(p, t)
			}
		}
		return nil, usagef("the file holds no array %q", p.Name)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch ext {
	case ".npy":
		t, err := npy.Read(bufio.NewReader(f))
		if err != nil {
			return nil, err
		}
		return fit(p, t)
	case ".json":
		return readJSON(p, bufio.NewReader(f))
	case ".csv":
		return readCSV(p, bufio.NewReader(f))
	}
	return nil, usagef("a file name ending in .npy, .npz, .json or .csv is wanted")
}

// isScalar reports a JSON number or boolean.
func isScalar(s string) bool {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return false
	}
	switch v.(type) {
	case float64, bool:
		return true
	}
	return false
}

// fit gives t the feed's element type where that is another name for the same
// storage. Elements of another type are refused: whoever wrote the file chose
// the type, and a conversion would hide a mistake.
func fit(p *rt.Port, t *tensor.Tensor) (*tensor.Tensor, error) {
	u, err := npy.Cast(t, p.DType)
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "got %v, want %v", t, p)
	}
	return u, nil
}

// readCSV reads rows of values, a row for each index of the first dimension. The
// values of a row fill the feed's other dimensions.
func readCSV(p *rt.Port, r io.Reader) (*tensor.Tensor, error) {
	cr := csv.NewReader(r)
	cr.TrimLeadingSpace, cr.Comment = true, '#'
	rows, err := cr.ReadAll()
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	cols := 0
	if len(rows) > 0 {
		cols = len(rows[0])
	}
	shape := csvShape(p, len(rows), cols)
	out, err := tensor.New(p.DType, shape, 0)
	if err != nil {
		return nil, err
	}
	if out.Len() != len(rows)*cols {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d rows of %d values do not fill %v", len(rows), cols, p)
	}
	for i, row := range rows {
		for j, v := range row {
			if err := setText(out, i*cols+j, strings.TrimSpace(v)); err != nil {
				return nil, tensor.Errorf(tensor.InvalidArgument, "row %d, column %d: %s", i+1, j+1, errorText(err))
			}
		}
	}
	return out, nil
}

// csvShape is the shape of rows of values for the feed. Where its rank is open,
// rows of one value are a vector if that is accepted, others a matrix.
func csvShape(p *rt.Port, rows, cols int) tensor.Shape {
	if p.AnyRank {
		takes := func(rank int) bool { return p.Ranks == nil || slices.Contains(p.Ranks, rank) }
		switch {
		case !takes(2) && !takes(1):
			return tensor.Shape{}
		case !takes(2), cols == 1 && takes(1):
			return tensor.Shape{rows * cols}
		}
		return tensor.Shape{rows, cols}
	}
	shape := append(tensor.Shape(nil), p.Shape...)
	switch len(shape) {
	case 0:
		return shape
	case 1:
		return tensor.Shape{rows * cols}
	}
	if shape[0] == 1 && shape[1] == rows { // one picture, a line a row
		rows, cols = 1, rows*cols
	}
	if shape[0] < 0 {
		shape[0] = rows
	}
	left, free := cols, -1
	for a, d := range shape[1:] {
		switch {
		case d < 0 && free < 0:
			free = a + 1
		case d < 0:
			shape[a+1] = 1
		case d > 0:
			left /= d
		}
	}
	if free > 0 {
		shape[free] = left
	}
	return shape
}
