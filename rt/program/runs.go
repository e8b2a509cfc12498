package program

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// oneRun is a signature to run, and its feeds.
type oneRun struct {
	signature string
	times     int
	feeds     feedFlags
}

// runFlags collects the values of the flag --run. Each flag --feed belongs to the flag --run before
// it.
type runFlags []*oneRun

func (f *runFlags) String() string { return "" }

// Set parses NAME or NAME*N.
func (f *runFlags) Set(s string) error {
	r := &oneRun{signature: s, times: 1}
	if i := strings.LastIndexByte(s, '*'); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of runs", s[i+1:])
		}
		r.signature, r.times = s[:i], n
	}
	*f = append(*f, r)
	return nil
}

// feedsOf collects the values of the flag --feed. Each value belongs to the last --run before it or,
// if the flag --run is not used, to the only run.
type feedsOf struct{ c *command }

func (f feedsOf) String() string { return "" }

// Set implements flag.Value.
func (f feedsOf) Set(s string) error {
	if n := len(f.c.runs); n > 0 {
		return f.c.runs[n-1].feeds.Set(s)
	}
	return f.c.feeds.Set(s)
}

// list returns the runs of the --run flags, or one run of the chosen signature.
func (c *command) list(p rt.Program) ([]*oneRun, error) {
	if len(c.runs) == 0 {
		sig, err := c.pick(p)
		if err != nil {
			return nil, err
		}
		return []*oneRun{{signature: sig.Name, times: 1, feeds: c.feeds}}, nil
	}
	switch {
	case c.given("signature"):
		return nil, usagef("--run and --signature exclude each other")
	case len(c.feeds) > 0:
		return nil, usagef("--feed %s: give it after the --run that it belongs to", c.feeds[0])
	case c.bench != 0 || c.span != 0:
		return nil, usagef("--bench and --time time one signature: name it with --signature")
	}
	return c.runs, nil
}

// given reports whether a flag is on the command line.
func (c *command) given(name string) bool {
	given := false
	c.flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// all executes the runs that c.list returns, one after another, on the same instance. It prints the
// results of each run. With the flag --out, it writes only the results of the last run.
func (c *command) all(ctx, unobserved context.Context, p rt.Program) error {
	runs, err := c.list(p)
	if err != nil {
		return err
	}
	for i, r := range runs {
		sig, err := signatureOf(p, r.signature)
		if err != nil {
			return err
		}
		feeds, err := c.read(sig, r.feeds)
		if err != nil {
			return err
		}
		b, err := p.Bind(sig.Name, feeds)
		if err != nil {
			return err
		}
		if c.bench != 0 || c.span != 0 {
			return c.measure(ctx, unobserved, b)
		}
		for range r.times {
			if err := c.observe.run(ctx, b.Run); err != nil {
				return err
			}
		}
		if c.outFile != "" && i < len(runs)-1 {
			continue
		}
		if err := c.write(sig, b.Fetches()); err != nil {
			return err
		}
	}
	return nil
}

// signatureOf finds a signature by its name or method.
func signatureOf(p rt.Program, name string) (*rt.Signature, error) {
	for _, s := range p.Signatures() {
		if s.Name == name || s.Method == name {
			return s, nil
		}
	}
	return nil, usageError(tensor.Message(rt.UnknownSignature(p, name)))
}
