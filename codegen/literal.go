package codegen

import (
	"fmt"
	"go/token"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// typeName returns an expression for a type: a basic type, an exported named type, or a slice or
// array of such a type.
func (e *emitter) typeName(t reflect.Type) (*jen.Statement, error) {
	switch {
	case t.PkgPath() != "":
		if !token.IsExported(t.Name()) {
			return nil, fmt.Errorf("the type %v is not exported", t)
		}
		name, arg, generic := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
		tn := jen.Qual(e.path(t.PkgPath()), name)
		if !generic {
			return tn, nil
		}
		el, err := e.elementType(arg)
		return tn.Types(el), err
	case t.Kind() == reflect.Slice:
		el, err := e.typeName(t.Elem())
		return jen.Index().Add(el), err
	case t.Kind() == reflect.Array:
		el, err := e.typeName(t.Elem())
		return jen.Index(jen.Lit(t.Len())).Add(el), err
	case t.Name() != "":
		return jen.Id(t.Name()), nil
	}
	return nil, fmt.Errorf("a literal of type %v cannot be printed", t)
}

// elementType returns the type argument of a generic params struct. The parameter text is the name
// of the Go type, because reflection returns type arguments only as text.
func (e *emitter) elementType(text string) (*jen.Statement, error) {
	for d := tensor.Invalid + 1; d.Valid(); d++ {
		if t := d.GoType(); t != nil && text == strings.TrimPrefix(t.PkgPath()+"."+t.Name(), ".") {
			return e.typeName(t)
		}
	}
	return nil, fmt.Errorf("the type argument %s is not an element type", text)
}

// literal returns a literal of the value v, for a place whose context determines the type. Slices
// become package variables, so no call allocates them.
func (s *funcBody) literal(v reflect.Value) (*jen.Statement, error) {
	if !v.IsValid() {
		return nil, fmt.Errorf("literal without a value")
	}
	t := v.Type()
	if t.Kind() == reflect.Slice {
		if v.IsNil() {
			return jen.Nil(), nil
		}
		return s.slice(v)
	}
	if c := s.e.constantOf(v); c != nil {
		return c, nil
	}
	c, named, err := s.value(v)
	if err != nil || t.PkgPath() == "" || named {
		return c, err
	}
	tn, err := s.e.typeName(t)
	if err != nil {
		return nil, err
	}
	return tn.Call(c), nil
}

// value returns a literal of the value v. It also reports whether the literal includes the type's
// name.
func (s *funcBody) value(v reflect.Value) (c *jen.Statement, named bool, err error) {
	t := v.Type()
	if t == reflect.TypeFor[tensor.DType]() {
		return s.e.dtype(tensor.DType(v.Uint())), true, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return jen.Lit(v.Bool()), false, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return jen.Id(strconv.FormatInt(v.Int(), 10)), false, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return jen.Id(strconv.FormatUint(v.Uint(), 10)), false, nil
	case reflect.Float32, reflect.Float64:
		return float(v.Float(), t.Bits()), false, nil
	case reflect.Complex64, reflect.Complex128:
		x := v.Complex()
		return jen.Complex(float(real(x), t.Bits()/2), float(imag(x), t.Bits()/2)), false, nil
	case reflect.String:
		return jen.Id(strconv.Quote(v.String())), false, nil
	case reflect.Struct:
		tn, err := s.e.typeName(t)
		if err != nil {
			return nil, false, err
		}
		fields, err := s.fields(v, nil)
		return tn.Values(fields...), true, err
	case reflect.Array:
		tn, err := s.e.typeName(t)
		if err != nil {
			return nil, false, err
		}
		els, err := s.elements(v)
		return tn.Values(els...), true, err
	}
	return nil, false, fmt.Errorf("a literal of type %v cannot be printed", t)
}

// fields returns the fields of a struct literal. A field whose name is a key of the map gets the
// expression from the map. The other fields get their values, but fields with zero values are
// left out.
func (s *funcBody) fields(v reflect.Value, with map[string]*jen.Statement) ([]jen.Code, error) {
	var out []jen.Code
	for i := range v.NumField() {
		f := v.Type().Field(i)
		x, given := with[f.Name]
		if !given {
			if v.Field(i).IsZero() {
				continue
			}
			if !f.IsExported() {
				return nil, fmt.Errorf("field %s of %v is not exported", f.Name, v.Type())
			}
			var err error
			if x, err = s.literal(v.Field(i)); err != nil {
				return nil, err
			}
		}
		out = append(out, jen.Id(f.Name).Op(":").Add(x))
	}
	return out, nil
}

func (s *funcBody) elements(v reflect.Value) ([]jen.Code, error) {
	out := make([]jen.Code, v.Len())
	for i := range out {
		x, err := s.literal(v.Index(i))
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// slice declares a package variable for a slice. Equal slices share one.
func (s *funcBody) slice(v reflect.Value) (*jen.Statement, error) {
	tn, err := s.e.typeName(v.Type())
	if err != nil {
		return nil, err
	}
	els, err := s.elements(v)
	if err != nil {
		return nil, err
	}
	lit := tn.Values(els...)
	if s.base { // a resource may keep the slice, so it is not shared
		return lit, nil
	}
	key := fmt.Sprintf("%#v", lit)
	name, ok := s.hoisted[key]
	if !ok {
		name = fmt.Sprintf("%sList%d", s.sig.prefix, len(s.hoisted))
		s.hoisted[key] = name
		s.lists = append(s.lists, jen.Var().Id(name).Op("=").Add(lit))
	}
	return jen.Id(name), nil
}

// float returns a literal of a number. Parsing the literal gives the same bits.
func float(x float64, bits int) *jen.Statement {
	switch {
	case math.IsNaN(x), math.IsInf(x, 0), x == 0 && math.Signbit(x):
		if bits == 32 {
			return jen.Qual("math", "Float32frombits").Call(jen.Id(fmt.Sprintf("0x%08x", math.Float32bits(float32(x))))).Comment(fmt.Sprintf("/* %v */", x))
		}
		return jen.Qual("math", "Float64frombits").Call(jen.Id(fmt.Sprintf("0x%016x", math.Float64bits(x)))).Comment(fmt.Sprintf("/* %v */", x))
	}
	return jen.Id(strconv.FormatFloat(x, 'g', -1, bits))
}

// structLiteral returns a literal of a params struct, with expressions and views in some fields.
func (s *funcBody) structLiteral(a plan.Struct) (*jen.Statement, error) {
	rv := reflect.ValueOf(a.V)
	tn, err := s.e.typeName(rv.Type())
	if err != nil {
		return nil, err
	}
	with := map[string]*jen.Statement{}
	for name, es := range a.Fields {
		f := rv.FieldByName(name)
		if !f.IsValid() {
			return nil, fmt.Errorf("%v has no field %s", rv.Type(), name)
		}
		if f.Kind() != reflect.Array {
			if len(es) != 1 {
				return nil, fmt.Errorf("%d values for the field %s", len(es), name)
			}
			with[name] = s.expr(es[0])
			continue
		}
		if len(es) > f.Len() {
			return nil, fmt.Errorf("%d values for the field %s of %d", len(es), name, f.Len())
		}
		var els []jen.Code
		for _, x := range es {
			els = append(els, s.expr(x))
		}
		for i := len(es); i < f.Len() && !zeroFrom(f, i); i++ {
			x, err := s.literal(f.Index(i))
			if err != nil {
				return nil, err
			}
			els = append(els, x)
		}
		at, err := s.e.typeName(f.Type())
		if err != nil {
			return nil, err
		}
		with[name] = at.Values(els...)
	}
	for _, o := range a.Operands {
		if with[o.Field], err = s.view(o.View); err != nil {
			return nil, err
		}
	}
	fields, err := s.fields(rv, with)
	return tn.Values(fields...), err
}

func zeroFrom(v reflect.Value, i int) bool {
	for ; i < v.Len(); i++ {
		if !v.Index(i).IsZero() {
			return false
		}
	}
	return true
}
