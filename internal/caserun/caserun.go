// Package caserun runs a case's program and judges its results. `graphc verify` and the programs
// that it builds use this package; they exchange the lines that are described at Serve.
package caserun

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/rt/tensor"
)

// Runner is one compiled signature. Feeds and fetches are keyed by tensor name.
type Runner interface {
	Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// deadline is the time limit of runs that must return DeadlineExceeded.
const deadline = 2 * time.Second

// MaxBytes is the limit of the buffers of a case's runs; 0 is the default. A hostile case must not
// use more than 1 GiB. Its limit is half of that, because a result exists twice: in a buffer and in
// the returned tensors.
func MaxBytes(c *cases.Case) int {
	if c.Has("hostile") {
		return 1 << 29
	}
	return 0
}

// Check runs the case, and returns the reason if the case fails. It calls open for each run of the
// case; the run uses the instance that open returns. It makes all these calls before the first run
// starts. An error of open counts as a compile error.
func Check(ctx context.Context, c *cases.Case, open func(run int) (Runner, error)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v%s", p, where(debug.Stack()))
		}
	}()
	if c.Err != nil {
		return c.Err
	}
	runners := make([]Runner, len(c.Runs))
	for i := range c.Runs {
		if runners[i], err = open(i); err != nil {
			return Judge(c, err, "compile")
		}
	}
	for i, r := range c.Runs {
		feeds, want, err := c.LoadRun(i)
		if err != nil {
			return err
		}
		last := c.ExpectErr && i == len(c.Runs)-1
		got, err := runOnce(ctx, c, runners[i], feeds)
		switch {
		case last:
			return Judge(c, err, "run")
		case err != nil:
			return inRun(c, i, err)
		case c.ExpectErr && r.FetchesFile == "":
			continue // the results of runs before the failing one are not always recorded
		}
		if err := compare(c, r, got, want); err != nil {
			if c.Has(cases.FlushDenormals) && agreesFlushed(ctx, c, r, runners[i], feeds, want) {
				continue
			}
			return inRun(c, i, err)
		}
	}
	return nil
}

func runOnce(ctx context.Context, c *cases.Case, r Runner, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if c.ExpectErr && c.ErrCode == tensor.DeadlineExceeded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	return r.Run(ctx, feeds)
}

// agreesFlushed reports whether results differ from TensorFlow's only because this program keeps
// denormal numbers. It runs the case again with feeds in which zeros replace the denormals. These
// results must be the expected ones, up to denormals.
func agreesFlushed(ctx context.Context, c *cases.Case, r cases.Run, m Runner, feeds, want map[string]*tensor.Tensor) bool {
	zeroed := map[string]*tensor.Tensor{}
	for name, t := range feeds {
		zeroed[name] = cases.Flushed(t)
	}
	got, err := runOnce(ctx, c, m, zeroed)
	if err != nil {
		return false
	}
	for _, name := range r.Fetches {
		if cases.Compare(got[name], want[name], c.RTol, max(c.ATol, cases.Denormal(want[name].DType))) != nil {
			return false
		}
	}
	return true
}

func inRun(c *cases.Case, i int, err error) error {
	if len(c.Runs) > 1 {
		return fmt.Errorf("run %d: %w", i, err)
	}
	return err
}

func compare(c *cases.Case, r cases.Run, got, want map[string]*tensor.Tensor) error {
	var errs []error
	for _, name := range r.Fetches {
		if err := cases.Compare(got[name], want[name], c.RTol, c.ATol); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// Judge decides whether a case passes if it ended with err, which may be nil; stage is "compile" or
// "run". It returns nil if the case expects the code of err, at this stage or a later one.
func Judge(c *cases.Case, err error, stage string) error {
	switch {
	case !c.ExpectErr:
		return err
	case err == nil:
		return fmt.Errorf("ran, but must be refused with %s", c.ErrCode)
	case tensor.CodeOf(err) == tensor.Internal && strings.Contains(err.Error(), "panic"): // a recovered panic fails every case
		return fmt.Errorf("failed: %w", err)
	case tensor.CodeOf(err) != c.ErrCode:
		return fmt.Errorf("must be refused with %s, was with %s: %w", c.ErrCode, tensor.CodeOf(err), err)
	case stage == "run" && c.ErrWhen == "compile":
		return fmt.Errorf("must be refused when compiled, was when run: %w", err)
	}
	return nil
}

// where returns the place in a stack trace at which the panic occurred: the first frame after that
// of panic which is not in package runtime.
func where(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, "panic(") {
			continue
		}
		for j := i + 3; j < len(lines); j += 2 {
			if !strings.HasPrefix(lines[j-1], "runtime.") {
				f, _, _ := strings.Cut(strings.TrimSpace(lines[j]), " +0x")
				return " at " + f
			}
		}
	}
	return ""
}
