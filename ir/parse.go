package ir

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Parse parses the output of Print. It skips empty lines and lines that begin with #. An
// InvalidArgument error names the faulty line. If Print elided the elements of a tensor, the error
// is FailedPrecondition.
func Parse(text string) (*Graph, error) {
	p := &textParser{}
	for i, l := range strings.Split(text, "\n") {
		p.line = i + 1
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' {
			continue
		}
		if err := p.parseLine(&scanner{s: l}); err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "line %d: %s", p.line, message(err))
		}
	}
	switch {
	case p.g == nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, "the text has no line that begins with graph")
	case p.fn != nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, "function %q has no end", p.fn.Name)
	}
	if err := p.sections[0].resolve(); err != nil {
		return nil, err
	}
	return p.g, nil
}

func message(err error) string {
	if e, ok := err.(*tensor.Error); ok {
		return e.Msg
	}
	return err.Error()
}

// textParser holds the graph that is being parsed. From a line that begins with "func" to the line
// "end", it also holds the function that is being parsed.
type textParser struct {
	g        *Graph
	fn       *Function
	sections []*section // the graph and, in a function, its body
	line     int
}

// section is a graph during parsing. Its edges are still names of nodes.
type section struct {
	g       *Graph
	nodes   []unresolved
	feeds   []ref
	fetches []ref
	targets []ref
	sizes   map[string]ref
	regions map[string]*Region
	conds   []ref // the conditions of the regions, in order
	order   []*Region
}

// ref names a tensor or a node. The index is the output's number; it is not used for a node.
type ref struct {
	name  string
	index int
	none  bool
	line  int
}

type unresolved struct {
	n        *Node
	ins      []ref
	controls []ref
}

func newSection(g *Graph) *section {
	return &section{g: g, sizes: map[string]ref{}, regions: map[string]*Region{}}
}

func (p *textParser) parseLine(s *scanner) error {
	word := s.word()
	if p.g == nil && word != "graph" {
		return s.errorf("the first line must be graph, it is %q", word)
	}
	top := func() *section { return p.sections[len(p.sections)-1] }
	switch word {
	case "graph":
		if p.g != nil {
			return s.errorf("there is a second graph")
		}
		p.g = NewGraph(s.str())
		p.g.Producer = s.keyInt("producer")
		p.sections = []*section{newSection(p.g)}
	case "func":
		return p.function(s)
	case "end":
		if p.fn == nil {
			return s.errorf("end stands outside of a function")
		}
		if err := top().resolve(); err != nil {
			return err
		}
		p.fn, p.sections = nil, p.sections[:1]
	case "gradient":
		k := s.name()
		s.expect("=")
		if p.g.Library == nil {
			p.g.Library = newLibrary()
		}
		p.g.Library.Gradients[k] = s.name()
	case "body":
		if p.fn == nil {
			return s.errorf("body stands outside of a function")
		}
		p.fn.Body.Name = s.str()
		p.fn.Body.Producer = s.keyInt("producer")
	case "control":
		if p.fn == nil {
			return s.errorf("control stands outside of a function")
		}
		c := ControlRet{Name: s.name()}
		s.expect("=")
		c.Node = s.name()
		p.fn.Controls = append(p.fn.Controls, c)
	default:
		return top().parseLine(s, word, p.line)
	}
	return s.end()
}

func newLibrary() *Library {
	return &Library{Functions: map[string]*Function{}, Gradients: map[string]string{}}
}

func (p *textParser) function(s *scanner) error {
	if p.fn != nil {
		return s.errorf("a function stands inside of another")
	}
	f := &Function{Name: s.name(), Attrs: map[string]Attr{}}
	f.Args = s.params()
	s.expect("->")
	f.Rets = s.params()
	if s.accept("stateful") {
		f.Stateful = true
	}
	if s.peek() == '{' {
		f.Attrs = s.attrs(0)
	}
	f.Body = NewGraph(f.Name)
	if p.g.Library == nil {
		p.g.Library = newLibrary()
	}
	if p.g.Library.Functions[f.Name] != nil {
		return s.errorf("there is another function %q", f.Name)
	}
	p.g.Library.Functions[f.Name] = f
	p.fn, p.sections = f, append(p.sections[:1], newSection(f.Body))
	f.Body.Library = p.g.Library
	return s.end()
}

