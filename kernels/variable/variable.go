// Package variable holds the kernels that read and change variables. A kernel keeps its variable
// locked for the whole operation, so that no update is lost or visible in part.
package variable

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes a variable as the graph declares it; see resource.Var.
type Params struct {
	Name     string
	DType    tensor.DType
	Declared []int // the declared shape, with -1 for an unknown size
	AnyRank  bool
	Ref      bool // whether the variable is a reference variable, as in TensorFlow 1
}

func (p *Params) make() *resource.Var {
	return &resource.Var{Name: p.Name, DType: p.DType, Declared: slices.Clone(p.Declared), AnyRank: p.AnyRank, Ref: p.Ref}
}

// New makes a variable without a value.
func New(p Params) tensor.Handle { return tensor.Handle{V: p.make()} }

func newVar[T any](p Params, shape []int, value []T) tensor.Handle {
	v := p.make()
	v.Set, v.Shape, v.Data = true, slices.Clone(shape), slices.Clone(value)
	if v.Data.([]T) == nil {
		v.Data = []T{}
	}
	return tensor.Handle{V: v}
}

// Fresh makes dst[0] a new variable without a value.
func Fresh(dst []tensor.Handle, p Params) { dst[0] = New(p) }

// maxTemporary is the largest size of a temporary variable in bytes.
const maxTemporary = min(4<<30, math.MaxInt)

// Temporary makes dst[0] a variable of zeros, of the declared shape. p.Declared must not have an
// unknown size. Temporary returns ResourceExhausted for a variable of more than 4 GiB.
func Temporary(dst []tensor.Handle, p Params) error {
	zeros, err := tensor.New(p.DType, p.Declared, maxTemporary)
	if err != nil {
		return err
	}
	v := p.make()
	v.Set, v.Shape, v.Data = true, zeros.Shape, zeros.Data
	dst[0] = tensor.Handle{V: v}
	return nil
}

// IsSet writes whether the variable v has a value.
func IsSet(dst []bool, v []tensor.Handle) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	dst[0] = x.Set
	x.Unlock()
	return nil
}

// Destroy removes the value of a variable. If v is another resource that has a method Destroy, that
// method is called instead. Destroy returns NotFound for a variable without a value, unless lenient
// is set.
func Destroy(v []tensor.Handle, lenient bool) error {
	if len(v) > 0 {
		if d, ok := v[0].V.(interface{ Destroy() }); ok {
			d.Destroy()
			return nil
		}
	}
	x, err := resource.VarOf(v)
	if err != nil {
		if lenient {
			return nil
		}
		return err
	}
	x.Lock()
	defer x.Unlock()
	if !x.Set && !lenient {
		return tensor.Errorf(tensor.NotFound, "the variable %q has no value", x.Name)
	}
	x.Forget()
	return nil
}

// Select sets dst[0] to the handle v[0] if index[0] is k. It returns InvalidArgument for an index
// outside [0, n).
func Select(dst, v []tensor.Handle, index []int32, k, n int) error {
	if i := int(index[0]); i < 0 || i >= n {
		return tensor.Errorf(tensor.InvalidArgument, "index %d is not in [0, %d)", i, n)
	} else if i == k {
		dst[0] = v[0]
	}
	return nil
}

// Require returns FailedPrecondition if the variable v has no value.
func Require(v []tensor.Handle) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	if !x.Set {
		return x.Unread()
	}
	return nil
}

// hold locks the variable v and returns it with its elements, which the caller may change. If v has
// no value, the error is FailedPrecondition for a reference variable, NotFound for a resource.
func hold[T any](v []tensor.Handle) (*resource.Var, []T, error) { return held[T](v, true) }

// holdToRead is hold for callers that only read the elements.
func holdToRead[T any](v []tensor.Handle) (*resource.Var, []T, error) { return held[T](v, false) }

func held[T any](v []tensor.Handle, change bool) (*resource.Var, []T, error) {
	x, err := resource.VarOf(v)
	if err != nil {
		return nil, nil, err
	}
	x.Lock()
	if !x.Set {
		err = x.Unset()
	}
	var data []T
	switch {
	case err != nil:
	case change:
		data, err = resource.Change[T](x)
	default:
		data, err = resource.Values[T](x)
	}
	if err != nil {
		x.Unlock()
		return nil, nil, err
	}
	return x, data, nil
}

func read[T any](dst []T, v []tensor.Handle, shape []int) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	data, err := resource.Values[T](x)
	if err != nil {
		return err
	}
	if err := x.Has(shape); err != nil {
		return err
	}
	copy(dst, data)
	return nil
}

func readAll[T any](dst []T, v []tensor.Handle) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	data, err := resource.Values[T](x)
	if err != nil {
		return err
	}
	if len(data) != len(dst) {
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q has %d elements, not %d", x.Name, len(data), len(dst))
	}
	copy(dst, data)
	return nil
}

// AssignParams describes the values that a variable may be assigned.
type AssignParams struct {
	DType tensor.DType // type of the new value
	// Validate says whether the new value must have the variable's current shape.
	Validate bool
}

func assign[T any](v []tensor.Handle, x []T, shape []int, p AssignParams) error {
	y, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	y.Lock()
	defer y.Unlock()
	if err := y.Assignable(p.DType, shape, p.Validate); err != nil {
		return err
	}
	y.Replace()
	d, _ := y.Data.([]T)
	if len(d) != len(x) || d == nil {
		d = make([]T, len(x))
		y.Data = d
	}
	copy(d, x)
	if !slices.Equal(y.Shape, shape) || y.Shape == nil {
		y.Shape = slices.Clone(shape)
	}
	y.Set = true
	return nil
}
