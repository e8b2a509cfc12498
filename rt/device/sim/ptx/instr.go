package ptx

import "sync"

// kind says how the scheduler handles an instruction.
type kind uint8

const (
	// the function instr.run computes all 32 lanes; the scheduler preserves the values of inactive
	// lanes
	compute kind = iota
	// the function instr.run computes only the lanes in the warp's mask, and may fault
	masked
	// like masked, but the instruction waits until all lanes in its member mask have arrived
	synced
	branch
	branchTable
	leave // exit, or ret outside of a called function
	barrier
	nothing
)

// ref refers to a row: a register or constant, with a value for each lane of a warp.
type ref struct {
	row   int32
	class class
	typ   typ // the type of the register
}

// instr is a decoded instruction.
type instr struct {
	run   func(w *warp, in *instr)
	kind  kind
	guard int32 // row of the guard predicate, -1 for none
	not   uint32

	d, a, b, c, e      int32 // rows
	dc, ac, bc, cc, ec class
	q                  int32  // row of a second result, which is a predicate; -1 for none
	keep               uint64 // mask of those bits of the result that are stored
	sign               typ    // results are sign-extended from this type; noType means no sign extension
	f                  func(a, b, c, e uint64) uint64
	count              int // number of operands of the function f

	vec   []ref // operands in braces
	disp  uint64
	size  int // bytes of an element
	total int // bytes of all elements
	space space
	what  string
	mode  uint8
	// aligned marks barriers at which all lanes of a warp must execute the same instruction.
	aligned bool
	// whether the access is volatile, relaxed, acquire or release, and thus not checked for races
	volatile bool
	target   int32
	table    []int32
	line     int32
	text     string
	// for kind compute: a copy of this instruction that writes its result to row 0
	blend *instr
}

// operands sets the operands of an instruction: their rows in the fields a, b, c and e, and their
// storage classes in the fields ac, bc, cc and ec.
func (in *instr) operands(refs []ref) {
	in.count = len(refs)
	for i, r := range refs {
		switch i {
		case 0:
			in.a, in.ac = r.row, r.class
		case 1:
			in.b, in.bc = r.row, r.class
		case 2:
			in.c, in.cc = r.row, r.class
		case 3:
			in.e, in.ec = r.row, r.class
		}
	}
}

// entry is a decoded kernel.
type entry struct {
	name   string
	params []variable
	offset []int
	code   []instr
	// number of rows for 32-bit registers; the rows of 32-bit constants follow
	n32 int
	n64 int
	np  int
	const32,
	const64 []uint64
	constP  []uint32
	special []special
	shared  int // bytes of static shared memory
	dynamic bool
	local   int // bytes of local memory per thread
	size    int // bytes of parameters
	atomic  bool
	spare   sync.Pool // of *block
}

// special describes a special register, such as %tid.x, whose 32-bit value depends on the thread or
// block. The field row is the number of the row that holds this value.
type special struct {
	row  int32
	name string
}

// firstConst is the number of the first row of constants while a kernel is decoded. It is higher than
// the number of any register's row. Afterwards the method settle renumbers the rows of constants.
const firstConst = 1 << 24

// settle renumbers the rows of constants, so that they follow the rows of registers.
func (e *entry) settle() {
	fix := func(row *int32, c class) {
		if *row < firstConst {
			return
		}
		*row -= firstConst
		switch c {
		case word32:
			*row += int32(e.n32)
		case word64:
			*row += int32(e.n64)
		default:
			*row += int32(e.np)
		}
	}
	for i := range e.code {
		in := &e.code[i]
		fix(&in.guard, bit)
		fix(&in.d, in.dc)
		fix(&in.a, in.ac)
		fix(&in.b, in.bc)
		fix(&in.c, in.cc)
		fix(&in.e, in.ec)
		for j := range in.vec {
			fix(&in.vec[j].row, in.vec[j].class)
		}
	}
	for i := range e.special {
		fix(&e.special[i].row, word32)
	}
	for i := range e.code {
		if in := &e.code[i]; in.kind == compute {
			b := *in
			b.d = 0
			in.blend = &b
		}
	}
}

// get returns a lane's value in a row of class c.
func (w *warp) get(c class, row int32, lane int) uint64 {
	switch c {
	case word32:
		return uint64(w.r32[row][lane])
	case word64:
		return w.r64[row][lane]
	}
	return uint64(w.p[row] >> lane & 1)
}

// put sets a lane's value in a row of class c.
func (w *warp) put(c class, row int32, lane int, v uint64) {
	switch c {
	case word32:
		w.r32[row][lane] = uint32(v)
	case word64:
		w.r64[row][lane] = v
	default:
		w.p[row] = w.p[row]&^(1<<lane) | uint32(v&1)<<lane
	}
}

// result stores v, the result of an instruction for one lane, in the destination row. If necessary,
// it first sign-extends v or drops high bits.
func (w *warp) result(in *instr, lane int, v uint64) {
	if in.sign != noType {
		v = in.sign.extend(v)
	}
	w.put(in.dc, in.d, lane, v&in.keep)
}
