package kit

import (
	"reflect"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Scratch returns a scratch buffer. The function lenOf, from the kernel's package, computes the
// buffer's length from the kernel's parameters params. If ScratchLen returns a length, it becomes
// the buffer's length. Otherwise, a step computes the length at run time.
func Scratch(b *lower.Builder, d tensor.DType, lenOf any, params plan.Struct, free ...string) plan.View {
	if n, ok := ScratchLen(lenOf, params, free...); ok {
		return b.Temp(d, sym.Int(n))
	}
	n := b.FreshSize()
	b.CallSizes(lenOf, []*sym.Expr{n}, params)
	return b.Temp(d, n)
}

// ScratchLen returns lenOf's result for params if all fields of params are known. If only fields
// named in free are unknown, it returns the largest result that lenOf can have for any values of
// these fields. If other fields are unknown, ScratchLen returns false.
func ScratchLen(lenOf any, params plan.Struct, free ...string) (int, bool) {
	v := reflect.New(reflect.TypeOf(params.V)).Elem()
	v.Set(reflect.ValueOf(params.V))
	open := map[string]bool{}
	for name, es := range params.Fields {
		for i, e := range es {
			n, ok := e.IsInt()
			if !ok {
				open[name] = true
				continue
			}
			if f := v.FieldByName(name); f.Kind() == reflect.Array {
				f.Index(i).SetInt(int64(n))
			} else {
				f.SetInt(int64(n))
			}
		}
	}
	for _, name := range free {
		delete(open, name)
	}
	if len(open) > 0 {
		return 0, false
	}
	most := 0
	eval := func() {
		most = max(most, int(reflect.ValueOf(lenOf).Call([]reflect.Value{v})[0].Int()))
	}
	probe := func(n int) {
		for _, name := range free {
			if es := params.Fields[name]; es != nil {
				if _, ok := es[0].IsInt(); !ok {
					v.FieldByName(name).SetInt(int64(n))
				}
			}
		}
		eval()
	}
	for n := 0; n <= 64; n++ {
		probe(n)
	}
	for n := 128; n <= 1<<24; n *= 2 {
		probe(n)
	}
	return most, true
}
