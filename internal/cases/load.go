package cases

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// maxArrays is the maximum size in bytes of the arrays in one npz file of a case.
const maxArrays = min(4<<30, math.MaxInt)

// LoadRun reads the tensors that run i is fed, and those that TensorFlow returned for it. Both maps
// are keyed by tensor name. The tensors have the types that case.json declares. The map fetches is
// empty if the case has no recorded results for run i. It is also empty if the case expects an
// error and i is its last run, because that is the run that must fail.
func (c *Case) LoadRun(i int) (feeds, fetches map[string]*tensor.Tensor, err error) {
	if c.Err != nil {
		return nil, nil, c.Err
	}
	if i < 0 || i >= len(c.Runs) {
		return nil, nil, fmt.Errorf("%s: run %d of %d", c.Path, i, len(c.Runs))
	}
	r := c.Runs[i]
	if feeds, err = c.read(r.FeedsFile, r.Feeds); err != nil {
		return nil, nil, err
	}
	if r.FetchesFile == "" || c.ExpectErr && i == len(c.Runs)-1 {
		return feeds, map[string]*tensor.Tensor{}, nil
	}
	fetches, err = c.read(r.FetchesFile, r.Fetches)
	return feeds, fetches, err
}

// read returns the tensors with the given names, keyed by name. Tensors of strings come from
// case.json, all others from the npz file.
func (c *Case) read(file string, names []string) (map[string]*tensor.Tensor, error) {
	out := make(map[string]*tensor.Tensor, len(names))
	var zip map[string]*tensor.Tensor
	path := filepath.Join(c.Dir, file)
	for _, name := range names {
		dt := c.DTypes[name]
		s, isString := c.Strings[name]
		if !(isString && dt == "DT_STRING") && zip == nil {
			var err error
			if zip, err = npy.ReadZipLimit(path, maxArrays); err != nil {
				return nil, files.In(path, err)
			}
		}
		raw, ok := zip[name]
		// Use the strings even if the declared type is a number: some cases feed strings instead of
		// numbers.
		if !ok && isString {
			t, err := s.tensor()
			if err != nil {
				return nil, fmt.Errorf("%s: string tensor %s: %w", c.Path, name, err)
			}
			out[name] = t
			continue
		}
		if !ok {
			return nil, fmt.Errorf("%s: no array %q", path, name)
		}
		t, err := retype(raw, dt)
		if err != nil {
			return nil, fmt.Errorf("%s: array %q: %w", path, name, err)
		}
		out[name] = t
	}
	return out, nil
}

func (s StringTensor) tensor() (*tensor.Tensor, error) {
	elems := make([]string, len(s.Elems))
	for i, e := range s.Elems {
		elems[i] = string(e)
	}
	return tensor.From(tensor.Shape(s.Shape), elems)
}

// retype converts a stored array to the element type that the case declares. An npz file stores
// bfloat16 as its bits in uint16, and a quantized type as the integer type of the same size.
func retype(t *tensor.Tensor, name string) (*tensor.Tensor, error) {
	if name == "" {
		return t, nil
	}
	d, ok := tensor.ParseDType(name)
	if !ok {
		return nil, fmt.Errorf("unsupported element type %s", name)
	}
	if d == t.DType {
		return t, nil
	}
	if d == tensor.BFloat16 && t.DType == tensor.Uint16 {
		bits := tensor.Data[uint16](t)
		data := make([]tensor.BF16, len(bits))
		for i, b := range bits {
			data[i] = tensor.BF16(b)
		}
		return &tensor.Tensor{DType: d, Shape: t.Shape, Data: data}, nil
	}
	if d.IsData() && d.GoType() == t.DType.GoType() {
		return &tensor.Tensor{DType: d, Shape: t.Shape, Data: t.Data}, nil
	}
	return nil, fmt.Errorf("stored as %v, declared as %s", t.DType, name)
}
