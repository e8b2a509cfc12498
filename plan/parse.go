package plan

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Parse reads a plan from the text that Plan.String returns. Kernels become Unresolved, literals
// become Raw, and constants have no data. The plan can be checked, laid out and converted to text
// again, but not run. Errors begin with the number of the line.
func Parse(text string) (*Plan, error) {
	p := &reader{plan: &Plan{}, bufs: map[int]*Buf{}, consts: map[int]*Const{}, other: map[*If]bool{}}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		p.line, p.s, p.err = i+1, line, nil
		p.read()
		if p.skip(); p.err == nil && p.s != "" {
			p.fail("unexpected %q", p.s)
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	if len(p.open) > 0 {
		return nil, fmt.Errorf("plan: the last %s has no end", verbOf(p.open[len(p.open)-1]))
	}
	if p.around != nil {
		return nil, fmt.Errorf("plan: the last part has no end")
	}
	p.described()
	return p.plan, p.err
}

// reader reads one line at a time. It keeps only the first error in each line.
type reader struct {
	plan   *Plan
	bufs   map[int]*Buf
	consts map[int]*Const
	open   []Step       // the steps with lists whose end has not yet been read, outermost first
	other  map[*If]bool // the Ifs whose Else list is being read
	around *Plan        // the plan that consists of parts, while a part is being read; otherwise nil
	line   int
	s      string
	err    error
}

func (p *reader) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("plan: line %d: %s", p.line, fmt.Sprintf(format, args...))
	}
	p.s = ""
}

// The method described checks that every buffer is declared, and that no buffer is an alias of
// itself.
func (p *reader) described() {
	for _, id := range slices.Sorted(maps.Keys(p.bufs)) {
		if p.bufs[id].Len == nil && p.err == nil {
			p.err = fmt.Errorf("plan: buffer %%%d is used but not declared", id)
		} else if p.bufs[id].circular() && p.err == nil {
			p.err = fmt.Errorf("plan: buffer %%%d is an alias of itself", id)
		}
	}
}

func (p *reader) skip() { p.s = strings.TrimLeft(p.s, " \t\r") }

// word reads the text up to the next space.
func (p *reader) word() string {
	p.skip()
	i := strings.IndexByte(p.s, ' ')
	if i < 0 {
		i = len(p.s)
	}
	w := p.s[:i]
	p.s = p.s[i:]
	if w == "" {
		p.fail("the line ends too early")
	}
	return w
}

// eat removes the text t from the beginning of the rest of the line. If the rest does not begin
// with t, eat returns false.
func (p *reader) eat(t string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.s, t)
	if ok {
		p.s = rest
	}
	return ok
}

func (p *reader) want(t string) {
	if !p.eat(t) {
		p.fail("expected %q before %q", t, p.s)
	}
}

func (p *reader) quoted() string {
	p.skip()
	q, err := strconv.QuotedPrefix(p.s)
	if err != nil {
		p.fail("expected a quoted name before %q", p.s)
		return ""
	}
	p.s = p.s[len(q):]
	v, err := strconv.Unquote(q)
	if err != nil {
		p.fail("%v", err)
	}
	return v
}

func (p *reader) int() int {
	w := p.word()
	n, err := strconv.Atoi(w)
	if err != nil {
		p.fail("%q is not a number", w)
	}
	return n
}

