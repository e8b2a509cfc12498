package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// V is a virtual vector register. allocate assigns the numbers of the real registers.
type V int

// inst is one line of a function.
type inst struct {
	op           string        // the name of a vector instruction
	imm          int           //
	text         func() string // any other instruction
	defs, uses   []V           // the registers written and read
	d, n, m      V             //
	label        string        // before the instruction
	to           string        // the label to which the line may jump
	falls        bool          // whether the next line may run after this one
	depth        int           // how many loops contain the line
	needsHoisted bool          // whether constants that stay in registers are loaded here
}

// key is a constant of sixteen bytes.
type key struct{ lo, hi uint64 }

// pool holds the constants of a file.
type pool struct {
	name string
	keys []key
}

func (p *pool) offset(k key) int {
	i := slices.Index(p.keys, k)
	if i < 0 {
		i = len(p.keys)
		p.keys = append(p.keys, k)
	}
	return 16 * i
}

// fn is a function being written. gp allocates general registers, which are never freed.
type fn struct {
	name, signature string
	args            []param
	code            []inst
	next            V
	fixed           map[V]int // registers whose numbers are prescribed
	consts          map[V]key
	byKey           map[key]V
	gps             []string
	labels          int
	depth           int
	pool            *pool
	base            string // of the pool
	frame           int
}

// param is a parameter or result of a function.
type param struct {
	name, kind string
	offset     int
}

// newFunc starts a function func(params) result; a parameter is "name type".
func newFunc(p *pool, name, result string, params ...string) *fn {
	f := &fn{name: name, fixed: map[V]int{}, consts: map[V]key{}, byKey: map[key]V{}, pool: p}
	f.gps = strings.Fields("R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R19 R20 R21 R22 R23 R24 R25")
	off := 0
	place := func(name, kind string) {
		size := 8
		if kind == "float32" {
			size = 4
		}
		off = (off + size - 1) / size * size
		f.args = append(f.args, param{name, kind, off})
		off += size
	}
	for _, s := range params {
		n, k, _ := strings.Cut(s, " ")
		place(n, k)
	}
	f.signature = "(" + strings.Join(params, ", ") + ")"
	if result != "" {
		off = (off + 7) / 8 * 8
		place("ret", result)
		f.signature += " " + result
	}
	f.frame = off
	return f
}

func (f *fn) gp() string {
	r := f.gps[0]
	f.gps = f.gps[1:]
	return r
}

func (f *fn) reg() V { f.next++; return f.next }

func (f *fn) add(i inst) {
	i.depth = f.depth
	if i.to == "" {
		i.falls = true
	}
	f.code = append(f.code, i)
}

// line writes an instruction without vector registers.
func (f *fn) line(format string, a ...any) {
	s := fmt.Sprintf(format, a...)
	f.add(inst{text: func() string { return s }})
}

// jump writes a branch. An unconditional one (B) never falls through.
func (f *fn) jump(op, args, to string) {
	s := op + " " + args + to
	f.add(inst{text: func() string { return s }, to: to, falls: op != "B"})
}

func (f *fn) label(s string) { f.add(inst{label: s}) }

func (f *fn) name1(s string) string {
	f.labels++
	return fmt.Sprintf("%s%d", s, f.labels)
}

// arg reads a parameter into a general register.
func (f *fn) arg(name string) string {
	r := f.gp()
	f.line("MOVD %s+%d(FP), %s", name, f.at(name), r)
	return r
}

func (f *fn) at(name string) int {
	for _, a := range f.args {
		if a.name == name {
			return a.offset
		}
	}
	panic("no parameter " + name)
}

// vec writes a vector instruction with all its operands.
func (f *fn) vec(op string, d, n, m V, imm int) {
	o, ok := opcodes[op]
	if !ok {
		panic("no instruction " + op)
	}
	i := inst{op: op, d: d, n: n, m: m, imm: imm, defs: []V{d}, uses: []V{n}}
	switch o.form {
	case three, element:
		i.uses = append(i.uses, m)
	case table:
		i.uses = append(i.uses, m, n+1)
	}
	if o.reads {
		i.uses = append(i.uses, d)
	}
	f.add(i)
}

// op2 and op1 allocate a register for the result and return it.
func (f *fn) op2(op string, n, m V) V { d := f.reg(); f.vec(op, d, n, m, 0); return d }
func (f *fn) op1(op string, n V) V    { d := f.reg(); f.vec(op, d, n, 0, 0); return d }
func (f *fn) shift(op string, n V, by int) V {
	d := f.reg()
	f.vec(op, d, n, 0, by)
	return d
}

// copy returns a new register with n's value.
func (f *fn) copy(n V) V { return f.op1("mov", n) }

// memory writes an instruction on vector registers and memory. {0}, {1}, … in format stand
// for the registers' numbers.
func (f *fn) memory(defs, uses []V, format string, a ...any) {
	rest := fmt.Sprintf(format, a...)
	all := append(slices.Clone(defs), uses...)
	f.add(inst{defs: defs, uses: uses, text: func() string {
		s := rest
		for i, v := range all {
			s = strings.ReplaceAll(s, fmt.Sprintf("{%d}", i), fmt.Sprint(f.fixed[v]))
		}
		return s
	}})
}

// load and store move sixteen bytes.
func (f *fn) load(base string, off int) V {
	d := f.reg()
	f.memory([]V{d}, nil, "FMOVQ %d(%s), F{0}", off, base)
	return d
}

