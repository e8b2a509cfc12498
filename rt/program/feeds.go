package program

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// read reads all feeds of a run.
func (c *command) read(sig *rt.Signature, given feedFlags) (map[string]*tensor.Tensor, error) {
	feeds := map[string]*tensor.Tensor{}
	limit := newBudget(c.readLimit)
	add := func(arg, name, file string, load func(p *rt.Port) (*tensor.Tensor, error)) error {
		p := port(sig, name)
		if p == nil {
			return usagef("--feed %s: unknown feed %q; feeds: %s", arg, name, feedNames(sig))
		}
		if feeds[p.Name] != nil {
			return usagef("--feed %s: %q is fed twice", arg, name)
		}
		t, err := load(p)
		if err != nil {
			return tensor.Errorf(tensor.CodeOf(err), "feed %q from %s: %s", name, file, files.Without(file, tensor.Message(err)))
		}
		feeds[p.Name] = t
		return nil
	}
	for _, arg := range given {
		var err error
		if name, file, ok := strings.Cut(arg, "="); ok {
			err = add(arg, name, file, func(p *rt.Port) (*tensor.Tensor, error) { return c.load(p, name, file, limit) })
		} else {
			err = c.readAll(arg, limit, add)
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

// readAll reads a file with several feeds: an .npz file or a JSON object.
func (c *command) readAll(file string, limit *budget, add func(arg, name, file string, load func(p *rt.Port) (*tensor.Tensor, error)) error) error {
	if strings.HasSuffix(file, ".npz") {
		all, err := readZip(file, limit)
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
		f, _, err := files.OpenFile(file)
		if err != nil {
			return files.Error(err)
		}
		defer f.Close()
		in = f
	case file != "-":
		return usagef("--feed %s: want name=file, or an .npz or .json file with all feeds", file)
	}
	wanted := func(err error) error {
		return tensor.Errorf(tensor.CodeOf(err), "--feed %s: want an object of feeds by name: %s", file, tensor.Message(err))
	}
	dec := newDecoder(in, limit)
	switch tok, err := dec.Token(); {
	case err != nil:
		return wanted(textError(err))
	case tok != json.Delim('{'):
		return wanted(tensor.Errorf(tensor.InvalidArgument, "it begins with %.20q", tokenText(tok)))
	}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return wanted(textError(err))
		}
		name := tokenText(tok)
		if err := add(file, name, file, func(p *rt.Port) (*tensor.Tensor, error) { return readLists(p, dec, limit) }); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return wanted(textError(err))
	}
	if err := atEnd(dec); err != nil {
		return wanted(err)
	}
	return nil
}

// readZip reads an .npz file, which may take as many bytes as the limit still allows.
func readZip(file string, limit *budget) (map[string]*tensor.Tensor, error) {
	all, err := npy.ReadZipLimit(file, limit.left)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if err := limit.take(bytesOf(t)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bytesOf returns the size of a tensor's elements in bytes, without the characters of strings.
func bytesOf(t *tensor.Tensor) int { return t.Len() * int(reflect.TypeOf(t.Data).Elem().Size()) }

// feedNames lists the feeds of a signature.
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

// port returns the feed with the given tensor name, key or Go field, or nil if there is no such feed.
// The name "x" also means the tensor "x:0".
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

// ReadFeed returns the tensor for the feed p. The parameter from is the name of a .npy, .npz, .json
// or .csv file, or the value itself. The parameter limit bounds the tensor's size in bytes.
func ReadFeed(p *rt.Port, name, from string, limit int) (*tensor.Tensor, error) {
	return loadFrom(p, name, from, newBudget(limit))
}

// load reads one feed. If the parameter file is "-", load reads JSON from standard input. For other
// values of file, see loadFrom.
func (c *command) load(p *rt.Port, name, file string, limit *budget) (*tensor.Tensor, error) {
	if file == "-" {
		return readJSON(p, c.in, limit)
	}
	return loadFrom(p, name, file, limit)
}

// loadFrom reads one feed. The parameter file is the name of a file, or the value itself: JSON, or
// the text of a single string.
func loadFrom(p *rt.Port, name, file string, limit *budget) (*tensor.Tensor, error) {
	if strings.HasPrefix(file, "[") || strings.HasPrefix(file, "{") || strings.HasPrefix(file, `"`) || isScalar(file) && p.DType != tensor.String {
		return readInPlace(p, name, file, limit)
	}
	if t, ok, err := inPlace(p, file, limit); ok || err != nil {
		return t, err
	}
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".npz":
		all, err := readZip(file, limit)
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
	case ".npy":
		t, err := npy.ReadFile(file, limit.left)
		if err != nil {
			return nil, err
		}
		if err := limit.take(bytesOf(t)); err != nil {
			return nil, err
		}
		return fit(p, t)
	case ".json", ".csv":
		f, _, err := files.OpenFile(file)
		if err != nil {
			return nil, files.Error(err)
		}
		defer f.Close()
		if ext == ".csv" {
			return readCSV(p, f, limit)
		}
		return readJSON(p, f, limit)
	}
	return nil, notFile(p, name, file)
}

// isScalar reports whether s is a JSON number or boolean.
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

// fit returns t with the feed's element type if both types have the same storage. Other types are
// refused, because the type in the file was chosen when the file was written, and a conversion
// could hide a mistake.
func fit(p *rt.Port, t *tensor.Tensor) (*tensor.Tensor, error) {
	u, err := npy.Cast(t, p.DType)
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "got %v, want %v", t, p)
	}
	return u, nil
}
