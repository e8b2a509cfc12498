package base

import (
	"errors"
	"fmt"
	"io"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/lower"
)

// The exit codes, as `graphc help exit-codes` lists them.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2 // invalid flags, arguments or configuration
	ExitUnsupported = 3 // the model needs ops that graphc lacks
	ExitStale       = 4 // generated files differ from those that graphc would generate now
	ExitMismatch    = 5 // numbers differ
)

// App has the input and output streams of the command. All sub-commands use them.
type App struct {
	In       io.Reader
	Out, Err io.Writer // data, messages
}

// Warn prints warnings.
func (a *App) Warn(list []*graphc.Diagnostic) {
	for _, w := range list {
		fmt.Fprintln(a.Err, "warning: "+w.Text)
	}
}

// Note prints notes about signatures. Each note proposes the flag --signature. The function in the
// last argument converts this flag to the form that the user must write, which may be a key of
// graphc.yaml.
func (a *App) Note(list []*graphc.Diagnostic, words func(text string) string) {
	for _, d := range list {
		fmt.Fprintf(a.Err, "note: signature %q: %s: %s\n", d.Signature, d.Text, words("--signature "+d.Signature))
	}
}

// CodeError is an error with an exit code. If Err is nil, the command exits silently.
type CodeError struct {
	Code int
	Err  error
}

// Error returns the text of the error, or the exit code if Err is nil.
func (e *CodeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the error that ends the command.
func (e *CodeError) Unwrap() error { return e.Err }

// Usagef returns a usage error.
func Usagef(format string, args ...any) error {
	return &CodeError{ExitUsage, fmt.Errorf(format, args...)}
}

// ExitCode returns the exit code for an error. A CodeError contains the code. For unsupported ops,
// the code is ExitUnsupported, and for other errors ExitFailure.
func ExitCode(err error) int {
	var ce *CodeError
	var unsupported *lower.UnsupportedError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &ce):
		return ce.Code
	case errors.As(err, &unsupported):
		return ExitUnsupported
	}
	return ExitFailure
}
