package strs

import (
	"strings"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SplitParams describes how strings are split.
type SplitParams struct {
	// Set says whether strings are split at each byte that is in the delimiter. If the delimiter is
	// empty, they are split between all bytes.
	Set       bool
	SkipEmpty bool // with Set
	// Max is the largest number of splits of a string, or a negative number for no limit. It is used
	// only if Set is false.
	Max int
}

// each calls f with the parts of s.
func (p *SplitParams) each(s, sep string, f func(string)) {
	switch {
	case p.Set:
		p.bySet(s, sep, f)
		return
	case p.Max == 0:
		f(s)
		return
	case sep == "":
		p.bySpace(s, f)
		return
	}
	for n := 1; ; n++ {
		before, after, ok := strings.Cut(s, sep)
		f(before)
		if !ok {
			return
		}
		if s = after; n == p.Max {
			f(s)
			return
		}
	}
}

// bySpace splits at white space. After the last cut that Max allows, the rest is a
// part, even if it is empty.
func (p *SplitParams) bySpace(s string, f func(string)) {
	s = strings.TrimLeft(s, spaces)
	for n := 1; s != ""; n++ {
		i := strings.IndexAny(s, spaces)
		if i < 0 {
			i = len(s)
		}
		f(s[:i])
		s = strings.TrimLeft(s[i:], spaces)
		if n == p.Max {
			f(s)
			return
		}
	}
}

// bySet splits at every byte of set. An empty string has no parts.
func (p *SplitParams) bySet(s, set string, f func(string)) {
	if s == "" {
		return
	}
	if set == "" {
		for i := range len(s) {
			f(s[i : i+1])
		}
		return
	}
	at := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && strings.IndexByte(set, s[i]) < 0 {
			continue
		}
		if i > at || !p.SkipEmpty {
			f(s[at:i])
		}
		at = i + 1
	}
}

// SplitCount returns the number of parts of all strings.
func SplitCount(src, sep []string, p SplitParams) int {
	n := 0
	for _, s := range src {
		p.each(s, sep[0], func(string) { n++ })
	}
	return n
}

// Split writes the parts as a sparse matrix with a row for each string: indices
// [parts,2], values [parts], shape [2].
func Split(indices []int64, values []string, shape []int64, src, sep []string, p SplitParams) {
	at, widest := 0, 0
	for i, s := range src {
		col := 0
		p.each(s, sep[0], func(v string) {
			indices[2*at], indices[2*at+1], values[at] = int64(i), int64(col), v
			at++
			col++
		})
		widest = max(widest, col)
	}
	shape[0], shape[1] = int64(len(src)), int64(widest)
}

// JoinShape returns the shape that a tensor of the shape dims has after its strings are joined over
// the axes. A negative axis counts from the end. If keep is set, joined dimensions stay with size 1.
// JoinShape returns OutOfRange for an axis out of range, and InvalidArgument for an axis given twice.
func JoinShape(dims, axes []int, keep bool) ([]int, error) {
	over := make([]bool, len(dims))
	for _, a := range axes {
		if a < -len(dims) || a >= len(dims) {
			return nil, tensor.Errorf(tensor.OutOfRange, "invalid reduction dimension %d for input with %d dimensions", a, len(dims))
		}
		if a < 0 {
			a += len(dims)
		}
		if over[a] {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the dimension %d is joined twice", a)
		}
		over[a] = true
	}
	var shape []int
	for k, d := range dims {
		switch {
		case !over[k]:
			shape = append(shape, d)
		case keep:
			shape = append(shape, 1)
		}
	}
	return shape, nil
}

// JoinFits returns the error that JoinShape returns for these dims and axes.
func JoinFits(dims, axes []int) error {
	_, err := JoinShape(dims, axes, false)
	return err
}

// JoinSize returns dimension k of the shape that JoinShape returns.
func JoinSize(dims, axes []int, keep bool, k int) (int, error) {
	shape, err := JoinShape(dims, axes, keep)
	if err != nil {
		return 0, err
	}
	return shape[k], nil
}

// JoinParams describes how strings are joined over some axes. Dims[:Rank] is the shape of src.
// Over[:Reduced] has the joined axes, in the order of joining; a negative axis counts from the end.
type JoinParams struct {
	Rank, Reduced int
	Dims          [8]int
	Over          [8]int
	Separator     string
}

// ReduceJoin writes the joined strings for each element of dst. The first axis in Over
// varies fastest.
func ReduceJoin(run *mem.Budget, dst, src []string, p JoinParams) {
	var stride, kept [8]int
	step := 1
	for k := p.Rank - 1; k >= 0; k-- {
		stride[k] = step
		step *= p.Dims[k]
	}
	var over [8]bool
	for i, a := range p.Over[:p.Reduced] {
		if a < 0 {
			a += p.Rank
			p.Over[i] = a
		}
		over[a] = true
	}
	n := 0
	for k := range p.Rank {
		if !over[k] {
			kept[n] = k
			n++
		}
	}
	count := 1
	for _, a := range p.Over[:p.Reduced] {
		count *= p.Dims[a]
	}
	for i := range dst {
		base, r := 0, i
		for k := n - 1; k >= 0; k-- {
			a := kept[k]
			base += r % p.Dims[a] * stride[a]
			r /= p.Dims[a]
		}
		part := func(j int) string {
			at := base
			for k := range p.Reduced {
				a := p.Over[k]
				at += j % p.Dims[a] * stride[a]
				j /= p.Dims[a]
			}
			return src[at]
		}
		size := mem.Mul(max(count-1, 0), len(p.Separator))
		for j := range count {
			size = mem.Add(size, len(part(j)))
		}
		run.MustMake(size)
		var b strings.Builder
		b.Grow(size)
		for j := range count {
			if j > 0 {
				b.WriteString(p.Separator)
			}
			b.WriteString(part(j))
		}
		dst[i] = b.String()
	}
}

// SubstrAlike returns Unimplemented if two sizes differ: Substr broadcasts only
// tensors of at most two dimensions.
func SubstrAlike(a, b, rank int) error {
	if a != b {
		return tensor.Errorf(tensor.Unimplemented, "Substr broadcast not implemented for %d dimensions", rank)
	}
	return nil
}
