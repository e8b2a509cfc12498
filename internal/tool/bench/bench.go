package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/timing"
)

// Run measures the run times of cases, once with each number of threads in the parameter threads.
// It prints the results as text, as a Markdown table, or as one JSON object per line.
func Run(ctx context.Context, a *base.App, dirs []string, threads []int, run int, length time.Duration, o casebuild.Options, asJSON, asTable bool) error {
	ctx = o.Devices.ForGPUs(ctx, "cuda")
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	if asTable {
		if _, err := io.WriteString(a.Out, tableHead); err != nil {
			return err
		}
	}
	return eachResult(ctx, a, cs, func(ctx context.Context, c *cases.Case) ([]*result, error) {
		return benchCase(ctx, a, c, threads, run, length, o)
	}, func(c *cases.Case, r *result) error {
		switch {
		case asJSON:
			return json.NewEncoder(a.Out).Encode(r)
		case asTable:
			r.Case = c.Rel
			return r.row(a.Out)
		}
		return r.text(a.Out)
	})
}

// compiled makes a folder for a program, and compiles a case. The caller removes the folder.
func compiled(ctx context.Context, c *cases.Case, o casebuild.Options) (p *pipeline.Program, dir string, err error) {
	if dir, err = casebuild.TempModule("", base.GPUKind(ctx)); err != nil {
		return nil, "", err
	}
	base.Doing(ctx, "compile")
	if p, _, err = o.Compiler(c).Compile(1); err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	return p, dir, nil
}

// within returns an error if one of the numbers of a flag is below 1 or above the largest one.
func within(flag string, numbers []int, most int) error {
	for _, n := range numbers {
		if n < 1 || n > most {
			return base.Usagef("--%s: %d: each number must be from 1 to %d", flag, n, most)
		}
	}
	return nil
}

// eachResult measures cases one by one and shows the results. On a terminal, a line names the current case.
// If a case fails, eachResult prints the case's error, goes on with the other cases, and returns an error at
// the end.
func eachResult[R any](ctx context.Context, a *base.App, cs []*cases.Case, measure func(context.Context, *cases.Case) ([]R, error), show func(*cases.Case, R) error) error {
	failed := false
	for i, c := range cs {
		phase := a.NewPhase(caseText(c, i, len(cs)))
		rs, err := measure(base.WithPhase(ctx, phase), c)
		phase.Close()
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = true
			fmt.Fprintf(a.Err, "graphc: %s: %v\n", c.Path, err)
			continue
		}
		for _, r := range rs {
			if err := show(c, r); err != nil {
				return err
			}
		}
	}
	if failed {
		return &base.CodeError{Code: base.ExitFailure}
	}
	return nil
}

// caseText returns the name of case number i of n cases. If n is above 1, the text also has i+1 and
// n.
func caseText(c *cases.Case, i, n int) string {
	if n == 1 {
		return c.Rel
	}
	return fmt.Sprintf("%s (%d of %d)", c.Rel, i+1, n)
}

// findRuns finds the cases in dirs. If n is 0, it returns these cases. Otherwise, it returns
// temporary copies of the cases. Each copy has only one run, which is run number n of its case,
// counted from 0. The function done removes the copies.
func findRuns(dirs []string, n int) (cs []*cases.Case, done func(), err error) {
	if cs, err = cases.Find(dirs); err != nil {
		return nil, nil, &base.CodeError{Code: base.ExitUsage, Err: err}
	}
	if n == 0 {
		return cs, func() {}, nil
	}
	tmp, err := os.MkdirTemp("", "graphc-run-")
	if err != nil {
		return nil, nil, err
	}
	if cs, err = onlyRun(cs, n, tmp); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(tmp))
	}
	return cs, func() { _ = os.RemoveAll(tmp) }, nil // a leftover temporary folder does no harm
}

// caseName returns the name that is printed for a case from findRuns. The parameter run is the number
// of the run that was passed to findRuns. If it is 0, the name is the path of the case's folder.
// Otherwise, the case is a temporary copy, and the name is c.Rel, which contains the number of the
// run.
func caseName(c *cases.Case, run int) string {
	if run > 0 {
		return c.Rel
	}
	return filepath.ToSlash(c.Path)
}

// Protocol builds and starts a case's program. Through its standard input and output, this program then
// communicates with the process that started graphc.
func Protocol(ctx context.Context, a *base.App, args []string, o casebuild.Options) error {
	if len(args) != 2 {
		return base.Usagef("--protocol wants CASE THREADS")
	}
	if n, err := strconv.Atoi(args[1]); err != nil || n < 1 {
		return base.Usagef("threads: %q is not a positive number", args[1])
	}
	c, err := cases.Load(args[0])
	if err != nil {
		return err
	}
	if err := casebuild.Benchable(c); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	dir, err := casebuild.TempModule("", base.GPUKind(ctx))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, _, err := o.Compiler(c).Compile(1)
	if err != nil {
		return err
	}
	exe, err := timing.Build(ctx, c, p, dir, nil)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.Err
	return cmd.Run()
}
