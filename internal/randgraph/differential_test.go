package randgraph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/tensor"
)

// patience is the time limit for compiling and running a small graph.
const patience = 20 * time.Second

// outcome is the result of running a graph: the fetches or an error.
type outcome struct {
	got map[string]*tensor.Tensor
	err error
}

// attempt compiles and runs a graph in this process.
func attempt(path string, d *Drawn, noOpt bool) (o outcome) {
	m, err := frontend.Load([]string{path}, frontend.Options{})
	if err != nil {
		return outcome{err: err}
	}
	call := pipeline.Call{Name: "f", Fetches: d.Fetches, Shapes: map[string]string{}}
	for name := range d.Feeds {
		call.Feeds = append(call.Feeds, name)
	}
	p, err := pipeline.CompileModel(m, pipeline.Options{Calls: []pipeline.Call{call}, NoOpt: noOpt, Check: true})
	if err != nil {
		return outcome{err: err}
	}
	kept, err := p.NewState()
	if err != nil {
		return outcome{err: err}
	}
	r, err := p.Signature("f").RunnerWith(kept)
	if err != nil {
		return outcome{err: err}
	}
	r.SetMaxBytes(64 << 20)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o.got, o.err = r.Run(ctx, d.Feeds)
	return o
}

// check runs the graph drawn from data with and without the optional passes, and compares the
// outcomes.
func check(data []byte, dir string) error {
	d := Draw(data)
	if len(d.Fetches) == 0 {
		return nil
	}
	path := filepath.Join(dir, "graph.pb")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(frontend.WriteGraphDef(f, d.Graph), f.Close()); err != nil {
		return err
	}
	start := time.Now()
	with, without := attempt(path, d, false), attempt(path, d, true)
	if t := time.Since(start); t > 2*patience {
		return fmt.Errorf("took %v", t)
	}
	for _, o := range []outcome{with, without} {
		if c := tensor.CodeOf(o.err); o.err != nil && (c == tensor.Internal || c == tensor.Unknown || c == tensor.DeadlineExceeded) {
			return fmt.Errorf("a fault: %w", o.err)
		}
	}
	switch {
	case with.err != nil && without.err != nil:
		return nil
	case with.err != nil:
		if refusesMore(with.err) {
			return nil
		}
		return fmt.Errorf("refused with the optional passes only: %w", with.err)
	case without.err != nil:
		if refusesMore(without.err) {
			return nil
		}
		return fmt.Errorf("refused without the optional passes only: %w", without.err)
	}
	for _, name := range d.Fetches {
		want := without.got[name]
		rtol, atol := 0.0, 0.0
		switch want.DType {
		case tensor.Float32, tensor.Complex64:
			rtol, atol = 1e-3, 1e-4
		case tensor.Float64, tensor.Complex128:
			rtol, atol = 1e-6, 1e-8
		case tensor.Half, tensor.BFloat16:
			rtol, atol = 0.1, 0.1
		}
		if err := cases.Compare(with.got[name], want, rtol, atol); err != nil {
			return fmt.Errorf("%s: with and without the optional passes: %w", name, err)
		}
	}
	return nil
}

// refusesMore reports whether err is acceptable although the same graph runs without an error when
// the optional passes are switched on or off. The code Unimplemented may mean that a size is known
// only after constant folding. ResourceExhausted may mean that a run exceeds its memory limit.
func refusesMore(err error) bool {
	c := tensor.CodeOf(err)
	return c == tensor.Unimplemented || c == tensor.ResourceExhausted
}

// FuzzDifferential: the optional passes do not change the results of a random graph.
func FuzzDifferential(f *testing.F) {
	for i := range 64 {
		b := make([]byte, 0, 160)
		x := uint32(i*2654435761 + 1)
		for range cap(b) {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			b = append(b, byte(x>>8))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := check(data, t.TempDir()); err != nil {
			t.Error(err)
		}
	})
}
