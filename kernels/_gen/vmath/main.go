// Command vmath writes the float32 vector functions of kernels/internal/vmath,
// each for AVX-512 and AVX2, and the Go functions that call them.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// V is a vector register.
type V = VecVirtual

// vec writes one function for one width: 16 floats with AVX-512, 8 with AVX2.
type vec struct{ wide bool }

func (m vec) lanes() int {
	if m.wide {
		return 16
	}
	return 8
}

func (m vec) bytes() int { return 4 * m.lanes() }

func (m vec) name(s string) string {
	if m.wide {
		return s + "512"
	}
	return s + "256"
}

func (m vec) reg() V {
	if m.wide {
		return ZMM()
	}
	return YMM()
}

// half returns a register of half the width of m's registers.
func (m vec) half() V {
	if m.wide {
		return YMM()
	}
	return XMM()
}

var known = map[string]Mem{}

// table returns the address of a constant of n 32-bit words. words(i) is the value of word i.
func table(name string, n int, words func(i int) uint32) Mem {
	if c, ok := known[name]; ok {
		return c
	}
	c := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range n / 2 {
		DATA(8*i, U64(uint64(words(2*i))|uint64(words(2*i+1))<<32))
	}
	known[name] = c
	return c
}

// bits returns the address of a constant vector whose 32-bit words are all u.
func bits(u uint32) Mem {
	return table(fmt.Sprintf("w%08x", u), 8, func(int) uint32 { return u })
}

// f32 returns the address of a constant vector whose floats are all x.
func f32(x float64) Mem { return bits(math.Float32bits(float32(x))) }

// bits64 returns the address of a constant vector whose 64-bit words are all u.
func bits64(u uint64) Mem {
	return table(fmt.Sprintf("q%016x", u), 8, func(i int) uint32 { return uint32(u >> (i % 2 * 32)) })
}

// f64 returns the address of a constant vector whose doubles are all x.
func f64(x float64) Mem { return bits64(math.Float64bits(x)) }

// load returns a new register with a copy of a vector in memory or in a register.
func (m vec) load(from Op) V {
	v := m.reg()
	VMOVUPS(from, v)
	return v
}