// parseLine parses a line of a kind that may occur both in a graph and in the body of a function.
func (c *section) parseLine(s *scanner, word string, line int) error {
	switch word {
	case "feed":
		f := Feed{Name: s.str()}
		s.expect("=")
		c.feeds = append(c.feeds, s.out(line))
		s.key("key")
		f.Key = s.str()
		s.key("shape")
		f.Shape = s.shape()
		c.g.Feeds = append(c.g.Feeds, f)
	case "fetch":
		f := Fetch{Name: s.str()}
		s.expect("=")
		c.fetches = append(c.fetches, s.out(line))
		s.key("key")
		f.Key = s.str()
		c.g.Fetches = append(c.g.Fetches, f)
	case "target":
		c.targets = append(c.targets, ref{name: s.name(), line: line})
	case "size":
		k := s.word()
		s.expect("=")
		c.sizes[k] = s.out(line)
		c.g.Symbols[k] = Symbol{Index: s.keyInt("index")}
	case "region":
		c.region(s, line)
	case "node":
		return c.node(s, line)
	default:
		return s.errorf("a line begins with %q", word)
	}
	return s.end()
}

// region parses a region, which precedes its nodes and its inner regions.
func (c *section) region(s *scanner, line int) {
	r := &Region{Name: s.str()}
	if s.accept("in ") {
		r.Parent = c.inRegion(s)
	}
	switch {
	case s.accept("while "):
		r.Loop = true
	case s.accept("unless "):
		r.Neg = true
	case !s.accept("if "):
		s.fail("a region needs while, unless or if")
	}
	c.conds, c.order = append(c.conds, s.out(line)), append(c.order, r)
	c.regions[r.Name] = r
}

// inRegion parses the name of a region.
func (c *section) inRegion(s *scanner) *Region {
	name := s.str()
	r := c.regions[name]
	if r == nil && s.err == nil {
		s.fail("unknown region %q: it must be defined before this line", name)
	}
	return r
}

func (c *section) node(s *scanner, line int) error {
	n := &Node{Name: s.name(), Attrs: map[string]Attr{}}
	s.expect("=")
	n.Op = s.name()
	u := unresolved{n: n}
	s.expect("(")
	for i := 0; !s.accept(")") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		if s.accept("^") {
			u.controls = append(u.controls, ref{name: s.name(), line: line})
		} else {
			u.ins = append(u.ins, s.out(line))
		}
	}
	if s.peek() == '{' {
		n.Attrs = s.attrs(0)
	}
	if s.accept("on ") {
		n.Device = s.str()
	}
	if s.accept("in ") {
		n.Region = c.inRegion(s)
	}
	if s.accept("from ") {
		n.Origin.File, n.Origin.Index = s.str(), s.int()
		if s.accept("strings[") {
			n.Origin.Names, _ = s.list("strings", 0).([]string)
		}
	}
	if s.accept("->") {
		n.Outs = append(n.Outs, s.fact(n))
		for s.accept(";") && s.err == nil {
			n.Outs = append(n.Outs, s.fact(n))
		}
	}
	if err := s.end(); err != nil {
		return err
	}
	if err := c.g.Add(n); err != nil {
		return err
	}
	c.nodes = append(c.nodes, u)
	return nil
}

