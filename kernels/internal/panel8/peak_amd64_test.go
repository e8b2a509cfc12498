//go:build amd64 && !noasm

package panel8

import (
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// BenchmarkPeak is what the machine does without touching memory.
func BenchmarkPeak(b *testing.B) {
	if !cpu.UseVNNI() {
		b.Skip("no VNNI")
	}
	const n = 1000
	for b.Loop() {
		peak512(n)
	}
	b.ReportMetric(float64(n)*24*128/1e9*float64(b.N)/b.Elapsed().Seconds(), "GOP/s")
}
