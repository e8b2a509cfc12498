package ptx

import "sync"

// kind is how the scheduler handles an instruction.
type kind uint8

const (
	compute kind = iota // run computes whole rows; the scheduler preserves inactive lanes
	masked              // run uses the warp's mask itself, and may fault
	synced              // like masked, once all lanes of the member mask have arrived
	branch
	branchTable
	leave // exit, and ret of an entry
	barrier
	nothing
)

// ref is a row of registers or of constants.
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
	q                  int32  // a second destination, a predicate
	keep               uint64 // a mask of the result's bits that are stored
	sign               typ    // the type from which results are sign-extended, noType for none
	f                  func(a, b, c, e uint64) uint64
	count              int // number of operands of f

	vec   []ref // operands in braces
	disp  uint64
	size  int // bytes of an element
	total int // bytes of all elements
	space space
	what  string
	mode  uint8
	// aligned marks barriers at which all lanes of a warp must execute the same instruction.
	aligned  bool
	volatile bool // other warps may access the memory at any time
	target   int32
	table    []int32
	line     int32
	text     string
	blend    *instr // the same instruction with row 0 as destination
}

// operands sets a, b, c and e.
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
	n32    int // 32-bit registers; rows of constants follow them
	n64    int
	np     int
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

// special is a row of 32-bit values that depend on the thread or block.
type special struct {
	row  int32
	name string
}

// firstConst is the number of the first row of constants during decoding.
const firstConst = 1 << 24

// settle renumbers the rows of constants to follow the registers.
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

// get returns a lane's value in a row: the value of operand a, b, c or e.
func (w *warp) get(c class, row int32, lane int) uint64 {
	switch c {
	case word32:
		return uint64(w.r32[row][lane])
	case word64:
		return w.r64[row][lane]
	}
	return uint64(w.p[row] >> lane & 1)
}

// put writes a lane's result.
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

// result writes a lane's result with the width of the destination.
func (w *warp) result(in *instr, lane int, v uint64) {
	if in.sign != noType {
		v = in.sign.extend(v)
	}
	w.put(in.dc, in.d, lane, v&in.keep)
}
