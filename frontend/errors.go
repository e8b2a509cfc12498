package frontend

import (
	"errors"
	"fmt"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Errors holds all errors found in a model, in the order of the file.
type Errors []error

const (
	maxPrinted = 50      // lines of Errors.Error
	maxErrors  = 100_000 // largest number of errors kept for one graph
)

// Error returns a line for each of the first fifty errors, and a line with the number of the
// remaining errors.
func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		if i == maxPrinted {
			fmt.Fprintf(&b, "\nand %d more errors", len(es)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap lets errors.Is and errors.As reach each error.
func (es Errors) Unwrap() []error { return es }

// Code returns the code of the first error, or OK if there is none.
func (es Errors) Code() tensor.Code {
	if len(es) == 0 {
		return tensor.OK
	}
	return tensor.CodeOf(es[0])
}

// err returns es as an error, or nil if es is empty.
func (es Errors) err() error {
	if len(es) == 0 {
		return nil
	}
	return es
}

// FileError is an error with the file, and the function of the graph, in which it was found.
type FileError struct {
	File     string // base name
	Function string // "" in the main graph
	Err      error
}

// Error returns a text of the form `graph.pb: function "f": node "n" (Op): Code: message`.
func (e *FileError) Error() string {
	if e.Function != "" {
		return fmt.Sprintf("%s: function %q: %v", e.File, tensor.Clip(e.Function), e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

// Unwrap returns the error without the file and the function.
func (e *FileError) Unwrap() error { return e.Err }

func inFile(file string, err error) error {
	var fe *FileError
	if err == nil || errors.As(err, &fe) {
		return err
	}
	return &FileError{File: file, Err: err}
}

// invalid returns an InvalidArgument error.
func invalid(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, format, args...)
}
