//go:build amd64 && !noasm

package panel8

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/cpu"
)

// BenchmarkPeak measures the rate of a product for each shape in the table shapes. It compares this
// rate with that of a loop that performs about as many operations but accesses no memory. It runs the
// product and the loop alternately many times, and reports the highest rate of each.
func BenchmarkPeak(b *testing.B) {
	if !cpu.UseVNNI() {
		b.Skip("no VNNI")
	}
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("%dx%dx%d", m, n, k), func(b *testing.B) {
			x, w, c := make([]uint8, m*k), make([]int8, Len(k, n)), make([]int32, m*n)
			run := func() { Run(c, x, w, nil, nil, Block{M: m, N: n, K: k, Lda: k, Ldc: n}) }
			work := 2 * float64(m) * float64(n) * float64(k)
			rounds := uintptr(work/(24*128)) + 1
			peak := func() {
				for left := rounds; left > 0; left -= min(left, 4096) {
					peak512(min(left, 4096))
				}
			}
			best := func(f func(), work float64, was float64) float64 {
				t := time.Now()
				f()
				return max(was, work/float64(time.Since(t)))
			}
			var top, got float64
			for b.Loop() {
				top = best(peak, float64(rounds)*24*128, top)
				got = best(run, work, got)
			}
			b.ReportMetric(top, "peak-GOP/s")
			b.ReportMetric(got, "GOP/s")
			b.ReportMetric(math.Round(100*got/top), "%")
		})
	}
}
