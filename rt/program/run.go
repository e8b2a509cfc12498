package program

import (
	"context"
	"io"
)

// Run runs the command line, like Main, but with the given arguments and streams. It is for callers
// such as `graphc run`. It returns the exit code.
func Run(ctx context.Context, name, version string, make New, args []string, in io.Reader, out, err io.Writer) int {
	c := &command{name: name, version: version, make: make, in: in, out: out, err: err}
	return c.run(ctx, args)
}
