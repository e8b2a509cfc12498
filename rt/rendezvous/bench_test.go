package rendezvous

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// BenchmarkHandOver passes a message of 1 number, and of many numbers, back and forth between two
// parts. An operation is one transfer.
func BenchmarkHandOver(b *testing.B) {
	for _, n := range []int{1, 1 << 10, 1 << 18} {
		b.Run(fmt.Sprintf("%dB", 4*n), func(b *testing.B) {
			x := NewExchange(2, 2)
			u, v := make([]float32, n), make([]float32, n)
			g := NewGroup(x, []func() error{
				func() error {
					for range (b.N + 1) / 2 {
						_ = SendF32(x, 0, u)
						if err := RecvF32(u, x, 1); err != nil {
							return err
						}
					}
					return nil
				},
				func() error {
					for range (b.N + 1) / 2 {
						if err := RecvF32(v, x, 0); err != nil {
							return err
						}
						_ = SendF32(x, 1, v)
					}
					return nil
				},
			})
			b.ReportAllocs()
			if err := g.Run(context.Background(), 0); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkThere sends a scalar and receives it, on one goroutine.
func BenchmarkThere(b *testing.B) {
	x := NewExchange(1, 2)
	v := make([]float32, 1)
	for b.Loop() {
		_ = SendF32(x, 0, v)
		_ = RecvF32(v, x, 0)
	}
}

// BenchmarkEmptyStep runs parts that do nothing, and parts that pass one message on.
func BenchmarkEmptyStep(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, parts := range []int{1, 2, 3, 4} {
		run := make([]func() error, parts)
		for i := range run {
			run[i] = func() error { return nil }
		}
		g := NewGroup(NewExchange(parts, parts), run)
		b.Run(fmt.Sprintf("%dparts", parts), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = g.Run(ctx, 0)
			}
		})
		if parts == 1 {
			continue
		}
		var sum int64
		for _, threads := range []int{0, 1} {
			g := lap(parts, 1, &sum)
			b.Run(fmt.Sprintf("%dparts%dthreads/chain", parts, threads), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_ = g.Run(ctx, threads)
				}
			})
		}
	}
}

// BenchmarkCancel measures the time from a cancel to the end of a run whose parts wait.
func BenchmarkCancel(b *testing.B) {
	x := NewExchange(2, 3)
	g := NewGroup(x, []func() error{
		func() error { return Wait(x, 0) },
		func() error { return Wait(x, 1) },
		func() error { <-x.run.Done(); return nil },
	})
	var total time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		began := make(chan time.Time, 1)
		go func() {
			for x.busy.Load() != 1 {
				runtime.Gosched()
			}
			began <- time.Now()
			cancel()
		}()
		if err := g.Run(x.Begin(ctx), 0); err != context.Canceled {
			b.Fatal(err)
		}
		total += time.Since(<-began)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/cancel")
}
