// Package panel8 holds the micro-kernels of products of unsigned by signed
// bytes, summed in 32 bits.
//
// The right-hand matrix B[K,N] is packed in panels of 16 columns and groups of four rows,
// [ceil(N/16)][ceil(K/4)][16][4]. Elements beyond K and N are zero. A vector of 64 bytes
// holds the four factors that one instruction multiplies and adds up for each of 16
// columns. Sums wrap around at 32 bits and are the same on every machine.
package panel8

import "github.com/graphc/graphc/rt/cpu"

const (
	// Width is the number of columns of a panel.
	Width = 16
	// Group is the number of rows of B in a group. For each column, the elements of a group are
	// adjacent bytes.
	Group = 4
	// MaxK is the largest K that Run accepts. It is limited so that each call of assembly is short.
	MaxK = 1 << 14
)

// Groups returns the number of groups of rows in a matrix of k rows. The last group may be
// incomplete.
func Groups(k int) int { return (k + Group - 1) / Group }

// Len returns the number of bytes of a matrix B[k,n] that Pack has packed.
func Len(k, n int) int { return (n + Width - 1) / Width * Width * Groups(k) * Group }

// Block is a product of rows of A with packed columns of B:
//
//	C[m,n] = Σ_k a[m*Lda+k] * B[k,n] + bias[n] + row[m]  (+ C[m,n] if Add)
//
// for 0 <= m < M, 0 <= n < N. Rows of A are read in groups of four bytes. If K is not a multiple of
// four, the bytes after a row that complete its last group are also read. They must exist, but
// their values do not matter.
type Block struct {
	M, N, K   int
	Lda, Ldc  int
	PanelStep int // distance in bytes between the starts of neighbouring panels of B; 0 means adjacent panels
	Add       bool
}

func (p *Block) check(c []int32, a []uint8, b []int8, bias, row []int32) {
	g := Groups(p.K)
	switch {
	case p.K < 0 || p.K > MaxK || p.Lda < 0 || p.PanelStep < 0 || p.Ldc < p.N && p.M > 1:
		panic("panel8: bad block")
	case g > 0 && len(a) < (p.M-1)*p.Lda+g*Group:
		panic("panel8: left operand too short")
	case len(b) < (p.N-1)/Width*p.PanelStep+g*Group*Width:
		panic("panel8: packed operand too short")
	case len(c) < (p.M-1)*p.Ldc+p.N:
		panic("panel8: result too short")
	case len(bias) != 0 && len(bias) < p.N:
		panic("panel8: bias too short")
	case len(row) != 0 && len(row) < p.M:
		panic("panel8: row terms too short")
	}
}

// Run computes the block. If bias or row is empty, nothing is added. c overlaps no operand. If M or N
// is zero, Run does nothing. If K is zero, the sums are zero.
func Run(c []int32, a []uint8, b []int8, bias, row []int32, p Block) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	if p.PanelStep == 0 {
		p.PanelStep = Groups(p.K) * Group * Width
	}
	p.check(c, a, b, bias, row)
	if p.K > 0 && (cpu.UseAVX2() || cpu.UseNEON()) {
		runSIMD(c, a, b, bias, row, &p)
		return
	}
	runGo(c, a, b, bias, row, &p)
}

// runGo is the portable version of Run. It computes two rows of one column at a time.
func runGo(c []int32, a []uint8, b []int8, bias, row []int32, p *Block) {
	groups := Groups(p.K)
	for n := range p.N {
		var w []int8
		if groups > 0 {
			w = b[n/Width*p.PanelStep+n%Width*Group:]
		}
		add := int32(0)
		if len(bias) != 0 {
			add = bias[n]
		}
		for m := 0; m < p.M; m += 2 {
			two := m+1 < p.M
			x := a[min(m*p.Lda, len(a)):]
			y := x
			if two {
				y = a[min((m+1)*p.Lda, len(a)):]
			}
			var s, t int32
			for g := range groups {
				v := w[g*Group*Width:][:Group:Group]
				x, y := x[g*Group:][:Group:Group], y[g*Group:][:Group:Group]
				w0, w1, w2, w3 := int32(v[0]), int32(v[1]), int32(v[2]), int32(v[3])
				s += int32(x[0])*w0 + int32(x[1])*w1 + int32(x[2])*w2 + int32(x[3])*w3
				t += int32(y[0])*w0 + int32(y[1])*w1 + int32(y[2])*w2 + int32(y[3])*w3
			}
			p.put(c, row, m, n, s+add)
			if two {
				p.put(c, row, m+1, n, t+add)
			}
		}
	}
}

func (p *Block) put(c, row []int32, m, n int, s int32) {
	if len(row) != 0 {
		s += row[m]
	}
	if p.Add {
		s += c[m*p.Ldc+n]
	}
	c[m*p.Ldc+n] = s
}
