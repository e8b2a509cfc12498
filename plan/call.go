package plan

import (
	"fmt"
	"go/token"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/device"
)

// Call is one kernel call.
type Call struct {
	Node string // node and op, for comments and errors
	Op   string
	Fn   any // an exported, top-level, non-generic function, or a *Foreign
	Args []Arg
	// Rets names the symbolic sizes that get the values of Fn's int results, in order. As its last
	// result, Fn may also return an error; a non-nil error ends the run.
	Rets []string
	// InPlace lists pairs of buffers in Args, each an output followed by an input. The output may
	// share storage with the input if this call is the input's last reader.
	InPlace [][2]*Buf
	// Looks is true if the call changes no resource that outlives the run, although it gets handles
	// of such resources.
	Looks bool
	// Work is the estimated cost, in picoseconds, of a call that replaced a loop over few items. It
	// is 0 if unknown.
	Work int
}

func (*Call) isStep() {}

// Views implements Step.
func (c *Call) Views(f func(View)) {
	for _, a := range c.Args {
		viewsOf(a, f)
	}
}

// viewsOf calls f for each view in argument a.
func viewsOf(a Arg, f func(View)) {
	switch a := a.(type) {
	case View:
		f(a)
	case Views:
		for _, v := range a.V {
			f(v)
		}
	case Struct:
		for _, o := range a.Operands {
			f(o.View)
		}
	}
}

// withViews returns an argument with every view v replaced by f(v).
func withViews(a Arg, f func(View) View) Arg {
	switch a := a.(type) {
	case View:
		return f(a)
	case Views:
		vs := make([]View, len(a.V))
		for i, v := range a.V {
			vs[i] = f(v)
		}
		return Views{vs}
	case Struct:
		a.Operands = slices.Clone(a.Operands)
		for i, o := range a.Operands {
			a.Operands[i].View = f(o.View)
		}
		return a
	}
	return a
}

// Arg is one argument of a call. The code generator can emit it as Go source, and the interpreter
// can evaluate it. The types are View, Views, Int, Ints, Value, Struct, Context, Budget, Files,
// Exchange, Queue and Elements.
type Arg interface{ Type() reflect.Type }

// Mode says how a call uses a buffer.
type Mode uint8

// The modes.
const (
	Read      Mode = 1
	Write     Mode = 2
	ReadWrite Mode = 3
)

// View is a window of a buffer: Len elements, beginning at element Off. A kernel gets it as a
// slice, or as a device.Ptr if the buffer is in device memory.
type View struct {
	Buf  *Buf
	Off  *sym.Expr // nil: 0
	Len  *sym.Expr
	Mode Mode
}

// Type implements Arg.
func (v View) Type() reflect.Type {
	if v.Buf.Place.OnDevice() {
		return reflect.TypeFor[device.Ptr]()
	}
	return reflect.SliceOf(v.Buf.DType.GoType())
}

// At returns a window of n elements, whose first element is element off of v.
func (v View) At(off, n *sym.Expr) View {
	if v.Off != nil {
		off = v.Off.Add(off)
	}
	v.Off, v.Len = off, n
	return v
}

// Int is an int argument that is computed from sizes.
type Int struct{ X *sym.Expr }

// Type implements Arg.
func (Int) Type() reflect.Type { return reflect.TypeFor[int]() }

// Ints is a []int argument that is computed from sizes. Kernels must not keep the slice.
type Ints struct{ X []*sym.Expr }

// Type implements Arg.
func (Ints) Type() reflect.Type { return reflect.TypeFor[[]int]() }

// Value is a literal argument: a bool, number, string or a named type of these, a slice of them, or
// a struct of them.
type Value struct{ V any }

// Type implements Arg.
func (v Value) Type() reflect.Type { return reflect.TypeOf(v.V) }

// Struct is an argument that holds a kernel's parameters. The kernel gets V with some fields set.
// The int fields named in Fields have the values of expressions. The fields named in Operands hold
// views. An entry of Fields may also set an [n]int field or its first elements. A view is a slice,
// or a device.Ptr if its buffer is in device memory.
type Struct struct {
	V      any
	Fields map[string][]*sym.Expr
	// Operands are the optional operands, ordered by field. The field of a missing operand stays
	// nil, or 0.
	Operands []Operand
}

// Operand is a view that a kernel gets in a field of its params struct.
type Operand struct {
	Field string
	View  View
}

// Type implements Arg.
func (s Struct) Type() reflect.Type { return reflect.TypeOf(s.V) }

// Lit returns a Struct for v with fields set; see With.
func Lit(v any, fields ...any) Struct { return Struct{V: v}.With(fields...) }

// With returns s with some fields set. The arguments are pairs of a field's name and its value: a
// *sym.Expr, a []*sym.Expr, a View or a *View. A nil *View leaves its field unchanged, so an
// operand that s lacks stays missing.
func (s Struct) With(fields ...any) Struct {
	s.Fields, s.Operands = maps.Clone(s.Fields), slices.Clone(s.Operands)
	if s.Fields == nil {
		s.Fields = map[string][]*sym.Expr{}
	}
	for i := 0; i+1 < len(fields); i += 2 {
		name := fields[i].(string)
		switch x := fields[i+1].(type) {
		case *sym.Expr:
			s.Fields[name] = []*sym.Expr{x}
		case []*sym.Expr:
			s.Fields[name] = x
		case View:
			s.operand(name, x)
		case *View:
			if x != nil {
				s.operand(name, *x)
			}
		default:
			panic(fmt.Sprintf("plan.Struct: field %v is a %T", name, x))
		}
	}
	return s
}

