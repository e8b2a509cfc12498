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

// Table maps the name of each emitted package to the constructor of the package's program. A Request
// has this name in its field Package.
type Table map[string]func(...rt.Option) (rt.Program, error)

// instance runs one signature of an emitted package.
type instance struct {
	p    rt.Program
	name string
}

func (i instance) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return i.p.Run(ctx, i.name, feeds)
}

// Main is the main function of a program of emitted packages. It runs the cases named on standard
// input and returns the exit code.
func (t Table) Main() int {
	err := Serve(os.Stdin, os.Stdout, func(q Request) Reply {
		c, err := cases.Load(q.Dir)
		if err != nil {
			return Verdict(q.Index, err)
		}
		var p rt.Program
		return Verdict(q.Index, Check(context.Background(), c, func(run int) (_ Runner, err error) {
			make, ok := t[q.Package]
			if !ok || run >= len(q.Signatures) {
				return nil, fmt.Errorf("run %d of package %q is not in this program", run, q.Package)
			}
			if p == nil {
				var opts []rt.Option
				if n := MaxBytes(c); n > 0 {
					opts = append(opts, rt.WithMaxBytes(n))
				}
				if p, err = make(opts...); err != nil {
					return nil, err
				}
			}
			return instance{p, q.Signatures[run]}, nil
		}))
	})
	if err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
