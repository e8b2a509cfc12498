package ptx

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// lanes is a group of n adjacent items that a thread computes at a time.
type lanes struct {
	g     *gen
	n     int
	item  string   // the first item's number
	coord []string // the first item's coordinates
	// base holds, for each strided operand, the number of the element that belongs to the first
	// item.
	base  map[int]string
	vals  [][]reg       // the value of each operation: one value for all items, or one for each item
	loads map[int][]reg // vectors already read
}

// body emits the computation of n items. The number of the first item is in register item.
func (g *gen) body(n int, item string) {
	l := &lanes{g: g, n: n, item: item, base: map[int]string{}, vals: make([][]reg, len(g.p.Ops)), loads: map[int][]reg{}}
	if g.p.UsesDims() {
		l.coordinates()
	}
	for i := range g.p.Ops {
		switch g.level[i] {
		case fixed:
			l.vals[i] = []reg{g.fixedVals[i]}
			continue
		case joint:
			g.note(i)
			l.vals[i] = []reg{g.eval(l, i, 0)}
			continue
		}
		g.note(i)
		for k := range n {
			l.vals[i] = append(l.vals[i], g.eval(l, i, k))
		}
	}
	for i := range g.p.Outs {
		l.store(i)
	}
}

// val returns the value v in lane k.
func (l *lanes) val(v scalar.Value, k int) reg {
	if l.vals == nil {
		return l.g.fixedVals[v]
	}
	if vs := l.vals[v]; len(vs) > 1 {
		return vs[k]
	}
	return l.vals[v][0]
}

// coordinates emits the computation of the first item's coordinates, by dividing the item's number
// by the sizes of the dimensions. The divisions have 32 bits if the number of items in the kernel
// fits into 31 bits.
func (l *lanes) coordinates() {
	g, d := l.g, l.g.p.Dims
	if d == 1 {
		l.coord = []string{l.item}
		return
	}
	l.coord = make([]string, d)
	for k := range d {
		l.coord[k] = g.newReg(b64)
	}
	wide, join := g.label("wide"), g.label("coords")
	g.ins("@!%s bra %s", g.small, wide)
	r := g.set(b32, "cvt.u32.u64", l.item)
	for k := d - 1; k > 0; k-- {
		s := g.set(b32, "cvt.u32.u64", g.sizes[k])
		q := g.set(b32, "div.u32", r, s)
		m := g.set(b32, "mul.lo.u32", q, s)
		g.ins("cvt.u64.u32 %s, %s", l.coord[k], g.set(b32, "sub.u32", r, m))
		r = q
	}
	g.ins("cvt.u64.u32 %s, %s", l.coord[0], r)
	g.ins("bra %s", join)
	g.place(wide)
	r = l.item
	for k := d - 1; k > 0; k-- {
		q := g.set(b64, "div.u64", r, g.sizes[k])
		m := g.set(b64, "mul.lo.u64", q, g.sizes[k])
		g.ins("sub.u64 %s, %s, %s", l.coord[k], r, m)
		r = q
	}
	g.ins("mov.u64 %s, %s", l.coord[0], r)
	g.place(join)
}

// element returns a register with the number of the element of operand i that belongs to the first
// item. If this number is not yet in a register, it emits the code that computes the number.
func (l *lanes) element(i int) string {
	g := l.g
	if !g.isStrided(i) {
		return l.item
	}
	if e, ok := l.base[i]; ok {
		return e
	}
	step := scalar.AnyStep
	if i < len(g.p.Ins) {
		step = g.p.Ins[i].Step
	} else {
		step = g.p.Outs[i-len(g.p.Ins)].Step
	}
	e := g.off[i]
	for k, s := range g.strides[i] {
		if k == g.p.Dims-1 {
			if step == scalar.NoStep {
				continue
			}
			if step == scalar.UnitStep {
				e = g.set(b64, "add.s64", e, l.coord[k])
				continue
			}
		}
		e = g.set(b64, "add.s64", e, g.set(b64, "mul.lo.s64", l.coord[k], s))
	}
	l.base[i] = e
	return e
}

// address returns ptr + element·size.
func (g *gen) address(ptr, element string, size int) string {
	log := 0
	for 1<<log < size {
		log++
	}
	if log > 0 {
		element = g.set(b64, "shl.b64", element, fmt.Sprint(log))
	}
	return g.set(b64, "add.s64", ptr, element)
}

