package codegen

import (
	"fmt"
	"slices"

	"github.com/graphc/graphc/plan"
)

// MethodError is the error for a method name that the package cannot have.
type MethodError struct{ Signature, Method, Why string }

// Error implements error.
func (e *MethodError) Error() string {
	return fmt.Sprintf("signature %q: the method %s: %s", e.Signature, e.Method, e.Why)
}

// CheckMethods returns a *MethodError if a method name that the caller chose is already the name of
// another declaration of the package.
func CheckMethods(plans []*plan.Plan) error {
	if !slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p.Method != "" }) {
		return nil
	}
	e := &emitter{Package: &Package{Plans: plans}}
	for _, p := range plans {
		s := &signature{plan: p}
		for _, q := range p.Parts {
			s.parts = append(s.parts, &signature{plan: q})
		}
		e.calls, e.sigs = append(e.calls, s), append(e.sigs, s)
	}
	if err := e.group(); err != nil {
		return err
	}
	return e.nameMethods()
}

// declared returns the exported names of the package that do not depend on signatures.
func (e *emitter) declared() scope {
	top := scope{}
	for _, n := range []string{"New", "Model", "Tensor", "Run", "Bind", "Signatures", "Close", "Reset"} {
		top[n] = true
	}
	if len(e.saved()) > 0 {
		for _, n := range []string{"Variables", "Save", "Restore"} {
			top[n] = true
		}
	}
	if e.partials() {
		top["Partial"] = true
	}
	return top
}

// nameMethods chooses the names of methods. Names that the caller chose come first; others avoid
// them.
func (e *emitter) nameMethods() error {
	top := e.declared()
	for _, n := range e.entries {
		p := n.variants[0].plan
		if p.Method == "" {
			continue
		}
		suffixes := partialNames(p)
		if i := slices.IndexFunc(suffixes, func(suffix string) bool { return top[p.Method+suffix] }); i >= 0 {
			return &MethodError{p.Name, p.Method, fmt.Sprintf("the package already declares %s", p.Method+suffixes[i])}
		}
		n.method = top.take(p.Method, suffixes...)
	}
	for _, n := range e.entries {
		if n.method == "" {
			n.method = top.take(methodName(n.sig.Name), partialNames(n.variants[0].plan)...)
		}
		n.sig.Method = n.method
	}
	return nil
}
