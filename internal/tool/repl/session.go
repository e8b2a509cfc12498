package repl

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Session executes lines with a model and prints the results.
type Session struct {
	model  *pipeline.Session
	out    io.Writer
	screen screen
	limit  int  // maximum number of bytes of one value
	noInit bool // whether the command reset leaves out the model's initialisation

	// working begins a progress line, which is shown while the model is compiled and run.
	working func(text string) *base.Phase

	feeds  map[string]*tensor.Tensor // by tensor name
	values map[string]*tensor.Tensor // kept results, by the names that the user gave them
	random *rand.Rand
}

// errQuit is the error with which the command quit ends the session.
var errQuit = fmt.Errorf("quit")

// defaultSeed is the seed of random values until the command seed gives another one.
const defaultSeed = 1

func newSession(m *pipeline.Session, out io.Writer, limit int) *Session {
	s := &Session{model: m, out: out, limit: limit, feeds: map[string]*tensor.Tensor{}, values: map[string]*tensor.Tensor{}}
	s.screen, s.working = plainScreen(), func(string) *base.Phase { return nil }
	s.seed(defaultSeed)
	return s
}

func (s *Session) seed(n uint64) { s.random = rand.New(rand.NewPCG(n, 0)) }

// exec executes the statements of a line. It returns the first error, without executing the
// statements after it.
func (s *Session) exec(ctx context.Context, line string) error {
	for _, text := range statements(line) {
		st, err := parse(text)
		if err != nil {
			return err
		}
		if err := s.do(ctx, st); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// do executes a statement.
func (s *Session) do(ctx context.Context, st statement) error {
	if st.assigns != "" {
		return s.assign(ctx, st.assigns, st.value)
	}
	if len(st.words) == 0 {
		return nil
	}
	if c := commandNamed(st.words[0]); c != nil {
		args := st.words[1:]
		if len(args) < c.least || c.most >= 0 && len(args) > c.most {
			return base.Usagef("usage: %s, for example %s", c.usage, c.example)
		}
		return c.run(ctx, s, args)
	}
	return s.print(ctx, st.words)
}

// assign executes NAME = VALUE. If the name is that of a tensor, the value is fed for this tensor.
// Otherwise, the value is the name of a result, which is kept under the new name.
func (s *Session) assign(ctx context.Context, name string, v value) error {
	tensors, err := s.fed(name)
	if err != nil {
		return err
	}
	if len(tensors) == 0 {
		return s.keep(ctx, name, v)
	}
	for _, t := range tensors {
		p := s.port(t)
		if !p.DType.IsData() {
			return tensor.Errorf(tensor.InvalidArgument, "%s is a %v and cannot be fed", t, p.DType)
		}
		got, err := s.eval(ctx, v, p)
		if err == nil {
			err = fits(p, got)
		}
		if err != nil {
			return tensor.Errorf(tensor.CodeOf(err), "%s: %s", name, tensor.Message(err))
		}
		s.feeds[t] = got
		fmt.Fprintf(s.out, "feed %s %v\n", t, got)
	}
	return nil
}

// keep gets the value with the name v.name, running the model if necessary, and stores this value in
// s.values under a new name. The new name must not be that of a command.
func (s *Session) keep(ctx context.Context, name string, v value) error {
	if commandNamed(name) != nil {
		return base.Usagef("%q is a command and cannot name a value", name)
	}
	if v.name == "" {
		var names []string
		for _, p := range s.inputs() {
			names = append(names, p.key)
		}
		near := base.Nearest(name, append(names, s.names()...))
		return tensor.Errorf(tensor.NotFound, "unknown input %q%s", name, near)
	}
	t, err := s.one(ctx, v.name)
	if err != nil {
		return err
	}
	s.values[name] = t
	fmt.Fprintf(s.out, "value %s %v\n", name, t)
	return nil
}

// one returns the value of a name, which must mean exactly one tensor. It runs the model unless the
// name is that of a kept value.
func (s *Session) one(ctx context.Context, name string) (*tensor.Tensor, error) {
	items, err := s.fetch(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	if len(items) != 1 {
		var labels []string
		for _, x := range items {
			labels = append(labels, x.label)
		}
		if len(labels) == 0 {
			return nil, base.Usagef("%q has no value", name)
		}
		return nil, base.Usagef("%q has several values: name one of %s", name, strings.Join(labels, ", "))
	}
	return items[0].value, nil
}

// fetch runs the model for the given names and returns their values, in the order of the names.
func (s *Session) fetch(ctx context.Context, names []string) ([]item, error) {
	w, err := s.want(names)
	if err != nil {
		return nil, err
	}
	return s.runWanted(ctx, w)
}

// runWanted computes the values of the items of w in one run, in which it also runs the targets of
// w. It returns the items with their values.
func (s *Session) runWanted(ctx context.Context, w wanted) ([]item, error) {
	var fetches []string
	for _, x := range w.items {
		if x.value == nil {
			fetches = append(fetches, x.tensor)
		}
	}
	if len(fetches)+len(w.targets) == 0 {
		return w.items, nil
	}
	feeds, err := s.needed(fetches, w.targets)
	if err != nil {
		return nil, err
	}
	phase := s.working("compile and run")
	got, err := s.model.Run(ctx, feeds, fetches, w.targets)
	phase.Close()
	if err != nil {
		return nil, err
	}
	for i := range w.items {
		if x := &w.items[i]; x.value == nil {
			x.value = got[x.tensor]
		}
	}
	return w.items, nil
}

// needed returns those feeds on which the fetches and targets depend. It returns an error if they
// depend on a placeholder that is not fed.
func (s *Session) needed(fetches, targets []string) (map[string]*tensor.Tensor, error) {
	g := s.model.Graph()
	feeds := map[string]*tensor.Tensor{}
	seen := map[*ir.Node]bool{}
	var missing []string
	var list []ir.Out
	for _, f := range fetches {
		o, err := g.Lookup(f)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	visit := func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.Op == "Placeholder" || n.Op == "PlaceholderV2" {
			missing = append(missing, n.Name+":0")
		}
		list = append(list, n.Ins...)
		for _, c := range n.Controls {
			list = append(list, ir.Out{Node: c, Index: -1})
		}
	}
	for _, t := range targets {
		if n := g.Node(t); n != nil {
			visit(n)
		}
	}
	for len(list) > 0 {
		o := list[len(list)-1]
		list = list[:len(list)-1]
		if v := s.feeds[o.String()]; v != nil {
			feeds[o.String()] = v
			continue
		}
		visit(o.Node)
	}
	missing = slices.DeleteFunc(missing, func(name string) bool { return s.feeds[name] != nil })
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, s.unfed(missing)
	}
	return feeds, nil
}

// unfed returns an error that says which placeholders have no values and how to feed one.
func (s *Session) unfed(missing []string) error {
	var texts []string
	for _, name := range missing {
		texts = append(texts, s.inputText(name))
	}
	p := s.port(missing[0])
	name := p.Key
	if name == "" {
		name = strings.TrimSuffix(p.Name, ":0")
	}
	example := name + " = random"
	switch {
	case p.DType == tensor.String:
		example = name + ` = ["text"]`
	case !p.DType.IsFloat():
		example = name + " = zeros"
	}
	return tensor.Errorf(tensor.InvalidArgument, "no value is fed for %s; give one, for example %s", strings.Join(texts, ", "), example)
}

// inputText describes an input for an error message. The text has the key of the input, if any, the
// name of the tensor, the element type and the shape.
func (s *Session) inputText(name string) string {
	p := s.port(name)
	if p.Key != "" && canonical(p.Key) != name {
		return fmt.Sprintf("%s (%s) %v", p.Key, name, p)
	}
	return fmt.Sprintf("%s %v", strings.TrimSuffix(name, ":0"), p)
}

// print fetches the values of the given names and prints them.
func (s *Session) print(ctx context.Context, names []string) error {
	items, err := s.fetch(ctx, names)
	if err != nil {
		return err
	}
	for _, x := range items {
		fmt.Fprintf(s.out, "%s %v\n", x.label, x.value)
		if err := printTensor(s.out, x.value, s.screen.width); err != nil {
			return err
		}
	}
	if len(items) == 0 {
		fmt.Fprintln(s.out, "done")
	}
	return nil
}
