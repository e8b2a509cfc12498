// Package formats recognises the format of a file or folder that a user has given as a model. Its
// table has the formats that graphc reads, and other formats, with the commands that convert them
// to a format that graphc reads. A format is recognised by its content.
//
// Input is not trusted. Detection reads only a bounded prefix of a file, a bounded part of an
// archive's directory and a bounded number of fields, and it never allocates as much memory as a
// size in the file claims.
package formats

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Format is a row of the table: one kind of file or folder.
type Format struct {
	// Name names the format in messages: "a Keras archive".
	Name string
	// Kind selects package frontend's reader: graphdef, metagraph, saved_model or tfjs. It is "" for a format that
	// graphc does not read.
	Kind string

	detect func(in *Input) bool
	code   tensor.Code            // code of the error for the format; the value OK means Unimplemented
	why    string                 // why graphc does not read the format
	do     string                 // what the user can do, as the text before the command
	run    func(in *Input) string // returns the command, with the user's path; nil if there is no command
}

// Kinds of models that graphc reads.
const (
	GraphDef   = "graphdef"
	MetaGraph  = "metagraph"
	SavedModel = "saved_model"
	TFJS       = "tfjs"
)

// Of returns the format of a file or folder: the first row of the table that recognises it. It returns nil for a folder
// that no row recognises. A file that no other row recognises is a GraphDef.
func Of(in *Input) *Format {
	for i := range table {
		if f := &table[i]; f.detect(in) {
			return f
		}
	}
	return nil
}

// Table returns the formats in the order in which Of tries them, followed by two formats that are
// recognised later, while the model is read.
func Table() []Format { return append(slices.Clone(table), *HubModule, *NoSignatures) }

// Unread returns the error for an input whose format graphc does not read. It returns nil if graphc
// reads the format or if the format is unknown.
func Unread(in *Input) error {
	if f := Of(in); f != nil && f.Kind == "" {
		return f.Error(in)
	}
	return nil
}

// Error returns the error for an input of this format. The error says why graphc does not read the
// input, and which command the user can run.
func (f *Format) Error(in *Input) error {
	e := &Error{Format: f, code: f.code, do: f.do}
	if e.code == tensor.OK {
		e.code = tensor.Unimplemented
	}
	if f.run != nil {
		e.Run = f.run(in)
	}
	return e
}

// Error says that graphc does not read a format.
type Error struct {
	Format *Format
	// Run is the command that makes the model readable, with the user's path; "" if there is none.
	Run string

	code tensor.Code
	do   string
}

// Text says what the file is and why graphc does not read it.
func (e *Error) Text() string {
	if e.Format.why == "" {
		return "this is " + e.Format.Name
	}
	return "this is " + e.Format.Name + ": " + e.Format.why
}

// Advice says what to do, with the command.
func (e *Error) Advice() string {
	if e.Run == "" {
		return e.do
	}
	return e.do + ":\n  " + strings.ReplaceAll(e.Run, "\n", "\n  ")
}

// Error returns a text of the form `Unimplemented: this is a Keras archive: …; to …, run:`, followed by a line
// with the command.
func (e *Error) Error() string { return e.code.String() + ": " + e.Text() + "; " + e.Advice() }

// Unwrap returns a *tensor.Error with the code of e.
func (e *Error) Unwrap() error { return tensor.Errorf(e.code, "%s", e.Text()) }
