// Package nms holds non-maximum suppression: choosing the best of overlapping boxes.
package nms

import (
	"cmp"
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes a suppression among Boxes boxes.
type Params struct {
	Boxes    int
	Max      int     // largest number of boxes to choose
	IOU      float32 // limit of the overlap that is used if Limit is nil
	Overlaps bool    // whether the argument boxes is a [Boxes, Boxes] matrix of overlaps instead of the corners of boxes
	Pad      bool    // whether zeros are appended to sel and Chosen until they have Max elements
	// Each of these slices has one element or is nil. A box is suppressed if its overlap with a
	// chosen box is greater than Limit, or greater than IOU if Limit is nil. If Least is not nil,
	// only boxes whose scores are greater than Least are chosen. If Sigma is positive, boxes are
	// not suppressed; instead, the score of a box is reduced for each chosen box that it overlaps
	// (soft NMS). A nil Sigma means 0.
	Limit, Least, Sigma []float32
	// Chosen receives the scores of the chosen boxes. Valid, of one element, receives the number of
	// chosen boxes. Either may be nil.
	Chosen []float32
	Valid  []int32
	// These slices are scratch. If Overlaps is not set and Sigma is nil or 0, the caller should
	// pass Keys with Boxes elements, and the other three slices may be nil. Otherwise, Keys must be
	// nil, and each of the other slices must have Boxes elements. They hold the fields of the
	// elements of a heap.
	Keys               []uint64
	HeapScore          []float32
	HeapBox, HeapBegin []int32
}

// candidate is a box that may still be chosen.
type candidate struct {
	score float32
	box   int32
	begin int32 // number of chosen boxes with which this box has been compared already
}

// better reports whether candidate a comes before candidate b in TensorFlow's order. The candidate
// with the higher score comes first. If the scores are equal, the candidate with the lower index
// comes first.
func better(a, b candidate) bool {
	return a.score > b.score || a.score == b.score && a.box < b.box
}

// heap is a binary heap of candidates. It stores each field in a slice, so that the caller can
// provide the memory as slices of basic types.
type heap struct {
	score      []float32
	box, begin []int32
	n          int
}

func (h *heap) at(i int) candidate     { return candidate{h.score[i], h.box[i], h.begin[i]} }
func (h *heap) set(i int, c candidate) { h.score[i], h.box[i], h.begin[i] = c.score, c.box, c.begin }

func (h *heap) push(c candidate) {
	i := h.n
	h.n++
	for i > 0 {
		up := (i - 1) / 2
		if !better(c, h.at(up)) {
			break
		}
		h.set(i, h.at(up))
		i = up
	}
	h.set(i, c)
}

func (h *heap) pop() candidate {
	top := h.at(0)
	h.n--
	c := h.at(h.n)
	i := 0
	for {
		k := 2*i + 1
		if k >= h.n {
			break
		}
		if k+1 < h.n && better(h.at(k+1), h.at(k)) {
			k++
		}
		if !better(h.at(k), c) {
			break
		}
		h.set(i, h.at(k))
		i = k
	}
	h.set(i, c)
	return top
}

// iou returns the intersection over the union of two boxes, each given by two opposite corners.
func iou(a, b []float32) float32 {
	a, b = a[:4], b[:4]
	y0, x0, y1, x1 := min(a[0], a[2]), min(a[1], a[3]), max(a[0], a[2]), max(a[1], a[3])
	v0, u0, v1, u1 := min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])
	p, q := float32((y1-y0)*(x1-x0)), float32((v1-v0)*(u1-u0))
	if p <= 0 || q <= 0 {
		return 0
	}
	in := float32(max(min(y1, v1)-max(y0, v0), 0) * max(min(x1, u1)-max(x0, u0), 0))
	return in / (p + q - in)
}

