// Package random holds TensorFlow's random number streams: the Philox 4x32-10 generator (Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", 2011), the conversion of seeds to its key and
// counter, and distributions drawn from it.
//
// A stream is three words: the key, and the lower and the upper half of the counter. One kernel
// makes a stream from seeds. The kernels of the distributions then read it.
package random

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/graphc/graphc/rt/tensor"
)

// StreamLen is the number of words of a stream.
const StreamLen = 3

// philox is the generator: a 128-bit counter, enciphered with a key.
type philox struct {
	k0, k1 uint32
	lo, hi uint64
}

func open(stream []uint64) philox {
	return philox{uint32(stream[0]), uint32(stream[0] >> 32), stream[1], stream[2]}
}

// skip skips n blocks of four numbers.
func (p *philox) skip(n uint64) {
	var carry uint64
	p.lo, carry = bits.Add64(p.lo, n, 0)
	p.hi += carry
}

// next returns the next four numbers.
func (p *philox) next() [4]uint32 {
	c := [4]uint32{uint32(p.lo), uint32(p.lo >> 32), uint32(p.hi), uint32(p.hi >> 32)}
	k0, k1 := p.k0, p.k1
	for range 10 {
		a, b := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		c = [4]uint32{uint32(b>>32) ^ c[1] ^ k0, uint32(b), uint32(a>>32) ^ c[3] ^ k1, uint32(a)}
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	p.skip(1)
	return c
}

// single wraps a generator of blocks of four numbers, and returns the numbers one by one.
type single struct {
	p   philox
	buf [4]uint32
	at  int
}

func (s *single) next() uint32 {
	if s.at == 0 {
		s.buf = s.p.next()
	}
	v := s.buf[s.at]
	s.at = (s.at + 1) & 3
	return v
}

func (s *single) double() float64 {
	a := s.next()
	return double(a, s.next())
}

// Params holds the attributes of an op with its own generator.
type Params struct {
	Seed, Seed2 int64
	Skip        int // number of blocks of four numbers that one run uses
	// State has one element, the number of blocks that earlier runs have used. It is nil if all
	// runs use the same numbers.
	State []uint64
}

// Start writes the stream of an op with the attributes seed and seed2. If both are zero, it uses
// seeds that differ from run to run. If p.State is not nil, Start adds p.Skip to its element
// atomically.
func Start(stream []uint64, p Params) {
	seed, seed2 := uint64(p.Seed), uint64(p.Seed2)
	if seed == 0 && seed2 == 0 {
		seed, seed2 = rand.Uint64(), rand.Uint64()
	}
	g := philox{lo: 0, hi: seed2}
	if len(p.State) != 0 {
		g.skip(atomic.AddUint64(&p.State[0], uint64(p.Skip)) - uint64(p.Skip))
	}
	stream[0], stream[1], stream[2] = seed, g.lo, g.hi
}

// scramble makes a stream from two seeds so that all their bits affect it.
func scramble(stream []uint64, a, b uint64) {
	g := philox{k0: 0x3ec8f720, k1: 0x02461e29, lo: a, hi: b}
	m := g.next()
	stream[0] = uint64(m[0]) | uint64(m[1])<<32
	stream[1] = 0
	stream[2] = uint64(m[2]) | uint64(m[3])<<32
}

// SeedI32 writes the stream of a stateless op. seed has two numbers.
func SeedI32(stream []uint64, seed []int32) {
	scramble(stream, uint64(int64(seed[0])), uint64(int64(seed[1])))
}

// SeedI64 is SeedI32 for i64.
func SeedI64(stream []uint64, seed []int64) { scramble(stream, uint64(seed[0]), uint64(seed[1])) }

// KeyCounter writes the stream of a stateless op of version 2, which has a key and a counter as
// inputs. alg[0] is 1 (Philox) or 3 (any). KeyCounter returns InvalidArgument for another
// algorithm.
func KeyCounter(stream, key, counter []uint64, alg []int32) error {
	if alg[0] != 1 && alg[0] != 3 {
		return tensor.Errorf(tensor.InvalidArgument, "the random number algorithm %d is not supported, 1 (Philox) is", alg[0])
	}
	stream[0], stream[1], stream[2] = key[0], counter[0], counter[1]
	return nil
}

// KeyCounterFor is KeyCounter for an op that draws n numbers. For n = 0 it accepts any algorithm
// and writes nothing.
func KeyCounterFor(stream, key, counter []uint64, alg []int32, n int) error {
	if n == 0 {
		return nil
	}
	return KeyCounter(stream, key, counter, alg)
}

// SplitI32 converts a seed of two numbers to a key and a counter.
func SplitI32(key, counter []uint64, seed []int32) {
	var s [StreamLen]uint64
	SeedI32(s[:], seed)
	key[0], counter[0], counter[1] = s[0], s[1], s[2]
}

// SplitI64 is SplitI32 for i64.
func SplitI64(key, counter []uint64, seed []int64) {
	var s [StreamLen]uint64
	SeedI64(s[:], seed)
	key[0], counter[0], counter[1] = s[0], s[1], s[2]
}
