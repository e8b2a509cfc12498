package main

import (
	"bytes"
	"fmt"
	"strings"
)

// callsText returns the Go code of vmath's exported functions of one and two operands. These
// functions copy the elements after the last whole vector to an extra vector.
func callsText() string {
	var b bytes.Buffer
	b.WriteString(head + "package vmath\n\nimport \"github.com/graphc/graphc/rt/cpu\"\n\n")
	for _, c := range unaries {
		fmt.Fprintf(&b, `// %[1]s sets dst = %[3]s.
func %[1]s(dst, src []float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		%[2]sNEON(&dst[0], &src[0], n)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	if len(dst) > 0 {
		var t [lanes]float32
		copy(t[:], src)
		%[2]sNEON(&t[0], &t[0], 1)
		copy(dst, t[:])
	}
	return true
}

`, title(c.name), c.name, c.doc)
	}
	for _, c := range binaryCalls {
		swap, from := "", ""
		if c.commutes {
			swap = "\tif len(a) == 1 {\n\t\ta, b = b, a\n\t}\n"
		} else {
			from = "\t\tcase len(a) == 1:\n\t\t\t" + c.name + "FromNEON(d, x, y, n)\n"
		}
		fmt.Fprintf(&b, `// %[1]s sets dst = %[3]s; a or b may be one element that repeats.
func %[1]s(dst, a, b []float32) bool {
	if !cpu.UseNEON() {
		return false
	}
%[4]s	a, b = row(a, dst), row(b, dst)
	var t, u [lanes]float32
	var p, q [1]float32 // what repeats may be dst's first element
	if len(a) == 1 {
		p[0], a = a[0], p[:]
	}
	if len(b) == 1 {
		q[0], b = b[0], q[:]
	}
	for len(dst) > 0 {
		n := min(len(dst), chunk) / lanes
		d, x, y := &dst[0], &a[0], &b[0]
		if n == 0 {
			n = 1
			copy(t[:], a)
			copy(u[:], b)
			d, x, y = &t[0], &t[0], &u[0]
		}
		switch {
		case len(b) == 1:
			%[2]sScalarNEON(d, x, y, n)
%[5]s		default:
			%[2]sNEON(d, x, y, n)
		}
		if len(dst) < lanes {
			copy(dst, t[:])
			break
		}
		n *= lanes
		dst = dst[n:]
		if len(a) > 1 {
			a = a[n:]
		}
		if len(b) > 1 {
			b = b[n:]
		}
	}
	return true
}

// %[1]sRows sets rows of dst to %[3]s.
func %[1]sRows(dst, a, b []float32, r Rows) bool {
	if !cpu.UseNEON() {
		return false
	}
	for p := r.pieces(dst, a, b); p.next(); {
		for i := range p.rows {
			d, x, y := p.row32(i, dst, a, b)
			%[1]s(d, x, y)
		}
	}
	return true
}

`, title(c.name), c.name, c.doc, swap, from)
	}
	return formatted(b.String())
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
