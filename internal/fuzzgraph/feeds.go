package fuzzgraph

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// maxFed bounds the number of elements of a fed tensor.
const maxFed = 1 << 16

// Feeds returns the feeds of a mutant. They are the feeds of its case, with the mutant's tensor
// names. If the mutator's class is "feeds", and sometimes for other classes, a few feeds are
// changed or removed.
func (m *Mutator) Feeds(feeds map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for name, t := range feeds {
		out[m.tensorName(name)] = t
	}
	if len(out) == 0 || m.Class != "feeds" && m.Rand.IntN(4) > 0 {
		return out
	}
	names := slices.Sorted(maps.Keys(out))
	for range 1 + m.Rand.IntN(2) {
		name := pick(m, names)
		t := out[name]
		if t == nil {
			continue
		}
		switch m.Rand.IntN(8) {
		case 0:
			delete(out, name)
		case 1:
			out[name] = m.made(t.DType, m.sizes(t.Shape))
		case 2:
			out[name] = m.made(pick(m, []tensor.DType{tensor.Float32, tensor.Int32, tensor.Int64, tensor.Bool, tensor.String, tensor.Float64}), t.Shape)
		default:
			out[name] = m.values(t)
		}
		m.note("feed %s is %v", name, out[name])
	}
	return out
}

func (m *Mutator) sizes(s tensor.Shape) tensor.Shape {
	s = slices.Clone(s)
	switch m.Rand.IntN(4) {
	case 0:
		return append(s, m.Rand.IntN(3))
	case 1:
		return s[:max(0, len(s)-1)]
	}
	if len(s) > 0 {
		s[m.Rand.IntN(len(s))] = pick(m, []int{0, 0, 1, 2, 3, 5, 17, 1 << 10, 1 << 40})
	}
	return s
}

// made returns a tensor of type d and shape s. If a tensor of shape s has more than maxFed
// elements, made returns a tensor without elements instead.
func (m *Mutator) made(d tensor.DType, s tensor.Shape) *tensor.Tensor {
	if n, err := s.Len(); err != nil || n > maxFed {
		s = append(slices.Clone(s), 0)
		if _, err := s.Len(); err != nil {
			s = tensor.Shape{0}
		}
	}
	t, err := tensor.New(d, s, 1<<22)
	if err != nil {
		t = tensor.Must(tensor.From(tensor.Shape{}, []float32{0}))
	}
	return m.values(t)
}

// values returns a copy of t with some extreme elements.
func (m *Mutator) values(t *tensor.Tensor) *tensor.Tensor {
	c := &tensor.Tensor{DType: t.DType, Shape: t.Shape}
	switch d := t.Data.(type) {
	case []float32:
		c.Data = some(m, d, func() float32 { return float32(m.float()) })
	case []float64:
		c.Data = some(m, d, func() float64 { return m.float() })
	case []int8:
		c.Data = some(m, d, func() int8 { return int8(m.extreme()) })
	case []int16:
		c.Data = some(m, d, func() int16 { return int16(m.extreme()) })
	case []int32:
		c.Data = some(m, d, func() int32 { return int32(m.extreme()) })
	case []int64:
		c.Data = some(m, d, m.extreme)
	case []uint8:
		c.Data = some(m, d, func() uint8 { return uint8(m.extreme()) })
	case []bool:
		c.Data = some(m, d, func() bool { return m.Rand.IntN(2) == 0 })
	case []string:
		c.Data = some(m, d, func() string { return pick(m, []string{"", "[", "1e999", "\xff\xfe", "((((", "a,b", "nan"}) })
	default:
		return t
	}
	return c
}

func some[T any](m *Mutator, list []T, f func() T) []T {
	list = slices.Clone(list)
	for range min(len(list), 1+m.Rand.IntN(4)) {
		list[m.Rand.IntN(len(list))] = f()
	}
	return list
}

// tensorName returns the name that the tensor called s has in the mutant, whose nodes may be
// renamed.
func (m *Mutator) tensorName(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == ':' {
			if to, ok := m.renamed[s[:i]]; ok {
				return to + s[i:]
			}
			return s
		}
	}
	if to, ok := m.renamed[s]; ok {
		return to
	}
	return s
}
