// Package ptx compiles scalar programs to PTX kernels.
//
// Each parameter of a kernel has 8 bytes. The parameters are, in this order: the number of items n;
// a pointer for each output, then for each input; the sizes of the dimensions if there are several;
// the offset and strides, in elements, of each strided input and then of each strided output; and
// the run's integers. All parameters except the pointers come from scalar.Work.Ints.
//
// The items are divided among the threads by a grid-stride loop: a thread begins at the item with
// the thread's number, and advances by the number of threads in the grid. If the operands'
// alignment and the last dimension allow it, a thread computes several adjacent items at a time: as
// many as fit into 16 bytes of the widest operand, or fewer. The remaining items are computed one
// by one.
package ptx

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Header begins a module. Every GPU since sm_80 accepts it.
const Header = ".version 8.0\n.target sm_80\n.address_size 64\n"

// UsesLibdevice reports whether the kernel for p includes functions of libdevice.
func UsesLibdevice(p *scalar.Program) bool {
	if p.Check() != nil {
		return false
	}
	g := &gen{p: p}
	g.plan()
	g.kernel()
	return g.pastes > 0
}

// Compile returns a module with a kernel named entry that computes p.
func Compile(p *scalar.Program, entry string) (string, error) {
	if err := p.Check(); err != nil {
		return "", fmt.Errorf("ptx: %s: %w", entry, err)
	}
	g := &gen{p: p, entry: entry}
	g.plan()
	g.kernel()
	if g.err != nil {
		return "", fmt.Errorf("ptx: %s: %w", entry, g.err)
	}
	var b strings.Builder
	b.WriteString(Header + "\n")
	for _, t := range g.globals {
		b.WriteString(t + "\n")
	}
	for _, l := range strings.Split(strings.TrimSpace(p.String()), "\n") {
		b.WriteString("// " + l + "\n")
	}
	b.WriteString(".visible .entry " + entry + "(\n")
	for i, name := range g.params {
		sep := ","
		if i == len(g.params)-1 {
			sep = ""
		}
		b.WriteString("\t.param .u64 " + name + sep + "\n")
	}
	b.WriteString(")\n{\n")
	for c, n := range g.regs {
		if n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %s<%d>;\n", regTypes[c], regNames[c], n)
		}
	}
	b.WriteString("\n" + g.out.String() + "}\n")
	return b.String(), nil
}

// class is a kind of register.
type class int

const (
	pred class = iota
	b16
	b32
	b64
	f32
	f64
	classes
)

var (
	regTypes = [classes]string{"pred", "b16", "b32", "b64", "f32", "f64"}
	regNames = [classes]string{"%p", "%h", "%r", "%rd", "%f", "%fd"}
)

// reg holds a value: a register, or two registers for a complex number.
type reg struct{ a, b string }

// The levels of values. The level of a value says how it depends on the item.
const (
	fixed  = iota // the value is the same for all items
	joint         // the value is the same for adjacent items in the last dimension
	varied        // a different value for each item
)

// gen emits the PTX code of one kernel.
type gen struct {
	p       *scalar.Program
	entry   string
	out     strings.Builder
	err     error
	params  []string
	globals []string
	seen    map[string]bool // globals already declared
	regs    [classes]int
	labels  int
	pastes  int

	level []int
	width int // number of items that a thread computes at a time where possible

	// n, thread and stride are the registers with the number of items, the thread's number, and the
	// number of threads in the grid.
	n, thread, stride string
	small             string // predicate register: whether the number of items fits into 31 bits
	ptrOut, ptrIn     []string
	sizes             []string
	off               map[int]string   // by the number of the operand: 0, 1, … for the inputs, followed by the outputs
	strides           map[int][]string //
	ints              []string

	fixedVals []reg
}

// The method plan decides how often the kernel computes each value: once, once for several adjacent
// items, or once for each item. It also decides how many adjacent items a thread computes at a
// time.
func (g *gen) plan() {
	p := g.p
	g.level = make([]int, len(p.Ops))
	cost := 0
	for i := range p.Ops {
		o := &p.Ops[i]
		l := fixed
		for _, v := range o.Args {
			l = max(l, g.level[v])
		}
		switch o.Code {
		case scalar.Item:
			l = varied
		case scalar.Coord:
			l = joint
			if o.Number == p.Dims-1 {
				l = varied
			}
		case scalar.Load:
			switch in := p.Ins[o.Number]; {
			case in.Access == scalar.Contiguous, in.Access == scalar.Strided && in.Step != scalar.NoStep:
				l = varied
			case in.Access == scalar.Strided:
				l = max(l, joint)
			}
		}
		g.level[i] = l
		if l == varied {
			cost += opCost(o)
		}
	}
	widest, wide := 1, false
	for _, in := range p.Ins {
		widest = max(widest, in.DType.Size())
		wide = wide || in.Access == scalar.Contiguous || in.Step == scalar.UnitStep
	}
	for _, o := range p.Outs {
		widest = max(widest, o.DType.Size())
		wide = wide || o.Access == scalar.Contiguous || o.Step == scalar.UnitStep
	}
	g.width = 1
	if wide {
		g.width = min(16/widest, 8)
	}
	const most = 600 // largest number of instructions for the items that a thread computes at a time
	for g.width > 1 && g.width*cost > most {
		g.width /= 2
	}
}

