package ctc

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// LossParams describes the loss of logits [Steps, Batch, Classes], of which the
// last class is the blank.
type LossParams struct {
	Steps, Batch, Classes int
	Labels                int  // number of labels of the whole batch
	Collapse              bool // whether repeated labels are merged
	Merge                 bool // whether a label may last for several steps
	IgnoreLonger          bool // whether a sequence with fewer steps than labels has the loss 0; else it is an error
}

// LossScratchLen returns the number of floats of scratch that the loss needs.
func LossScratchLen(p LossParams) int {
	u := 2*min(p.Labels, p.Steps) + 1
	return 2*u*p.Steps + (p.Steps+1)*p.Classes
}

func ctcLoss[T float](run *mem.Budget, loss, grad, logits []T, indices []int64, values, seqLen, ints []int32, scratch []T, p *LossParams) error {
	if p.Batch == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the batch must not be empty")
	}
	if p.Classes == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "there are no classes, and the last one is the blank")
	}
	if err := p.sorted(indices); err != nil {
		return err
	}
	for b, n := range seqLen {
		if n < 0 || int(n) > p.Steps {
			return tensor.Errorf(tensor.InvalidArgument, "sequence_length[%d] is %d, there are %d steps", b, n, p.Steps)
		}
	}
	// All labels are checked before anything is computed.
	for b, at := 0, 0; b < p.Batch; b++ {
		n := p.count(indices, b, at)
		if _, err := p.sequence(ints[at:at+n], values[at:at+n], b, int(seqLen[b])); err != nil {
			return err
		}
		at += n
	}
	clear(loss)
	clear(grad)
	call := run.Call()
	for b, at := 0, 0; b < p.Batch; b++ {
		n, steps := p.count(indices, b, at), int(seqLen[b])
		if steps > 0 && !(p.IgnoreLonger && n > steps) {
			l, _ := p.sequence(ints[at:at+n], values[at:at+n], b, steps)
			s := &alignment[T]{call: &call, labels: l, steps: steps, classes: p.Classes, merge: p.Merge, u: 2*len(l) + 1}
			loss[b] = s.run(grad, logits, scratch, b, p.Batch)
		}
		at += n
	}
	return nil
}

// sorted returns InvalidArgument unless the indices of the labels are in range and rise.
func (p *LossParams) sorted(indices []int64) error {
	pb, pt := int64(-1), int64(-1)
	for i := range p.Labels {
		b, t := indices[2*i], indices[2*i+1]
		if b < 0 || b >= int64(p.Batch) || t < 0 || t == math.MaxInt64 {
			return tensor.Errorf(tensor.InvalidArgument, "labels_indices[%d] is [%d %d], which is out of range for a batch of %d", i, b, t, p.Batch)
		}
		if b < pb || b == pb && t <= pt {
			return tensor.Errorf(tensor.InvalidArgument, "labels_indices[%d] is [%d %d], which is out of order or repeated", i, b, t)
		}
		pb, pt = b, t
	}
	return nil
}

// count returns the number of labels of element b of the batch. These labels begin at position at.
func (p *LossParams) count(indices []int64, b, at int) int {
	n := 0
	for at+n < p.Labels && indices[2*(at+n)] == int64(b) {
		n++
	}
	return n
}

// sequence writes the labels of element b that are not blanks to dst and returns them. It returns
// InvalidArgument if the loss does not allow these labels.
func (p *LossParams) sequence(dst, labels []int32, b, steps int) ([]int32, error) {
	if len(labels) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "element %d of the batch has no labels", b)
	}
	n, ended := 0, false
	for i, l := range labels {
		switch {
		case p.Collapse && i > 0 && l == labels[i-1]:
		case int(l) >= p.Classes-1:
			ended = true
		case ended:
			return nil, tensor.Errorf(tensor.InvalidArgument, "element %d of the batch has the label %d after a blank (%d or more)", b, l, p.Classes-1)
		default:
			dst[n] = l
			n++
		}
	}
	for _, l := range dst[:n] {
		if l < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "element %d of the batch has the label %d, labels must not be negative", b, l)
		}
	}
	if !p.IgnoreLonger && len(labels) > steps {
		return nil, tensor.Errorf(tensor.InvalidArgument, "element %d of the batch has %d labels and %d steps; ignore_longer_outputs_than_inputs allows it", b, len(labels), steps)
	}
	return dst[:n], nil
}

// alignment holds the tables of one sequence. A table has a row for each step, and u columns: one
// for each label, and one for each blank before, between and after the labels.
type alignment[T float] struct {
	call              *mem.Call
	labels            []int32
	steps, classes, u int
	merge             bool
	alpha, beta       []T // [steps, u], logarithms
	y                 []T // [steps, classes], the softmax of the logits
}

