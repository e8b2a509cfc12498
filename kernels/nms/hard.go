package nms

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// corners is a box with y0 <= y1 and x0 <= x1, and its area.
type corners struct{ y0, x0, y1, x1, area float32 }

func cornersOf(b []float32) corners {
	b = b[:4]
	c := corners{y0: min(b[0], b[2]), x0: min(b[1], b[3]), y1: max(b[0], b[2]), x1: max(b[1], b[3])}
	c.area = float32((c.y1 - c.y0) * (c.x1 - c.x0))
	return c
}

// keptMost is the largest number of chosen boxes that the function hard stores in a slice of
// corners. The boxes that it chooses after these are read from the input for each comparison.
const keptMost = 256

// hard chooses boxes in the order of falling scores, skips each box whose overlap with a chosen box
// is greater than limit, and stores the indices of the chosen boxes in sel. The parameter most is
// the largest number of boxes to choose. hard returns the number of chosen boxes. The result equals
// that of the loop in Select for suppression without score decay.
//
// The order in which a box is compared with the chosen boxes does not change the result. Therefore,
// a chosen box that suppresses another box moves towards the front of the slice of chosen boxes, so
// that later boxes are compared with it earlier. p.Keys is scratch.
func hard(call *mem.Call, sel []int32, boxes, scores []float32, limit, least float32, p *Params, most int) int {
	n := 0
	for i, s := range scores[:p.Boxes] {
		if s > least {
			p.Keys[n] = keyOf(s, i)
			n++
		}
	}
	h := p.Keys[:n]
	for i := n/2 - 1; i >= 0; i-- {
		sink(h, i)
	}
	var kept [keptMost]corners
	m := 0
	for m < most && len(h) > 0 {
		call.Work(2*m + 64)
		i := int32(^uint32(h[0]))
		last := len(h) - 1
		h[0] = h[last]
		h = h[:last]
		sink(h, 0)
		c := cornersOf(boxes[4*i:])
		if c.area > 0 && (suppressed(&c, kept[:min(m, keptMost)], limit) ||
			m > keptMost && overlapped(boxes[4*i:], boxes, sel[keptMost:m], limit)) {
			continue
		}
		if m < keptMost {
			kept[m] = c
		}
		sel[m] = i
		m++
	}
	return m
}

// suppressed reports whether there is a box in kept whose overlap with c is greater than limit. If
// there is, suppressed moves this box towards the front of kept.
func suppressed(c *corners, kept []corners, limit float32) bool {
	y0, x0, y1, x1 := c.y0, c.x0, c.y1, c.x1
	for j := range kept {
		k := &kept[j]
		// The four comparisons share one branch, since a branch for each would be hard to predict.
		if bit(k.y1 <= y0)|bit(y1 <= k.y0)|bit(k.x1 <= x0)|bit(x1 <= k.x0) != 0 {
			continue
		}
		in := float32((min(y1, k.y1) - max(y0, k.y0)) * (min(x1, k.x1) - max(x0, k.x0)))
		if k.area > 0 && in/(c.area+k.area-in) > limit {
			kept[j], kept[j/2] = kept[j/2], kept[j]
			return true
		}
	}
	return false
}

// keyOf returns a key for box i, by which boxes are sorted in TensorFlow's order. A box with a
// higher score has a greater key. Of two boxes with equal scores, the one with the lower index has
// the greater key.
func keyOf(score float32, i int) uint64 {
	b := math.Float32bits(score)
	switch {
	case score == 0: // -0 and +0 get the same key
		b = 1 << 31
	case b>>31 != 0:
		b = ^b
	default:
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(^uint32(i))
}

// sink moves element i of a max-heap down until no child is greater than it.
func sink(h []uint64, i int) {
	if i >= len(h) {
		return
	}
	v := h[i]
	for {
		k := 2*i + 1
		if k >= len(h) {
			break
		}
		if k+1 < len(h) && h[k+1] > h[k] {
			k++
		}
		if h[k] <= v {
			break
		}
		h[i] = h[k]
		i = k
	}
	h[i] = v
}