// opCost returns the approximate number of instructions of an operation.
func opCost(o *scalar.Op) int {
	switch o.Code {
	case scalar.Const, scalar.Arg:
		return 0
	case scalar.Call:
		if c := callCost(o.Func, o.DType); c > 0 {
			return c
		}
		return 40
	case scalar.Div, scalar.Rem, scalar.Pow:
		return 20
	case scalar.Sqrt:
		return 8
	}
	return 2
}

// newReg returns a new register.
func (g *gen) newReg(c class) string {
	g.regs[c]++
	return fmt.Sprintf("%s%d", regNames[c], g.regs[c]-1)
}

// ins appends an instruction to the code.
func (g *gen) ins(format string, args ...any) {
	g.out.WriteByte('\t')
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteString(";\n")
}

func (g *gen) comment(format string, args ...any) {
	g.out.WriteString("\t// ")
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

// label returns a new label.
func (g *gen) label(name string) string {
	g.labels++
	return fmt.Sprintf("$%s_%d", name, g.labels)
}

func (g *gen) place(label string) { g.out.WriteString(label + ":\n") }

func (g *gen) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// set appends the instruction op with the operands args to the code. It returns the instruction's
// destination, a new register of class c.
func (g *gen) set(c class, op string, args ...string) string {
	d := g.newReg(c)
	g.ins("%s %s", op, strings.Join(append([]string{d}, args...), ", "))
	return d
}

// param adds a parameter and loads it.
func (g *gen) param(name string) string {
	name = g.entry + "_" + name
	g.params = append(g.params, name)
	return g.set(b64, "ld.param.u64", "["+name+"]")
}

func (g *gen) pointer(name string) string {
	return g.set(b64, "cvta.to.global.u64", g.param(name))
}

// operandName returns the prefix of the names of a strided operand's parameters.
func (g *gen) operandName(i int) string {
	if i < len(g.p.Ins) {
		return fmt.Sprintf("in%d", i)
	}
	return fmt.Sprintf("out%d", i-len(g.p.Ins))
}

func (g *gen) isStrided(i int) bool {
	if i < len(g.p.Ins) {
		return g.p.Ins[i].Access == scalar.Strided
	}
	return g.p.Outs[i-len(g.p.Ins)].Access == scalar.Strided
}

// kernel emits the body of the kernel.
func (g *gen) kernel() {
	p := g.p
	g.n = g.param("n")
	for i := range p.Outs {
		g.ptrOut = append(g.ptrOut, g.pointer(fmt.Sprintf("out%d", i)))
	}
	for i := range p.Ins {
		g.ptrIn = append(g.ptrIn, g.pointer(fmt.Sprintf("in%d", i)))
	}
	if p.Dims > 1 {
		for k := range p.Dims {
			g.sizes = append(g.sizes, g.param(fmt.Sprintf("size%d", k)))
		}
	}
	g.off, g.strides = map[int]string{}, map[int][]string{}
	for i := range len(p.Ins) + len(p.Outs) {
		if !g.isStrided(i) {
			continue
		}
		g.off[i] = g.param(g.operandName(i) + "_offset")
		for k := range p.Dims {
			g.strides[i] = append(g.strides[i], g.param(fmt.Sprintf("%s_stride%d", g.operandName(i), k)))
		}
	}
	for i := range p.Args {
		g.ints = append(g.ints, g.param(fmt.Sprintf("arg%d", i)))
	}
	ctaid, ntid := g.set(b32, "mov.u32", "%ctaid.x"), g.set(b32, "mov.u32", "%ntid.x")
	tid, nctaid := g.set(b32, "mov.u32", "%tid.x"), g.set(b32, "mov.u32", "%nctaid.x")
	first := g.set(b64, "mul.wide.u32", ctaid, ntid)
	g.thread = g.set(b64, "add.s64", first, g.set(b64, "cvt.u64.u32", tid))
	g.stride = g.set(b64, "mul.wide.u32", nctaid, ntid)
	if p.Dims > 1 && p.UsesDims() {
		g.small = g.set(pred, "setp.lt.u64", g.n, "2147483648")
	}
	g.fixedVals = make([]reg, len(p.Ops))
	for i := range p.Ops {
		if g.level[i] == fixed {
			g.note(i)
			g.fixedVals[i] = g.eval(&lanes{g: g, n: 1}, i, 0)
		}
	}
	done := "0"
	scalarLoop, end := g.label("items"), g.label("end")
	if g.width > 1 {
		g.comment("%d items at a time, where they are aligned", g.width)
		from := g.set(b64, "mov.u64", "0")
		g.aligned(scalarLoop)
		log := 0
		for 1<<log < g.width {
			log++
		}
		rounds := g.set(b64, "shr.u64", g.n, fmt.Sprint(log))
		g.ins("shl.b64 %s, %s, %d", from, rounds, log)
		g.loop(rounds, g.thread, func(i string) {
			g.body(g.width, g.set(b64, "shl.b64", i, fmt.Sprint(log)))
		})
		done = from
	}
	g.place(scalarLoop)
	start := g.thread
	if done != "0" {
		start = g.set(b64, "add.s64", g.thread, done)
	}
	g.loop(g.n, start, func(i string) { g.body(1, i) })
	g.place(end)
	g.ins("ret")
}

// loop emits a loop over items. The register i counts items: it goes from the parameter start, a
// thread's first item, to n, in steps of g.stride.
func (g *gen) loop(n, start string, body func(i string)) {
	again, out := g.label("loop"), g.label("done")
	i := g.set(b64, "mov.u64", start)
	p := g.set(pred, "setp.ge.s64", i, n)
	g.ins("@%s bra %s", p, out)
	g.place(again)
	body(i)
	g.ins("add.s64 %s, %s, %s", i, i, g.stride)
	g.ins("setp.lt.s64 %s, %s, %s", p, i, n)
	g.ins("@%s bra %s", p, again)
	g.place(out)
}

// vector reports whether one instruction reads or writes operand i for several adjacent items.
func (g *gen) vector(i int) bool {
	if i < len(g.p.Ins) {
		in := g.p.Ins[i]
		return in.Access == scalar.Contiguous || in.Step == scalar.UnitStep
	}
	o := g.p.Outs[i-len(g.p.Ins)]
	return o.Access == scalar.Contiguous || o.Step == scalar.UnitStep
}

func (g *gen) dtype(i int) tensor.DType {
	if i < len(g.p.Ins) {
		return g.p.Ins[i].DType
	}
	return g.p.Outs[i-len(g.p.Ins)].DType
}

// aligned emits a conditional jump to the label in the parameter other. The jump is taken if an
// operand of the vector loop is not aligned or the length of a row is not a multiple of the loop's
// width.
func (g *gen) aligned(other string) {
	rest := ""
	add := func(v string) {
		if rest == "" {
			rest = g.set(b64, "mov.u64", v)
			return
		}
		g.ins("or.b64 %s, %s, %s", rest, rest, v)
	}
	// An address must be a multiple of the size of an access, which is at most 16 bytes. All
	// addresses are checked together: each address is scaled so that it must be a multiple of 16.
	for i := range len(g.p.Ins) + len(g.p.Outs) {
		if !g.vector(i) {
			continue
		}
		bytes := min(16, g.width*g.dtype(i).Size())
		scaled := func(v string, by int) {
			if by > 1 {
				v = g.set(b64, "mul.lo.s64", v, fmt.Sprint(by))
			}
			add(v)
		}
		ptr := g.ptrIn
		j := i
		if i >= len(g.p.Ins) {
			ptr, j = g.ptrOut, i-len(g.p.Ins)
		}
		scaled(ptr[j], 16/bytes)
		if g.isStrided(i) {
			by := 16 / bytes * g.dtype(i).Size()
			scaled(g.off[i], by)
			for _, s := range g.strides[i][:g.p.Dims-1] {
				scaled(s, by)
			}
		}
	}
	if g.p.Dims > 1 && g.p.UsesDims() {
		add(g.set(b64, "mul.lo.s64", g.sizes[g.p.Dims-1], fmt.Sprint(16/g.width)))
	}
	g.ins("and.b64 %s, %s, 15", rest, rest)
	g.ins("@%s bra %s", g.set(pred, "setp.ne.s64", rest, "0"), other)
}

// note emits operation i as a comment.
func (g *gen) note(i int) {
	o := &g.p.Ops[i]
	s := fmt.Sprintf("%%%d = %s", i, o.Text())
	if o.Note != "" {
		s += "  " + strings.ReplaceAll(o.Note, "\n", " ")
	}
	g.comment("%s", s)
}
