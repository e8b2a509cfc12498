package program

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// observing is what -timeout, -trace and -profile ask for.
type observing struct {
	timeout        time.Duration
	trace, profile string // files
	tr             *trace.Trace
}

// begin returns a context whose runs are observed.
func (o *observing) begin(ctx context.Context) (context.Context, error) {
	if o.timeout < 0 {
		return nil, usagef("-timeout must be positive")
	}
	if o.trace == "" && o.profile == "" {
		return ctx, nil
	}
	if o.trace == "" {
		o.tr = trace.New(trace.Limit(0))
	} else {
		o.tr = trace.New()
	}
	return rt.WithRun(ctx, rt.Observe(o.tr)), nil
}

// run does what runs one signature, for as long as a run may take.
func (o *observing) run(ctx context.Context, f func(context.Context) error) error {
	if o.timeout == 0 {
		return f(ctx)
	}
	under, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	err := f(under)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return tensor.Errorf(tensor.DeadlineExceeded, "the run has taken more than %v", o.timeout)
	}
	return err
}

// end writes what was observed, also of runs that have failed.
func (o *observing) end() error {
	var err error
	if o.trace != "" {
		print := o.tr.WriteChrome
		if strings.EqualFold(filepath.Ext(o.trace), ".txt") {
			print = o.tr.WriteText
		}
		err = writeFile(o.trace, print)
	}
	if o.profile != "" {
		err = errors.Join(err, writeFile(o.profile, o.tr.Profile().Write))
	}
	return err
}

// writeFile writes a file as a whole.
func writeFile(name string, print func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err = print(w); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, f.Close())
}
