package exec

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// madeAs returns the key under which a State holds the *plan.Object from which a resource was made.
// The parameter name is the name of the buffer that holds the resource.
func madeAs(name string) string { return name + "\x00" }

// sameObject reports whether two descriptions make equal resources.
func sameObject(a, b *plan.Object) bool {
	pathA, nameA, _ := a.Symbol()
	pathB, nameB, _ := b.Symbol()
	if pathA != pathB || nameA != nameB || len(a.Args) != len(b.Args) {
		return false
	}
	for i, x := range a.Args {
		v, ok := x.(plan.View)
		w, too := b.Args[i].(plan.View)
		if ok && too {
			if !sameConst(v.Buf.Const, w.Buf.Const) {
				return false
			}
		} else if ok || too || !reflect.DeepEqual(x, b.Args[i]) {
			return false
		}
	}
	return true
}

// sameConst reports whether two constants have the same bits.
func sameConst(a, b *plan.Const) bool {
	switch {
	case a == b:
		return true
	case a.DType != b.DType || !slices.Equal(a.Shape, b.Shape):
		return false
	case a.DType == tensor.String || a.DType.Opaque():
		return reflect.DeepEqual(a.Data, b.Data)
	}
	return bytes.Equal(bits(a.Data), bits(b.Data))
}

// bits returns the memory of a slice of numbers.
func bits(data any) []byte {
	return tensor.Raw(reflect.ValueOf(data))
}

// keep adds the plan's kept buffers to the state, except those that the state already has. It makes
// the objects, and fills all other buffers with zeros. The error is InvalidArgument if another plan
// has a different object of the same name.
func (x *Program) keep() error {
	var objects []*plan.Buf
	for _, b := range x.p.Bufs {
		if b.Place != plan.Kept || b.Alias != nil {
			continue
		}
		if b.Object != nil {
			objects = append(objects, b)
			continue
		}
		if _, ok := x.kept[b.Name]; ok {
			continue
		}
		n, _ := b.Len.IsInt()
		x.kept[b.Name] = reflect.ValueOf(tensor.MakeSlice(b.DType, n))
	}
	slices.SortStableFunc(objects, func(a, b *plan.Buf) int { return cmp.Compare(a.Name, b.Name) })
	for _, b := range objects {
		if _, ok := x.kept[b.Name]; ok { // another plan, or another buffer of this plan, has made the object
			if o, ok := x.kept[madeAs(b.Name)]; ok && !sameObject(o.Interface().(*plan.Object), b.Object) {
				return tensor.Errorf(tensor.InvalidArgument, "the resource %q has two different definitions", b.Name)
			}
			continue
		}
		h, err := x.object(b.Object)
		if err != nil {
			return tensor.AtNode(err, b.Name, "object")
		}
		x.kept[b.Name], x.kept[madeAs(b.Name)] = reflect.ValueOf([]tensor.Handle{h}), reflect.ValueOf(b.Object)
	}
	return nil
}

// object makes the resource that o describes.
func (x *Program) object(o *plan.Object) (h tensor.Handle, err error) {
	if err := o.Check(); err != nil {
		return h, tensor.Errorf(tensor.Internal, "%v", err)
	}
	r := &run{Program: x, env: map[string]int{}, mem: map[*plan.Buf]reflect.Value{}}
	r.budget.Init(x.MaxBytes, nil, nil)
	args := make([]reflect.Value, len(o.Args))
	for i, a := range o.Args {
		if args[i], err = r.arg(a); err != nil {
			return h, err
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = tensor.Errorf(tensor.Internal, "panic: an object cannot be made: %v", p)
		}
	}()
	rets := reflect.ValueOf(o.New).Call(args)
	if len(rets) > 1 {
		err, _ = rets[1].Interface().(error)
	}
	return rets[0].Interface().(tensor.Handle), err
}