// operand sets the view in a field.
func (s *Struct) operand(field string, v View) {
	at, found := slices.BinarySearchFunc(s.Operands, field, func(o Operand, field string) int { return strings.Compare(o.Field, field) })
	if found {
		s.Operands[at].View = v
	} else {
		s.Operands = slices.Insert(s.Operands, at, Operand{field, v})
	}
}

// Operand returns the view in a field, or false if the operand is missing.
func (s Struct) Operand(field string) (View, bool) {
	for _, o := range s.Operands {
		if o.Field == field {
			return o.View, true
		}
	}
	return View{}, false
}

// ArgOf makes an Arg from an argument that a lowering passed. An Arg stays unchanged, a *sym.Expr
// becomes an Int, a []*sym.Expr becomes an Ints, and anything else becomes a literal.
func ArgOf(a any) Arg {
	switch a := a.(type) {
	case Arg:
		return a
	case *sym.Expr:
		return Int{a}
	case []*sym.Expr:
		return Ints{a}
	}
	return Value{a}
}

// Symbol returns the import path and the name of the kernel. Closures, methods and generic
// functions are errors, because Go source cannot name them.
func (c *Call) Symbol() (path, name string, err error) {
	if u, ok := c.Fn.(Unresolved); ok {
		dot := strings.LastIndex(string(u), ".")
		if dot < 0 {
			return "", "", fmt.Errorf("%s: %q is not path.Name", c.Node, string(u))
		}
		return string(u)[:dot], string(u)[dot+1:], nil
	}
	if f := c.foreign(); f != nil {
		return f.Path, f.Name, nil
	}
	f := runtime.FuncForPC(reflect.ValueOf(c.Fn).Pointer())
	if f == nil {
		return "", "", fmt.Errorf("%s: no function", c.Node)
	}
	full := f.Name()
	slash := strings.LastIndex(full, "/")
	dot := strings.Index(full[slash+1:], ".")
	path, name = full[:slash+1+dot], full[slash+1+dot+1:]
	if !token.IsExported(name) || strings.ContainsAny(name, ".-[") {
		return "", "", fmt.Errorf("%s: kernel %s is not an exported top-level function", c.Node, full)
	}
	return path, name, nil
}

// HasError reports whether the kernel's last result is an error.
func (c *Call) HasError() bool {
	t := c.Type()
	return t.NumOut() > 0 && t.Out(t.NumOut()-1) == reflect.TypeFor[error]()
}

// fits returns the kernel's type and name, or an error if the call's arguments do not fit the
// kernel.
func (c *Call) fits() (t reflect.Type, name string, err error) {
	t = c.Type()
	if t == nil {
		return nil, "", fmt.Errorf("%s (%s): %T is not a kernel", c.Node, c.Op, c.Fn)
	}
	if _, name, err = c.Symbol(); err != nil {
		return nil, "", err
	}
	if t.NumIn() != len(c.Args) || t.IsVariadic() {
		return nil, "", fmt.Errorf("%s (%s): kernel %s has %d parameters, the lowering passes %d arguments", c.Node, c.Op, name, t.NumIn(), len(c.Args))
	}
	for i, a := range c.Args {
		if _, view := a.(View); t.In(i) != a.Type() && !(view && t.In(i) == reflect.TypeFor[any]()) {
			return nil, "", fmt.Errorf("%s (%s): argument %d of %s is %v, the kernel wants %v", c.Node, c.Op, i, name, a.Type(), t.In(i))
		}
		if s, ok := a.(Struct); ok {
			for f := range s.Fields {
				sf, ok := s.Type().FieldByName(f)
				if !ok || !(sf.Type.Kind() == reflect.Int || sf.Type.Kind() == reflect.Array && sf.Type.Elem().Kind() == reflect.Int) {
					return nil, "", fmt.Errorf("%s (%s): %s has no int field %s", c.Node, c.Op, s.Type(), f)
				}
			}
			for _, o := range s.Operands {
				if sf, ok := s.Type().FieldByName(o.Field); !ok || sf.Type != o.View.Type() {
					return nil, "", fmt.Errorf("%s (%s): %s has no field %s of type %v", c.Node, c.Op, s.Type(), o.Field, o.View.Type())
				}
			}
		}
	}
	return t, name, nil
}

// Check returns an error if the call's arguments or results do not fit its kernel.
func (c *Call) Check() error {
	t, name, err := c.fits()
	if err != nil {
		return err
	}
	n := t.NumOut()
	if c.HasError() {
		n--
	}
	if n != len(c.Rets) {
		return fmt.Errorf("%s (%s): kernel %s returns %d sizes, the lowering expects %d", c.Node, c.Op, name, n, len(c.Rets))
	}
	for i := range n {
		if t.Out(i).Kind() != reflect.Int {
			return fmt.Errorf("%s (%s): result %d of %s is not an int", c.Node, c.Op, i, name)
		}
	}
	return nil
}
