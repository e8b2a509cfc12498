package vmath

// Rows says how rows of results read their operands: Count rows of N results that
// lie one after the other. An operand goes on by so many elements a row (0 where the
// same row serves all) and has N elements a row, or one that repeats, but not both one.
type Rows struct {
	N, Count     int
	StepA, StepB int
	OneA, OneB   bool
}

// many is how many floats one call of assembly of two operands is given, plenty how many
// one that only moves or reduces them.
const (
	many   = 1 << 15
	plenty = 1 << 17
)

// pieces walks over rows in pieces for calls of assembly: so many rows of n
// elements at d, a and b.
type pieces struct {
	r       *Rows
	n, rows int
	d, a, b int
	row     int // of the next piece
	pos     int // of the next piece within the row
}

// pieces checks that the operands have the rows.
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

// next goes to the next piece; false at the end.
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

// tile is how long the rows that repeat should be.
const tile = 256

// Tile is scratch for Widen.
type Tile [tile]float32

// Narrow reports that the rows are short and one operand's row serves all while the
// other's lie one after the other: Widen makes longer rows of them.
func (r *Rows) Narrow() bool {
	if r.N > tile/8 || r.N < 2 || r.OneA || r.OneB || r.Count*r.N < 2*tile {
		return false
	}
	return r.StepB == 0 && r.StepA == r.N || r.StepA == 0 && r.StepB == r.N
}

// Widen repeats in t the row that serves all, and returns the operands with t in its
// place, the longer rows, and those that are left behind them.
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
