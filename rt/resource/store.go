package resource

import (
	"math/bits"
	"math/rand/v2"
)

// store holds the elements of a queue.
type store interface {
	len() int
	push(t []*Box)
	pop() []*Box
	// back puts a tuple back into the store after pop has removed it. If several tuples are put back,
	// the caller must begin with the one that was removed last.
	back(t []*Box)
}

// ring returns elements in the order of insertion.
type ring struct {
	buf  [][]*Box
	head int
	n    int
}

func (r *ring) len() int { return r.n }

func (r *ring) grow() {
	if r.n < len(r.buf) {
		return
	}
	buf := make([][]*Box, max(8, 2*len(r.buf)))
	for i := range r.n {
		buf[i] = r.buf[(r.head+i)%len(r.buf)]
	}
	r.buf, r.head = buf, 0
}

func (r *ring) push(t []*Box) {
	r.grow()
	r.buf[(r.head+r.n)%len(r.buf)] = t
	r.n++
}

func (r *ring) pop() []*Box {
	t := r.buf[r.head]
	r.buf[r.head] = nil
	r.head = (r.head + 1) % len(r.buf)
	r.n--
	return t
}

func (r *ring) back(t []*Box) {
	r.grow()
	r.head = (r.head + len(r.buf) - 1) % len(r.buf)
	r.buf[r.head] = t
	r.n++
}

// bag returns elements in the same random order as TensorFlow's RandomShuffleQueue. A random number
// from the stream rnd selects the element to return. The last element then takes the index of the
// returned one.
type bag struct {
	elems [][]*Box
	rnd   *philox
}

func (b *bag) len() int      { return len(b.elems) }
func (b *bag) push(t []*Box) { b.elems = append(b.elems, t) }
func (b *bag) back(t []*Box) { b.push(t) }

func (b *bag) pop() []*Box {
	last := len(b.elems) - 1
	i := int(b.rnd.next() % uint32(len(b.elems)))
	t := b.elems[i]
	b.elems[i] = b.elems[last]
	b.elems[last] = nil
	b.elems = b.elems[:last]
	return t
}

// heap is a binary heap of tuples, ordered by component 0, which is a number. The method pop removes
// a tuple whose number is the smallest. If several tuples have the same number, their order depends
// on the algorithm of pop, which is as follows. The removal of the root leaves a hole. The hole is
// moved down to a leaf. It is then moved up again to the place where the last tuple of the heap
// belongs.
type heap struct{ elems [][]*Box }

func (h *heap) len() int      { return len(h.elems) }
func (h *heap) back(t []*Box) { h.push(t) }

func priority(t []*Box) int64 { return t[0].Data.([]int64)[0] }

func (h *heap) push(t []*Box) {
	h.elems = append(h.elems, t)
	h.rise(len(h.elems)-1, t)
}

// rise moves the hole at index i up to the position where t belongs, and stores t there.
func (h *heap) rise(i int, t []*Box) {
	for i > 0 {
		up := (i - 1) / 2
		if priority(h.elems[up]) <= priority(t) {
			break
		}
		h.elems[i] = h.elems[up]
		i = up
	}
	h.elems[i] = t
}

func (h *heap) pop() []*Box {
	t := h.elems[0]
	n := len(h.elems) - 1
	last := h.elems[n]
	h.elems[n] = nil
	h.elems = h.elems[:n]
	if n == 0 {
		return t
	}
	i := 0
	for 2*i+1 < n {
		c := 2*i + 2
		if c >= n || priority(h.elems[c]) > priority(h.elems[c-1]) {
			c--
		}
		h.elems[i] = h.elems[c]
		i = c
	}
	h.rise(i, last)
	return t
}

// philox is the stream of 32-bit random numbers that TensorFlow's generators use: Philox 4x32-10. The
// key is the first seed, and the upper half of the initial counter is the second seed.
type philox struct {
	key    uint64
	lo, hi uint64
	buf    [4]uint32
	at     int // how many numbers at the end of buf were not returned yet
}

// newPhilox begins a stream. If both seeds are 0, each stream gets random seeds.
func newPhilox(seed, seed2 uint64) *philox {
	if seed == 0 && seed2 == 0 {
		seed, seed2 = rand.Uint64(), rand.Uint64()
	}
	return &philox{key: seed, hi: seed2}
}

func (p *philox) next() uint32 {
	if p.at == 0 {
		p.buf = [4]uint32{uint32(p.lo), uint32(p.lo >> 32), uint32(p.hi), uint32(p.hi >> 32)}
		k0, k1 := uint32(p.key), uint32(p.key>>32)
		for range 10 {
			a, b := uint64(p.buf[0])*0xD2511F53, uint64(p.buf[2])*0xCD9E8D57
			p.buf = [4]uint32{uint32(b>>32) ^ p.buf[1] ^ k0, uint32(b), uint32(a>>32) ^ p.buf[3] ^ k1, uint32(a)}
			k0 += 0x9E3779B9
			k1 += 0xBB67AE85
		}
		var carry uint64
		p.lo, carry = bits.Add64(p.lo, 1, 0)
		p.hi += carry
		p.at = 4
	}
	p.at--
	return p.buf[3-p.at]
}