// overlapped reports whether there is a chosen box whose overlap with box b is greater than limit.
// It computes the overlap with the same operations as iou. limit is not negative. The chosen boxes
// are compared from the last to the first. For two boxes that do not intersect, which is the usual
// case, no division is needed.
func overlapped(b []float32, boxes []float32, chosen []int32, limit float32) bool {
	b = b[:4]
	y0, x0, y1, x1 := min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])
	p := float32((y1 - y0) * (x1 - x0))
	if !(p > 0) {
		return false
	}
	for j := len(chosen) - 1; j >= 0; j-- {
		c := boxes[4*int(chosen[j]):][:4]
		v0, u0, v1, u1 := c[0], c[1], c[2], c[3]
		if v0 > v1 {
			v0, v1 = v1, v0
		}
		if u0 > u1 {
			u0, u1 = u1, u0
		}
		// The four comparisons share one branch, since a branch for each would be hard to predict.
		apart := bit(v1 <= y0) | bit(y1 <= v0) | bit(u1 <= x0) | bit(x1 <= u0)
		if apart != 0 {
			continue
		}
		q := float32((v1 - v0) * (u1 - u0))
		in := float32((min(y1, v1) - max(y0, v0)) * (min(x1, u1) - max(x0, u0)))
		if q > 0 && in/(p+q-in) > limit {
			return true
		}
	}
	return false
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// scalar returns v[0], the value of an optional input. If v is empty, it returns the default value,
// which is the parameter absent.
func scalar(v []float32, absent float32) float32 {
	if len(v) == 0 {
		return absent
	}
	return v[0]
}

// Threshold returns InvalidArgument unless the threshold in iou is between 0 and 1. An empty iou
// means 0.
func Threshold(iou []float32) error {
	if limit := scalar(iou, 0); !(limit >= 0 && limit <= 1) {
		return tensor.Errorf(tensor.InvalidArgument, "iou_threshold must be in [0, 1], it is %v", limit)
	}
	return nil
}

// Select writes the indices of the chosen boxes to sel, their scores to p.Chosen and their number
// to p.Valid. It returns the number of indices written, which is p.Max if p.Pad is set. boxes is
// [Boxes,4], or [Boxes,Boxes] with p.Overlaps.
func Select(run *mem.Budget, sel []int32, boxes, scores []float32, p Params) (int, error) {
	limit, least, sigma := scalar(p.Limit, p.IOU), scalar(p.Least, -math.MaxFloat32), scalar(p.Sigma, 0)
	if !p.Overlaps {
		if err := Threshold([]float32{limit}); err != nil {
			return 0, err
		}
	}
	if !(sigma >= 0) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "soft_nms_sigma must not be negative, it is %v", sigma)
	}
	soft := sigma > 0
	var scale float32
	if soft {
		scale = -0.5 / sigma
	}
	call := run.Call()
	h := heap{score: p.HeapScore, box: p.HeapBox, begin: p.HeapBegin}
	for i, s := range scores[:p.Boxes] {
		if s > least && len(p.Keys) == 0 {
			h.push(candidate{s, int32(i), 0})
		}
	}
	n, most := 0, min(p.Max, p.Boxes)
	if len(p.Keys) > 0 {
		n = hard(&call, sel, boxes, scores, limit, least, &p, most)
		if len(p.Chosen) != 0 {
			for k, i := range sel[:n] {
				p.Chosen[k] = scores[i]
			}
		}
	}
	for n < most && h.n > 0 {
		call.Work(2*n + 64)
		c := h.pop()
		before, hard := c.score, false
		first := int(c.begin)
		if !soft && !p.Overlaps {
			hard, first = overlapped(boxes[4*c.box:], boxes, sel[:n], limit), n
		}
		for j := n - 1; j >= first; j-- {
			var sim float32
			if p.Overlaps {
				sim = boxes[int(c.box)*p.Boxes+int(sel[j])]
			} else {
				sim = iou(boxes[4*c.box:], boxes[4*sel[j]:])
			}
			if soft { // for any threshold
				c.score *= float32(math.Exp(float64(scale * sim * sim)))
			} else if sim > limit {
				hard = true
				break
			}
			if c.score <= least {
				break
			}
		}
		c.begin = int32(n)
		switch {
		case hard:
		case c.score == before:
			sel[n] = c.box
			if len(p.Chosen) != 0 {
				p.Chosen[n] = c.score
			}
			n++
		case c.score > least:
			h.push(c)
		}
	}
	if len(p.Valid) != 0 {
		p.Valid[0] = int32(n)
	}
	if p.Pad {
		clear(sel[n:p.Max])
		if len(p.Chosen) != 0 {
			clear(p.Chosen[n:p.Max])
		}
		return p.Max, nil
	}
	return n, nil
}

// CombinedParams describes suppression in each of Images images, separately for each class.
type CombinedParams struct {
	Images, Boxes, Classes int
	Q                      int // number of box sets: Classes, or 1 if all classes share the boxes
	PerClass, Total        int // largest numbers of boxes to choose in an image: for each class, and for all classes together
	Out                    int // number of boxes of each image in the outputs
	Clip                   bool
}

