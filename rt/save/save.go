package save

import (
	"reflect"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Variable is a variable of a model. Key is the name of its tensor in checkpoints. If the variable is
// only a part of this tensor, Slice specifies the part; see bundle.ParseSpec. Otherwise Slice is
// empty.
type Variable struct {
	Key, Slice string
	Handle     *[1]tensor.Handle
}

// Table is a table of a model, with the names of its keys and values in checkpoints.
type Table struct {
	Keys, Values string
	Handle       *[1]tensor.Handle
}

// Carried is a tensor that belongs to the original model's checkpoint, although the compiled model
// has no variable for it, because no run changes it. Save writes the tensor unchanged. A program that
// restores the original model from the checkpoint needs it. See Variable for Key and Slice.
type Carried struct {
	Key, Slice string
	Tensor     *tensor.Tensor
}

// Checkpoint describes what a model saves and restores.
type Checkpoint struct {
	Variables []Variable
	Tables    []Table
	Carried   []Carried
}

// Keys returns the names that a checkpoint uses for the variables, and for the keys and the values of
// the tables. They are sorted and without duplicates.
func (c *Checkpoint) Keys() []string {
	var keys []string
	for _, v := range c.Variables {
		keys = append(keys, v.Key)
	}
	for _, t := range c.Tables {
		keys = append(keys, t.Keys, t.Values)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// item is a tensor to save: the value of the variable v or, if v is nil, the tensor t.
type item struct {
	key, slice string
	v          *resource.Var
	t          *tensor.Tensor
}

// Save writes a checkpoint of the instance b; see rt.Saver. The contents of the checkpoint are
// described by c. The error is Cancelled if b is closed.
func Save(b *rt.Base, c *Checkpoint, prefix string) error {
	return b.Within(func() error { return c.Save(prefix) })
}

// Restore restores the instance b from a checkpoint; see rt.Saver. The contents of the checkpoint are
// described by c. The error is Cancelled if b is closed.
func Restore(b *rt.Base, c *Checkpoint, prefix string) error {
	return b.Within(func() error { return c.Restore(prefix) })
}

// Save writes a checkpoint; see rt.Saver. It sorts the tensors by name, so that two checkpoints with
// equal values have equal bytes.
func (c *Checkpoint) Save(prefix string) error {
	var items []item
	for i := range c.Variables {
		v, err := c.Variables[i].variable()
		if err != nil {
			return err
		}
		items = append(items, item{key: c.Variables[i].Key, slice: c.Variables[i].Slice, v: v})
	}
	for i := range c.Tables {
		x := &c.Tables[i]
		keys, values, err := x.rows()
		if err != nil {
			return err
		}
		items = append(items, item{key: x.Keys, t: keys}, item{key: x.Values, t: values})
	}
	for _, x := range c.Carried {
		items = append(items, item{key: x.Key, slice: x.Slice, t: x.Tensor})
	}
	slices.SortStableFunc(items, func(a, b item) int {
		if n := strings.Compare(a.key, b.key); n != 0 {
			return n
		}
		return strings.Compare(a.slice, b.slice)
	})
	w, err := bundle.Create(bundle.System{}, prefix)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, x := range items {
		n := bundle.Named{Key: x.key, Tensor: x.t}
		if n.Spec, err = spec(x.slice); err != nil {
			return err
		}
		if x.v != nil {
			if n.Tensor, err = value(x.v, x.key); err != nil {
				return err
			}
		}
		if err := w.Add(n); err != nil {
			return err
		}
	}
	return w.Close()
}

// Restore reads a checkpoint; see rt.Saver.
func (c *Checkpoint) Restore(prefix string) error {
	return bundle.View(bundle.System{}, prefix, func(r *bundle.Reader) error { return c.restore(prefix, r) })
}

func (c *Checkpoint) restore(prefix string, r *bundle.Reader) (err error) {
	var missing []string
	for _, key := range c.Keys() {
		if _, ok := r.Entry(key); !ok {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		return tensor.Errorf(tensor.NotFound, "checkpoint %s lacks %s; it has %s", prefix, list(missing), list(r.Keys()))
	}
	vars := make([]*resource.Var, len(c.Variables))
	read := make([]*tensor.Tensor, len(c.Variables))
	for i := range c.Variables {
		x := &c.Variables[i]
		if vars[i], err = x.variable(); err != nil {
			return err
		}
		if e, _ := r.Entry(x.Key); e.DType != vars[i].DType {
			return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is %v%v, the variable %v", prefix, x.Key, e.DType, e.Shape, vars[i].DType)
		}
		p, err := spec(x.Slice)
		if err != nil {
			return err
		}
		if p != nil {
			read[i], err = r.ReadSlice(x.Key, p)
		} else {
			if e, _ := r.Entry(x.Key); !vars[i].Takes(e.Shape) { // a wrong shape is detected before the bytes are read
				return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is %v%v, the variable is declared %v", prefix, x.Key, e.DType, e.Shape, vars[i].Declared)
			}
			read[i], err = r.Read(x.Key)
		}
		if err != nil {
			return err
		}
		if !vars[i].Takes(read[i].Shape) {
			return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is %v, the variable is declared %v", prefix, x.Key, read[i], vars[i].Declared)
		}
	}
	fill := make([]func(), len(c.Tables))
	for i := range c.Tables {
		if fill[i], err = c.Tables[i].read(r); err != nil {
			return err
		}
	}
	for _, f := range fill {
		f()
	}
	for i, v := range vars {
		v.Lock()
		v.Replace()
		v.Set, v.Shape, v.Data = true, read[i].Shape, read[i].Data
		v.Unlock()
	}
	return nil
}

// table returns the table that the handle holds.
func (t *Table) table() (*resource.Table, error) {
	x, err := resource.TableOf(t.Handle[:])
	if err != nil {
		return nil, tensor.Errorf(tensor.Internal, "%q: %v", t.Keys, err)
	}
	return x, nil
}

// rows returns a copy of the table's keys and values, made while the table is locked.
func (t *Table) rows() (keys, values *tensor.Tensor, err error) {
	x, err := t.table()
	if err != nil {
		return nil, nil, err
	}
	x.Lock()
	defer x.Unlock()
	return x.Rows()
}

// read reads the keys and values of the table from a checkpoint. It does not change the table, but
// returns a function that stores them in the table.
func (t *Table) read(r *bundle.Reader) (func(), error) {
	x, err := t.table()
	if err != nil {
		return nil, err
	}
	keys, err := r.Read(t.Keys)
	if err != nil {
		return nil, err
	}
	values, err := r.Read(t.Values)
	if err != nil {
		return nil, err
	}
	if err := x.Fits(keys, values); err != nil {
		return nil, tensor.Errorf(tensor.CodeOf(err), "checkpoint: %q and %q: %v", t.Keys, t.Values, err)
	}
	return func() { x.Fill(keys, values) }, nil
}

// variable returns the variable that the handle holds.
func (v *Variable) variable() (*resource.Var, error) {
	x, err := resource.VarOf(v.Handle[:])
	if err != nil {
		return nil, tensor.Errorf(tensor.Internal, "%q: %v", v.Key, err)
	}
	return x, nil
}

func spec(slice string) (*bundle.Spec, error) {
	if slice == "" {
		return nil, nil
	}
	return bundle.ParseSpec(slice)
}

// value returns a copy of a variable's value. The error is FailedPrecondition if the variable is
// uninitialized.
func value(v *resource.Var, key string) (*tensor.Tensor, error) {
	v.Lock()
	defer v.Unlock()
	if !v.Set {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable %q is saved before it has a value", key)
	}
	if err := v.Home(); err != nil {
		return nil, err
	}
	src := reflect.ValueOf(v.Data)
	dst := reflect.MakeSlice(src.Type(), src.Len(), src.Len())
	reflect.Copy(dst, src)
	return &tensor.Tensor{DType: v.DType, Shape: slices.Clone(v.Shape), Data: dst.Interface()}, nil
}

// list formats the first 20 keys for an error.
func list(keys []string) string {
	const most = 20
	if len(keys) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for i, k := range keys[:min(len(keys), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`"` + k + `"`)
	}
	if len(keys) > most {
		b.WriteString(", …")
	}
	return b.String()
}
