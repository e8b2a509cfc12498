package random

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// IndexParams describes how N indices are shuffled. Each of Index, Seed and Max belongs to one
// input of the op. It is 1 if the input has a value for each index, and 0 if the input has a single
// value, which is used for all indices. A value of the seed is three words. Rounds is the number of
// rounds of the cipher. It must be even and at least 4.
type IndexParams struct {
	N                int
	Index, Seed, Max int
	Rounds           int
}

// simon is a block cipher of two words of w bits (Beaulieu and others, "The SIMON and
// SPECK families of lightweight block ciphers", 2013) with three words of key and any
// number of rounds.
type simon struct {
	w      uint
	mask   uint64
	key    [3]uint64
	rounds int
}

func (s *simon) left(x uint64, n uint) uint64  { return (x<<n | x>>(s.w-n)) & s.mask }
func (s *simon) right(x uint64, n uint) uint64 { return (x>>n | x<<(s.w-n)) & s.mask }
func (s *simon) f(x uint64) uint64             { return s.left(x, 1)&s.left(x, 8) ^ s.left(x, 2) }

// encrypt enciphers v. It computes the round keys as they are needed.
func (s *simon) encrypt(v uint64) uint64 {
	l, r := v>>s.w&s.mask, v&s.mask
	k := s.key
	z := uint64(0x7369f885192c0ef5) & s.mask
	for i := 0; i < s.rounds; i++ {
		if i >= 3 {
			next := (0xfffffffc & s.mask) ^ z&1 ^ k[0] ^ s.right(k[2], 3) ^ s.right(k[2], 4)
			k[0], k[1], k[2] = k[1], k[2], next
			z >>= 1
		}
		key := k[min(i, 2)]
		if i%2 == 0 {
			l ^= s.f(r) ^ key
		} else {
			r ^= s.f(l) ^ key
		}
	}
	return l<<s.w | r
}

// shuffled returns the number to which a permutation of the integers from 0 to top maps index. seed
// determines the permutation. shuffled enciphers the index repeatedly until the result is at most
// top (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
func shuffled(call *mem.Call, index, top uint64, seed []uint32, rounds int) uint64 {
	if top == 0 {
		return 0
	}
	size := uint(math.Ceil(math.Log2(float64(top))))
	size = min(max(size+size%2, 16), 64)
	s := simon{w: size / 2, mask: 1<<(size/2) - 1, rounds: rounds}
	for i := range s.key {
		s.key[i] = uint64(seed[i]) & s.mask
	}
	for range uint64(maxWalk) {
		call.Work(4 * rounds)
		if index = s.encrypt(index); index <= top {
			break
		}
	}
	return min(index, top)
}

// maxWalk is the largest number of times that the cipher is applied to compute one result. Usually
// a few times suffice: the range of the cipher is at most 4 times as large as that of the
// permutation, or it has 65536 numbers.
const maxWalk = 1 << 24

// maxRounds is the largest number of rounds that is supported. It limits the time that the cipher
// takes for one number.
const maxRounds = 1 << 16

func indexShuffle[T int32 | int64 | uint32 | uint64](run *mem.Budget, out, index []T, seed []uint32, top []T, p *IndexParams) error {
	if p.Rounds < 4 || p.Rounds%2 != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "rounds is %d, an even number of at least 4 is required", p.Rounds)
	}
	if p.Rounds > maxRounds {
		return tensor.Errorf(tensor.ResourceExhausted, "rounds is %d, at most %d are taken", p.Rounds, maxRounds)
	}
	call := run.Call()
	for i := range p.N {
		call.Work(32)
		x, m := index[i*p.Index], top[i*p.Max]
		if m < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "max_index must be at least 0, but is %d", m)
		}
		if x < 0 || x > m {
			return tensor.Errorf(tensor.InvalidArgument, "index %d is not in [0, %d]", x, m)
		}
		out[i] = T(shuffled(&call, uint64(x), uint64(m), seed[3*i*p.Seed:], p.Rounds))
	}
	return nil
}
