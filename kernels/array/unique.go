package array

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

type realNumber interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// mix returns a hash of h. Each bit of h affects many bits of the hash.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// hash returns the same value for equal numbers, including 0 and -0.
func hash[T realNumber](v T) uint64 {
	return mix(math.Float64bits(float64(v)+0) ^ uint64(int64(v))<<7)
}

// 16-bit floats are hashed by their bits, and equal only if their bits are equal. So 0 and -0
// differ. They also differ in TensorFlow, which hashes them differently.
func hashF16(v tensor.F16) uint64   { return mix(uint64(v)) }
func hashBF16(v tensor.BF16) uint64 { return mix(uint64(v)) }

func hashBool(v bool) uint64 {
	if v {
		return mix(1)
	}
	return 0
}

// hashStr is FNV-1a.
func hashStr(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func same[T comparable](a, b T) bool { return a == b }

func sameF16(a, b tensor.F16) bool   { return a == b && a.Float32() == b.Float32() }
func sameBF16(a, b tensor.BF16) bool { return a == b && a.Float32() == b.Float32() }

// UniqueParams describes a tensor [Outer, N, Inner] whose N slices are compared.
type UniqueParams[I int32 | int64] struct {
	Outer, N, Inner int
	// Counts ([N]) receives the number of times each different slice appears. It may be nil.
	Counts []I
}

// UniqueScratch returns the length of Unique's scratch for n elements.
func UniqueScratch(n int) int { return 3*n + 1 }

// slotWork is the approximate work, in nanoseconds, of finding a slot of a hash table at the first
// probe. Further probes are counted, too, because a hostile caller may feed numbers that share one slot.
const slotWork = 16

// lookEvery is how many slots are probed between two counts of the work.
const lookEvery = 1 << 8

// unique implements Unique for all types. scratch holds the index of the first of each set of equal
// slices, then a hash table of the sets' numbers plus 1. In the table, 0 marks an empty slot.
func unique[T any, I int32 | int64](run *mem.Budget, y []T, idx []I, x []T, scratch []int32, p UniqueParams[I], hash func(T) uint64, same func(a, b T) bool) (int, error) {
	if p.N > math.MaxInt32 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Unique of %d elements", p.N)
	}
	if p.N*p.Inner == 0 { // slices without elements are equal; a loop over Outer could take very long
		p.Outer = 0
	}
	first, table := scratch[:p.N], scratch[p.N:]
	clear(table)
	clear(p.Counts)
	plane := p.N * p.Inner
	call := run.Call()
	each := mem.Mul(p.Outer, p.Inner)
	m := 0
	for i := range p.N {
		call.Work(slotWork + 2*each)
		h, nan := uint64(0), false
		for o := range p.Outer {
			for _, v := range x[o*plane+i*p.Inner:][:p.Inner] {
				h = h*31 + hash(v)
				nan = nan || !same(v, v)
			}
		}
		k := m
		if !nan {
			at, probes := int(h%uint64(len(table))), 0
			for table[at] != 0 && !equalSlices(x, int(first[table[at]-1]), i, p.Outer, p.Inner, plane, same) {
				if at++; at == len(table) {
					at = 0
				}
				if probes++; probes == lookEvery {
					call.Work(lookEvery * (slotWork + each))
					probes = 0
				}
			}
			if table[at] != 0 {
				k = int(table[at] - 1)
			} else {
				table[at] = int32(m + 1)
			}
		}
		if k == m {
			first[m] = int32(i)
			m++
		}
		idx[i] = I(k)
		if len(p.Counts) > 0 {
			p.Counts[k]++
		}
	}
	for o := range p.Outer {
		for k := range m {
			copy(y[(o*m+k)*p.Inner:][:p.Inner], x[o*plane+int(first[k])*p.Inner:][:p.Inner])
		}
	}
	return m, nil
}

func equalSlices[T any](x []T, i, j, outer, inner, plane int, same func(a, b T) bool) bool {
	for o := range outer {
		a, b := x[o*plane+i*inner:][:inner], x[o*plane+j*inner:][:inner]
		for k, v := range a {
			if !same(v, b[k]) {
				return false
			}
		}
	}
	return true
}

// listDiff implements ListDiff for all types. scratch is a hash table of positions in y plus 1, where 0
// marks an empty slot.
func listDiff[T any, I int32 | int64](run *mem.Budget, out []T, idx []I, x, y []T, scratch []int32, hash func(T) uint64, same func(a, b T) bool) (int, error) {
	if len(y) > math.MaxInt32-1 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "ListDiff of %d elements", len(y))
	}
	clear(scratch)
	call := run.Call()
	// find returns the number of the first slot that holds v or is free. The second argument is the
	// number of the slot with which the search begins. find is short enough to be inlined into the
	// loops, which count the probed slots.
	find := func(v T, at int) int {
		for scratch[at] != 0 && !same(y[scratch[at]-1], v) {
			if at++; at == len(scratch) {
				at = 0
			}
		}
		return at
	}
	for i, v := range y {
		home := int(hash(v) % uint64(len(scratch)))
		at := find(v, home)
		call.Work(slotWork + 2*max(at-home, 0))
		if scratch[at] == 0 && same(v, v) {
			scratch[at] = int32(i + 1)
		}
	}
	n := 0
	for i, v := range x {
		home := int(hash(v) % uint64(len(scratch)))
		at := find(v, home)
		call.Work(slotWork + 2*max(at-home, 0))
		if scratch[at] == 0 {
			out[n], idx[n] = v, I(i)
			n++
		}
	}
	return n, nil
}
