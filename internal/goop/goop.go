// Package goop gives ops kernels that are Go functions of the user's: it checks what
// graphc.yaml says of them, and calls them where a plan is interpreted.
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

// Spec is what the user says of an op.
type Spec struct {
	Op   string // its name
	Func string // the function, as example.com/module/package.Name
	// Signature tells inputs, outputs and attributes in the form of opdef.Format
	// without the name, "(x:T) -> (y:T) {T:type in f32,f64; alpha:float = 1}"; ""
	// for that of TensorFlow's op of this name. Stateful, as TensorFlow calls it,
	// is what follows the braces.
	Signature string
	// Outputs are the outputs' shapes; none for those of TensorFlow's op. Sizes is
	// the function that tells the sizes that they leave open.
	Outputs []string
	Sizes   string
}

// Set is a number of ops with Go functions. It may be used from several goroutines.
type Set struct {
	dir      string
	declared string // what declares the ops, for errors
	ops      map[string]*frontend.OwnOp

	turn    chan struct{}   // of one call at a time; full while somebody has it
	calls   []*plan.Foreign // one for each function and type
	index   map[string]int
	checked int // calls that fit
	helper  *helper
	built   int // calls that the helper has
}

// New checks the ops. dir is the folder whose module the functions' packages
// are found from.
func New(dir string, specs []Spec) (*Set, error) {
	s := &Set{dir: dir, turn: make(chan struct{}, 1), ops: map[string]*frontend.OwnOp{}, index: map[string]int{}}
	for _, sp := range specs {
		o, err := sp.op()
		if err != nil {
			return nil, fmt.Errorf("op %q: %w", sp.Op, err)
		}
		if s.ops[sp.Op] != nil {
			return nil, fmt.Errorf("op %q is given twice", sp.Op)
		}
		s.ops[sp.Op] = o
	}
	return s, nil
}

// Ops are the ops by their names, for frontend.Options.
func (s *Set) Ops() map[string]*frontend.OwnOp {
	if s == nil {
		return nil
	}
	return s.ops
}

var opName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.\-/>]*$`)

func (sp *Spec) op() (*frontend.OwnOp, error) {
	if !opName.MatchString(sp.Op) {
		return nil, fmt.Errorf("this is no name of an op")
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
			return nil, fmt.Errorf("signature: %w; wanted is something like (x:T, axis:.i32) -> (y:T) {T:type in f32,f64; alpha:float = 1}", err)
		}
		if o.Signature = sig; sig.HasRef() {
			return nil, fmt.Errorf("signature: references to variables are not handed to a Go function")
		}
	case known == nil:
		return nil, fmt.Errorf("TensorFlow has no such op, so that its signature must be given")
	default:
		o.Signature = known
	}
	if err := checkSignature(o.Signature); err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	if o.Outputs == nil && known == nil {
		return nil, fmt.Errorf("TensorFlow has no such op, so that the shapes of its outputs must be given")
	}
	return o, nil
}

// checkSignature finds attributes that arguments name and nothing declares.
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

// patterns are words that mean many packages to the go command.
var patterns = []string{"all", "cmd", "std", "tool", "work"}

// checkFunc wants an import path, a dot and an exported name.
func checkFunc(s string) error {
	dot := strings.LastIndexByte(s, '.')
	if dot <= strings.LastIndexByte(s, '/') {
		return fmt.Errorf("%q names no function; wanted is something like example.com/module/package.Name", s)
	}
	path, name := s[:dot], s[dot+1:]
	switch {
	case !importPath.MatchString(path) || slices.ContainsFunc(strings.Split(path, "/"), func(e string) bool { return strings.Trim(e, ".") == "" }):
		return fmt.Errorf("%q is no import path", path)
	case strings.Contains(path, "...") || slices.Contains(patterns, path):
		return fmt.Errorf("%q stands for several packages", path)
	case !token.IsIdentifier(name) || !token.IsExported(name):
		return fmt.Errorf("%q is no name of an exported function", name)
	}
	return nil
}

// Link has plans call the functions: by a program of its own, since graphc is
// not linked with them, which is built when the first is called.
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
	_ = s.lock(context.Background()) // which is never done
	defer s.unlock()
	key := f.Path + "." + f.Name + f.Type.String()
	k, ok := s.index[key]
	if !ok {
		k = len(s.calls)
		s.index[key], s.calls = k, append(s.calls, f)
	}
	f.Call = s.caller(k, f)
}
