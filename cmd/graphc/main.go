// Command graphc compiles TensorFlow graphs to Go packages and static
// executables. See `graphc help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/tool/base"
)

func main() { os.Exit(Main()) }

// Main runs the command line and returns the exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		time.Sleep(patience)
		go fmt.Fprintln(os.Stderr, interrupted) // stderr may be a full pipe, on which the write blocks
		time.Sleep(patience / 3)
		os.Exit(base.ExitFailure)
	}()
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if ctx.Err() == nil {
		return code
	}
	stop()
	return base.ExitFailure
}

// patience is the time that a command has, after a signal, to end normally. After this time the
// process exits, even if the command is in a pass that ignores its context, or waits for a file to
// be opened.
const patience = 15 * time.Millisecond

const interrupted = "graphc: interrupted"

func execute(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	a := &base.App{In: in, Out: out, Err: errw}
	root := newRoot(a)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errw)
	root.SetArgs(doubleDash(root, args))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return base.ExitOK
	}
	var ce *base.CodeError
	if ctx.Err() != nil {
		fmt.Fprintln(errw, interrupted)
		return base.ExitFailure
	}
	if !errors.As(err, &ce) || ce.Err != nil {
		fmt.Fprintf(errw, "graphc: %s\n", strings.TrimRight(explain(err), "\n"))
	}
	return base.ExitCode(err)
}

// explain formats an error for users. Each of the errors that were joined in err is on one line,
// and the number of lines is limited. A list of unsupported ops is always complete.
func explain(err error) string {
	const most, mostBytes = 20, 16_000
	lines := strings.Split(err.Error(), "\n")
	if base.ExitCode(err) == base.ExitUnsupported {
		return strings.Join(lines, "\n")
	}
	bytes := 0
	for i, l := range lines {
		if bytes += len(l); i == most || i > 0 && bytes > mostBytes {
			lines = append(lines[:i], fmt.Sprintf("… and %d more lines", len(lines)-i))
			break
		}
	}
	return strings.Join(lines, "\n")
}

// doubleDash allows -flag for --flag, as in Go's own tools: it adds a dash to arguments with one
// dash that name a long flag.
func doubleDash(root *cobra.Command, args []string) []string {
	long := map[string]bool{"help": true, "version": true}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		add := func(f *pflag.Flag) {
			if len(f.Name) > 1 {
				long[f.Name] = true
			}
		}
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	out := make([]string, len(args))
	copy(out, args)
	for i, s := range out {
		if s == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(s, "-"), "=")
		if strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && long[name] {
			out[i] = "-" + s
		}
	}
	return out
}
