package casebuild

import (
	"context"
	"errors"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
)

// Benchable returns an error for cases that cannot be timed.
func Benchable(c *cases.Case) error {
	switch {
	case c.Err != nil:
		return c.Err
	case c.ExpectErr:
		return errors.New("the case expects an error")
	}
	return nil
}

// Check compiles a case and compares its results with the recorded ones. The program p is nil if the
// case does not compile.
func Check(ctx context.Context, cc *Compiler) (p *pipeline.Program, err error) {
	c := cc.Case
	var names []string
	built := map[string]*pipeline.Runner{}
	var kept exec.State
	err = caserun.Check(ctx, c, func(run int) (_ caserun.Runner, err error) {
		if p == nil {
			if p, names, err = cc.Compile(len(c.Runs)); err != nil {
				return nil, err
			}
			if kept, err = p.NewState(); err != nil {
				return nil, err
			}
		}
		name := names[run]
		if built[name] == nil {
			if built[name], err = p.Signature(name).RunnerWith(kept); err != nil {
				return nil, err
			}
			if n := caserun.MaxBytes(c); n > 0 {
				built[name].SetMaxBytes(n)
			}
		}
		return built[name], nil
	})
	return p, err
}
