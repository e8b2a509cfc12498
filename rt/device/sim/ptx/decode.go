package ptx

import (
	"math"
	"slices"
	"strings"
)

// decoder is the state while the instructions of one kernel are decoded. The code of a called
// function is inserted in place of the call.
type decoder struct {
	p       *parser
	e       *entry
	names   []map[string]symbol
	labels  []map[string]*label
	targets []map[string][]string
	calls   []*function
	// ends[i] is the label to which the instruction ret jumps in the function calls[i]
	ends    []*label
	consts  map[constant3]int32
	special map[string]int32
	module  map[string]int // offsets of the module's shared variables
	st      *statement
	fixes   []fix
	dynamic uint64
}

type constant3 struct {
	c class
	v uint64
}

// symbol is a register or variable.
type symbol struct {
	ref
	variable bool
	space    space
	addr     uint64
	size     int
}

type label struct {
	at   int32
	name string
	line int
}

// fix describes a branch instruction whose target must be filled in when the position of the label is
// known.
type fix struct {
	in    int
	label *label
	// the index in instr.table at which the target must be stored; -1 if it must be stored in
	// instr.target
	entry int
}

// decode decodes the kernel f.
func (p *parser) decode(f *function) *entry {
	e := p.decodeWith(f, 0)
	if e.dynamic && e.shared > 0 {
		e = p.decodeWith(f, align(e.shared, 16)) // decode again, because dynamic shared memory follows static shared memory, whose size is known only now
	}
	return e
}

// decodeWith decodes the kernel f. The parameter dynamic is the offset at which dynamic shared
// memory begins.
func (p *parser) decodeWith(f *function, dynamic int) *entry {
	d := &decoder{p: p, dynamic: uint64(dynamic), e: &entry{name: f.name}, consts: map[constant3]int32{}, special: map[string]int32{}, module: map[string]int{}}
	e := d.e
	e.n32, e.n64, e.np = 1, 1, 1
	names := map[string]symbol{}
	for _, v := range f.params {
		if v.register || v.size < 0 {
			fail(v.line, "parameter %s is not memory with a size", v.name)
		}
		e.size = align(e.size, v.align)
		names[v.name] = symbol{variable: true, space: param, addr: uint64(e.size), size: v.size}
		e.params = append(e.params, v.variable)
		e.offset = append(e.offset, e.size)
		e.size += v.size
	}
	d.names = append(d.names, names)
	d.calls = append(d.calls, f)
	end := &label{}
	d.ends = append(d.ends, end)
	d.scope(f.body)
	e.code = append(e.code, instr{kind: leave, guard: -1, line: int32(f.line), text: "end"})
	d.settleBranches()
	e.settle()
	return e
}

func align(n, to int) int { return (n + to - 1) &^ (to - 1) }

func (d *decoder) fail(format string, args ...any) {
	e := &Error{Line: d.st.line, Text: d.st.text}
	func() {
		defer func() { e.Why = recover().(*Error).Why }()
		fail(0, format, args...)
	}()
	panic(e)
}

// scope decodes the statements of a block in braces. Names that the block declares are known only
// there.
func (d *decoder) scope(s *scope) {
	names, labels := map[string]symbol{}, map[string]*label{}
	for _, r := range s.regs {
		if r.count < 0 {
			names[r.name] = symbol{ref: d.register(r.typ)}
		}
		for i := 0; i < r.count; i++ {
			names[r.expand(i)] = symbol{ref: d.register(r.typ)}
		}
	}
	for _, v := range s.vars {
		names[v.name] = d.place(v)
	}
	for i := range s.stmts {
		if st := &s.stmts[i]; st.label != "" {
			if labels[st.label] != nil {
				fail(st.line, "label %s is defined twice", st.label)
			}
			labels[st.label] = &label{at: -1, name: st.label, line: st.line}
		}
	}
	d.names = append(d.names, names)
	d.labels = append(d.labels, labels)
	d.targets = append(d.targets, s.targets)
	for i := range s.stmts {
		st := &s.stmts[i]
		switch {
		case st.label != "":
			labels[st.label].at = int32(len(d.e.code))
		case st.inner != nil:
			d.scope(st.inner)
		default:
			d.st = st
			d.instruction()
		}
		if len(d.e.code) > 1<<20 {
			fail(st.line, "the kernel has too many instructions")
		}
	}
	d.names = d.names[:len(d.names)-1]
	d.labels = d.labels[:len(d.labels)-1]
	d.targets = d.targets[:len(d.targets)-1]
}

