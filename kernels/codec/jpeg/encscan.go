package jpeg

import "math/bits"

// code is a Huffman table for encoding.
type code struct {
	counts [17]uint8
	values []byte
	word   [256]uint32
	size   [256]uint8
}

func newCode(counts [17]uint8, values []byte) code {
	c := code{counts: counts, values: values}
	word, n := uint32(0), 0
	for l := 1; l <= 16; l++ {
		for range counts[l] {
			c.word[values[n]], c.size[values[n]] = word, uint8(l)
			word++
			n++
		}
		word <<= 1
	}
	return c
}

// The numbers of codes of each length in the Huffman tables of T.81, annex K.3: first for luminance, then
// for chrominance.
var (
	dcCounts = [2][17]uint8{{0, 0, 1, 5, 1, 1, 1, 1, 1, 1}, {0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}}
	acCounts = [2][17]uint8{{0, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d}, {0, 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77}}
)

const (
	dcValues = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"
	acValues = "\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71\x14\x32\x81\x91\xa1\x08\x23\x42\xb1\xc1\x15\x52\xd1\xf0" +
		"\x24\x33\x62\x72\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26\x27\x28\x29\x2a\x34\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a" +
		"\x53\x54\x55\x56\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83\x84\x85\x86\x87\x88\x89\x8a" +
		"\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca" +
		"\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"
	acValuesC = "\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22\x32\x81\x08\x14\x42\x91\xa1\xb1\xc1\x09\x23\x33\x52\xf0" +
		"\x15\x62\x72\xd1\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19\x1a\x26\x27\x28\x29\x2a\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a" +
		"\x53\x54\x55\x56\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x82\x83\x84\x85\x86\x87\x88\x89\x8a" +
		"\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca" +
		"\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"
)

// optimal returns the Huffman code for symbols with the counts freq. Its codes have at
// most 16 bits and are never all ones: T.81, annex K.2.
func optimal(freq *[257]int) code {
	freq[256] = 1
	var size, others [257]int
	for i := range others {
		others[i] = -1
	}
	for {
		c1, c2 := -1, -1
		for i, f := range freq {
			if f != 0 && (c1 < 0 || f <= freq[c1]) {
				c1 = i
			}
		}
		for i, f := range freq {
			if f != 0 && i != c1 && (c2 < 0 || f <= freq[c2]) {
				c2 = i
			}
		}
		if c2 < 0 {
			break
		}
		freq[c1] += freq[c2]
		freq[c2] = 0
		size[c1]++
		for others[c1] >= 0 {
			c1 = others[c1]
			size[c1]++
		}
		others[c1] = c2
		size[c2]++
		for others[c2] >= 0 {
			c2 = others[c2]
			size[c2]++
		}
	}
	var counts [258]int
	longest := 16
	for _, l := range size {
		if l > 0 {
			counts[l]++
			longest = max(longest, l)
		}
	}
	for i := longest; i > 16; i-- {
		for counts[i] > 0 {
			j := i - 2
			for counts[j] == 0 {
				j--
			}
			counts[i] -= 2
			counts[i-1]++
			counts[j+1] += 2
			counts[j]--
		}
	}
	i := 16
	for counts[i] == 0 {
		i--
	}
	counts[i]--
	var c [17]uint8
	for l := range c {
		c[l] = uint8(counts[l])
	}
	var values []byte
	for l := 1; l <= longest; l++ {
		for s := range 256 {
			if size[s] == l {
				values = append(values, byte(s))
			}
		}
	}
	return newCode(c, values)
}

// put writes the lower n bits of v.
func (e *encoder) put(v uint32, n int) {
	if e.count || n == 0 {
		return
	}
	e.acc = e.acc<<n | uint64(v)&(1<<n-1)
	e.bits += n
	for e.bits >= 8 {
		e.bits -= 8
		b := byte(e.acc >> e.bits)
		e.out = append(e.out, b)
		if b == 0xff {
			e.out = append(e.out, 0)
		}
	}
}

// flush fills the last byte with ones.
func (e *encoder) flush() {
	if !e.count {
		e.put(0x7f, 7)
		e.acc, e.bits = 0, 0
	}
}

