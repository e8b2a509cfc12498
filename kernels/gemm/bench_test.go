package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/graphc/graphc/kernels/internal/panel"
)

// against compares the speed of f with a limit of the machine. It alternates short bursts of f with
// bursts of a loop that reaches the limit. If data is nil, the loop does multiply-adds in
// registers. Otherwise it reads data, which f has to read, too. against reports f's least time, and
// f's speed as a share of the limit. Each share is computed from two neighbouring bursts, since the
// clock rate varies; the median of the shares is reported.
func against(b *testing.B, flops int, data []float32, f func()) {
	b.Helper()
	const burst = 40e3 // ns
	each := func(n int, f func()) float64 {
		t := time.Now()
		for range n {
			f()
		}
		return float64(time.Since(t).Nanoseconds()) / float64(n)
	}
	f()
	one := each(1, f)
	n := max(1, int(burst/one))
	took := 1e18
	ops := 0
	var shares []float64
	for b.Loop() {
		t := each(n, f)
		took = min(took, t)
		if data != nil {
			shares = append(shares, 100*each(n, func() { panel.Read(data) })/t)
			continue
		}
		limit := each(1, func() { ops = panel.Peak(int(200 * min(max(one, burst), 1e6))) })
		if ops > 0 {
			shares = append(shares, 100*float64(flops)/t/(float64(ops)/limit))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took, "min-ns")
	b.ReportMetric(float64(flops)/took, "GFLOP/s")
	name := "%peak"
	if data != nil {
		b.ReportMetric(float64(4*len(data))/took, "GB/s")
		name = "%read"
	}
	if len(shares) > 0 {
		slices.Sort(shares)
		b.ReportMetric(shares[len(shares)/2], name)
	}
}

type shape struct{ m, n, k int }

func (s shape) String() string { return fmt.Sprintf("%dx%dx%d", s.m, s.n, s.k) }

var packedShapes = []shape{
	{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {300, 500, 700},
	{16, 768, 768}, {16, 3072, 768}, {16, 768, 3072}, {64, 768, 768},
	{128, 768, 768}, {128, 3072, 768}, {128, 768, 3072}, {128, 2304, 768}, {1024, 768, 768},
	{3136, 64, 64}, {3136, 24, 144}, {2304, 8, 27}, {3136, 256, 64}, {3136, 64, 256}, {784, 512, 128}, {784, 128, 512}, {196, 256, 1024}, {196, 1024, 256}, {49, 512, 2048}, {49, 2048, 512},
}

func setup(s shape) (p Params, c, a, w, bias, scratch []float32) {
	r := rand.New(rand.NewPCG(1, 1))
	p = Params{M: s.m, N: s.n, K: s.k, Act: Relu}
	a, w, c, bias = random(r, p.M*p.K), make([]float32, PackedLen(p.K, p.N)), make([]float32, p.M*p.N), random(r, p.N)
	PackF32(w, random(r, p.K*p.N), p.K, p.N, false)
	return p, c, a, w, bias, make([]float32, ScratchLen(p))
}

// BenchmarkPacked measures the speed of products with a packed right-hand side as a share of the
// machine's peak rate.
func BenchmarkPacked(b *testing.B) {
	for _, s := range packedShapes {
		p, c, a, w, bias, scratch := setup(s)
		b.Run(s.String(), func(b *testing.B) {
			against(b, 2*s.m*s.n*s.k, nil, func() { F32(c, a, w, scratch, p.plus(bias, nil)) })
		})
	}
}

// BenchmarkRows measures the speed of products with few rows as a share of the read bandwidth.
func BenchmarkRows(b *testing.B) {
	for _, s := range []shape{
		{1, 512, 784}, {1, 256, 512}, {1, 10, 256}, {1, 1024, 256}, {1, 1000, 2048}, {1, 1024, 4096}, {1, 16, 8}, {1, 10, 1},
		{1, 64, 128}, {1, 512, 13}, {2, 512, 784}, {3, 512, 784}, {4, 512, 784}, {6, 512, 784}, {8, 512, 784}, {4, 1024, 256}, {8, 1024, 4096},
	} {
		p, c, a, w, bias, scratch := setup(s)
		b.Run(s.String(), func(b *testing.B) {
			against(b, 2*s.m*s.n*s.k, w, func() { F32(c, a, w, scratch, p.plus(bias, nil)) })
		})
	}
}

// BenchmarkBatchF32 measures the speed of the products of attention layers as a share of the machine's
// peak rate.
func BenchmarkBatchF32(b *testing.B) {
	for _, p := range []BatchParams{
		{M: 128, N: 128, K: 64, TransB: true, Dims: 1, D0: 12, A0: 8192, B0: 8192, C0: 16384},
		{M: 128, N: 64, K: 128, Dims: 1, D0: 12, A0: 16384, B0: 8192, C0: 8192},
		{M: 128, N: 128, K: 64, TransB: true, Dims: 1, D0: 12, Lda: 768, Ldb: 768, A0: 64, B0: 64, C0: 16384},
		{M: 128, N: 64, K: 128, Dims: 1, D0: 12, Ldb: 768, Ldc: 768, A0: 16384, B0: 64, C0: 64},
		{M: 512, N: 512, K: 64, TransB: true, Dims: 1, D0: 2, A0: 32768, B0: 32768, C0: 262144},
		{M: 16, N: 16, K: 64, TransB: true, Dims: 1, D0: 12, A0: 1024, B0: 1024, C0: 256},
		{M: 8, N: 64, K: 8, Dims: 1, D0: 12, A0: 64, B0: 512, C0: 512},
		{M: 1, N: 128, K: 64, TransB: true, Dims: 1, D0: 12, A0: 64, B0: 8192, C0: 128},
		{M: 1, N: 64, K: 128, Dims: 1, D0: 12, A0: 128, B0: 8192, C0: 64},
	} {
		na, nb, nc := extent(&p)
		r := rand.New(rand.NewPCG(1, 1))
		a, w, c, scratch := random(r, na), random(r, nb), make([]float32, nc), make([]float32, BatchScratchLen(p))
		b.Run(fmt.Sprintf("%dx%dx%dx%d_%v_%d", p.D0, p.M, p.N, p.K, p.TransB, p.Ldb), func(b *testing.B) {
			against(b, 2*p.D0*p.M*p.N*p.K, nil, func() { BatchF32(c, a, w, scratch, p) })
		})
	}
}

// BenchmarkBatchF64 is BenchmarkBatchF32 for f64, whose peak is half of f32's.
func BenchmarkBatchF64(b *testing.B) {
	for _, p := range []BatchParams{
		{M: 128, N: 128, K: 128}, {M: 128, N: 128, K: 128, TransB: true}, {M: 512, N: 512, K: 512}, {M: 30, N: 30, K: 30}, {M: 1, N: 512, K: 512},
	} {
		na, nb, nc := extent(&p)
		x, y, z, scratch := make([]float64, na), make([]float64, nb), make([]float64, nc), make([]float64, BatchF64ScratchLen(p))
		b.Run(fmt.Sprintf("%dx%dx%d_%v", p.M, p.N, p.K, p.TransB), func(b *testing.B) {
			against(b, 2*p.M*p.N*p.K, nil, func() { BatchF64(z, x, y, scratch, p) })
		})
	}
}