// register allocates the row of a new register of type t.
func (d *decoder) register(t typ) ref {
	r := ref{class: t.class(), typ: t}
	switch r.class {
	case word32:
		r.row = int32(d.e.n32)
		d.e.n32++
	case word64:
		r.row = int32(d.e.n64)
		d.e.n64++
	default:
		r.row = int32(d.e.np)
		d.e.np++
	}
	if d.e.n32+d.e.n64+d.e.np > 1<<17 {
		fail(d.line(), "the kernel has too many registers")
	}
	return r
}

func (d *decoder) line() int {
	if d.st != nil {
		return d.st.line
	}
	return d.calls[0].line
}

// place assigns an address to a variable that a function declares.
func (d *decoder) place(v variable) symbol {
	s := symbol{variable: true, space: v.space, size: v.size}
	switch v.space {
	case shared:
		if v.size < 0 {
			fail(v.line, "%s has no size", v.name)
		}
		d.e.shared = align(d.e.shared, v.align)
		s.addr = uint64(d.e.shared)
		d.e.shared += v.size
		if d.e.shared > SharedLimit {
			fail(v.line, "%d bytes of shared memory", d.e.shared)
		}
	default:
		if v.size < 0 {
			fail(v.line, "%s has no size", v.name)
		}
		s.space = local
		d.e.local = align(d.e.local, max(v.align, 1))
		s.addr = uint64(d.e.local)
		d.e.local += v.size
		if d.e.local > 512<<10 {
			fail(v.line, "%d bytes of local memory", d.e.local)
		}
	}
	return s
}

// find looks up the name n in all enclosing scopes, the innermost scope first, and then among the
// module's variables. It returns false if there is no such name.
func (d *decoder) find(n string) (symbol, bool) {
	for _, m := range slices.Backward(d.names) {
		if m == nil {
			break // the remaining scopes belong to the caller of an inlined function
		}
		if s, ok := m[n]; ok {
			return s, true
		}
	}
	if g := d.p.m.globals[n]; g != nil {
		return symbol{variable: true, space: g.space, addr: g.addr, size: g.size}, true
	}
	for _, v := range d.p.vars {
		if v.name != n {
			continue
		}
		if v.size < 0 {
			d.e.dynamic = true
			return symbol{variable: true, space: shared, addr: d.dynamic}, true
		}
		at, ok := d.module[n]
		if !ok {
			at = int(d.place(v).addr)
			d.module[n] = at
		}
		return symbol{variable: true, space: shared, addr: uint64(at), size: v.size}, true
	}
	return symbol{}, false
}

// constant returns a row of class c in which all lanes have the constant value v. If no such row
// exists yet, constant creates it.
func (d *decoder) constant(c class, v uint64) ref {
	if c == word32 {
		v = uint64(uint32(v))
	}
	key := constant3{c, v}
	if row, ok := d.consts[key]; ok {
		return ref{row: row, class: c}
	}
	var row int32
	switch c {
	case word32:
		row = firstConst + int32(len(d.e.const32))
		d.e.const32 = append(d.e.const32, v)
	case word64:
		row = firstConst + int32(len(d.e.const64))
		d.e.const64 = append(d.e.const64, v)
	default:
		row = firstConst + int32(len(d.e.constP))
		all := uint32(0)
		if v != 0 {
			all = math.MaxUint32
		}
		d.e.constP = append(d.e.constP, all)
	}
	d.consts[key] = row
	return ref{row: row, class: c}
}

var specials = []string{"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
	"%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%dynamic_smem_size", "%total_smem_size"}

