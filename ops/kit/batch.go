package kit

import "github.com/graphc/graphc/lower"

// NotAlongBatch returns a lower.BatchRule for ops that work along some axes of input 0, which must
// be a batch. The axes are the elements of the input with the number in, which must be known; axis 0
// must not be among them. All other inputs are as in lower.FirstBatch.
func NotAlongBatch(in int) lower.BatchRule {
	return func(b *lower.BatchNode) bool {
		axes, ok := b.StaticInts(in)
		for _, a := range axes {
			ok = ok && a != 0 && a != -b.Rank(0)
		}
		return ok && lower.FirstBatch(b)
	}
}
