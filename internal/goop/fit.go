package goop

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// misfit returns the reason why function fn cannot be called with the argument and result types of
// want, or "" if it can. The type checker applies Go's rules for calls. For example, the type of a
// parameter may be a named slice type, and type arguments may be inferred.
func misfit(fn *types.Func, want reflect.Type) string {
	sig := fn.Signature()
	if !sig.Variadic() {
		if why := parameters(sig, want); why != "" {
			return why
		}
	}
	// The call is checked in a package that contains only the function and a variable for each
	// argument.
	pkg := types.NewPackage("call", "call")
	scope := pkg.Scope()
	call := &ast.CallExpr{Fun: ast.NewIdent(fn.Name())}
	scope.Insert(fn)
	for i := range want.NumIn() {
		name := "a" + strconv.Itoa(i)
		scope.Insert(types.NewVar(token.NoPos, pkg, name, typeOf(want.In(i))))
		call.Args = append(call.Args, ast.NewIdent(name))
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, call, &info); err != nil {
		msg := err.Error()
		if e, ok := err.(types.Error); ok {
			msg = e.Msg
		}
		return strings.Join(strings.Fields(msg), " ")
	}
	return results(info.Types[call].Type, want)
}

// parameters compares the parameters of a function with the arguments of a call, and returns the
// first difference as text, or "". For a generic function, it compares only the number of
// parameters.
func parameters(sig *types.Signature, want reflect.Type) string {
	have := sig.Params()
	if have.Len() != want.NumIn() {
		return fmt.Sprintf("it has %d parameters, but gets %d arguments", have.Len(), want.NumIn())
	}
	if sig.TypeParams() != nil {
		return ""
	}
	for i := range have.Len() {
		if p, w := have.At(i), typeOf(want.In(i)); !types.AssignableTo(w, p.Type()) {
			return fmt.Sprintf("parameter %d%s is %s, but the argument is %s", i+1, named(p), types.TypeString(p.Type(), (*types.Package).Name), w)
		}
	}
	return ""
}

// results checks that the results of a call, whose type is t, can be assigned to the results of the
// function type want. It returns the reason why not, or "".
func results(t types.Type, want reflect.Type) string {
	have := types.NewTuple()
	switch t := t.(type) {
	case *types.Tuple:
		have = t
	case nil:
	default:
		have = types.NewTuple(types.NewParam(token.NoPos, nil, "", t))
	}
	if have.Len() != want.NumOut() {
		return fmt.Sprintf("it has %d results: want %d", have.Len(), want.NumOut())
	}
	for i := range have.Len() {
		if r, w := have.At(i), typeOf(want.Out(i)); !types.AssignableTo(r.Type(), w) {
			return fmt.Sprintf("result %d%s is %s: want %s", i+1, named(r), types.TypeString(r.Type(), (*types.Package).Name), w)
		}
	}
	return ""
}

// named returns the name of a parameter, or "".
func named(v *types.Var) string {
	if v.Name() == "" || v.Name() == "_" {
		return ""
	}
	return " (" + v.Name() + ")"
}

// typeOf converts a type of plan.Foreign to the type checker's form. These types consist of slices,
// numbers, bools, strings and error; named ones are converted to their underlying types.
func typeOf(t reflect.Type) types.Type {
	if t.Kind() == reflect.Slice {
		return types.NewSlice(typeOf(t.Elem()))
	}
	name := t.Kind().String()
	if t == reflect.TypeFor[error]() {
		name = "error"
	}
	if obj := types.Universe.Lookup(name); obj != nil {
		return obj.Type()
	}
	return types.Typ[types.Invalid]
}

// invalid reports whether a type has parts that could not be type-checked.
func invalid(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Slice:
		return invalid(t.Elem())
	case *types.Array:
		return invalid(t.Elem())
	case *types.Pointer:
		return invalid(t.Elem())
	case *types.Chan:
		return invalid(t.Elem())
	case *types.Map:
		return invalid(t.Key()) || invalid(t.Elem())
	case *types.Named:
		u := t.Underlying() // no recursion here, because a named type may contain itself
		if s, ok := u.(*types.Slice); ok {
			u = types.Unalias(s.Elem())
		}
		return u == types.Typ[types.Invalid]
	case *types.Tuple:
		for v := range t.Variables() {
			if invalid(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			if invalidConstraint(p.Constraint()) {
				return true
			}
		}
		return invalid(t.Params()) || invalid(t.Results())
	}
	return false
}

// invalidConstraint reports whether the constraint of a type parameter has parts that could not be
// type-checked.
func invalidConstraint(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return invalid(t.Underlying())
	}
	for e := range i.EmbeddedTypes() {
		u, ok := e.(*types.Union)
		if !ok {
			if e != t && invalid(e) {
				return true
			}
			continue
		}
		for term := range u.Terms() {
			if invalid(term.Type()) {
				return true
			}
		}
	}
	return false
}
