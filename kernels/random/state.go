package random

import (
	"math"
	"math/rand/v2"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// The algorithms by number.
const (
	algPhilox   = 1
	algThreeFry = 2
	algAny      = 3
)

// stateLen is the smallest length of a generator's state. The state begins with the lower and the
// upper half of the counter and the key.
const stateLen = 3

// StateParams describes how FromState reads a stream from a variable. If Exact is set, the
// algorithm must be Philox, and algAny is an error. FromState advances the state by Skip·256
// blocks.
type StateParams struct {
	Exact bool
	Skip  int
	// Alg has one element, the algorithm. It is nil if the first element of the variable is the
	// algorithm.
	Alg []int64
}

// algorithm returns InvalidArgument if the algorithm is unknown, and Unimplemented if it is known
// but not supported.
func algorithm(alg int64) error {
	switch alg {
	case algPhilox, algAny:
		return nil
	case algThreeFry:
		return tensor.Errorf(tensor.Unimplemented, "the algorithm 2 (ThreeFry) is not supported, 1 (Philox) is")
	}
	return tensor.Errorf(tensor.InvalidArgument, "unknown algorithm %d; 1 is Philox", alg)
}

// advance locks the variable v, passes the state in v to the function `use`, and then advances the
// state by the given number of blocks. If tagged is set, the first element of the variable is the
// algorithm, and the state follows; otherwise the parameter alg is the algorithm. advance returns
// NotFound if the variable has no value, and InvalidArgument if it is not a vector of int64 with
// enough elements.
func advance(v []tensor.Handle, alg int64, tagged bool, blocks uint64, use func(state []int64)) error {
	if !tagged {
		if err := algorithm(alg); err != nil {
			return err
		}
	}
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	if !x.Set {
		return tensor.Errorf(tensor.NotFound, "the variable %q has no value", x.Name)
	}
	if err := x.Own(); err != nil {
		return err
	}
	state, ok := x.Data.([]int64)
	switch {
	case !ok:
		return tensor.Errorf(tensor.InvalidArgument, "the generator's state %q must be int64, not %v", x.Name, x.DType)
	case len(x.Shape) != 1:
		return tensor.Errorf(tensor.InvalidArgument, "the generator's state %q has the shape %v, a vector is required", x.Name, x.Shape)
	}
	if tagged {
		if len(state) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the generator's state %q is empty", x.Name)
		}
		if err := algorithm(state[0]); err != nil {
			return err
		}
		state = state[1:]
	}
	if len(state) < stateLen {
		return tensor.Errorf(tensor.InvalidArgument, "the generator's state %q has %d elements, at least %d are required", x.Name, len(state), stateLen)
	}
	use(state)
	g := philox{lo: uint64(state[0]), hi: uint64(state[1])}
	g.skip(blocks)
	state[0], state[1] = int64(g.lo), int64(g.hi)
	return nil
}

// FromState writes the stream of the generator whose state the variable v holds, and advances the
// state. It returns the same errors as Skip.
func FromState(stream []uint64, v []tensor.Handle, p StateParams) error {
	var a int64
	tagged := len(p.Alg) == 0
	if !tagged {
		a = p.Alg[0]
	}
	if p.Exact && a != algPhilox {
		return tensor.Errorf(tensor.InvalidArgument, "the algorithm %d is not supported, 1 (Philox) is", a)
	}
	return advance(v, a, tagged, uint64(p.Skip)*reserved, func(s []int64) {
		stream[0], stream[1], stream[2] = uint64(s[2]), uint64(s[0]), uint64(s[1])
	})
}

// Skip advances the state in the variable v by delta[0] times 256 blocks. It returns NotFound for a
// variable without a value. It returns InvalidArgument for an unknown algorithm, and for a variable
// that is not a vector of at least 3 int64. It returns Unimplemented for ThreeFry.
func Skip(v []tensor.Handle, alg, delta []int64) error {
	return advance(v, alg[0], false, uint64(delta[0])*reserved, func([]int64) {})
}

// ReadAndSkip advances the state as Skip does. Before that, it copies the counter and the key to
// out.
func ReadAndSkip(out []int64, v []tensor.Handle, alg []int32, delta []uint64) error {
	return advance(v, int64(alg[0]), false, delta[0]*reserved, func(s []int64) { copy(out, s[:stateLen]) })
}

// Increasing32 returns InvalidArgument unless lo[0] < hi[0].
func Increasing32(lo, hi []int32) error {
	if lo[0] >= hi[0] {
		return badRange(lo[0], hi[0])
	}
	return nil
}

// Increasing64 is Increasing32 for i64.
func Increasing64(lo, hi []int64) error {
	if lo[0] >= hi[0] {
		return badRange(lo[0], hi[0])
	}
	return nil
}

// NonDeterministic32 stores random numbers that differ from run to run in the slice out.
func NonDeterministic32(out []int32) {
	for i := range out {
		out[i] = int32(rand.Uint64() & math.MaxUint32)
	}
}

// NonDeterministicU32 is NonDeterministic32 for u32.
func NonDeterministicU32(out []uint32) {
	for i := range out {
		out[i] = rand.Uint32()
	}
}

// NonDeterministic64 is NonDeterministic32 for i64.
func NonDeterministic64(out []int64) {
	for i := range out {
		out[i] = int64(rand.Uint64())
	}
}

// NonDeterministicU64 is NonDeterministic32 for u64.
func NonDeterministicU64(out []uint64) {
	for i := range out {
		out[i] = rand.Uint64()
	}
}
