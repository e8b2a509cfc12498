package array

// BlockParams describes copies between a tensor [Batch, space…, Inner] and a tensor [Batch·Π block,
// batched…, Inner], as in SpaceToBatch and BatchToSpace. Positions along a space axis are counted from
// the beginning of its margin. Position p of the first tensor corresponds to position p/block of the
// second, in the block with the offset p mod block.
type BlockParams struct{ Batch, Inner int }

// blockBox is the copy of one block: a box with strides in both tensors.
type blockBox struct {
	off                   [MaxRank]int // the block's offset along each axis
	dims, space, batched  [MaxRank]int
	spaceAt, batchedAt, n int
}

// set computes the copy of the block whose offsets are x.off. The copy pairs every block-th
// position of space with a position of batched. It omits the positions of batched that are outside
// space.
func (x *blockBox) set(block, space, batched, margin []int, p *BlockParams) {
	m := len(block)
	ss, bs := p.Inner, p.Inner
	x.spaceAt, x.batchedAt, x.n = 0, 0, m+2
	x.dims[m+1], x.space[m+1], x.batched[m+1] = p.Inner, 1, 1
	for k := m - 1; k >= 0; k-- {
		b, off := block[k], x.off[k]
		// Position s of batched is position s·b + off - margin of space.
		lo := 0
		if short := margin[k] - off; short > 0 {
			lo = (short + b - 1) / b
		}
		hi := 0
		if last := space[k] + margin[k] - off; last > 0 {
			hi = min(batched[k], (last+b-1)/b)
		}
		x.dims[k+1], x.space[k+1], x.batched[k+1] = max(hi-lo, 0), ss*b, bs
		x.spaceAt += (lo*b + off - margin[k]) * ss
		x.batchedAt += lo * bs
		ss *= space[k]
		bs *= batched[k]
	}
	x.dims[0], x.space[0], x.batched[0] = p.Batch, ss, bs
}

// next advances to the next block in the order of the batch axis.
func (x *blockBox) next(block []int) {
	for k := len(block) - 1; k >= 0; k-- {
		if x.off[k]++; x.off[k] < block[k] {
			return
		}
		x.off[k] = 0
	}
}

// piece returns the number of elements of a block, and the number of blocks.
func (p *BlockParams) piece(block, batched []int) (piece, blocks int) {
	piece, blocks = p.Batch*p.Inner, 1
	for k, g := range batched {
		piece *= g
		blocks *= block[k]
	}
	return piece, blocks
}

func spaceToBatch[T any](dst, src []T, block, space, batched, margin []int, p BlockParams) {
	clear(dst)
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	var x blockBox
	piece, blocks := p.piece(block, batched)
	for i := range blocks {
		x.set(block, space, batched, margin, &p)
		move(dst, src, x.dims[:x.n], x.batched[:x.n], i*piece+x.batchedAt, x.space[:x.n], x.spaceAt)
		x.next(block)
	}
}

func batchToSpace[T any](dst, src []T, block, space, batched, margin []int, p BlockParams) {
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	var x blockBox
	piece, blocks := p.piece(block, batched)
	for i := range blocks {
		x.set(block, space, batched, margin, &p)
		move(dst, src, x.dims[:x.n], x.space[:x.n], x.spaceAt, x.batched[:x.n], i*piece+x.batchedAt)
		x.next(block)
	}
}
