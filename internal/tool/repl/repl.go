package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/rt/tensor"
)

// Flags are the flags of "graphc repl", apart from those for compiling.
type Flags struct {
	Commands  string // lines to execute instead of lines from the input
	Files     string // directory below which ops may read and write files; "" if ops may access no files
	NoInit    bool
	NoHistory bool
	KeepGoing bool // whether a session without a terminal continues after an error
}

// Model runs a session with a model. On a terminal, it asks the user for one line after the other.
// Otherwise, it executes the lines of the input until the first error.
func Model(ctx context.Context, a *base.App, paths []string, f flags.Model, r Flags) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	var root *os.Root
	if r.Files != "" {
		if root, err = os.OpenRoot(r.Files); err != nil {
			return err
		}
		defer root.Close()
		o.AllowFiles = true
	}
	fo := frontend.Options{Tags: o.Tags, Config: o.Config, Checkpoint: o.Checkpoint, Limits: o.Limits, Ops: o.GoOps.Ops()}
	phase := a.NewPhase("read " + paths[0])
	defer phase.Close()
	m, err := pipeline.LoadIn(ctx, paths, fo)
	if err != nil {
		return base.WrapModel(paths, err)
	}
	defer o.GoOps.Close()
	p, err := pipeline.NewSession(ctx, m, o, root, r.NoInit)
	phase.Close()
	if err != nil {
		return base.WrapModel(paths, err)
	}
	s := newSession(p, a.Out, o.Limits.WithDefaults().RunBytes)
	s.noInit, s.working = r.NoInit, a.NewPhase
	if out, ok := a.Out.(*os.File); ok {
		s.screen = screenOf(out, os.Getenv)
	}
	switch {
	case r.Commands != "":
		return s.read(ctx, a, strings.NewReader(r.Commands), "command", r.KeepGoing)
	case isTerminal(a.In) && isTerminal(a.Out):
		return s.talk(ctx, a, paths[0], !r.NoHistory)
	}
	return s.read(ctx, a, a.In, "line", r.KeepGoing)
}

// maxLine is the maximum length in bytes of a line of the input.
const maxLine = 64 << 20

// read executes the lines of a reader. If a line fails, the error begins with a word, such as
// "line", and the number of the line. This word is the fourth argument. The first error ends the
// session. If keepGoing is set, errors are printed instead, and the exit code of the last error
// becomes that of the command.
func (s *Session) read(ctx context.Context, a *base.App, in io.Reader, what string, keepGoing bool) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	var last error
	for n := 1; sc.Scan(); n++ {
		err := s.exec(ctx, sc.Text())
		switch {
		case errors.Is(err, errQuit):
			return last
		case err == nil:
			continue
		}
		err = fmt.Errorf("%s %d: %w", what, n, err)
		if !keepGoing || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(a.Err, "graphc: %v\n", err)
		last = &base.CodeError{Code: base.ExitCode(err)}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	return last
}

// talk reads lines from a terminal until Ctrl-D or quit. An error is printed and does not end the
// session.
func (s *Session) talk(ctx context.Context, a *base.App, path string, history bool) error {
	// From here on Ctrl-C ends a computation and not the program.
	signal.Reset(os.Interrupt)
	e := newEditor(s, history)
	defer e.close()
	defer context.AfterFunc(ctx, e.close)() // restore the terminal if a signal ends the program
	fmt.Fprintln(s.out, s.banner(path))
	for {
		line, err := e.line()
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(s.out)
			return nil
		case errors.Is(err, errAborted):
			continue
		case err != nil:
			return err
		}
		s.screen = screenOf(os.Stdout, os.Getenv)
		err = s.interruptible(ctx, line)
		switch {
		case errors.Is(err, errQuit):
			return nil
		case errors.Is(err, context.Canceled) || tensor.CodeOf(err) == tensor.Cancelled:
			fmt.Fprintln(a.Err, "interrupted")
		case err != nil:
			fmt.Fprintf(a.Err, "error: %s\n", printable(err.Error()))
		}
	}
}

// interruptible executes a line. Ctrl-C ends the execution.
func (s *Session) interruptible(ctx context.Context, line string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err := s.exec(ctx, line)
	if err != nil && ctx.Err() != nil {
		return context.Canceled
	}
	return err
}

// banner returns the line that a session on a terminal prints first.
func (s *Session) banner(path string) string {
	var names []string
	for _, sig := range s.model.Signatures() {
		if len(sig.Outputs) > 0 { // leave out signatures that TensorFlow runs itself, for example to initialise the model
			names = append(names, sig.Name)
		}
	}
	what := "signatures " + strings.Join(names, ", ")
	if names == nil {
		in, out := s.ends()
		what = fmt.Sprintf("no signatures, %s, %s", base.Plural(len(in), "input"), base.Plural(len(out), "output"))
	}
	return fmt.Sprintf("%s: %s. Type help for help.", path, base.Clip(printable(what), 200))
}
