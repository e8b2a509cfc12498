package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// observing is the state of the flags --timeout, --trace, --profile and --watch-dir.
type observing struct {
	timeout        time.Duration
	trace, profile string // file names
	watchDir       string
	tr             *trace.Trace
}

// begin returns a context whose runs are observed.
func (o *observing) begin(ctx context.Context) (context.Context, error) {
	if o.timeout < 0 {
		return nil, usagef("--timeout must be positive")
	}
	if o.watchDir != "" {
		if err := os.MkdirAll(o.watchDir, 0o777); err != nil {
			return nil, err
		}
		ctx = rt.WithRun(ctx, rt.Watch(o.watched))
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

// watched writes a tensor to a separate file named after it. Bytes that are not portable in file
// names become a percent sign and two hexadecimal digits.
func (o *observing) watched(name string, t *tensor.Tensor) error {
	var file strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-', c == '.':
			file.WriteByte(c)
		case c == '/', c == ':':
			file.WriteByte('_')
		default:
			fmt.Fprintf(&file, "%%%02x", c)
		}
	}
	return npy.WriteZipIn(files.Dir(o.watchDir), filepath.Join(o.watchDir, file.String()+".npz"), map[string]*tensor.Tensor{name: t})
}

// run calls f, which runs one signature. The context of f ends after the time given by the flag
// --timeout.
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

// end writes the observations, including those of failed runs.
func (o *observing) end() error {
	var err error
	if o.trace != "" {
		print := o.tr.WriteChrome
		if strings.EqualFold(filepath.Ext(o.trace), ".txt") {
			print = o.tr.WriteText
		}
		err = files.WriteWhole(o.trace, print)
	}
	if o.profile != "" {
		err = errors.Join(err, files.WriteWhole(o.profile, o.tr.Profile().Write))
	}
	return err
}
