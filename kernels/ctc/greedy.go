package ctc

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes the logits [Steps, Batch, Classes] of a decoder.
type Params struct {
	Steps, Batch, Classes int
	Blank                 int  // the class that means no label, counted from the end if negative; for GreedyF32 and GreedyF64
	Merge                 bool // whether repeated labels of a path are merged
	Beam                  int  // width of the beam; for BeamF32 and BeamF64
	Top                   int  // number of paths for each element of the batch
}

func (p *Params) check() error {
	if p.Steps <= 0 || p.Batch <= 0 || p.Classes <= 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the inputs must not be empty, their shape is [%d,%d,%d]", p.Steps, p.Batch, p.Classes)
	}
	return nil
}

func greedy[T float](run *mem.Budget, paths, sizes []int64, logProb, logits []T, seqLen []int32, p *Params) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := lengths(seqLen, p.Steps); err != nil {
		return err
	}
	blank := p.Blank
	if blank < 0 {
		blank += p.Classes
	}
	if blank < 0 || blank >= p.Classes {
		return tensor.Errorf(tensor.InvalidArgument, "blank_index must be in [%d, %d), not %d", -p.Classes, p.Classes, p.Blank)
	}
	call := run.Call()
	for b := range p.Batch {
		path, n, prev := paths[b*p.Steps:][:p.Steps], 0, -1
		var sum T
		for t := range int(seqLen[b]) {
			call.Work(8 + p.Classes)
			row := logits[(t*p.Batch+b)*p.Classes:][:p.Classes]
			best := 0
			for c, v := range row {
				if v > row[best] {
					best = c
				}
			}
			sum -= row[best]
			if best != blank && !(p.Merge && best == prev) {
				path[n] = int64(best)
				n++
			}
			prev = best
		}
		sizes[b], logProb[b] = int64(n), sum
	}
	return nil
}

// Sparse writes path k of each element of the batch as a sparse tensor and returns the number
// of values. paths [Batch, Top, Steps] and sizes [Batch, Top] are a decoder's results.
// indices has two numbers for each value.
func Sparse(run *mem.Budget, indices, values, shape, paths, sizes []int64, k int, p Params) int {
	call := run.Call()
	n, longest := 0, int64(0)
	for b := range p.Batch {
		call.Work(8 + int(sizes[b*p.Top+k]))
		at := b*p.Top + k
		longest = max(longest, sizes[at])
		for t, v := range paths[at*p.Steps:][:sizes[at]] {
			indices[2*n], indices[2*n+1], values[n] = int64(b), int64(t), v
			n++
		}
	}
	shape[0], shape[1] = int64(p.Batch), longest
	return n
}