// source returns the row that holds the value of the source operand o. The instruction reads this
// operand as a value of type t. For a number or the address of a variable, the result is a row of
// constants.
func (d *decoder) source(o operand, t typ) ref {
	switch o.kind {
	case immediate:
		if o.not {
			d.fail("a number cannot be negated with !")
		}
		return d.constant(t.class(), o.value.as(t)&t.mask())
	case name:
		s, ok := d.find(o.name)
		switch {
		case ok && s.variable:
			if t.class() == bit {
				d.fail("%s is not a predicate", o.name)
			}
			return d.constant(t.class(), s.addr+uint64(o.offset))
		case ok:
			if o.offset != 0 || o.second != "" {
				d.fail("%s takes no offset here", o.name)
			}
			if s.class == bit && o.not {
				r := d.register(pred)
				d.emit(instr{kind: masked, run: notPredicate, d: r.row, dc: bit, a: s.row, ac: bit})
				return r
			}
			if o.not {
				d.fail("%s is not a predicate", o.name)
			}
			if (s.class == bit) != (t.class() == bit) {
				d.fail("%s is of type %s where %s is expected", o.name, s.typ, t)
			}
			return s.ref
		case slices.Contains(specials, o.name):
			row, ok := d.special[o.name]
			if !ok {
				row = firstConst + int32(len(d.e.const32))
				d.e.const32 = append(d.e.const32, 0)
				d.special[o.name] = row
				d.e.special = append(d.e.special, special{row, o.name})
			}
			return ref{row: row, class: word32, typ: u32}
		}
		d.fail("%s is not declared", o.name)
	}
	d.fail("an operand of another kind is expected")
	return ref{}
}

// destination returns the row to which an instruction writes its result. The operand "_" discards
// the result. For this operand, destination returns row 0 of class c, which no instruction reads.
func (d *decoder) destination(o operand, c class) ref {
	if o.kind != name || o.offset != 0 || o.not {
		d.fail("a register is expected where the result goes")
	}
	if o.name == "_" {
		return ref{class: c, typ: [...]typ{b32, b64, pred}[c]}
	}
	s, ok := d.find(o.name)
	if !ok {
		d.fail("%s is not declared", o.name)
	}
	if s.variable {
		d.fail("%s is not a register", o.name)
	}
	return s.ref
}

// emit appends an instruction to the entry's code, with the guard and the position of the current
// statement.
func (d *decoder) emit(in instr) *instr {
	in.guard = -1
	in.line, in.text = int32(d.st.line), d.st.text
	if g := d.st.guard; g.kind != absent {
		s, ok := d.find(g.name)
		if !ok || s.variable || s.class != bit {
			d.fail("%s is not a predicate", g.name)
		}
		in.guard = s.row
		if d.st.not {
			in.not = math.MaxUint32
		}
	}
	if in.size == 0 {
		in.size = 4
	}
	d.e.code = append(d.e.code, in)
	return &d.e.code[len(d.e.code)-1]
}

// branchTo records that a branch instruction jumps to the label with the given name. The first
// parameter is the index of this instruction in the code. For a branch with a table of targets, the
// last parameter is the index in the table; otherwise it is -1.
func (d *decoder) branchTo(in int, name string, entry int) {
	for _, m := range slices.Backward(d.labels) {
		if m == nil {
			break
		}
		if l := m[name]; l != nil {
			d.fixes = append(d.fixes, fix{in, l, entry})
			return
		}
	}
	d.fail("label %s is not defined", name)
}

func (d *decoder) settleBranches() {
	for _, f := range d.fixes {
		if f.entry < 0 {
			d.e.code[f.in].target = f.label.at
		} else {
			d.e.code[f.in].table[f.entry] = f.label.at
		}
	}
}

