package array

// BlockParams describes moving blocks of space to the batch axis and back: a
// tensor [Batch, space…, Inner] against one [Batch·Π block, batched…, Inner],
// where place p of a space axis, margin included, is place p/block of block
// offset p mod block.
type BlockParams struct{ Batch, Inner int }

// blocks calls f for every combination of block offsets, in the order of the
// batch axis, with the box of places that lie inside space: sizes, first places
// in space and in batched.
func blocks(block, space, batched, margin []int, f func(i int, n, first, at []int)) {
	var off, n, first, at [MaxRank]int
	m := len(block)
	total := 1
	for _, b := range block {
		total *= b
	}
	for i := range total {
		for k, b := range block {
			// Place s of batched is place s*b + off - margin of space.
			lo := 0
			if short := margin[k] - off[k]; short > 0 {
				lo = (short + b - 1) / b
			}
			hi := batched[k]
			if last := space[k] + margin[k] - off[k]; last <= 0 {
				hi = 0
			} else {
				hi = min(hi, (last+b-1)/b)
			}
			n[k], at[k] = max(hi-lo, 0), lo
			first[k] = lo*b + off[k] - margin[k]
		}
		f(i, n[:m], first[:m], at[:m])
		for k := m - 1; k >= 0; k-- {
			if off[k]++; off[k] < block[k] {
				break
			}
			off[k] = 0
		}
	}
}

// blockBox makes the box of one block: [Batch, n…, Inner] with the strides of
// space, every block-th place, and of batched.
func blockBox(dims, spaceStride, batchStride *[MaxRank]int, block, space, batched, n, first, at []int, p BlockParams) (rank, spaceOff, batchOff int) {
	m := len(block)
	ss, bs := p.Inner, p.Inner
	dims[m+1], spaceStride[m+1], batchStride[m+1] = p.Inner, 1, 1
	for k := m - 1; k >= 0; k-- {
		dims[k+1], spaceStride[k+1], batchStride[k+1] = n[k], ss*block[k], bs
		spaceOff += first[k] * ss
		batchOff += at[k] * bs
		ss *= space[k]
		bs *= batched[k]
	}
	dims[0], spaceStride[0], batchStride[0] = p.Batch, ss, bs
	return m + 2, spaceOff, batchOff
}

func spaceToBatch[T any](dst, src []T, block, space, batched, margin []int, p BlockParams) {
	clear(dst)
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	piece := p.Batch * p.Inner
	for _, g := range batched {
		piece *= g
	}
	var dims, ss, bs [MaxRank]int
	blocks(block, space, batched, margin, func(i int, n, first, at []int) {
		r, so, bo := blockBox(&dims, &ss, &bs, block, space, batched, n, first, at, p)
		move(dst, src, dims[:r], bs[:r], i*piece+bo, ss[:r], so)
	})
}

func batchToSpace[T any](dst, src []T, block, space, batched, margin []int, p BlockParams) {
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	piece := p.Batch * p.Inner
	for _, g := range batched {
		piece *= g
	}
	var dims, ss, bs [MaxRank]int
	blocks(block, space, batched, margin, func(i int, n, first, at []int) {
		r, so, bo := blockBox(&dims, &ss, &bs, block, space, batched, n, first, at, p)
		move(dst, src, dims[:r], ss[:r], so, bs[:r], i*piece+bo)
	})
}
