package ptx

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// variable is a declared piece of memory.
type variable struct {
	name   string
	space  space
	size   int // in bytes; -1 for an array without a size
	align  int
	typ    typ
	line   int
	count  int
	extern bool
}

// function is a parsed kernel (.entry) or device function (.func).
type function struct {
	name    string
	entry   bool
	params  []formal
	results []formal
	body    *scope
	line    int
}

// formal is a parameter: a register or memory.
type formal struct {
	variable
	register bool
}

// scope is the parsed contents of a pair of braces.
type scope struct {
	regs  []regDecl
	vars  []variable
	stmts []statement
	// targets holds, by name, the lists of labels that .branchtargets directives declare. The
	// instruction brx jumps to a label of such a list.
	targets map[string][]string
}

type regDecl struct {
	name  string
	typ   typ
	count int // 10 for %r<10>, which declares the registers %r0 to %r9; -1 for %r, which declares one register
	line  int
}

// statement is an instruction, a label, or a scope.
type statement struct {
	label string
	inner *scope
	op    string // the whole opcode: add.s32
	guard operand
	not   bool
	args  []operand
	line  int
	text  string
}

// operandKind is the kind of an operand.
type operandKind uint8

const (
	absent operandKind = iota
	name               // a register, variable, label or function, plus an offset
	immediate
	address // [name or number + offset]
	list    // {a, b}, and (a, b) in calls
)

type operand struct {
	kind   operandKind
	name   string
	value  literal
	offset int64
	not    bool
	list   []operand
	second string // p of a|p
}

type parser struct {
	toks []token
	at   int
	m    *Module
	fns  map[string]*function
	ents []*function
	vars []variable
}

// Parse parses a module. The error is an *Error.
func Parse(src string) (m *Module, err error) {
	where := ""
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			if r.Where == "" {
				r.Where = where
			}
			m, err = nil, r
		default: // an internal fault, which must not crash the calling program
			m, err = nil, &Error{Line: 1, Where: where, Why: fmt.Sprintf("internal fault: %v", r)}
		}
	}()
	p := &parser{fns: map[string]*function{}, m: &Module{entries: map[string]*entry{}, globals: map[string]*global{}}}
	p.toks = lex(src)
	p.m.store = &segment{base: globalWindow}
	p.module()
	p.relocate()
	for _, f := range p.ents {
		where = f.name
		p.m.entries[f.name] = p.decode(f)
	}
	p.m.first = p.m.store.data
	return p.m.Copy(), nil
}

func (p *parser) peek() token { return p.toks[p.at] }

func (p *parser) next() token {
	t := p.toks[p.at]
	if t.kind != eof {
		p.at++
	}
	return t
}

func (p *parser) is(s string) bool {
	t := p.peek()
	return t.kind == mark && t.text == s
}

func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(s string) {
	if t := p.next(); t.kind != mark || t.text != s {
		fail(t.line, "%q where %q is expected", t.text, s)
	}
}

func (p *parser) word() token {
	t := p.next()
	if t.kind != word {
		fail(t.line, "%q where a name is expected", t.text)
	}
	return t
}

func (p *parser) int() int {
	t := p.next()
	if t.kind != number {
		fail(t.line, "%q where a number is expected", t.text)
	}
	l := parseNumber(t)
	if l.form != 'i' || l.bits > 1<<31 {
		fail(t.line, "%s is too large", t.text)
	}
	return int(l.bits)
}

// module parses the whole module.
func (p *parser) module() {
	for {
		t := p.next()
		extern := false
		if t.kind == eof {
			return
		}
		if t.kind != word {
			fail(t.line, "%q where a directive is expected", t.text)
		}
		for t.text == ".visible" || t.text == ".weak" || t.text == ".extern" || t.text == ".common" {
			extern = extern || t.text == ".extern"
			t = p.next()
		}
		switch t.text {
		case ".version":
			p.next()
		case ".target":
			p.m.Target = p.word().text
			for p.accept(",") {
				p.word()
			}
		case ".address_size":
			if n := p.int(); n != 64 {
				fail(t.line, "addresses of %d bits", n)
			}
		case ".file":
			for p.at < len(p.toks)-1 && p.peek().line == t.line {
				p.next()
			}
		case ".section":
			for !p.is("{") && p.peek().kind != eof {
				p.next()
			}
			for depth := 0; ; {
				if s := p.next(); s.kind == eof {
					fail(t.line, "a section has no end")
				} else if s.text == "{" && s.kind == mark {
					depth++
				} else if s.text == "}" && s.kind == mark {
					depth--
				}
				if depth == 0 {
					break
				}
			}
		case ".pragma":
			p.skip(";")
		case ".entry", ".func":
			p.function(t)
		case ".global", ".const", ".shared":
			p.variables(t, extern)
		default:
			fail(t.line, "%q is not known", t.text)
		}
	}
}