func (e *encoder) symbol(table, s int) {
	if e.count {
		e.counts[table][s]++
		return
	}
	c := &e.codes[table]
	e.put(c.word[s], int(c.size[s]))
}

// number returns two numbers with which T.81 codes v: n is the size category of v, and the lower n bits of
// b represent v.
func number(v int) (n int, b uint32) {
	if v < 0 {
		return bits.Len(uint(-v)), uint32(v - 1)
	}
	return bits.Len(uint(v)), uint32(v)
}

// tables writes the definitions of the Huffman tables with the numbers ts.
func (e *encoder) tables(ts ...int) {
	for _, t := range ts {
		c := &e.codes[t]
		data := append([]byte{byte(t&1 | t>>1<<4)}, c.counts[1:]...)
		e.segment(mDHT, append(data, c.values...)...)
	}
}

// scanHeader writes the header of a scan of components.
func (e *encoder) scanHeader(comps []int, dc, ac bool, ss, se, ah, al int) {
	data := []byte{byte(len(comps))}
	for _, i := range comps {
		t := 0
		if dc {
			t |= e.planes[i].table << 4
		}
		if ac {
			t |= e.planes[i].table
		}
		data = append(data, byte(i+1), byte(t))
	}
	e.segment(mSOS, append(data, byte(ss), byte(se), byte(ah<<4|al))...)
}

// all returns the numbers of all components.
func (e *encoder) all() []int { return []int{0, 1, 2}[:len(e.planes)] }

// interleaved calls f for the blocks of all components, MCU by MCU.
func (e *encoder) interleaved(f func(c *plane, block []int16)) {
	for i := range e.planes {
		e.planes[i].lastDC = 0
	}
	if len(e.planes) == 1 {
		e.single(0, f)
		return
	}
	first := &e.planes[0]
	for y := range first.rows / first.v {
		e.row(first.all * first.v * 2)
		for x := range first.all / first.h {
			for i := range e.planes {
				c := &e.planes[i]
				for v := range c.v {
					for h := range c.h {
						f(c, c.coefs[64*((y*c.v+v)*c.all+x*c.h+h):][:64])
					}
				}
			}
		}
	}
}

// row counts the work for the given number of blocks. It also counts the memory of the file so far
// against the run's budget.
func (e *encoder) row(blocks int) {
	e.call.Work(64 * codeWork * blocks)
	if have := cap(e.out); have > e.held { // it may double
		e.call.Need(3*have - 3*e.held)
		e.held = have
	}
}

// single calls f for the blocks of component i that are within the image.
func (e *encoder) single(i int, f func(c *plane, block []int16)) {
	c := &e.planes[i]
	for y := range c.tall {
		e.row(c.wide)
		for x := range c.wide {
			f(c, c.coefs[64*(y*c.all+x):][:64])
		}
	}
}

// sequential writes the Huffman tables and the only scan of a sequential file.
func (e *encoder) sequential() {
	tables := []int{0, 2, 1, 3}[:2*min(len(e.planes), 2)]
	if e.p.Optimize {
		e.count = true
		e.interleaved(e.block)
		e.count = false
		for _, t := range tables {
			e.codes[t] = optimal(&e.counts[t])
		}
	} else {
		e.codes = [4]code{newCode(dcCounts[0], []byte(dcValues)), newCode(dcCounts[1], []byte(dcValues)),
			newCode(acCounts[0], []byte(acValues)), newCode(acCounts[1], []byte(acValuesC))}
	}
	e.tables(tables...)
	e.scanHeader(e.all(), true, true, 0, 63, 0, 0)
	e.interleaved(e.block)
	e.flush()
}

// block writes a block of a sequential scan.
func (e *encoder) block(c *plane, b []int16) {
	n, v := number(int(b[0]) - c.lastDC)
	c.lastDC = int(b[0])
	e.symbol(c.table, n)
	e.put(v, n)
	run := 0
	for k := 1; k < 64; k++ {
		x := b[natural[k]]
		if x == 0 {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			e.symbol(2+c.table, 0xf0)
		}
		n, v := number(int(x))
		e.symbol(2+c.table, run<<4|n)
		e.put(v, n)
		run = 0
	}
	if run > 0 {
		e.symbol(2+c.table, 0)
	}
}