// resolve turns names into edges.
func (c *section) resolve() error {
	node := func(r ref) (*Node, error) {
		n := c.g.Node(r.name)
		if n == nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "line %d: unknown node %q%s", r.line, r.name, c.g.suggest(r.name))
		}
		return n, nil
	}
	out := func(r ref) (Out, error) {
		if r.none {
			return Out{}, nil
		}
		n, err := node(r)
		if err == nil && r.index >= len(n.Outs) {
			err = tensor.Errorf(tensor.InvalidArgument, "line %d: %q has %d outputs, but the line names output %d", r.line, r.name, len(n.Outs), r.index)
		}
		return Out{n, r.index}, err
	}
	var err error
	for _, u := range c.nodes {
		for _, r := range u.ins {
			o, err := out(r)
			if err != nil {
				return err
			}
			u.n.Ins = append(u.n.Ins, o)
		}
		for _, r := range u.controls {
			d, err := node(r)
			if err != nil {
				return err
			}
			u.n.Controls = append(u.n.Controls, d)
		}
	}
	for i, r := range c.feeds {
		if c.g.Feeds[i].Out, err = out(r); err != nil {
			return err
		}
	}
	for i, r := range c.fetches {
		if c.g.Fetches[i].Out, err = out(r); err != nil {
			return err
		}
	}
	for _, r := range c.targets {
		n, err := node(r)
		if err != nil {
			return err
		}
		c.g.Targets = append(c.g.Targets, n)
	}
	for i, r := range c.conds {
		if c.order[i].Cond, err = out(r); err != nil {
			return err
		}
	}
	for k, r := range c.sizes {
		o, err := out(r)
		if err != nil {
			return err
		}
		c.g.Symbols[k] = Symbol{o, c.g.Symbols[k].Index}
	}
	return nil
}

// fact parses the fact of an output of n.
func (s *scanner) fact(n *Node) Fact {
	f := Fact{DType: s.dtype()}
	f.Shape = s.shape()
	if s.accept("=") {
		s.expect("{")
		f.Ints = []*sym.Expr{}
		for i := 0; !s.accept("}") && s.err == nil; i++ {
			if i > 0 {
				s.expect(",")
			}
			f.Ints = append(f.Ints, s.expr())
		}
	}
	if s.accept("const") {
		if c := s.peek(); c == 0 || c == ';' {
			if f.Const = n.Value(); f.Const == nil {
				s.fail("const is valid only for a Const node")
			}
		} else {
			f.Const = s.tensor()
		}
	}
	return f
}

// shape parses [a,b] or [*].
func (s *scanner) shape() Shape {
	s.expect("[")
	if s.accept("*") {
		s.expect("]")
		return Shape{}
	}
	sh := Shape{Known: true}
	for i := 0; !s.accept("]") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		sh.Dims = append(sh.Dims, s.expr())
	}
	return sh
}

// expr parses an expression, which ends at a comma or bracket outside parentheses.
func (s *scanner) expr() *sym.Expr {
	s.skip()
	depth, i := 0, s.pos
	for ; i < len(s.s); i++ {
		c := s.s[i]
		if c == '(' {
			depth++
		} else if c == ')' {
			depth--
		} else if depth == 0 && (c == ',' || c == ']' || c == '}') {
			break
		}
	}
	t := s.s[s.pos:i]
	s.pos = i
	if len(t) > maxExpr {
		s.fail("the expression %q is too long", clip(t))
		return sym.Zero
	}
	if n, err := strconv.Atoi(t); err == nil { // sym.Parse rejects the smallest integer: its absolute value overflows
		return sym.Int(n)
	}
	e, err := sym.Parse(t)
	if err != nil {
		s.fail("%v", err)
		return sym.Zero
	}
	return e
}

// maxExpr bounds the text of an expression.
const maxExpr = 1 << 12

// clip shortens a part of a line for an error.
func clip(s string) string { return tensor.ClipTo(s, 40) }