func (p *parser) skip(to string) {
	for !p.is(to) {
		if t := p.next(); t.kind == eof {
			fail(t.line, "%q is missing", to)
		}
	}
	p.next()
}

var spaces = map[string]space{".global": global_, ".const": constant, ".shared": shared, ".local": local, ".param": param}

// declared parses the part of a declaration that follows the state space, up to the end of the
// dimensions.
func (p *parser) declared(sp space) variable {
	v := variable{space: sp, count: 1}
	lanes := 1
	pointer := false
	for {
		t := p.word()
		v.line = t.line
		if ty, ok := types[strings.TrimPrefix(t.text, ".")]; ok && t.text[0] == '.' {
			v.typ = ty
			continue
		}
		switch t.text {
		case ".align":
			if n := p.int(); !pointer {
				v.align = n
			}
			continue
		case ".v2":
			lanes = 2
			continue
		case ".v4":
			lanes = 4
			continue
		case ".ptr":
			// ignore an alignment after .ptr: it is that of the memory to which the parameter points,
			// not that of the parameter
			pointer = true
			continue
		case ".global", ".const", ".shared", ".local", ".noalias":
			continue
		}
		if t.text[0] == '.' {
			fail(t.line, "%q is not known in a declaration", t.text)
		}
		v.name = t.text
		break
	}
	if v.typ == noType || v.typ == pred {
		fail(v.line, "%s has no type that memory can hold", v.name)
	}
	n := lanes
	for p.accept("[") {
		if p.accept("]") {
			n = -1
			continue
		}
		k := p.int()
		if n < 0 || k > 0 && n > 1<<30/k {
			fail(v.line, "%s is too large", v.name)
		}
		n *= k
		p.want("]")
	}
	v.count = n
	v.size = n * v.typ.size()
	if n < 0 {
		v.size = -1
	}
	if v.align == 0 {
		v.align = v.typ.size() * lanes
	}
	if v.align&(v.align-1) != 0 || v.align > 1<<16 {
		fail(v.line, "%s is aligned to %d bytes", v.name, v.align)
	}
	return v
}

// global is a variable of a module.
type global struct {
	variable
	addr uint64
	refs []reference
}

// reference is a use of another variable's address in an initial value.
type reference struct {
	at   int
	name string
	add  int64
	line int
}

// variables parses the declarations of a module's variables.
func (p *parser) variables(t token, extern bool) {
	sp := spaces[t.text]
	for {
		v := p.declared(sp)
		v.extern = extern
		if sp == shared {
			p.vars = append(p.vars, v)
		} else {
			p.global(v)
		}
		if !p.accept(",") {
			break
		}
	}
	p.want(";")
}

// global assigns a place and an initial value to a variable of the module.
func (p *parser) global(v variable) {
	g := &global{variable: v}
	var init []byte
	if p.accept("=") {
		init = p.initial(g, nil)
	}
	if v.size < 0 {
		g.size = len(init)
		v.size = g.size
	}
	if len(init) > v.size {
		fail(v.line, "%s has more initial values than it holds", v.name)
	}
	s := p.m.store
	for len(s.data)%max(v.align, 16) != 0 {
		s.data = append(s.data, 0xff)
	}
	g.addr = s.base + uint64(len(s.data))
	for i := range g.refs {
		g.refs[i].at += len(s.data)
	}
	s.data = append(s.data, make([]byte, v.size)...)
	copy(s.data[g.addr-s.base:], init)
	if p.m.globals[v.name] != nil {
		fail(v.line, "%s is declared twice", v.name)
	}
	p.m.globals[v.name] = g
}