// load emits the load of an input's element for item k of the group, and returns the value.
func (l *lanes) load(o *scalar.Op, k int) reg {
	g := l.g
	in := g.p.Ins[o.Number]
	ptr := g.ptrIn[o.Number]
	d := scalar.Plain(in.DType)
	guard := ""
	if o.Guarded {
		guard = l.val(o.Args[len(o.Args)-1], k).a
	}
	switch {
	case in.Access == scalar.Scalar:
		return g.read(ptr, d, guard)
	case in.Access == scalar.Indexed:
		return g.read(g.address(ptr, l.val(o.Args[0], k).a, d.Size()), d, guard)
	case l.n == 1 || in.Step == scalar.NoStep:
		return g.read(g.address(ptr, l.element(o.Number), d.Size()), d, guard)
	}
	vec := in.Access == scalar.Contiguous || in.Step == scalar.UnitStep
	if vec && !o.Guarded {
		if l.loads[o.Number] == nil {
			l.loads[o.Number] = g.readVector(g.address(ptr, l.element(o.Number), d.Size()), d, l.n)
		}
		return l.loads[o.Number][k]
	}
	e := l.element(o.Number)
	if k > 0 {
		step := fmt.Sprint(k)
		if !vec {
			step = g.set(b64, "mul.lo.s64", g.strides[o.Number][g.p.Dims-1], step)
		}
		e = g.set(b64, "add.s64", e, step)
	}
	return g.read(g.address(ptr, e, d.Size()), d, guard)
}

// store writes output i for all lanes.
func (l *lanes) store(i int) {
	g := l.g
	o := g.p.Outs[i]
	d := scalar.Plain(o.DType)
	e := l.element(len(g.p.Ins) + i)
	vs := make([]reg, l.n)
	for k := range vs {
		vs[k] = l.val(o.Value, k)
	}
	if l.n > 1 && g.vector(len(g.p.Ins)+i) {
		g.writeVector(g.address(g.ptrOut[i], e, d.Size()), d, vs)
		return
	}
	for k, v := range vs {
		if k > 0 {
			e = g.set(b64, "add.s64", e, g.strides[len(g.p.Ins)+i][g.p.Dims-1])
		}
		g.write(g.address(g.ptrOut[i], e, d.Size()), d, v)
	}
}

// memType returns the PTX type for loads and stores of an element of type d, and the class of the
// element's registers.
func memType(d tensor.DType) (string, class) {
	switch d {
	case tensor.Half, tensor.BFloat16:
		return "b16", b16
	case tensor.Float32, tensor.Complex64:
		return "f32", f32
	case tensor.Float64, tensor.Complex128:
		return "f64", f64
	case tensor.Int8:
		return "s8", b32
	case tensor.Uint8, tensor.Bool:
		return "u8", b32
	case tensor.Int16:
		return "s16", b32
	case tensor.Uint16:
		return "u16", b32
	case tensor.Int32:
		return "s32", b32
	case tensor.Uint32:
		return "u32", b32
	case tensor.Int64:
		return "s64", b64
	}
	return "u64", b64
}

// regOf returns the class of a value's registers.
func regOf(d tensor.DType) class {
	switch d {
	case tensor.Bool:
		return pred
	case tensor.Half, tensor.BFloat16:
		return f32
	}
	_, c := memType(d)
	return c
}

// read emits the load of an element at an address. If guard is not "", it is the name of a
// predicate register: the element is loaded only if the predicate is true, and is otherwise 0.
func (g *gen) read(addr string, d tensor.DType, guard string) reg {
	t, c := memType(d)
	at := ""
	if guard != "" {
		at = "@" + guard + " "
	}
	fresh := func() string {
		r := g.newReg(c)
		if guard != "" {
			g.ins("mov.%s %s, %s", regTypes[c], r, zeroOf(c))
		}
		return r
	}
	a := fresh()
	if d == tensor.Complex64 || d == tensor.Complex128 {
		b := fresh()
		g.ins("%sld.global.v2.%s {%s, %s}, [%s]", at, t, a, b, addr)
		return reg{a, b}
	}
	g.ins("%sld.global.%s %s, [%s]", at, t, a, addr)
	return reg{a: g.unpack(d, a)}
}

func zeroOf(c class) string {
	switch c {
	case f32:
		return "0f00000000"
	case f64:
		return "0d0000000000000000"
	}
	return "0"
}

