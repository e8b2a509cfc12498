package vmath

// Rows describes Count adjacent rows of N results each, and their two operands. Neighbouring rows
// of the first operand begin StepA floats apart, and those of the second operand begin StepB floats
// apart. A step of 0 means that all rows use the same operand row. If OneA is set, each row of the
// first operand is a single element, which is used N times. If OneB is set, this holds for the second
// operand. Otherwise an operand row has N elements. OneA and OneB are not both set.
type Rows struct {
	N, Count     int
	StepA, StepB int
	OneA, OneB   bool
}

// many is the largest number of floats that one call of assembly with two operands processes. plenty
// is the largest number of floats that one call processes if it only moves or reduces floats.
const (
	many   = 1 << 15
	plenty = 1 << 17
)

// pieces iterates over the pieces into which a Rows is divided. One call of assembly processes one
// piece. The field rows is the number of rows in the current piece, and n is the number of elements
// of each row. The fields d, a and b are the offsets of the piece in the result and in the two
// operands.
type pieces struct {
	r       *Rows
	n, rows int
	d, a, b int
	row     int // number of the first row of the next piece
	pos     int // position within that row at which the next piece begins
}

// pieces returns an iterator whose first call of next advances to the first piece. The method panics
// if dst or an operand is too short for the rows.
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

// tile is the largest number of elements of a row that Widen builds.
const tile = 256

// Tile is scratch memory for Widen.
type Tile [tile]float32

// Narrow reports whether Widen can join the rows to longer rows. The rows must be short. One operand
// must have a single row, which is used again for each row of the result. The rows of the other
// operand must be adjacent.
func (r *Rows) Narrow() bool {
	if r.N > tile/8 || r.N < 2 || r.OneA || r.OneB || r.Count*r.N < 2*tile {
		return false
	}
	return r.StepB == 0 && r.StepA == r.N || r.StepA == 0 && r.StepB == r.N
}

// Widen joins the rows to longer rows. One operand uses the same row for all rows, and Widen fills
// t with copies of this row. The results x and y are the operands for the longer rows: the operand
// that has only one row is replaced by t, and the other operand is unchanged. The result long
// describes the longer rows, and left describes the short rows that remain after them.
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
