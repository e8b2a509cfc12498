package ctc

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// score holds logarithms of probabilities for a sequence of labels, called a prefix. The field total is for
// all decodings of the steps so far that yield the prefix. The field blank is for the decodings whose last
// step is a blank. The field label is for the decodings whose last step is the prefix's last label.
type score[T float] struct{ total, blank, label T }

func none[T float]() score[T] { return score[T]{-inf[T](), -inf[T](), -inf[T]()} }

// entry is a node in the tree of prefixes. It represents the prefix of its parent node, followed by one
// more label. A prefix that was never in the beam has no entry.
type entry[T float] struct {
	parent, child, sibling int32 // or -1
	label                  int32 // -1 for the empty prefix
	old, new               score[T]
}

func (e *entry[T]) active() bool { return e.new.total != -inf[T]() }

type beam[T float] struct {
	e      []entry[T]
	leaves topN
	order  []int32
	kids   []int32 // the children, by label, of the prefix that is being extended; 0 means no child
	width  int
}

// mostEntries bounds the number of prefixes that enter the beam in the course of one sequence.
const mostEntries = 1 << 25

// entryBytes is about the size of an entry.
const entryBytes = 80

func search[T float](run *mem.Budget, paths, sizes []int64, logProb, logits []T, seqLen []int32, p *Params) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := lengths(seqLen, p.Steps); err != nil {
		return err
	}
	call := run.Call()
	defer call.Free()
	s := &beam[T]{width: p.Beam, kids: mem.Make[int32](&call, p.Classes)}
	greater := func(a, b int32) bool { return s.e[a].new.total > s.e[b].new.total }
	s.leaves = topN{limit: p.Beam, greater: greater}
	for b := range p.Batch {
		s.start()
		for t := range int(seqLen[b]) {
			// A step evaluates every class of every prefix, and keeps as many prefixes as the beam is wide.
			call.Work(mem.Mul(len(s.leaves.e)+1, 8*p.Classes))
			before := cap(s.e)
			if err := s.step(logits[(t*p.Batch+b)*p.Classes:][:p.Classes]); err != nil {
				return err
			}
			call.Need((cap(s.e) - before) * entryBytes)
		}
		if p.Top > p.Beam {
			return tensor.Errorf(tensor.InvalidArgument, "%d paths are requested of a beam of %d", p.Top, p.Beam)
		}
		if n := len(s.leaves.e); p.Top > n {
			return tensor.Errorf(tensor.InvalidArgument, "%d paths are requested, the beam has %d", p.Top, n)
		}
		best := topN{limit: p.Top, greater: greater}
		for _, x := range s.leaves.e {
			best.push(x)
		}
		s.order = best.extract(s.order[:0])
		for k, x := range s.order[:p.Top] {
			at := b*p.Top + k
			logProb[at] = s.e[x].new.total
			sizes[at] = int64(s.labels(paths[at*p.Steps:][:p.Steps], x, p.Merge))
		}
	}
	return nil
}

// start resets the beam to the empty prefix.
func (s *beam[T]) start() {
	s.e = append(s.e[:0], entry[T]{parent: -1, child: -1, sibling: -1, label: -1, old: none[T](), new: score[T]{0, 0, -inf[T]()}})
	s.leaves.reset()
	s.leaves.push(0)
}

// labels writes the labels of prefix x and returns how many it wrote. If merge is set, it writes
// repeated labels once.
func (s *beam[T]) labels(path []int64, x int32, merge bool) int {
	n, prev := 0, int32(-1)
	for e := &s.e[x]; e.parent >= 0; e = &s.e[e.parent] {
		if !merge || e.label != prev {
			path[n] = int64(e.label)
			n++
		}
		prev = e.label
	}
	slices.Reverse(path[:n])
	return n
}

// candidate reports whether a prefix with the score v belongs in the beam. Its probability must not be
// 0, and the beam must not be full or must contain a less probable prefix.
func (s *beam[T]) candidate(v *score[T]) bool {
	return v.total > -inf[T]() && (len(s.leaves.e) < s.width || v.total > s.e[s.leaves.lowest()].new.total)
}

// step advances the beam by the logits of one step.
func (s *beam[T]) step(logits []T) error {
	most := slices.Max(logits)
	var sum T
	for _, v := range logits {
		sum += T(math.Exp(float64(v - most)))
	}
	norm := most + T(math.Log(float64(sum)))
	s.order = s.leaves.extract(s.order[:0])
	for _, x := range s.order {
		s.e[x].old = s.e[x].new
	}
	blank := logits[len(logits)-1]
	for _, x := range s.order {
		e := &s.e[x]
		if e.parent >= 0 {
			if up := &s.e[e.parent]; up.active() {
				e.new.label = logSum(e.new.label, up.before(e.label))
			}
			e.new.label += logits[e.label] - norm
		}
		e.new.blank = e.old.total + blank - norm
		e.new.total = logSum(e.new.blank, e.new.label)
		s.leaves.push(x)
	}
	for _, x := range s.order {
		if !s.candidate(&s.e[x].old) {
			continue
		}
		if err := s.grow(x, logits, norm); err != nil {
			return err
		}
	}
	return nil
}

// before returns the logarithm of a probability: that the steps before the current step are decoded to
// prefix e, and that the given label may follow. If the label equals the last label of e, a blank must
// separate the two. Only decodings that end with a blank then count.
func (e *entry[T]) before(label int32) T {
	if e.label == label {
		return e.old.blank
	}
	return e.old.total
}

// grow pushes the prefixes that extend x by one label, if they belong in the beam.
func (s *beam[T]) grow(x int32, logits []T, norm T) error {
	clear(s.kids)
	for c := s.e[x].child; c >= 0; c = s.e[c].sibling {
		s.kids[s.e[c].label] = c
	}
	for label, logit := range logits[:len(logits)-1] {
		c := s.kids[label] // 0 means no child: entry 0 is the empty prefix
		if c > 0 && s.e[c].active() {
			continue
		}
		v := none[T]()
		v.label = logit - norm + s.e[x].before(int32(label))
		v.total = v.label
		if c > 0 {
			s.e[c].new = v
		}
		if !s.candidate(&v) {
			if c > 0 {
				s.e[c].old, s.e[c].new = none[T](), none[T]()
			}
			continue
		}
		if c == 0 {
			if len(s.e) >= mostEntries {
				return tensor.Errorf(tensor.ResourceExhausted, "the beam holds more than %d prefixes", mostEntries)
			}
			c = int32(len(s.e))
			s.e = append(s.e, entry[T]{parent: x, child: -1, sibling: s.e[x].child, label: int32(label), old: none[T]()})
			s.e[x].child = c
		}
		if len(s.leaves.e) == s.width {
			s.e[s.leaves.lowest()].new = none[T]()
		}
		s.e[c].new = v
		s.leaves.push(c)
	}
	return nil
}
