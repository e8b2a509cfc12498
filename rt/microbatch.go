package rt

import "github.com/graphc/graphc/rt/tensor"

// A run computes a large batch in micro-batches, one after the other, if the results for an item of
// the batch depend on no other item. The tensors between two steps then stay in the caches.

// microBatchBytes is the largest size in bytes of the buffers of a micro-batch with several items. It
// does not depend on the number of threads: kernels may choose a method by the number of rows, and
// results must be the same with any number of threads.
const microBatchBytes = 8 << 20

// MicroBatch is a part of a batch: Size items of All, beginning with the item From.
type MicroBatch struct {
	From, Size, All int

	maxBytes int // the most bytes of one result for the whole batch
}

// FirstMicroBatch returns the first micro-batch of a batch that has the given number of items in all.
func (s *State[D, V, I, M, X]) FirstMicroBatch(size, all int) MicroBatch {
	return MicroBatch{Size: size, All: all, maxBytes: s.max}
}

// Next returns the micro-batch after b, which must not be the last one. All micro-batches have the
// same size. If the batch is not a multiple of this size, the last micro-batch begins with items of
// the one before it.
func (b MicroBatch) Next() MicroBatch {
	b.From = min(b.From+b.Size, b.All-b.Size)
	return b
}

// Last reports whether b is the last micro-batch.
func (b MicroBatch) Last() bool { return b.From+b.Size == b.All }

// MicroBatch returns the number of items of the micro-batches of a run whose batch has n items; see
// WithMicroBatch. The parameter one has the sizes of the run for a batch of one item.
//
// By default, the buffers for a micro-batch fit into microBatchBytes, or the micro-batch has one
// item. But a run reads the weights again for each micro-batch. If they are
// larger than the results of all steps for a micro-batch, the whole batch is computed at once.
func (p *Pool[D, V, I, M, X]) MicroBatch(one D, n int) int {
	if p.base == nil || n < 2 {
		return n
	}
	size := p.base.opts.microBatch
	if size == 0 {
		l := p.known(one)
		if l == nil {
			var err error
			if l, err = p.lay(one); err != nil {
				return n // the sizes of the whole batch give an error that names them
			}
			p.remember(l)
		}
		if size = max(1, microBatchBytes/max(1, l.size)); l.results < len(p.base.weights)/size {
			return n
		}
	}
	if size >= n {
		return n
	}
	count := (n + size - 1) / size
	return (n + count - 1) / count
}

// FeedMicroBatch returns the elements of a micro-batch of a feed. They are not copied. The field
// Shape of the result is the shape of the whole batch.
func FeedMicroBatch[T tensor.Elem](feed tensor.Of[T], b MicroBatch) tensor.Of[T] {
	if b.Size < b.All {
		item := len(feed.Data) / b.All
		feed.Data = feed.Data[b.From*item : (b.From+b.Size)*item]
	}
	return feed
}

// FetchMicroBatch copies the result for a micro-batch to its place in the caller's tensor. The
// parameter shape is the shape of this result. The first micro-batch sets the shape of the caller's
// tensor, and allocates memory for it unless it is large enough.
func FetchMicroBatch[T tensor.Elem](dst *tensor.Of[T], b MicroBatch, data []T, shape ...int) {
	if b.Size == b.All {
		Fetch(dst, data, shape...)
		return
	}
	item := len(data) / b.Size
	if b.From == 0 {
		if size := tensor.DTypeOf[T]().Size(); item > b.maxBytes/size/b.All {
			panic(tensor.Errorf(tensor.ResourceExhausted, "%d results of %d elements of %d bytes exceed the limit of %d bytes", b.All, item, size, b.maxBytes))
		}
		dst.Shape = append(dst.Shape[:0], shape...)
		dst.Shape[0] = shape[0] / b.Size * b.All
		if n := item * b.All; cap(dst.Data) < n {
			dst.Data = make([]T, n)
		} else {
			dst.Data = dst.Data[:n]
		}
	}
	copy(dst.Data[b.From*item:], data)
}