func (f *fn) store(v V, base string, off int) {
	f.memory(nil, []V{v}, "FMOVQ F{0}, %d(%s)", off, base)
}

// load2 and store2 move thirty-two adjacent bytes.
func (f *fn) load2(base string, off int) (V, V) {
	d, e := f.reg(), f.reg()
	f.memory([]V{d, e}, nil, "FLDPQ %d(%s), (F{0}, F{1})", off, base)
	return d, e
}

func (f *fn) store2(v, w V, base string, off int) {
	f.memory(nil, []V{v, w}, "FSTPQ (F{0}, F{1}), %d(%s)", off, base)
}

// every writes code that loads one element from memory into all lanes of a register. The parameter kind
// is S4 for 32-bit lanes or D2 for 64-bit lanes.
func (f *fn) every(base, kind string) V {
	d := f.reg()
	f.memory([]V{d}, nil, "VLD1R (%s), [V{0}.%s]", base, kind)
	return d
}

// broadcast returns a register with a float parameter in every lane.
func (f *fn) broadcast(name string) V {
	d := f.reg()
	op, dup := "FMOVS", "dup"
	for _, a := range f.args {
		if a.name == name && a.kind == "float64" {
			op, dup = "FMOVD", "dupd"
		}
	}
	f.memory([]V{d}, nil, "%s %s+%d(FP), F{0}", op, name, f.at(name))
	return f.op1(dup, d)
}

// result writes code that makes the function return the first element of v.
func (f *fn) result(v V) {
	op := "FMOVS"
	if a := f.args[len(f.args)-1]; a.kind == "float64" {
		op = "FMOVD"
	}
	f.memory(nil, []V{v}, "%s F{0}, ret+%d(FP)", op, f.at("ret"))
	f.ret()
}

func (f *fn) ret() {
	f.add(inst{text: func() string { return "RET" }, to: "-"})
	f.code[len(f.code)-1].falls = false
}

func (f *fn) zero() V {
	d := f.reg()
	f.memory([]V{d}, nil, "VEOR V{0}.B16, V{0}.B16, V{0}.B16")
	return d
}

// constant returns a register that holds the constant k. If enough registers are free, this register
// holds the constant for the whole function.
func (f *fn) constant(k key) V {
	v, ok := f.byKey[k]
	if !ok {
		v = f.reg()
		f.byKey[k], f.consts[v] = v, k
	}
	return v
}

// w32, f32, w64 and f64 return a register that holds a constant in all lanes.
func (f *fn) w32(u uint32) V  { return f.w64(uint64(u)<<32 | uint64(u)) }
func (f *fn) f32(x float64) V { return f.w32(math.Float32bits(float32(x))) }
func (f *fn) w64(u uint64) V  { return f.constant(key{u, u}) }
func (f *fn) f64(x float64) V { return f.w64(math.Float64bits(x)) }

// hoist marks the place where constants are loaded. Every path to a use of a constant must pass
// this place.
func (f *fn) hoist() { f.add(inst{needsHoisted: true}) }

// pair loads the table words(0), …, words(7) into two consecutive registers. The first argument is the
// number of the first register. The result is this register.
func (f *fn) pair(at int, words func(i int) uint32) V {
	lo := f.reg()
	hi := f.reg()
	f.fixed[lo], f.fixed[hi] = at, at+1
	for i, d := range []V{lo, hi} {
		w := func(j int) uint64 { return uint64(words(4*i + j)) }
		f.fromPool(d, key{w(0) | w(1)<<32, w(2) | w(3)<<32})
	}
	return lo
}

// fromPool loads a constant into d.
func (f *fn) fromPool(d V, k key) { f.code = append(f.code, f.poolLoad(d, k, f.depth)) }

func (f *fn) poolLoad(d V, k key, depth int) inst {
	if f.base == "" {
		f.base = "R17" // never allocated by gp
	}
	off := f.pool.offset(k)
	return inst{defs: []V{d}, falls: true, depth: depth, text: func() string {
		return fmt.Sprintf("FMOVQ %d(%s), F%d", off, f.base, f.fixed[d])
	}}
}

// repeat writes a loop over n vectors of the rows to which the registers ps point. The loop is
// unrolled: it computes several vectors in each iteration (the parameter unroll is their number), and
// then the rest one by one. The function body writes the code for one vector. For each vector,
// by[i] bytes are added to the pointer ps[i]. The register n is overwritten.
func (f *fn) repeat(n string, unroll int, ps []string, by []int, body func(u int)) {
	counts := []int{1}
	if unroll > 1 {
		counts = []int{unroll, 1}
	}
	end := f.name1("end")
	for i, c := range counts {
		loop, done := f.name1("loop"), f.name1("done")
		if i == len(counts)-1 {
			done = end
		}
		if c > 1 {
			f.line("SUBS $%d, %s, %s", c, n, n)
			f.jump("BLT", "", done)
		} else {
			f.jump("CBZ", n+", ", done)
		}
		f.label(loop)
		f.depth++
		for u := range c {
			body(u)
		}
		for j, p := range ps {
			f.line("ADD $%d, %s", c*by[j], p)
		}
		f.line("SUBS $%d, %s, %s", c, n, n)
		f.depth--
		if c > 1 {
			f.jump("BGE", "", loop)
			f.label(done)
			f.line("ADD $%d, %s", c, n)
		} else {
			f.jump("BNE", "", loop)
		}
	}
	f.label(end)
}