// expr reads an expression. The expression ends before the first character that is in stops and is
// not within parentheses.
func (p *reader) expr(stops string) *sym.Expr {
	p.skip()
	depth, i := 0, 0
	for ; i < len(p.s); i++ {
		c := p.s[i]
		if depth == 0 && strings.IndexByte(stops, c) >= 0 {
			break
		}
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	e, err := sym.Parse(p.s[:i])
	if err != nil {
		p.fail("%v", err)
		return sym.Zero
	}
	p.s = p.s[i:]
	return e
}

// exprTo reads an expression that ends before one of the words or at the end of the line.
func (p *reader) exprTo(words ...string) *sym.Expr {
	end := len(p.s)
	for _, w := range words {
		if i := strings.Index(p.s+" ", " "+w+" "); i >= 0 {
			end = min(end, i)
		}
	}
	e, err := sym.Parse(p.s[:end])
	if err != nil {
		p.fail("%v", err)
		return sym.Zero
	}
	p.s = p.s[end:]
	return e
}

func (p *reader) exprs() []*sym.Expr {
	out := []*sym.Expr{}
	p.want("[")
	for p.err == nil && !p.eat("]") {
		out = append(out, p.expr(",]"))
		if !p.eat(",") {
			p.want("]")
			break
		}
	}
	return out
}

// dtype reads a type's short name, which ends at [ or a space.
func (p *reader) dtype() tensor.DType {
	p.skip()
	i := strings.IndexAny(p.s, " [")
	if i < 0 {
		i = len(p.s)
	}
	d, ok := tensor.ParseDType(p.s[:i])
	if !ok {
		p.fail("unknown element type %q", p.s[:i])
		return d
	}
	p.s = p.s[i:]
	return d
}

// buf reads a reference to a buffer: %n for the buffer with number n, or _ for no buffer. A buffer
// may be used before it is declared.
func (p *reader) buf() *Buf {
	if p.eat("_") {
		return nil
	}
	p.want("%")
	i := 0
	for i < len(p.s) && p.s[i] >= '0' && p.s[i] <= '9' {
		i++
	}
	id, err := strconv.Atoi(p.s[:i])
	if err != nil {
		p.fail("expected a buffer's number before %q", p.s)
		return nil
	}
	p.s = p.s[i:]
	if p.bufs[id] == nil {
		p.bufs[id] = &Buf{ID: id}
	}
	return p.bufs[id]
}

func (p *reader) read() {
	switch verb := p.word(); verb {
	case "plan":
		p.plan.Name = p.quoted()
	case "feed":
		var f Feed
		f.Name = p.quoted()
		p.want("key")
		f.Key, f.DType = p.quoted(), p.dtype()
		if f.AnyShape = p.eat("any"); !f.AnyShape {
			f.Shape, f.Buf = p.exprs(), p.buf()
		}
		p.plan.Feeds = append(p.plan.Feeds, f)
	case "fetch":
		var f Fetch
		f.Name = p.quoted()
		p.want("key")
		f.Key, f.DType, f.Shape, f.Buf = p.quoted(), p.dtype(), p.exprs(), p.buf()
		if p.eat("rank") {
			if r := p.exprs(); len(r) == 1 {
				f.Rank = r[0]
			}
		}
		p.plan.Fetches = append(p.plan.Fetches, f)
	case "ranks":
		p.plan.Ranks = []int{}
		for p.skip(); p.err == nil && p.s != ""; p.skip() {
			p.plan.Ranks = append(p.plan.Ranks, p.int())
		}
	case "dim":
		d := Dim{Name: p.word()}
		p.want("feed")
		d.Feed = p.int()
		p.want("axis")
		d.Axis = p.int()
		p.plan.Dims = append(p.plan.Dims, d)
	case "batch":
		p.plan.Batch = p.word()
	case "const":
		p.constant()
	case "buf":
		p.describe()
	case "check":
		p.plan.Prologue = append(p.plan.Prologue, p.call())
	case "call":
		p.step(p.call())
	case "copy":
		c := &Copy{Node: p.quoted(), Op: p.op()}
		c.Dst, c.Src = p.twoViews()
		p.step(c)
	case "scalar":
		p.step(p.scalar())
	case "par":
		p.par()
	case "partial":
		p.plan.Partial = true
	case "part":
		p.part()
	case "endpart":
		p.endPart()
	case "pair":
		p.plan.Pairs = append(p.plan.Pairs, Pair{p.int(), p.int(), p.quoted()})
	default:
		if !p.flow(verb) {
			p.fail("unknown verb %q", verb)
		}
	}
}

func (p *reader) par() {
	l := &Par{Total: p.exprTo("grain")}
	p.want("grain")
	l.Grain = p.int()
	for _, f := range []struct {
		name string
		to   **sym.Expr
	}{{"most", &l.Most}, {"wrap", &l.Wrap}, {"work", &l.Work}, {"join", &l.Join}} {
		p.want(f.name)
		if p.skip(); p.s != "-" && !p.eat("- ") {
			*f.to = p.exprTo("wrap", "work", "join", "least", "strided")
		} else {
			p.eat("-")
		}
	}
	if p.eat("least") {
		l.Least = p.int()
	}
	l.Strided = p.eat("strided")
	p.begin(l)
}

func (p *reader) constant() {
	c := &Const{ID: p.int(), Name: p.quoted(), DType: p.dtype()}
	for _, e := range p.exprs() {
		n, ok := e.IsInt()
		if !ok {
			p.fail("a constant's shape holds %v", e)
		}
		c.Shape = append(c.Shape, n)
	}
	p.want("note")
	c.Note = p.quoted()
	c.Data = digestOnly(p.word())
	if p.consts[c.ID] != nil {
		p.fail("constant %d is declared twice", c.ID)
	}
	p.consts[c.ID] = c
	p.plan.Consts = append(p.plan.Consts, c)
}

func (p *reader) describe() {
	b := p.buf()
	if b == nil || b.Len != nil {
		p.fail("the buffer has no number, or is declared twice")
		return
	}
	p.plan.Bufs = append(p.plan.Bufs, b)
	b.Name = p.quoted()
	place := p.word()
	known := false
	for i, n := range placeNames {
		if n == place {
			b.Place, known = Place(i), true
		}
	}
	if !known {
		p.fail("unknown place %q", place)
	}
	b.DType = p.dtype()
	p.want("len")
	b.Len = p.exprTo("shape", "const", "var", "access", "alias", "at")
	for p.err == nil {
		switch {
		case p.eat("shape"):
			b.Shape = p.exprs()
		case p.eat("const"):
			if b.Const = p.consts[p.int()]; b.Const == nil {
				p.fail("the constant is not declared")
			}
		case p.eat("var"):
			b.Var = p.buf()
		case p.eat("access"):
			b.Access = p.access()
		case p.eat("alias"):
			b.Alias = p.buf()
			p.want("off")
			b.Off = p.exprTo("at")
		case p.eat("at"):
			b.Offset = p.int()
		default:
			return
		}
	}
}

// op reads an op's name, which may be quoted.
func (p *reader) op() string {
	if p.skip(); strings.HasPrefix(p.s, `"`) {
		return p.quoted()
	}
	return p.word()
}

func (p *reader) view() View {
	var v View
	p.skip()
	for m, n := range modeNames {
		if n != "" && strings.HasPrefix(p.s, n+" ") {
			v.Mode = Mode(m)
			p.s = p.s[len(n):]
			break
		}
	}
	if v.Mode == 0 {
		p.fail("expected r, w or rw before %q", p.s)
	}
	v.Buf = p.buf()
	p.want("[")
	v.Off = p.expr(":")
	p.want(":")
	v.Len = p.expr("]")
	p.want("]")
	return v
}

func (p *reader) call() *Call {
	c := &Call{Node: p.quoted(), Op: p.op()}
	p.function(c)
	c.Looks = p.eat("looks")
	if p.eat("ret ") {
		for p.skip(); p.err == nil && p.s != "" && !strings.HasPrefix(p.s, "inplace "); p.skip() {
			c.Rets = append(c.Rets, p.word())
		}
	}
	if p.eat("inplace") {
		for p.skip(); p.err == nil && p.s != ""; p.skip() {
			out := p.buf()
			p.want("=")
			c.InPlace = append(c.InPlace, [2]*Buf{out, p.buf()})
		}
	}
	return c
}

// function reads a function with its arguments.
func (p *reader) function(c *Call) {
	p.skip()
	i := strings.IndexByte(p.s, '(')
	if i < 0 || strings.IndexByte(p.s[:i], '.') < 0 {
		p.fail("expected path.Name( before %q", p.s)
		return
	}
	c.Fn = Unresolved(p.s[:i])
	p.s = p.s[i+1:]
	for p.err == nil && !p.eat(")") {
		c.Args = append(c.Args, p.arg())
		if !p.eat(",") {
			p.want(")")
			break
		}
	}
}

func (p *reader) arg() Arg {
	p.skip()
	switch {
	case strings.HasPrefix(p.s, "context,"), strings.HasPrefix(p.s, "context)"):
		p.eat("context")
		return Context{}
	case strings.HasPrefix(p.s, "budget,"), strings.HasPrefix(p.s, "budget)"):
		p.eat("budget")
		return Budget{}
	case strings.HasPrefix(p.s, "files,"), strings.HasPrefix(p.s, "files)"):
		p.eat("files")
		return Files{}
	case strings.HasPrefix(p.s, "exchange,"), strings.HasPrefix(p.s, "exchange)"):
		p.eat("exchange")
		return Exchange{}
	case strings.HasPrefix(p.s, "elements \""):
		p.eat("elements")
		prog, err := scalar.Parse(p.quoted())
		if err != nil {
			p.fail("%v", err)
			return nil
		}
		return Elements{&scalar.Work{Program: *prog}}
	case strings.HasPrefix(p.s, "queue,"), strings.HasPrefix(p.s, "queue)"):
		p.eat("queue")
		return Queue{}
	case strings.HasPrefix(p.s, "{"):
		return p.views()
	case strings.HasPrefix(p.s, "r %"), strings.HasPrefix(p.s, "w %"), strings.HasPrefix(p.s, "rw %"):
		return p.view()
	case strings.HasPrefix(p.s, "["):
		return Ints{p.exprs()}
	case strings.HasPrefix(p.s, "#"):
		return p.raw()
	}
	return Int{p.expr(",)")}
}

// views reads an argument of the form {view, view}.
func (p *reader) views() Arg {
	vs := Views{[]View{}}
	p.want("{")
	for p.err == nil && !p.eat("}") {
		vs.V = append(vs.V, p.view())
		if !p.eat(",") {
			p.want("}")
			break
		}
	}
	return vs
}

// operands reads all operands that follow in the line. Each has the form field=view.
func (p *reader) operands() (os []Operand) {
	for p.skip(); p.err == nil; p.skip() {
		eq := strings.IndexByte(p.s, '=')
		if eq < 0 || !token.IsIdentifier(p.s[:eq]) {
			break
		}
		o := Operand{Field: p.s[:eq]}
		p.s = p.s[eq+1:]
		o.View = p.view()
		os = append(os, o)
	}
	return os
}

// raw reads a literal. The literal ends at the first comma or closing bracket that is not within
// brackets or quotes.
func (p *reader) raw() Arg {
	depth := 0
	for i := 0; i < len(p.s); i++ {
		switch c := p.s[i]; c {
		case '"', '`':
			q, err := strconv.QuotedPrefix(p.s[i:])
			if err != nil {
				p.fail("unterminated string %q", p.s[i:])
				return Raw("")
			}
			i += len(q) - 1
		case '(', '{', '[':
			depth++
		case ' ':
			if depth == 0 && strings.HasPrefix(p.s[i:], operandsMark+" ") {
				s := Struct{V: Raw(p.s[:i])}
				p.s = p.s[i+len(operandsMark):]
				s.Operands = p.operands()
				return s
			}
		case ')', '}', ']', ',':
			if depth == 0 {
				text := p.s[:i]
				p.s = p.s[i:]
				return Raw(text)
			}
			if c != ',' {
				depth--
			}
		}
	}
	p.fail("unterminated call")
	return Raw("")
}
