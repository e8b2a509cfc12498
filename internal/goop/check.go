package goop

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Declared sets the name of the file that declares the ops, usually graphc.yaml. Errors of Check
// begin with this name.
func (s *Set) Declared(in string) *Set {
	if s != nil {
		s.declared = in
	}
	return s
}

// Check checks each function that a linked plan calls: the function must exist, and the plan must
// be able to call it. Check reports the errors of all functions together, each as a *tensor.Error.
// The code is NotFound if the function is missing. It is InvalidArgument if the function has the
// wrong type or its declaration is invalid. Check compiles nothing, and ignores other errors in the
// packages of the functions. It does nothing if the plans call no functions.
func (s *Set) Check(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	return s.check(ctx)
}

// check does the work of Check while the caller holds the lock. It skips functions that have passed
// an earlier check.
func (s *Set) check(ctx context.Context) error {
	calls := s.calls[s.checked:]
	if len(calls) == 0 {
		return nil
	}
	loaded, err := s.load(ctx, calls)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range calls {
		errs = append(errs, s.checkCall(f, loaded))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.checked = len(s.calls)
	return nil
}

// failed returns the error of a function, with the place of its declaration, its op, and the type
// that the call needs.
func (s *Set) failed(code tensor.Code, f *plan.Foreign, format string, args ...any) error {
	full := f.Path + "." + f.Name
	var ops []string
	key := "func"
	if f.Type.NumOut() > 1 {
		key = "sizes"
	}
	for name, o := range s.ops {
		if key == "func" && o.Func == full || key == "sizes" && o.Sizes == full {
			ops = append(ops, name)
		}
	}
	slices.Sort(ops)
	var b strings.Builder
	if s.declared != "" {
		b.WriteString(s.declared + ": ")
	}
	fmt.Fprintf(&b, "op %s: %s %s: ", quoted(ops), key, full)
	fmt.Fprintf(&b, format, args...)
	return &tensor.Error{Code: code, Op: strings.Join(ops, ", "), Msg: tensor.ClipTo(b.String(), maxKept)}
}

func quoted(names []string) string {
	var q []string
	for _, n := range names {
		q = append(q, fmt.Sprintf("%q", n))
	}
	return strings.Join(q, ", ")
}

// checkCall checks that the function of one call exists and can be called as the call requires.
func (s *Set) checkCall(f *plan.Foreign, l *loaded) error {
	p := l.packages[f.Path]
	wanted := "the op calls it as a " + goType(f.Type)
	switch {
	case p == nil || p.Types == nil || p.Name == "" || len(p.GoFiles) == 0:
		return s.failed(tensor.NotFound, f, "there is no such package: %s; %s", l.whyMissing(p), wanted)
	case p.Name == "main":
		return s.failed(tensor.InvalidArgument, f, "%s is a program, which cannot be imported; %s", f.Path, wanted)
	case l.refused[f.Path] != "":
		return s.failed(tensor.InvalidArgument, f, "%s; %s", l.refused[f.Path], wanted)
	}
	obj := p.Types.Scope().Lookup(f.Name)
	if obj == nil {
		if broken := firstErrors(p, true); broken != "" {
			return s.failed(tensor.InvalidArgument, f, "no such function was found, and the package could not be read completely:%s\n%s", broken, wanted)
		}
		return s.failed(tensor.NotFound, f, "the package has no such function; %s%s", wanted, near(l, p, f.Name))
	}
	fn, ok := obj.(*types.Func)
	if !ok {
		return s.failed(tensor.InvalidArgument, f, "%s is not a function but a %s, at %s; %s", f.Name, kindOf(obj), l.at(obj), wanted)
	}
	sig := fn.Signature()
	if invalid(sig) {
		return s.failed(tensor.InvalidArgument, f, "its declaration at %s could not be type-checked:%s\n%s", l.at(obj), firstErrors(p, false), wanted)
	}
	if wrong := misfit(fn, f.Type); wrong != "" {
		found := types.TypeString(sig, func(q *types.Package) string {
			if q == p.Types {
				return ""
			}
			return q.Name()
		})
		return s.failed(tensor.InvalidArgument, f, "%s; it is a %s, at %s; %s", wrong, found, l.at(obj), wanted)
	}
	return nil
}

// kindOf names the kind of an object that is not a function.
func kindOf(obj types.Object) string {
	switch obj.(type) {
	case *types.Var:
		return "variable"
	case *types.Const:
		return "constant"
	}
	return "type"
}

// near returns a hint for the error about a missing function: the position of a function in package
// p with a similar name. It returns "" if no function has a similar name.
func near(l *loaded, p *packages.Package, name string) string {
	var names []string
	for _, n := range p.Types.Scope().Names() {
		obj, isFunc := p.Types.Scope().Lookup(n).(*types.Func)
		if !isFunc {
			continue
		}
		if !obj.Exported() {
			if strings.EqualFold(n, name) {
				return fmt.Sprintf("; %s, at %s, is not exported", n, l.at(obj))
			}
			continue
		}
		names = append(names, n)
	}
	if n := ir.Nearest(name, names); n != "" {
		return fmt.Sprintf("; %s is at %s; did you mean %s?", n, l.at(p.Types.Scope().Lookup(n)), n)
	}
	return ""
}

// maxErrors is the maximum number of errors shown for a package.
const maxErrors = 5

// firstErrors lists errors of a package, one a line. If reading is set, it lists only errors that
// prevented files or imports from being read.
func firstErrors(p *packages.Package, reading bool) string {
	soft := map[string]bool{} // messages of soft errors, such as unused imports; they occur because function bodies are left out
	for _, e := range p.TypeErrors {
		if e.Soft {
			soft[e.Msg] = true
		}
	}
	var b strings.Builder
	n := 0
	for _, e := range p.Errors {
		if e.Kind == packages.TypeError && (reading || soft[e.Msg]) {
			continue
		}
		if n++; n > maxErrors {
			b.WriteString("\n  …")
			break
		}
		b.WriteString("\n  ")
		if file, rest, ok := strings.Cut(e.Pos, ":"); ok && filepath.IsAbs(file) {
			b.WriteString(shortName(file) + ":" + rest + ": ")
		}
		b.WriteString(strings.ReplaceAll(e.Msg, "\n", " "))
	}
	return b.String()
}
