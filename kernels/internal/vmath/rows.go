package vmath

// Rows describes Count adjacent rows of N results each, and their two operands. The rows of an
// operand are StepA or StepB floats apart; 0 repeats a row. A row of an operand has N elements, or,
// if OneA or OneB is set, one element that repeats. OneA and OneB are not both set.
type Rows struct {
	N, Count     int
	StepA, StepB int
	OneA, OneB   bool
}

// many is the largest number of floats that a call of assembly with two operands processes. plenty is
// that number for a call that only moves or reduces floats.
const (
	many   = 1 << 15
	plenty = 1 << 17
)

// pieces iterates over rows in pieces, one for each call of assembly. The current piece has n
// elements of each of rows rows. The fields d, a and b are its offsets in the result and in the
// operands.
type pieces struct {
	r       *Rows
	n, rows int
	d, a, b int
	row     int // the next piece's row
	pos     int // the next piece's position within the row
}

// pieces returns an iterator before the first piece. It panics if dst or an operand is too short for
// the rows.
func (r *Rows) pieces(dst, a, b []float32) pieces {
	if r.Count <= 0 || r.N <= 0 {
		return pieces{r: &Rows{}}
	}
	last := r.Count - 1
	na, nb := r.N, r.N
	if r.OneA && !r.OneB {
		na = 1
	}
	if r.OneB && !r.OneA {
		nb = 1
	}
	_, _, _ = dst[r.Count*r.N-1], a[last*r.StepA+na-1], b[last*r.StepB+nb-1]
	return pieces{r: r}
}

// next advances to the next piece. It returns false at the end.
func (p *pieces) next() bool {
	r := p.r
	if p.row >= r.Count {
		return false
	}
	p.d, p.a, p.b = p.row*r.N+p.pos, p.row*r.StepA, p.row*r.StepB
	if !r.OneA {
		p.a += p.pos
	}
	if !r.OneB {
		p.b += p.pos
	}
	p.n = min(r.N-p.pos, many)
	p.rows = 1
	if p.n == r.N {
		p.rows = min(r.Count-p.row, max(many/r.N, 1))
	}
	if p.pos += p.n; p.pos == r.N {
		p.pos = 0
		p.row += p.rows
	}
	return true
}

// tile bounds the length of the rows that Widen builds.
const tile = 256

// Tile is scratch memory for Widen.
type Tile [tile]float32

// Narrow reports whether the rows are short, one operand repeats a row, and the rows of the other
// operand are adjacent. If so, Widen can join them to longer rows.
func (r *Rows) Narrow() bool {
	if r.N > tile/8 || r.N < 2 || r.OneA || r.OneB || r.Count*r.N < 2*tile {
		return false
	}
	return r.StepB == 0 && r.StepA == r.N || r.StepA == 0 && r.StepB == r.N
}

// Widen fills t with copies of the row that one operand repeats. x and y are the operands with t in
// place of that operand. long describes the longer rows, and left the short rows that remain behind
// them.
func (r *Rows) Widen(t *Tile, a, b []float32) (x, y []float32, long, left Rows) {
	k := tile / r.N
	one := b
	if r.StepA == 0 {
		one = a
	}
	for i := range k {
		copy(t[i*r.N:(i+1)*r.N], one)
	}
	long, left = *r, *r
	long.N, long.Count, left.Count = k*r.N, r.Count/k, r.Count%k
	if r.StepA == 0 {
		long.StepB = long.N
		return t[:], b, long, left
	}
	long.StepA = long.N
	return a, t[:], long, left
}