// call decodes a call: it inlines the called function.
func (d *decoder) call(o *opcode) {
	o.take("uni")
	o.done()
	args := d.st.args
	var results, actual []operand
	if len(args) > 0 && args[0].kind == list {
		results, args = args[0].list, args[1:]
	}
	if len(args) == 0 || args[0].kind != name {
		d.fail("a function is expected")
	}
	f := d.p.fns[args[0].name]
	if f == nil || f.body == nil {
		d.fail("function %s is not defined in the module", args[0].name)
	}
	if len(args) > 1 && args[1].kind == list {
		actual = args[1].list
	}
	if len(results) != len(f.results) || len(actual) != len(f.params) {
		d.fail("%s has %d results and %d parameters", f.name, len(f.results), len(f.params))
	}
	if slices.Contains(d.calls, f) {
		d.fail("%s calls itself", f.name)
	}
	st := d.st
	names := map[string]symbol{}
	bind := func(f formal, a operand) symbol {
		if f.register {
			return symbol{ref: d.register(f.typ)}
		}
		s, ok := d.find(a.name)
		if a.kind != name || !ok || !s.variable || s.space != local || s.size < f.size {
			d.fail("%s is not a parameter of %d bytes", a.name, f.size)
		}
		return s
	}
	for i, p := range f.params {
		names[p.name] = bind(p, actual[i])
	}
	for i, p := range f.results {
		names[p.name] = bind(p, results[i])
	}
	for i, p := range f.params {
		if p.register {
			d.move(names[p.name].ref, d.source(actual[i], p.typ), p.typ)
		}
	}
	over := -1
	if st.guard.kind != absent { // lanes that do not make the call jump over the inlined function
		in := d.emit(instr{kind: branch})
		in.not ^= math.MaxUint32
		over = len(d.e.code) - 1
	}
	end := &label{at: -1}
	d.names = append(d.names, nil, names)
	d.labels = append(d.labels, nil)
	d.calls = append(d.calls, f)
	d.ends = append(d.ends, end)
	d.scope(f.body)
	d.ends = d.ends[:len(d.ends)-1]
	d.calls = d.calls[:len(d.calls)-1]
	d.labels = d.labels[:len(d.labels)-1]
	d.names = d.names[:len(d.names)-2]
	d.st = st
	end.at = int32(len(d.e.code))
	for i, p := range f.results {
		if p.register {
			d.move(d.destination(results[i], p.typ.class()), names[p.name].ref, p.typ)
		}
	}
	if over >= 0 {
		d.e.code[over].target = int32(len(d.e.code))
	}
}

// move emits a copy from one row to another.
func (d *decoder) move(to, from ref, t typ) {
	if to.class == bit {
		d.emit(instr{kind: masked, run: movePredicate, d: to.row, dc: bit, a: from.row, ac: bit})
		return
	}
	d.general(to, t, func(a, _, _, _ uint64) uint64 { return a }, from)
}

// general emits an instruction that calls f for each active lane and writes the result to the row
// `to`. The result has type t.
func (d *decoder) general(to ref, t typ, f func(a, b, c, e uint64) uint64, args ...ref) *instr {
	in := instr{kind: masked, run: laneByLane, f: f, d: to.row, dc: to.class}
	in.keep = to.typ.mask()
	if t.signed() && to.typ.size() > t.size() {
		in.sign = t
	} else if to.class != bit {
		in.keep &= t.mask()
	}
	in.operands(args)
	return d.emit(in)
}

// opcode is the parsed name of an instruction.
type opcode struct {
	d     *decoder
	base  string
	mods  []string
	types []typ
}

func (d *decoder) opcode(s string) *opcode {
	parts := strings.Split(s, ".")
	o := &opcode{d: d, base: parts[0]}
	for _, m := range parts[1:] {
		if t, ok := types[m]; ok {
			o.types = append(o.types, t)
		} else {
			o.mods = append(o.mods, m)
		}
	}
	return o
}

// take reports whether the instruction has the modifier m. If it has, take removes m from the list of
// modifiers that are not decoded yet.
func (o *opcode) take(m string) bool {
	i := slices.Index(o.mods, m)
	if i < 0 {
		return false
	}
	o.mods = slices.Delete(o.mods, i, i+1)
	return true
}

// one returns the first modifier in ms that the instruction has, and removes this modifier. If the
// instruction has none of them, it returns "".
func (o *opcode) one(ms ...string) string {
	for _, m := range ms {
		if o.take(m) {
			return m
		}
	}
	return ""
}

// done ends the decoding with an error if the instruction still has modifiers. Each decoded modifier
// has been removed from the list, so the remaining ones are unknown.
func (o *opcode) done() {
	if len(o.mods) > 0 {
		o.d.fail("modifier .%s is not known here", o.mods[0])
	}
}

// want ends the decoding with an error unless the instruction's name contains n types.
func (o *opcode) want(n int) {
	if len(o.types) != n {
		o.d.fail("%d types are expected", n)
	}
}

// operands returns the operands of the current statement. If their number is not n, it ends the
// decoding with an error.
func (d *decoder) operands(n int) []operand {
	if len(d.st.args) != n {
		d.fail("%d operands are expected", n)
	}
	return d.st.args
}

func (t typ) String() string {
	for n, x := range types {
		if x == t {
			return "." + n
		}
	}
	return "none"
}
