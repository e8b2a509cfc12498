// Package goop implements ops whose kernels are Go functions written by the user. It checks their
// declarations in graphc.yaml, and calls the functions for the interpreter of plans.
package goop

import (
	"context"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/plan"
)

// Spec is the user's declaration of an op.
type Spec struct {
	Op   string // its name
	Func string // the function, as example.com/module/package.Name
	// Signature has the inputs, outputs and attributes in the form of opdef.Format, but without the
	// op's name: "(x:T) -> (y:T) {T:type in f32,f64; alpha:float = 1}". If it is "", the op has the
	// signature of TensorFlow's op of this name. For a stateful op, the word "stateful" follows the
	// braces.
	Signature string
	// Outputs has the shapes of the outputs. If it is empty, the outputs have the shapes that
	// TensorFlow's op gives them. Outputs may have sizes that are "?"; the function named by Sizes
	// computes these sizes.
	Outputs []string
	Sizes   string
}

// Set is a set of ops with Go functions. It is safe for concurrent use.
type Set struct {
	dir      string
	declared string // place of the declarations, for errors
	ops      map[string]*frontend.OwnOp

	// turn is a lock for the fields below. It is held while the channel has an element.
	turn    chan struct{}
	calls   []*plan.Foreign // the functions to call: one element for each function and type of call
	index   map[string]int
	checked int // calls[:checked] have passed the check
	helper  *helper
	built   int // number of calls that the running helper can make
}

// New checks the declarations of ops and returns a Set of them. The packages of their functions are
// those that the go command finds in the folder dir.
func New(dir string, specs []Spec) (*Set, error) {
	s := &Set{dir: dir, turn: make(chan struct{}, 1), ops: map[string]*frontend.OwnOp{}, index: map[string]int{}}
	for _, sp := range specs {
		o, err := sp.op()
		if err != nil {
			return nil, fmt.Errorf("op %q: %w", sp.Op, err)
		}
		if s.ops[sp.Op] != nil {
			return nil, fmt.Errorf("duplicate op %q", sp.Op)
		}
		s.ops[sp.Op] = o
	}
	return s, nil
}

// Ops returns the ops by name, for frontend.Options.
func (s *Set) Ops() map[string]*frontend.OwnOp {
	if s == nil {
		return nil
	}
	return s.ops
}

var opName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-/>]*$`)

func (sp *Spec) op() (*frontend.OwnOp, error) {
	if !opName.MatchString(sp.Op) {
		return nil, fmt.Errorf("invalid name of an op")
	}
	if err := checkFunc(sp.Func); err != nil {
		return nil, fmt.Errorf("func: %w", err)
	}
	if sp.Sizes != "" {
		if err := checkFunc(sp.Sizes); err != nil {
			return nil, fmt.Errorf("sizes: %w", err)
		}
	}
	o := &frontend.OwnOp{Func: sp.Func, Sizes: sp.Sizes, Outputs: sp.Outputs}
	known := opdef.Lookup(sp.Op)
	text := strings.TrimSpace(sp.Signature)
	switch {
	case text != "":
		if !strings.Contains(text, "{") {
			if before, ok := strings.CutSuffix(text, "stateful"); ok {
				text = strings.TrimSpace(before) + " {} stateful"
			} else {
				text += " {}"
			}
		}
		sig, err := opdef.Parse(sp.Op + text)
		if err != nil {
			return nil, fmt.Errorf("signature: %w; want, for example, (x:T, axis:.i32) -> (y:T) {T:type in f32,f64; alpha:float = 1}", err)
		}
		if o.Signature = sig; sig.HasRef() {
			return nil, fmt.Errorf("signature: a Go function cannot have references to variables as arguments")
		}
	case known == nil:
		return nil, fmt.Errorf("TensorFlow has no op of this name: its signature is required")
	default:
		o.Signature = known
	}
	if err := checkSignature(o.Signature); err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	if o.Outputs == nil && known == nil {
		return nil, fmt.Errorf("TensorFlow has no op of this name: the shapes of its outputs are required")
	}
	return o, nil
}

// checkSignature returns an error if an argument of the signature refers to an attribute that the
// signature does not declare, or declares with another type.
func checkSignature(o *opdef.Op) error {
	for _, args := range [][]opdef.Arg{o.Ins, o.Outs} {
		for _, a := range args {
			for _, w := range [][2]string{{a.TypeAttr, "type"}, {a.NumberAttr, "int"}, {a.TypeListAttr, "list(type)"}} {
				if w[0] == "" {
					continue
				}
				if d := o.Attr(w[0]); d == nil || d.Kind != w[1] {
					return fmt.Errorf("argument %q needs an attribute %s:%s", a.Name, w[0], w[1])
				}
			}
		}
	}
	return nil
}

var importPath = regexp.MustCompile(`^[A-Za-z0-9_.~+\-]+(/[A-Za-z0-9_.~+\-]+)*$`)

// patterns are words that stand for several packages in the go command.
var patterns = []string{"all", "cmd", "std", "tool", "work"}

// checkFunc returns an error unless s is an import path, a dot and an exported name.
func checkFunc(s string) error {
	dot := strings.LastIndexByte(s, '.')
	if dot <= strings.LastIndexByte(s, '/') {
		return fmt.Errorf("%q does not name a function: want, for example, example.com/module/package.Name", s)
	}
	path, name := s[:dot], s[dot+1:]
	switch {
	case !importPath.MatchString(path) || slices.ContainsFunc(strings.Split(path, "/"), func(e string) bool { return strings.Trim(e, ".") == "" }):
		return fmt.Errorf("%q is not an import path", path)
	case strings.Contains(path, "...") || slices.Contains(patterns, path):
		return fmt.Errorf("%q stands for several packages", path)
	case !token.IsIdentifier(name) || !token.IsExported(name):
		return fmt.Errorf("%q is not the name of an exported function", name)
	}
	return nil
}

// Link makes plans call the functions. The graphc command does not contain the functions, so a
// separate program, the helper, calls them. The helper is built for the first call.
func (s *Set) Link(plans ...*plan.Plan) {
	if s == nil {
		return
	}
	for _, p := range plans {
		if p == nil {
			continue
		}
		s.Link(p.Parts...)
		steps := append([]plan.Step{}, p.Steps...)
		for _, c := range p.Prologue {
			steps = append(steps, c)
		}
		plan.Walk(steps, func(_ int, st plan.Step) {
			if c, ok := st.(*plan.Call); ok {
				if f, ok := c.Fn.(*plan.Foreign); ok {
					s.link(f)
				}
			}
		})
	}
}

func (s *Set) link(f *plan.Foreign) {
	_ = s.lock(context.Background()) // context.Background is never done, so lock does not fail
	defer s.unlock()
	key := f.Path + "." + f.Name + f.Type.String()
	k, ok := s.index[key]
	if !ok {
		k = len(s.calls)
		s.index[key], s.calls = k, append(s.calls, f)
	}
	f.Call = s.caller(k, f)
}
