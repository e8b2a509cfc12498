package jpeg

import "math/bits"

// maxCorrections is the largest number of correction bits that an end-of-band run buffers.
const maxCorrections = 1000

// scanOf is one scan of a progressive file. It holds coefficients of the component with the number
// comp. If comp is -1, it holds the DC coefficients of all components.
type scanOf struct{ comp, ss, se, ah, al int }

// progressive writes the scans of libjpeg's simple progression.
func (e *encoder) progressive() {
	script := []scanOf{{-1, 0, 0, 0, 1}, {0, 1, 5, 0, 2}, {2, 1, 63, 0, 1}, {1, 1, 63, 0, 1}, {0, 6, 63, 0, 2}, {0, 1, 63, 2, 1},
		{-1, 0, 0, 1, 0}, {2, 1, 63, 1, 0}, {1, 1, 63, 1, 0}, {0, 1, 63, 1, 0}}
	for _, s := range script {
		if s.comp >= len(e.planes) {
			continue
		}
		comps, tables := []int{s.comp}, []int(nil)
		dc := s.ss == 0
		switch {
		case dc:
			comps = e.all()
			if s.ah == 0 {
				tables = []int{0, 1}[:min(len(comps), 2)]
			}
		default:
			tables = []int{2 + e.planes[s.comp].table}
		}
		if len(tables) > 0 {
			e.counts = [4][257]int{}
			e.count = true
			e.scan(s)
			e.count = false
			for _, t := range tables {
				e.codes[t] = optimal(&e.counts[t])
			}
			e.tables(tables...)
		}
		e.scanHeader(comps, dc && s.ah == 0, !dc, s.ss, s.se, s.ah, s.al)
		e.scan(s)
	}
}

func (e *encoder) scan(s scanOf) {
	switch {
	case s.ss == 0 && s.ah == 0:
		e.interleaved(func(c *plane, b []int16) {
			v := int(b[0]) >> s.al
			n, w := number(v - c.lastDC)
			c.lastDC = v
			e.symbol(c.table, n)
			e.put(w, n)
		})
	case s.ss == 0:
		e.interleaved(func(_ *plane, b []int16) { e.put(uint32(b[0]>>s.al), 1) })
	default:
		e.eobRun, e.runTable, e.corrections = 0, 2+e.planes[s.comp].table, e.corrections[:0]
		if s.ah == 0 {
			e.single(s.comp, func(_ *plane, b []int16) { e.first(b, &s) })
		} else {
			e.single(s.comp, func(_ *plane, b []int16) { e.refine(b, &s) })
		}
		e.endRun()
	}
	e.flush()
}

// endRun writes the pending end-of-band run and its buffered bits.
func (e *encoder) endRun() {
	if e.eobRun == 0 {
		return
	}
	n := bits.Len(uint(e.eobRun)) - 1
	e.symbol(e.runTable, n<<4)
	e.put(uint32(e.eobRun), n)
	e.eobRun = 0
	e.putAll(e.corrections)
	e.corrections = e.corrections[:0]
}

func (e *encoder) putAll(bits []byte) {
	for _, b := range bits {
		e.put(uint32(b), 1)
	}
}

// first writes the coefficients of a block's band for the first time, without their lower s.al
// bits.
func (e *encoder) first(b []int16, s *scanOf) {
	run := 0
	for k := s.ss; k <= s.se; k++ {
		x := int(b[natural[k]])
		a := max(x, -x) >> s.al
		if a == 0 {
			run++
			continue
		}
		e.endRun()
		for ; run > 15; run -= 16 {
			e.symbol(e.runTable, 0xf0)
		}
		n := bits.Len(uint(a))
		e.symbol(e.runTable, run<<4|n)
		if x < 0 {
			a = ^a
		}
		e.put(uint32(a), n)
		run = 0
	}
	if run > 0 {
		if e.eobRun++; e.eobRun == 0x7fff {
			e.endRun()
		}
	}
}

// refine writes one more bit, at position s.al, of each coefficient in a block's band.
func (e *encoder) refine(b []int16, s *scanOf) {
	var abs [64]int
	last := 0
	for k := s.ss; k <= s.se; k++ {
		x := int(b[natural[k]])
		abs[k] = max(x, -x) >> s.al
		if abs[k] == 1 {
			last = k
		}
	}
	run := 0
	var kept [64]byte
	n := 0
	for k := s.ss; k <= s.se; k++ {
		a := abs[k]
		if a == 0 {
			run++
			continue
		}
		for run > 15 && k <= last {
			e.endRun()
			e.symbol(e.runTable, 0xf0)
			run -= 16
			e.putAll(kept[:n])
			n = 0
		}
		if a > 1 {
			kept[n] = byte(a & 1)
			n++
			continue
		}
		e.endRun()
		e.symbol(e.runTable, run<<4|1)
		sign := uint32(1)
		if b[natural[k]] < 0 {
			sign = 0
		}
		e.put(sign, 1)
		e.putAll(kept[:n])
		n, run = 0, 0
	}
	if run > 0 || n > 0 {
		e.eobRun++
		e.corrections = append(e.corrections, kept[:n]...)
		if e.eobRun == 0x7fff || len(e.corrections) > maxCorrections-64+1 {
			e.endRun()
		}
	}
}
