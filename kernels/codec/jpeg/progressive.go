package jpeg

// dcFirst decodes the upper bits of a block's DC coefficient.
func (d *decoder) dcFirst(c *component, block []int16) error {
	s, err := d.dcs[c.dc].symbol(&d.r)
	if err != nil {
		return err
	}
	if s != 0 {
		v, err := d.r.receive(s)
		if err != nil {
			return err
		}
		s = extend(v, s)
	}
	c.lastDC = int(int32(c.lastDC + s))
	block[0] = int16(c.lastDC << d.al)
	return nil
}

// dcRefine decodes one more bit of a block's DC coefficient.
func (d *decoder) dcRefine(block []int16) error {
	v, err := d.r.receive(1)
	if err != nil {
		return err
	}
	if v != 0 {
		block[0] |= 1 << d.al
	}
	return nil
}

// acFirst decodes the upper bits of a block's AC coefficients ss to se.
func (d *decoder) acFirst(c *component, block []int16) error {
	if d.eobRun > 0 {
		d.eobRun--
		return nil
	}
	run := 0
	t := &d.acs[c.ac]
	for k := d.ss; k <= d.se; k++ {
		s, err := t.symbol(&d.r)
		if err != nil {
			return err
		}
		n, zeros := s&15, s>>4
		if n != 0 {
			k += zeros
			v, err := d.r.receive(n)
			if err != nil {
				return err
			}
			block[natural[k]] = int16(extend(v, n) << d.al)
			continue
		}
		if zeros == 15 {
			k += 15
			continue
		}
		run = 1 << zeros
		if zeros > 0 {
			v, err := d.r.receive(zeros)
			if err != nil {
				return err
			}
			run += v
		}
		run-- // this block is the first of the run
		break
	}
	d.eobRun = run
	return nil
}

// acRefine decodes one more bit of a block's AC coefficients ss to se.
func (d *decoder) acRefine(c *component, block []int16) (err error) {
	p1, m1 := int16(1)<<d.al, int16(-1)<<d.al
	t := &d.acs[c.ac]
	run := d.eobRun
	k := d.ss
	// correct adds the next bit to a coefficient that is not zero.
	correct := func(x *int16) error {
		v, err := d.r.receive(1)
		if err != nil || v == 0 || *x&p1 != 0 {
			return err
		}
		if *x >= 0 {
			*x += p1
		} else {
			*x += m1
		}
		return nil
	}
	if run == 0 {
		for ; k <= d.se; k++ {
			s, err := t.symbol(&d.r)
			if err != nil {
				return err
			}
			zeros, v := s>>4, int16(0)
			if s&15 != 0 { // the size is 1 unless the data are damaged
				bit, err := d.r.receive(1)
				if err != nil {
					return err
				}
				v = m1
				if bit != 0 {
					v = p1
				}
			} else if zeros != 15 {
				run = 1 << zeros
				if zeros > 0 {
					bits, err := d.r.receive(zeros)
					if err != nil {
						return err
					}
					run += bits
				}
				break
			}
			for ; k <= d.se; k++ {
				x := &block[natural[k]]
				if *x != 0 {
					if err := correct(x); err != nil {
						return err
					}
				} else if zeros--; zeros < 0 {
					break
				}
			}
			if v != 0 {
				block[natural[min(k, 79)]] = v
			}
		}
	}
	if run > 0 {
		for ; k <= d.se; k++ {
			if x := &block[natural[k]]; *x != 0 {
				if err := correct(x); err != nil {
					return err
				}
			}
		}
		run--
	}
	d.eobRun = run
	return nil
}
