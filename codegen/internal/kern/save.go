package kern

import (
	"os"
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// NewVar makes a variable with the value start.
func NewVar(start []float32) tensor.Handle {
	return tensor.Handle{V: &resource.Var{DType: tensor.Float32, Declared: []int{len(start)}, Set: true, Shape: []int{len(start)}, Data: slices.Clone(start)}}
}

// Grow adds the elements of the slice by to the variable v, and stores the new value of the
// variable in dst.
func Grow(dst []float32, v []tensor.Handle, by []float32) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	d, err := resource.Values[float32](x)
	for i := range d {
		d[i] += by[i]
		dst[i] = d[i]
	}
	return err
}

// IsOpen stores whether the program has a directory for files.
func IsOpen(dst []bool, root *os.Root) { dst[0] = root != nil }

// NewTable returns a new table with the given keys and values.
func NewTable(keys, values []int64) tensor.Handle {
	return resource.NewTableOf(resource.TableParams{Name: "ages", Kind: resource.Mutable, Key: tensor.Int64, Value: tensor.Int64}, nil, keys, values)
}

// Rows stores the number of rows of the table t.
func Rows(dst []int64, t []tensor.Handle) error {
	x, err := resource.TableOf(t)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	dst[0] = int64(x.N)
	return nil
}