// params parses (name type, …).
func (s *scanner) params() []Param {
	var ps []Param
	s.expect("(")
	for i := 0; !s.accept(")") && s.err == nil; i++ {
		if i > 0 {
			s.expect(",")
		}
		p := Param{Name: s.name()}
		switch {
		case s.accept("["):
			p.TypeListAttr = s.name()
			s.expect("]")
		case s.accept("$"):
			p.TypeAttr = s.name()
		default:
			start := s.pos
			w := s.name()
			if !s.accept("*") {
				s.pos = start
				p.DType = s.dtype()
				break
			}
			p.NumberAttr = w
			if s.accept("$") {
				p.TypeAttr = s.name()
			} else {
				p.DType = s.dtype()
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// scanner reads a line. It keeps the first error and then skips the rest of the line.
type scanner struct {
	s   string
	pos int
	err error
}

func (s *scanner) errorf(format string, args ...any) error {
	s.fail(format, args...)
	return s.err
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = tensor.Errorf(tensor.InvalidArgument, format, args...)
	}
	s.pos = len(s.s)
}

func (s *scanner) end() error {
	if s.skip(); s.err == nil && s.pos < len(s.s) {
		s.fail("unexpected %q at the end of the line", clip(s.s[s.pos:]))
	}
	return s.err
}

func (s *scanner) skip() {
	for s.pos < len(s.s) && s.s[s.pos] == ' ' {
		s.pos++
	}
}

// peek returns the next character that is not a space, or 0 at the end.
func (s *scanner) peek() byte {
	if s.skip(); s.pos < len(s.s) {
		return s.s[s.pos]
	}
	return 0
}

func (s *scanner) accept(t string) bool {
	s.skip()
	if strings.HasPrefix(s.s[s.pos:], t) {
		s.pos += len(t)
		return true
	}
	return false
}

func (s *scanner) expect(t string) {
	if s.err == nil && !s.accept(t) {
		s.fail("found %q, expected %q", clip(s.s[s.pos:]), t)
	}
}

// word reads name characters; the result may be empty.
func (s *scanner) word() string {
	s.skip()
	start := s.pos
	for s.pos < len(s.s) && nameChar(s.s[s.pos]) {
		s.pos++
	}
	return s.s[start:s.pos]
}

// name reads a name, quoted or not.
func (s *scanner) name() string {
	if s.peek() == '"' {
		return s.str()
	}
	w := s.word()
	if w == "" {
		s.fail("found %q, expected a name", clip(s.s[s.pos:]))
	}
	return w
}

func (s *scanner) str() string {
	s.skip()
	q, err := strconv.QuotedPrefix(s.s[s.pos:])
	if err != nil || q[0] != '"' {
		s.fail("found %q, expected a quoted string", clip(s.s[s.pos:]))
		return ""
	}
	s.pos += len(q)
	t, err := strconv.Unquote(q)
	if err != nil {
		s.fail("%s is not a quoted string", clip(q))
	}
	return t
}

func (s *scanner) int() int {
	w := s.word()
	n, err := strconv.Atoi(w)
	if err != nil {
		s.fail("found %q, expected a number", clip(w+s.s[s.pos:]))
	}
	return n
}

func (s *scanner) key(k string) {
	s.expect(k)
	s.expect("=")
}

func (s *scanner) keyInt(k string) int {
	s.key(k)
	return s.int()
}

// out reads name:index or none.
func (s *scanner) out(line int) ref {
	quoted := s.peek() == '"'
	r := ref{name: s.name(), line: line}
	if !quoted && r.name == "none" && s.peek() != ':' {
		return ref{none: true, line: line}
	}
	s.expect(":")
	if r.index = s.int(); r.index < 0 {
		s.fail("invalid output number %d", r.index)
	}
	return r
}

func (s *scanner) dtype() tensor.DType {
	w := s.word()
	d, ok := tensor.ParseDType(w)
	if !ok && w != tensor.Invalid.String() {
		s.fail("%q is not a type", clip(w))
	}
	return d
}