// initial parses initial values and appends their bytes to b.
func (p *parser) initial(g *global, b []byte) []byte {
	if p.accept("{") {
		for !p.accept("}") {
			b = p.initial(g, b)
			if !p.is("}") {
				p.want(",")
			}
		}
		return b
	}
	t := p.peek()
	if t.kind == word {
		p.next()
		n := t.text
		if n == "generic" {
			p.want("(")
			n = p.word().text
			p.want(")")
		}
		var add int64
		if p.accept("+") {
			add = int64(p.int())
		}
		g.refs = append(g.refs, reference{len(b), n, add, t.line})
		return append(b, make([]byte, g.typ.size())...)
	}
	v := p.number().as(g.typ)
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], v)
	return append(b, raw[:g.typ.size()]...)
}

// relocate completes initial values that refer to variables: it stores the addresses of these
// variables in the initial contents of the module's memory.
func (p *parser) relocate() {
	for _, g := range p.m.globals {
		for _, r := range g.refs {
			to := p.m.globals[r.name]
			if to == nil || g.typ.size() != 8 {
				fail(r.line, "%s is not a variable whose address can be stored here", r.name)
			}
			binary.LittleEndian.PutUint64(p.m.store.data[r.at:], to.addr+uint64(r.add))
		}
	}
}

// number parses a number with optional signs.
func (p *parser) number() literal {
	neg, not := false, false
	for {
		if p.accept("-") {
			neg = !neg
		} else if p.accept("~") {
			not = true
		} else if !p.accept("+") {
			break
		}
	}
	t := p.next()
	if t.kind == word && t.text == "WARP_SZ" {
		return literal{32, 'i'}
	}
	if t.kind != number {
		fail(t.line, "%q where a number is expected", t.text)
	}
	l := parseNumber(t)
	if neg {
		switch l.form {
		case 'i':
			l.bits = -l.bits
		case 'f':
			l.bits ^= 1 << 31
		default:
			l.bits ^= 1 << 63
		}
	}
	if not {
		l.bits = ^l.bits
	}
	return l
}

// formals parses parameters in parentheses.
func (p *parser) formals() []formal {
	var out []formal
	p.want("(")
	for !p.accept(")") {
		t := p.word()
		f := formal{}
		switch t.text {
		case ".reg":
			f.register = true
			ty, ok := types[strings.TrimPrefix(p.word().text, ".")]
			if !ok {
				fail(t.line, "a parameter has no type")
			}
			f.typ, f.name, f.line = ty, p.word().text, t.line
		case ".param":
			f.variable = p.declared(param)
		default:
			fail(t.line, "%q where a parameter is expected", t.text)
		}
		out = append(out, f)
		if !p.is(")") {
			p.want(",")
		}
	}
	return out
}

// function parses an entry or a function.
func (p *parser) function(t token) {
	f := &function{entry: t.text == ".entry", line: t.line}
	if p.is("(") {
		f.results = p.formals()
	}
	f.name = p.word().text
	if p.is("(") {
		f.params = p.formals()
	}
	for !p.is("{") && !p.is(";") { // skip directives such as .maxntid and .noreturn
		if t := p.next(); t.kind == eof {
			fail(t.line, "%s has no body", f.name)
		}
	}
	if p.accept(";") {
		if p.fns[f.name] == nil {
			p.fns[f.name] = f
		}
		return
	}
	if old := p.fns[f.name]; old != nil && old.body != nil {
		fail(f.line, "%s is defined twice", f.name)
	}
	p.fns[f.name] = f
	if f.entry {
		p.ents = append(p.ents, f)
	}
	p.want("{")
	f.body = p.scope(0)
}

// scope parses the contents of braces, up to the closing brace.
func (p *parser) scope(depth int) *scope {
	if depth > 100 {
		fail(p.peek().line, "braces are too deep")
	}
	s := &scope{targets: map[string][]string{}}
	for {
		t := p.next()
		switch {
		case t.kind == eof:
			fail(t.line, "a closing brace is missing")
		case t.kind == mark && t.text == "}":
			return s
		case t.kind == mark && t.text == "{":
			s.stmts = append(s.stmts, statement{inner: p.scope(depth + 1), line: t.line})
		case t.kind == mark && t.text == ";":
		case t.kind == mark && t.text == "@":
			p.instruction(s, t)
		case t.kind == word && t.text[0] == '.':
			p.declaration(s, t)
		case t.kind == word && p.is(":"):
			p.next()
			if n := p.peek(); n.kind == word && n.text == ".branchtargets" {
				p.next()
				for {
					s.targets[t.text] = append(s.targets[t.text], p.word().text)
					if !p.accept(",") {
						break
					}
				}
				p.want(";")
				continue
			} else if n.kind == word && (n.text == ".callprototype" || n.text == ".calltargets") {
				p.skip(";")
				continue
			}
			s.stmts = append(s.stmts, statement{label: t.text, line: t.line})
		case t.kind == word:
			p.at--
			p.instruction(s, t)
		default:
			fail(t.line, "%q where an instruction is expected", t.text)
		}
	}
}

