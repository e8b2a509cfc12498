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

// MaxBytes returns the limit in bytes for the buffers of a run of the case. The result 0 means the
// default limit. A hostile case must not use more than 1 GiB. Its limit is half of that, because a
// result exists twice: in a buffer and in the returned tensors.
func MaxBytes(c *cases.Case) int {
	if c.Has("hostile") {
		return 1 << 29
	}
	return 0
}

// Check runs the case, and returns the reason if the case fails. For each run of the case, it calls
// the function open, and uses the instance that open returns. All these calls are made before the
// first run starts. An error of open is a compile error.
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
			continue // the case expects a later run to fail, and has no recorded results for this run
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

// agreesFlushed reports whether the results differ from TensorFlow's only because TensorFlow treats
// denormal numbers as zeros and this program does not. It runs the case again with feeds in which
// zeros replace the denormal numbers. The results of this run must agree with the expected results,
// where a difference of the size of a denormal number is allowed.
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

// Judge returns nil if a case passes, and otherwise the reason why the case fails. The parameter
// err is the error with which the case ended; it may be nil. The parameter stage is "compile" or
// "run". If the case expects an error, err must have the expected code, and must not occur at a
// later stage than the case expects.
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

// where returns the place in a stack trace at which the panic occurred: the first frame outside of
// package runtime that follows the call of panic.
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
