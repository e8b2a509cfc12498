package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// divide makes a program for each part of the plan. These programs share the kept state.
func (x *Program) divide() error {
	for k, p := range x.p.Parts {
		q, err := newProgram(x.kept, p, x.devs)
		if err != nil {
			return fmt.Errorf("part %d (%s): %w", k, p.Device, err)
		}
		x.parts = append(x.parts, q)
	}
	return nil
}

// runParts runs the parts concurrently, each on a goroutine, as an emitted program does.
func (x *Program) runParts(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	e := rendezvous.NewExchange(len(x.p.Pairs), len(x.parts))
	defer e.Drop()
	got := make([]map[string]*tensor.Tensor, len(x.parts))
	runs := make([]func() error, len(x.parts))
	inner := e.Begin(ctx)
	for k, p := range x.parts {
		q := *p // a copy, because other goroutines may run p at the same time
		q.MaxBytes, q.Chunks, q.Files = x.MaxBytes, x.Chunks, x.Files
		runs[k] = func() (err error) {
			got[k], err = q.run(inner, e, feeds)
			return err
		}
	}
	if err := rendezvous.NewGroup(e, runs).Run(inner, 0); err != nil {
		var part *rendezvous.PartError
		if errors.As(err, &part) {
			return nil, part.Err
		}
		return nil, err
	}
	out := map[string]*tensor.Tensor{}
	for _, m := range got {
		maps.Copy(out, m)
	}
	return out, nil
}