// declaration parses a directive inside a function.
func (p *parser) declaration(s *scope, t token) {
	switch t.text {
	case ".loc":
		for p.peek().line == t.line && p.peek().kind != eof {
			p.next()
		}
	case ".pragma":
		p.skip(";")
	case ".reg":
		ty, ok := types[strings.TrimPrefix(p.word().text, ".")]
		if !ok {
			fail(t.line, "a register of a type that is not known")
		}
		for {
			d := regDecl{name: p.word().text, typ: ty, count: -1, line: t.line}
			if p.accept("<") {
				d.count = p.int()
				p.want(">")
				if d.count > 1<<16 {
					fail(t.line, "%d registers", d.count)
				}
			}
			s.regs = append(s.regs, d)
			if !p.accept(",") {
				break
			}
		}
		p.want(";")
	case ".shared", ".local", ".param":
		for {
			s.vars = append(s.vars, p.declared(spaces[t.text]))
			if !p.accept(",") {
				break
			}
		}
		p.want(";")
	case ".global", ".const":
		p.variables(t, false)
	default:
		fail(t.line, "%q is not known in a function", t.text)
	}
}

// instruction parses an instruction with its guard.
func (p *parser) instruction(s *scope, t token) {
	st := statement{line: t.line}
	from := p.at
	if t.kind == mark {
		st.not = p.accept("!")
		st.guard = operand{kind: name, name: p.word().text}
	}
	st.op = p.word().text
	for !p.accept(";") {
		st.args = append(st.args, p.operand(0))
		if !p.is(";") {
			if p.peek().kind == mark && p.peek().text == "," {
				p.next()
			} else {
				fail(p.peek().line, "%q after an operand of %s", p.peek().text, st.op)
			}
		}
	}
	var b strings.Builder
	if t.kind == mark {
		b.WriteString("@")
	}
	for i := from; i < p.at-1; i++ {
		x := p.toks[i]
		if i > from && x.kind != mark && p.toks[i-1].kind != mark {
			b.WriteByte(' ')
		}
		b.WriteString(x.text)
		if x.kind == mark && x.text == "," {
			b.WriteByte(' ')
		}
	}
	st.text = b.String()
	if len(st.text) > 120 {
		st.text = st.text[:120] + "…"
	}
	s.stmts = append(s.stmts, st)
}

// operand parses an operand.
func (p *parser) operand(depth int) operand {
	t := p.peek()
	if depth > 10 {
		fail(t.line, "an operand is too deep")
	}
	switch {
	case p.accept("!"):
		o := p.operand(depth + 1)
		o.not = !o.not
		return o
	case p.accept("["):
		o := operand{kind: address}
		if q := p.peek(); q.kind == word && q.text != "WARP_SZ" {
			o.name = p.next().text
		} else {
			o.offset = int64(p.number().bits)
		}
		for p.is("+") || p.is("-") {
			o.offset += int64(p.number().bits)
		}
		p.want("]")
		return o
	case p.is("{") || p.is("("):
		end := map[string]string{"{": "}", "(": ")"}[p.next().text]
		o := operand{kind: list}
		for !p.accept(end) {
			o.list = append(o.list, p.operand(depth+1))
			if !p.is(end) {
				p.want(",")
			}
		}
		return o
	case t.kind == word && t.text != "WARP_SZ":
		p.next()
		o := operand{kind: name, name: t.text}
		for p.is("+") || p.is("-") {
			o.offset += int64(p.number().bits)
		}
		if p.accept("|") {
			o.second = p.word().text
		}
		return o
	}
	return operand{kind: immediate, value: p.number()}
}

// expand returns name i of a declaration such as %r<10>.
func (d regDecl) expand(i int) string { return d.name + strconv.Itoa(i) }
