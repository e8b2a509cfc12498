package exec

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// keep puts into the state what it lacks of the plan's kept buffers: objects, and
// for all others zeros.
func (x *Program) keep() error {
	var objects []*plan.Buf
	for _, b := range x.p.Bufs {
		if _, ok := x.kept[b.Name]; b.Place != plan.Kept || b.Alias != nil || ok {
			continue
		}
		if b.Object != nil {
			objects = append(objects, b)
			continue
		}
		n, _ := b.Len.IsInt()
		x.kept[b.Name] = reflect.ValueOf(tensor.MakeSlice(b.DType, n))
	}
	slices.SortStableFunc(objects, func(a, b *plan.Buf) int { return cmp.Compare(a.Name, b.Name) })
	for _, b := range objects {
		if _, ok := x.kept[b.Name]; ok {
			continue // two buffers of one name
		}
		h, err := x.object(b.Object)
		if err != nil {
			return tensor.AtNode(err, b.Name, "object")
		}
		x.kept[b.Name] = reflect.ValueOf([]tensor.Handle{h})
	}
	return nil
}

// object makes an object.
func (x *Program) object(o *plan.Object) (h tensor.Handle, err error) {
	if err := o.Check(); err != nil {
		return h, tensor.Errorf(tensor.Internal, "%v", err)
	}
	r := &run{Program: x, env: map[string]int{}, mem: map[*plan.Buf]reflect.Value{}}
	args := make([]reflect.Value, len(o.Args))
	for i, a := range o.Args {
		if args[i], err = r.arg(a); err != nil {
			return h, err
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = tensor.Errorf(tensor.Internal, "an object cannot be made: %v", p)
		}
	}()
	rets := reflect.ValueOf(o.New).Call(args)
	if len(rets) > 1 {
		err, _ = rets[1].Interface().(error)
	}
	return rets[0].Interface().(tensor.Handle), err
}