// logSumWork is about how many nanoseconds logSum takes.
const logSumWork = 20

func (s *alignment[T]) label(u int) int {
	if u&1 == 0 {
		return s.classes - 1
	}
	return int(s.labels[u/2])
}

func (s *alignment[T]) logY(t, u int) T {
	return T(math.Log(float64(s.y[t*s.classes+s.label(u)])))
}

// skips reports whether a path may omit the column between two given columns and go directly from one of
// them to the other. Both given columns must be labels. If merge is set, the two labels must differ.
func (s *alignment[T]) skips(from, u int) bool {
	return u&1 == 1 && !(s.merge && s.label(u) == s.label(from))
}

func (s *alignment[T]) run(grad, logits, scratch []T, b, batch int) T {
	size := s.u * s.steps
	s.alpha, s.beta, scratch = scratch[:size], scratch[size:2*size], scratch[2*size:]
	s.y, scratch = scratch[:s.steps*s.classes], scratch[s.steps*s.classes:]
	for t := range s.steps {
		s.call.Work(10 * s.classes)
		softmax(s.y[t*s.classes:][:s.classes], logits[(t*batch+b)*s.classes:][:s.classes])
	}
	s.forward()
	s.backward()
	p := -inf[T]()
	for u := range s.u {
		p = logSum(p, s.alpha[u]+s.beta[u])
	}
	sums := scratch[:s.classes]
	for t := range s.steps {
		s.call.Work(10*s.classes + logSumWork*s.u)
		dy := grad[(t*batch+b)*s.classes:][:s.classes]
		y := s.y[t*s.classes:][:s.classes]
		copy(dy, y)
		if p == -inf[T]() { // no path gives the labels
			continue
		}
		for i := range sums {
			sums[i] = -inf[T]()
		}
		for u := range s.u {
			l := s.label(u)
			sums[l] = logSum(sums[l], s.alpha[t*s.u+u]+s.beta[t*s.u+u])
		}
		for i, v := range sums {
			dy[i] -= T(math.Exp(float64(v - p)))
		}
	}
	return -p
}

func softmax[T float](y, x []T) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum T
	for i, v := range x {
		y[i] = T(math.Exp(float64(v - most)))
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
}

// forward fills alpha by equation 7.9 of Graves's book.
func (s *alignment[T]) forward() {
	for i := range s.alpha {
		s.alpha[i] = -inf[T]()
	}
	s.alpha[0] = s.logY(0, 0)
	if s.u > 1 {
		s.alpha[1] = s.logY(0, 1)
	}
	for t := 1; t < s.steps; t++ {
		s.call.Work(4 * logSumWork * s.u)
		prev, row := s.alpha[(t-1)*s.u:][:s.u], s.alpha[t*s.u:][:s.u]
		for u := max(0, s.u-2*(s.steps-t)); u < min(s.u, 2*(t+1)); u++ {
			sum := -inf[T]()
			if s.merge || u&1 == 0 {
				sum = prev[u]
			}
			if u > 0 {
				sum = logSum(sum, prev[u-1])
			}
			if u > 1 && s.skips(u-2, u) {
				sum = logSum(sum, prev[u-2])
			}
			row[u] = s.logY(t, u) + sum
		}
	}
}

// backward fills beta by equation 7.15 of Graves's book. As in TensorFlow, it begins with
// probability 1 in the last two elements of beta. If there are no labels, u is 1, and one of these
// elements belongs to the last step but one.
func (s *alignment[T]) backward() {
	for i := range s.beta {
		s.beta[i] = -inf[T]()
	}
	end := s.u * s.steps
	clear(s.beta[max(end-2, 0):])
	for t := s.steps - 2; t >= 0; t-- {
		s.call.Work(6 * logSumWork * s.u)
		next, row := s.beta[(t+1)*s.u:][:s.u], s.beta[t*s.u:][:s.u]
		for u := max(0, s.u-2*(s.steps-t)); u < min(s.u, 2*(t+1)); u++ {
			if s.merge || u&1 == 0 {
				row[u] = logSum(row[u], next[u]+s.logY(t+1, u))
			}
			if u+1 < s.u {
				row[u] = logSum(row[u], next[u+1]+s.logY(t+1, u+1))
			}
			if u+2 < s.u && s.skips(u+2, u) {
				row[u] = logSum(row[u], next[u+2]+s.logY(t+1, u+2))
			}
		}
	}
}