// Combined chooses boxes in each class of each image. For each image, it writes the chosen boxes
// with the highest scores, in the order of falling scores. Their coordinates, scores and classes
// are written to outBoxes [Images,Out,4], outScores [Images,Out] and outClasses [Images,Out],
// padded with zeros, and their number is written to valid [Images]. boxes is [Images,Boxes,Q,4],
// and scores is [Images,Boxes,Classes]. The elements iouAt[0] and scoreAt[0] are the limits of
// overlap and score. order, chosen and found are scratch: order has Boxes elements, chosen has
// PerClass elements, and found has PerClass*Classes pairs of a box and a class.
func Combined(run *mem.Budget, outBoxes, outScores, outClasses []float32, valid []int32, boxes, scores, iouAt, scoreAt []float32,
	order, chosen, found []int32, p CombinedParams) error {
	limit, least := iouAt[0], scoreAt[0]
	if !(limit >= 0 && limit <= 1) {
		return tensor.Errorf(tensor.InvalidArgument, "iou_threshold must be in [0, 1], it is %v", limit)
	}
	clear(outBoxes[:p.Images*p.Out*4])
	clear(outScores[:p.Images*p.Out])
	clear(outClasses[:p.Images*p.Out])
	call := run.Call()
	for im := range p.Images {
		img, sc := boxes[im*p.Boxes*p.Q*4:], scores[im*p.Boxes*p.Classes:]
		n := 0
		for c := range p.Classes {
			n += p.class(&call, img, sc, c, limit, least, order, chosen, found[2*n:])
		}
		pairs := found[:2*n]
		p.sort(&call, pairs, sc)
		m := min(n, p.Total, p.Out)
		for i := range m {
			b, c := int(pairs[2*i]), int(pairs[2*i+1])
			box := img[(b*p.Q+min(c, p.Q-1))*4:][:4]
			dst := outBoxes[(im*p.Out+i)*4:][:4]
			for k, v := range box {
				if p.Clip {
					v = max(min(v, 1), 0)
				}
				dst[k] = v
			}
			outScores[im*p.Out+i], outClasses[im*p.Out+i] = sc[b*p.Classes+c], float32(c)
		}
		valid[im] = int32(m)
	}
	return nil
}

// class runs the suppression for one class, c, of the image img. For each box that it chooses, it
// writes a pair (box, class) to found. It returns the number of these pairs.
func (p *CombinedParams) class(call *mem.Call, img, sc []float32, c int, limit, least float32, order, chosen, found []int32) int {
	k := 0
	for b := range p.Boxes {
		if sc[b*p.Classes+c] > least {
			order[k] = int32(b)
			k++
		}
	}
	slices.SortStableFunc(order[:k], func(a, b int32) int {
		return cmp.Compare(sc[int(b)*p.Classes+c], sc[int(a)*p.Classes+c])
	})
	n := 0
next:
	for _, b := range order[:k] {
		if n == p.PerClass {
			break
		}
		call.Work(2*n + 64)
		box := img[(int(b)*p.Q+min(c, p.Q-1))*4:]
		for j := n - 1; j >= 0; j-- {
			if iou(box, img[(int(chosen[j])*p.Q+min(c, p.Q-1))*4:]) > limit {
				continue next
			}
		}
		chosen[n] = b
		found[2*n], found[2*n+1] = b, int32(c)
		n++
	}
	return n
}

// sort sorts (box, class) pairs by falling score. Pairs with equal scores keep their order.
func (p *CombinedParams) sort(call *mem.Call, pairs []int32, sc []float32) {
	score := func(i int) float32 { return sc[int(pairs[2*i])*p.Classes+int(pairs[2*i+1])] }
	// The pairs of each class are already sorted, so insertion sort moves few pairs.
	for i := 1; i < len(pairs)/2; i++ {
		call.Work(64 + i/4) // of the copy
		s, b, c := score(i), pairs[2*i], pairs[2*i+1]
		lo, hi := 0, i
		for lo < hi {
			if m := (lo + hi) / 2; score(m) >= s {
				lo = m + 1
			} else {
				hi = m
			}
		}
		copy(pairs[2*lo+2:2*i+2], pairs[2*lo:2*i])
		pairs[2*lo], pairs[2*lo+1] = b, c
	}
}
