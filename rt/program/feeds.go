package program

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// read reads all feeds of a run.
func (c *command) read(sig *rt.Signature, given feedFlags) (map[string]*tensor.Tensor, error) {
	feeds := map[string]*tensor.Tensor{}
	add := func(arg, name, file string, load func(p *rt.Port) (*tensor.Tensor, error)) error {
		p := port(sig, name)
		if p == nil {
			return usagef("-feed %s: %q is no feed, there is %s", arg, name, feedNames(sig))
		}
		if feeds[p.Name] != nil {
			return usagef("-feed %s: %q is fed twice", arg, name)
		}
		t, err := load(p)
		if err != nil {
			return tensor.Errorf(tensor.CodeOf(err), "feed %q from %s: %s", name, file, tensor.Message(err))
		}
		feeds[p.Name] = t
		return nil
	}
	for _, arg := range given {
		var err error
		if name, file, ok := strings.Cut(arg, "="); ok {
			err = add(arg, name, file, func(p *rt.Port) (*tensor.Tensor, error) { return c.load(p, file) })
		} else {
			err = c.readAll(arg, add)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range sig.Feeds {
		if p := &sig.Feeds[i]; feeds[p.Name] == nil && !p.Unused {
			return nil, usagef("the feed %s is missing", portText(p))
		}
	}
	return feeds, nil
}

// readAll reads a file of several feeds: an npz file, or a JSON object.
func (c *command) readAll(file string, add func(arg, name, file string, load func(p *rt.Port) (*tensor.Tensor, error)) error) error {
	if strings.HasSuffix(file, ".npz") {
		all, err := npy.ReadZip(file)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if err := add(file, name, file, func(p *rt.Port) (*tensor.Tensor, error) { return fit(p, all[name]) }); err != nil {
				return err
			}
		}
		return nil
	}
	in := c.in
	switch {
	case strings.HasSuffix(file, ".json"):
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = bufio.NewReader(f)
	case file != "-":
		return usagef("-feed %s: name=file is wanted, or an .npz or .json file of all feeds", file)
	}
	var all map[string]json.RawMessage
	if err := json.NewDecoder(in).Decode(&all); err != nil {
		return tensor.Errorf(tensor.InvalidArgument, "-feed %s: an object of feeds by name is wanted: %v", file, err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := add(file, name, file, func(p *rt.Port) (*tensor.Tensor, error) { return readJSON(p, bytes.NewReader(all[name])) }); err != nil {
			return err
		}
	}
	return nil
}

// feedNames lists what may be fed.
func feedNames(sig *rt.Signature) string {
	var names []string
	for i := range sig.Feeds {
		names = append(names, strconv.Quote(fetchName(&sig.Feeds[i])))
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
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
				return nil, tensor.Errorf(tensor.InvalidArgument, "row %d, column %d: %s", i+1, j+1, tensor.Message(err))
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
