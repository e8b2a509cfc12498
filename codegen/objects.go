package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/tensor"
)

// resources holds the objects that all signatures of a model share.
type resources struct {
	fields map[string]string // fields of the struct modelVars, keyed by the names of the resources' buffers
	bufs   []*plan.Buf       // one buffer for each resource, sorted by name
}

// objects chooses a field for each resource of the model.
func (e *emitter) objects() error {
	first := map[string]*plan.Buf{}
	text := map[string]string{}
	for _, s := range e.all() {
		for _, b := range s.plan.Bufs {
			if b.Place != plan.Kept || b.Alias != nil || b.Object == nil {
				continue
			}
			c, err := e.construct(b)
			if err != nil {
				return fmt.Errorf("signature %q: the resource %q: %w", s.plan.Name, b.Name, err)
			}
			// Equal constants have one place in the weights, so equal text means equal resources.
			t := fmt.Sprintf("%#v", c)
			if have, ok := text[b.Name]; ok && have != t {
				return tensor.Errorf(tensor.InvalidArgument, "signature %q: the resource %q is made by %s, but by %s in another plan", s.plan.Name, b.Name, t, have)
			}
			if first[b.Name] == nil {
				first[b.Name], text[b.Name] = b, t
			}
		}
	}
	e.vars.fields = map[string]string{}
	names := words()
	for _, name := range slices.Sorted(maps.Keys(first)) {
		e.vars.fields[name] = names.take(resourceField(name), "")
		e.vars.bufs = append(e.vars.bufs, first[name])
	}
	return nil
}

// resource splits the name of a buffer that holds a resource. The name has one of the forms "kind
// container/name", "kind:container:name" and "kind@name".
func resource(buf string) (kind, container, name string) {
	i := strings.IndexAny(buf, " :@")
	if i < 0 || strings.Contains(buf[:i], "/") {
		return "", "", buf
	}
	kind, name = buf[:i], buf[i+1:]
	between := map[byte]string{' ': "/", ':': ":"}[buf[i]]
	if c, n, ok := strings.Cut(name, between); ok && between != "" {
		container, name = plan.ContainerOf(c), n
	}
	return kind, container, name
}

// resourceField returns a field name for a resource.
func resourceField(buf string) string {
	kind, _, name := resource(buf)
	for _, s := range []string{name, kind} {
		if f := names.Unexported(exported(s, maxLocal)); f != "" {
			return f
		}
	}
	return "x"
}

// resourceText describes a resource in a comment.
func resourceText(buf string) string {
	kind, container, name := resource(buf)
	text := quote(name)
	if kind != "" {
		text = plain(kind) + " " + text
	}
	if container != "" {
		text += " in container " + quote(container)
	}
	return text
}

// construct returns the call that creates a resource.
func (e *emitter) construct(b *plan.Buf) (*jen.Statement, error) {
	if err := lasting(b); err != nil {
		return nil, err
	}
	return e.maker().kernel(objectCall(b))
}

// maker returns a funcBody for functions that create resources. It emits the arguments of the calls
// that create them.
func (e *emitter) maker() *funcBody {
	s := (&stepsFile{e: e, sig: &signature{}}).newBody(nil, false)
	s.stateless, s.base = true, true
	return s
}

// lasting rejects a resource whose creation needs a value that a new model does not have.
func lasting(b *plan.Buf) error {
	for _, a := range b.Object.Args {
		if v, ok := a.(plan.View); ok && v.Buf.Root().Place != plan.Constant {
			return fmt.Errorf("its argument %q is not a constant", v.Buf.Name)
		}
	}
	return nil
}

// objectCall returns the call that makes a resource, in the form of a step.
func objectCall(b *plan.Buf) *plan.Call {
	return &plan.Call{Node: b.Name, Fn: b.Object.New, Args: b.Object.Args}
}

// varsType returns the type of the model's resources.
func (e *emitter) varsType() *jen.Statement {
	if len(e.vars.bufs) == 0 {
		return jen.Struct()
	}
	return jen.Id("modelVars")
}

// varsOf returns an expression for the pointer to the model's resources, which each pool gets. It
// returns nil if the model has no resources.
func (e *emitter) varsOf() *jen.Statement {
	if len(e.vars.bufs) == 0 {
		return jen.Nil()
	}
	return jen.Op("&").Id("m").Dot("vars")
}

// isText reports whether a constant holds strings.
func (e *emitter) isText(c *plan.Const) bool {
	_, text := e.data.index[c]
	return text
}