// unpack converts register r from the form in which a load returns a value of type d to the form
// for computation.
func (g *gen) unpack(d tensor.DType, r string) string {
	switch d {
	case tensor.Half:
		return g.set(f32, "cvt.f32.f16", r)
	case tensor.BFloat16:
		return g.fromBF16(r)
	case tensor.Bool:
		return g.set(pred, "setp.ne.u32", r, "0")
	}
	return r
}

// fromBF16 widens a 16-bit value to 32 bits.
func (g *gen) fromBF16(h string) string {
	r := g.set(b32, "cvt.u32.u16", h)
	return g.set(f32, "mov.b32", g.set(b32, "shl.b32", r, "16"))
}

// pack converts register r from the form for computation to the form in which a store takes a value
// of type d.
func (g *gen) pack(d tensor.DType, r string) string {
	switch d {
	case tensor.Half:
		return g.set(b16, "cvt.rn.f16.f32", r)
	case tensor.BFloat16:
		return g.set(b16, "cvt.rn.bf16.f32", r)
	case tensor.Bool:
		return g.set(b32, "selp.u32", "1", "0", r)
	}
	return r
}

func (g *gen) write(addr string, d tensor.DType, v reg) {
	t, _ := memType(d)
	if v.b != "" {
		g.ins("st.global.v2.%s [%s], {%s, %s}", t, addr, v.a, v.b)
		return
	}
	g.ins("st.global.%s [%s], %s", storeType(t), addr, g.pack(d, v.a))
}

// storeType returns the type of a store for the type of a load. It is unsigned, because a store
// does not depend on the sign.
func storeType(t string) string { return strings.Replace(t, "s", "u", 1) }

// readVector loads n adjacent elements.
func (g *gen) readVector(addr string, d tensor.DType, n int) []reg {
	t, c := memType(d)
	out := make([]reg, 0, n)
	if c == b16 { // each 32-bit register gets two 16-bit elements
		words := make([]string, n/2)
		for i := range words {
			words[i] = g.newReg(b32)
		}
		g.ins("ld.global.%sb32 %s, [%s]", vecPrefix(len(words)), vecList(words), addr)
		for _, w := range words {
			lo, hi := g.newReg(b16), g.newReg(b16)
			g.ins("mov.b32 {%s, %s}, %s", lo, hi, w)
			out = append(out, reg{a: g.unpack(d, lo)}, reg{a: g.unpack(d, hi)})
		}
		return out
	}
	parts, size := n, d.Size()
	cplx := d == tensor.Complex64 || d == tensor.Complex128
	if cplx {
		parts, size = 2*n, size/2
	}
	regs := make([]string, parts)
	for i := range regs {
		regs[i] = g.newReg(c)
	}
	for i := 0; i < parts; {
		k := min(parts-i, 4, 16/size)
		g.ins("ld.global.%s%s %s, [%s]", vecPrefix(k), t, vecList(regs[i:i+k]), plus(addr, i*size))
		i += k
	}
	for i := 0; i < parts; i++ {
		if cplx {
			out = append(out, reg{regs[i], regs[i+1]})
			i++
			continue
		}
		out = append(out, reg{a: g.unpack(d, regs[i])})
	}
	return out
}

// writeVector stores adjacent elements.
func (g *gen) writeVector(addr string, d tensor.DType, vs []reg) {
	t, c := memType(d)
	var regs []string
	for _, v := range vs {
		regs = append(regs, g.pack(d, v.a))
		if v.b != "" {
			regs = append(regs, v.b)
		}
	}
	if c == b16 {
		words := make([]string, len(regs)/2)
		for i := range words {
			words[i] = g.newReg(b32)
			g.ins("mov.b32 %s, {%s, %s}", words[i], regs[2*i], regs[2*i+1])
		}
		g.ins("st.global.%sb32 [%s], %s", vecPrefix(len(words)), addr, vecList(words))
		return
	}
	size := d.Size()
	if vs[0].b != "" {
		size /= 2
	}
	for i := 0; i < len(regs); {
		k := min(len(regs)-i, 4, 16/size)
		g.ins("st.global.%s%s [%s], %s", vecPrefix(k), storeType(t), plus(addr, i*size), vecList(regs[i:i+k]))
		i += k
	}
}

func plus(addr string, n int) string {
	if n == 0 {
		return addr
	}
	return fmt.Sprintf("%s+%d", addr, n)
}

func vecPrefix(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("v%d.", n)
}

func vecList(rs []string) string {
	if len(rs) == 1 {
		return rs[0]
	}
	return "{" + strings.Join(rs, ", ") + "}"
}
