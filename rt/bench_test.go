package rt

import (
	"context"
	"testing"
)

// BenchmarkEmptyRun measures a run without steps.
func BenchmarkEmptyRun(b *testing.B) {
	base, err := Open(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer base.Close()
	var p Pool[dims, found, input, vars, struct{}]
	p.Init(base, &Code[dims]{Steps: []Step{{Node: "a", Op: "Relu"}}}, nil)
	run := func(ctx context.Context) (err error) {
		s, err := p.Get(ctx, dims{})
		if err != nil {
			return err
		}
		defer p.Put(s, &err)
		s.At(0)
		return nil
	}
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
	}{
		{"background", context.Background()},
		{"cancellable", cancellable},
		{"options", WithRun(cancellable)},
		{"timeout", WithRun(cancellable, Timeout(1<<40))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(c.ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
