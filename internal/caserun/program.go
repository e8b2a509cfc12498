package caserun

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// Table holds the constructors of emitted packages by the names that requests use.
type Table map[string]func() (rt.Program, error)

// instance runs the one signature of an emitted package.
type instance struct {
	p    rt.Program
	name string
}

func (i instance) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return i.p.Run(ctx, i.name, feeds)
}

func (t Table) open(name string) (Runner, error) {
	make, ok := t[name]
	if !ok {
		return nil, fmt.Errorf("package %s is not in this program", name)
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	return instance{p, p.Signatures()[0].Name}, nil
}

// Main is the main function of a program of emitted packages: it runs the
// cases named on standard input and returns the exit code.
func (t Table) Main() int {
	err := Serve(os.Stdin, os.Stdout, func(q Request) Reply {
		c, err := cases.Load(q.Dir)
		if err != nil {
			return Verdict(q.Index, err)
		}
		open := map[string]Runner{}
		return Verdict(q.Index, Check(context.Background(), c, func(run int) (Runner, error) {
			if run >= len(q.Packages) {
				return nil, fmt.Errorf("no package is named for run %d", run)
			}
			name := q.Packages[run]
			if open[name] == nil {
				r, err := t.open(name)
				if err != nil {
					return nil, err
				}
				open[name] = r
			}
			return open[name], nil
		}))
	})
	if err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
