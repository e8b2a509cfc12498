package jpeg

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// units describes the MCUs (minimum coded units) into which a scan groups its blocks.
type units struct {
	perRow, rows int
	single       bool // whether the scan has only one component; each MCU is then one block
	blocks       int
}

// beginScan prepares the tables for a scan.
func (d *decoder) beginScan() (units, error) {
	f := d.f
	u := units{single: len(d.scan) == 1, blocks: 1}
	if u.single {
		u.perRow, u.rows = d.scan[0].wide, d.scan[0].tall
	} else {
		u.perRow, u.rows, u.blocks = ceilDiv(f.w, 8*f.hmax), ceilDiv(f.h, 8*f.vmax), 0
		for _, c := range d.scan {
			u.blocks += c.h * c.v
		}
		if u.blocks > 10 {
			return u, bad("too many blocks of components in a unit")
		}
	}
	for _, c := range d.scan {
		if c.q == nil {
			if c.quant > 3 || d.quants[c.quant] == nil {
				return u, bad("the quantization table %d is missing", c.quant)
			}
			c.q = d.quants[c.quant]
		}
	}
	if f.progressive {
		if err := d.checkProgression(); err != nil {
			return u, err
		}
	}
	for _, c := range d.scan {
		dc, ac := !f.progressive || d.ss == 0 && d.ah == 0, !f.progressive || d.ss != 0
		if dc {
			if c.dc > 3 {
				return u, bad("a Huffman table is missing")
			}
			if err := d.dcs[c.dc].derive(true); err != nil {
				return u, err
			}
		}
		if ac {
			if c.ac > 3 {
				return u, bad("a Huffman table is missing")
			}
			if err := d.acs[c.ac].derive(false); err != nil {
				return u, err
			}
		}
		c.lastDC = 0
	}
	r := &d.r
	r.buf, r.bits, r.lack, r.fast = 0, 0, false, false
	r.sync()
	d.left, d.eobRun = d.interval, 0
	return u, nil
}

// checkProgression rejects a scan with an invalid band of coefficients or invalid bit positions.
func (d *decoder) checkProgression() error {
	ok := d.al <= 13
	if d.ss == 0 {
		ok = ok && d.se == 0
	} else {
		ok = ok && d.ss <= d.se && d.se < 64 && len(d.scan) == 1
	}
	if d.ah != 0 && d.al != d.ah-1 {
		ok = false
	}
	if !ok {
		return bad("bogus progression: coefficients %d to %d, bits %d to %d", d.ss, d.se, d.ah, d.al)
	}
	return nil
}

// restart reads the restart marker that is due and resets the entropy decoder.
func (d *decoder) restart() error {
	r := &d.r
	r.bits = 0
	if r.marker == 0 {
		if err := r.nextMarker(); err != nil {
			return err
		}
	}
	if err := d.resync(); err != nil {
		return err
	}
	d.nextRST = (d.nextRST + 1) & 7
	for _, c := range d.scan {
		c.lastDC = 0
	}
	d.left, d.eobRun = d.interval, 0
	if r.marker == 0 {
		r.lack = false
	}
	r.sync()
	return nil
}

// resync consumes the expected restart marker. It may also accept a different marker, leave it for
// later, or skip it.
func (d *decoder) resync() error {
	r := &d.r
	for {
		m := int(r.marker)
		away := (m - mRST0 - d.nextRST) & 7
		switch {
		case m >= mSOF0 && (m < mRST0 || m > mRST7), m >= mSOF0 && (away == 1 || away == 2):
			return nil // left for later
		case m >= mSOF0 && away != 6 && away != 7:
			r.marker = 0
			return nil
		}
		if err := r.nextMarker(); err != nil {
			return err
		}
	}
}

// unit calls f to decode the blocks of one MCU. If the fast bit reader meets a marker or the end of
// the data, unit calls f again with the slow one.
func (d *decoder) unit(u *units, f func() error) error {
	r := &d.r
	fast := !d.f.progressive
	if d.interval != 0 {
		if d.left == 0 {
			if err := d.restart(); err != nil {
				return err
			}
		}
		d.left--
		fast = false
	}
	if r.lack {
		return nil
	}
	if fast && len(r.data)-r.pos >= 512*u.blocks && r.marker == 0 {
		r.fast = true
		pos, buf, bits := r.pos, r.buf, r.bits
		var last [4]int
		for i, c := range d.scan {
			last[i] = c.lastDC
		}
		err := f()
		r.fast = false
		if err != errFast {
			if err == nil {
				r.sync()
			}
			return err
		}
		r.pos, r.buf, r.bits = pos, buf, bits
		for i, c := range d.scan {
			c.lastDC = last[i]
		}
		d.clearUnit()
	}
	err := f()
	if err == nil {
		r.sync()
	}
	return err
}

// sequentialBlock decodes the 64 coefficients of one block. All elements of the parameter block must be
// zero beforehand.
func (d *decoder) sequentialBlock(c *component, block []int16) error {
	r := &d.r
	block = block[:64]
	s, err := d.dcs[c.dc].symbol(r)
	if err != nil {
		return err
	}
	if s != 0 {
		v, err := r.receive(s)
		if err != nil {
			return err
		}
		s = extend(v, s)
	}
	c.lastDC = int(int32(c.lastDC + s))
	block[0] = int16(c.lastDC)
	t := &d.acs[c.ac]
	for k := 1; k < 64; k++ {
		s, err := t.symbol(r)
		if err != nil {
			return err
		}
		n := s & 15
		if n == 0 {
			if s != 0xf0 {
				break
			}
			k += 15
			continue
		}
		k += s >> 4
		v, err := r.receive(n)
		if err != nil {
			return err
		}
		block[natural[k]] = int16(extend(v, n))
	}
	return nil
}

// blockAt returns the stored coefficients of the component's block at row and col.
func (c *component) blockAt(row, col int) []int16 {
	return c.coefs[64*(row*c.wideAll+col):][:64]
}

// coefficients decodes a scan and stores its coefficients in the components.
func (d *decoder) coefficients(u *units) error {
	for row := range u.rows {
		for col := range u.perRow {
			err := d.unit(u, func() error {
				if u.single {
					return d.keptBlock(d.scan[0], d.scan[0].blockAt(row, col))
				}
				for _, c := range d.scan {
					for y := range c.v {
						for x := range c.h {
							if err := d.keptBlock(c, c.blockAt(row*c.v+y, col*c.h+x)); err != nil {
								return err
							}
						}
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if d.r.lack && d.interval == 0 {
				return nil // no more data
			}
		}
	}
	return nil
}

func (d *decoder) keptBlock(c *component, block []int16) error {
	switch {
	case !d.f.progressive:
		return d.sequentialBlock(c, block)
	case d.ss == 0 && d.ah == 0:
		return d.dcFirst(c, block)
	case d.ss == 0:
		return d.dcRefine(block)
	case d.ah == 0:
		return d.acFirst(c, block)
	}
	return d.acRefine(c, block)
}
