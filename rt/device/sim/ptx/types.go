package ptx

// typ is a type of an instruction or a register.
type typ uint8

const (
	noType typ = iota
	pred
	u8
	u16
	u32
	u64
	s8
	s16
	s32
	s64
	b8
	b16
	b32
	b64
	f16
	bf16
	f32
	f64
	f16x2
	bf16x2
	tf32
	b128
)

var types = map[string]typ{"pred": pred, "u8": u8, "u16": u16, "u32": u32, "u64": u64, "s8": s8, "s16": s16, "s32": s32, "s64": s64,
	"b8": b8, "b16": b16, "b32": b32, "b64": b64, "f16": f16, "bf16": bf16, "f32": f32, "f64": f64, "f16x2": f16x2, "bf16x2": bf16x2, "tf32": tf32}

// size returns the size of the type in bytes.
func (t typ) size() int {
	switch t {
	case u8, s8, b8:
		return 1
	case u16, s16, b16, f16, bf16:
		return 2
	case u64, s64, b64, f64:
		return 8
	case b128:
		return 16
	case noType, pred:
		return 0
	}
	return 4
}

func (t typ) signed() bool { return t >= s8 && t <= s64 }

func (t typ) float() bool { return t == f16 || t == bf16 || t == f32 || t == f64 }

func (t typ) integer() bool { return t >= u8 && t <= s64 }

// packed reports whether the type is two 16-bit numbers in one register.
func (t typ) packed() bool { return t == f16x2 || t == bf16x2 }

// space is a state space.
type space uint8

const (
	generic space = iota
	global_
	constant
	shared
	local
	param
)

func (s space) String() string {
	return [...]string{"generic", "global", "constant", "shared", "local", "parameter"}[s]
}

// A generic address in one of the windows that begin at sharedWindow, localWindow and paramWindow
// refers to memory of the state space .shared, .local or .param, respectively. Addresses within these
// three spaces count from 0. The module's variables and constants begin at globalWindow. The address
// of a variable or constant in its state space is also its generic address.
const (
	windowBits   = 56
	sharedWindow = 1 << windowBits
	localWindow  = 2 << windowBits
	paramWindow  = 3 << windowBits
	globalWindow = 4 << windowBits
	windowMask   = 1<<windowBits - 1
)

// class is the storage class of a register's values.
type class uint8

const (
	word32 class = iota // values of 8, 16 and 32 bits
	word64
	bit
)

func (t typ) class() class {
	switch {
	case t == pred:
		return bit
	case t.size() == 8:
		return word64
	}
	return word32
}

// mask returns the mask of the type's bits.
func (t typ) mask() uint64 {
	switch t.size() {
	case 1:
		return 0xff
	case 2:
		return 0xffff
	case 4:
		return 0xffffffff
	case 0:
		return 1
	}
	return ^uint64(0)
}

// extend returns x, a number of an integer type, extended to 64 bits.
func (t typ) extend(x uint64) uint64 {
	switch t {
	case s8:
		return uint64(int8(x))
	case s16:
		return uint64(int16(x))
	case s32:
		return uint64(int32(x))
	}
	return x & t.mask()
}