func (m vec) zero() V {
	v := m.reg()
	if m.wide {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
	return v
}

// The operations below allocate a register for the result. Operands of type Op may be in
// memory.

func (m vec) add(a V, b Op) V { v := m.reg(); VADDPS(b, a, v); return v }
func (m vec) sub(a V, b Op) V { v := m.reg(); VSUBPS(b, a, v); return v }
func (m vec) mul(a V, b Op) V { v := m.reg(); VMULPS(b, a, v); return v }
func (m vec) div(a V, b Op) V { v := m.reg(); VDIVPS(b, a, v); return v }

// max and min return b if a or b is NaN, or if both are zero.
func (m vec) max(a V, b Op) V { v := m.reg(); VMAXPS(b, a, v); return v }
func (m vec) min(a V, b Op) V { v := m.reg(); VMINPS(b, a, v); return v }

// clamp limits x to [lo, hi]; a NaN stays NaN.
func (m vec) clamp(x V, lo, hi float64) V {
	return m.max(m.load(f32(lo)), m.min(m.load(f32(hi)), x))
}

func (m vec) and(a V, b Op) V {
	v := m.reg()
	if m.wide {
		VPANDD(b, a, v)
	} else {
		VANDPS(b, a, v)
	}
	return v
}

func (m vec) or(a V, b Op) V {
	v := m.reg()
	if m.wide {
		VPORD(b, a, v)
	} else {
		VORPS(b, a, v)
	}
	return v
}

func (m vec) abs(x V) V         { return m.and(x, bits(1<<31-1)) }
func (m vec) sign(x V) V        { return m.and(x, bits(1<<31)) }
func (m vec) copySign(y, x V) V { return m.or(y, m.sign(x)) }

// fma returns a·b + c. nma returns c - a·b. Both overwrite c.
func (m vec) fma(a V, b Op, c V) V { VFMADD231PS(b, a, c); return c }
func (m vec) nma(a V, b Op, c V) V { VFNMADD231PS(b, a, c); return c }

// poly returns c[0] + c[1]·x + ….
func (m vec) poly(x V, c []float64) V {
	p := m.load(f32(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		VFMADD213PS(f32(c[i]), x, p)
	}
	return p
}

// Predicates of comparisons.
const (
	equal     = 0
	less      = 1
	unordered = 3
	notLess   = 5
	notGE     = 9
	greater   = 14
)

// choose returns a vector of lanes. Where the comparison a op b is true, the lane is taken from the
// operand yes, and elsewhere from the vector no.
func (m vec) choose(op int, a V, b Op, yes Op, no V) V {
	v := m.load(no)
	if m.wide {
		k := K()
		VCMPPS(Imm(uint64(op)), b, a, k)
		VMOVUPS(yes, k, v)
		return v
	}
	k := m.reg()
	VCMPPS(Imm(uint64(op)), b, a, k)
	VBLENDVPS(k, yes, no, v)
	return v
}

// chooseNegative returns a vector of lanes. Where the sign bit of x is set, the lane is taken from the
// vector yes, and elsewhere from the vector no.
func (m vec) chooseNegative(x, yes, no V) V {
	v := m.load(no)
	if m.wide {
		k := K()
		VPMOVD2M(x, k)
		VMOVAPS(yes, k, v)
		return v
	}
	VBLENDVPS(x, yes, no, v)
	return v
}

// tail writes code that computes a mask for the last n floats of a row, which are too few for a vector.
// It returns functions that read and write only these floats. The code overwrites n.
func (m vec) tail(n GPVirtual) access {
	var c access
	if m.wide {
		r, k := GP32(), K()
		MOVL(U32(0xffffffff), r)
		BZHIL(n.As32(), r, r)
		KMOVW(r, k)
		c.get = func(at Mem) V { v := m.reg(); VMOVUPS_Z(at, k, v); return v }
		c.put = func(v V, at Mem) { VMOVUPS(v, k, at) }
		c.keep = func(v, other V) V { w := m.load(other); VMOVAPS(v, k, w); return w }
		return c
	}
	r, k := GP64(), m.reg()
	LEAQ(table("tails", 16, func(i int) uint32 {
		if i < 8 {
			return 1<<32 - 1
		}
		return 0
	}), r)
	NEGQ(n)
	VMOVUPS(Mem{Base: r, Index: n, Scale: 4, Disp: 32}, k)
	c.get = func(at Mem) V { v := m.reg(); VMASKMOVPS(at, k, v); return v }
	c.put = func(v V, at Mem) { VMASKMOVPS(v, k, at) }
	c.keep = func(v, other V) V { w := m.reg(); VBLENDVPS(k, v, other, w); return w }
	return c
}

// access holds functions that read and write a vector of a row: the whole vector, or only its first
// floats.
type access struct {
	at   func(p int) Mem // the address of the current vector at ps[p]
	get  func(Mem) V     // loads a vector, with 0 in the lanes beyond the row
	put  func(V, Mem)
	keep func(v, other V) V // returns v, but takes the lanes beyond the row from the second argument
	u    int                // the vector's number in an iteration of the unrolled loop
}

// loop writes loops over n floats at the pointers ps. The function body writes the code for one vector.
// The first loop processes several vectors in each iteration (the parameter unroll is their number). The
// second loop processes single vectors. The code after the loops processes the remaining floats.
func (m vec) loop(n GPVirtual, unroll int, ps []GPVirtual, body func(c access)) {
	at := func(u int) func(int) Mem {
		return func(p int) Mem { return Mem{Base: ps[p], Disp: u * m.bytes()} }
	}
	whole := func(u int) {
		body(access{at(u), func(a Mem) V { return m.load(a) }, func(v V, a Mem) { VMOVUPS(v, a) }, func(v, _ V) V { return v }, u})
	}
	counts := []int{1}
	if unroll > 1 {
		counts = []int{unroll, 1}
	}
	for _, c := range counts {
		by := uint64(c * m.lanes())
		l, done := label("by"), label("done")
		SUBQ(Imm(by), n)
		JB(LabelRef(done))
		Label(l)
		for u := range c {
			whole(u)
		}
		for _, p := range ps {
			ADDQ(U32(uint32(c*m.bytes())), p)
		}
		SUBQ(Imm(by), n)
		JAE(LabelRef(l))
		Label(done)
		ADDQ(Imm(by), n)
	}
	finish := label("end")
	TESTQ(n, n)
	JZ(LabelRef(finish))
	c := m.tail(n)
	c.at = at(0)
	body(c)
	Label(finish)
}

var labels int

// label returns a unique name.
func label(s string) string {
	labels++
	return fmt.Sprintf("%s%d", s, labels)
}

func arg(s string) GPVirtual {
	r := GP64()
	Load(Param(s), r)
	return r
}

// param returns a parameter's address, for broadcasts. Loading the parameter into a register takes
// a legacy SSE move, which is slow after wide instructions.
func param(s string) Mem {
	b, err := Param(s).Resolve()
	if err != nil {
		log.Fatal(err)
	}
	return b.Addr
}

// broadcast returns a parameter in every lane.
func (m vec) broadcast(s string) V {
	v := m.reg()
	VBROADCASTSS(param(s), v)
	return v
}

// each writes a function at both widths.
func each(f func(m vec)) {
	f(vec{true})
	f(vec{false})
}

func (m vec) begin(name, signature string) {
	labels = 0
	TEXT(m.name(name), NOSPLIT, signature)
	Pragma("noescape")
}

func end() {
	VZEROUPPER()
	RET()
}

// unary writes dst[i] = f(src[i]); doc is the formula.
func unary(name, doc string, unroll int, f func(m vec, x V) V) {
	each(func(m vec) {
		m.begin(name, "func(dst *float32, src *float32, n int)")
		dst, src, n := arg("dst"), arg("src"), arg("n")
		m.loop(n, unroll, []GPVirtual{dst, src}, func(c access) {
			c.put(f(m, c.get(c.at(1))), c.at(0))
		})
		end()
	})
	unaries = append(unaries, call{name, doc, false, onlyHere})
}

// call describes the assembly functions for one formula. writeCalls writes the exported Go functions
// that call these assembly functions.
type call struct {
	name, doc string
	commutes  bool
	only      bool // for amd64 alone
}

// onlyHere is true while the generator writes functions that exist only for amd64.
var onlyHere bool

// only calls f, which writes functions that exist only for amd64. onlyHere is true during this call.
func only(f func()) {
	onlyHere = true
	f()
	onlyHere = false
}

var unaries, binaryCalls []call

func main() {
	calls := flag.String("calls", ".", "directory for the Go functions")
	ConstraintExpr("amd64,!noasm")
	exponentials()
	logarithms()
	simple()
	binaries()
	reductions()
	layerNorms()
	softmaxes()
	softmaxShort()
	softmaxGroups()
	columnFolds()
	rowFolds()
	finds()
	integers()
	comparisons()
	selects()
	conversions()
	clip()
	gathered()
	copies()
	trigonometry()
	powers()
	others()
	inverses()
	halves()
	Generate()
	broadcastConstants()
	writeCalls(*calls)
}
