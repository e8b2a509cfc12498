package graphc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/frontend/formats"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// Diagnostic is one error in a model or in a request, or a warning. It implements error, and
// errors.As finds it in the errors of Load, Compile and Files:
//
//	var d *graphc.Diagnostic
//	if errors.As(err, &d) {
//		fmt.Println(d.Node, d.Code)
//	}
//
// Fields that do not apply are empty.
type Diagnostic struct {
	// File is the base name of the file, Function is the function in the graph, and Signature is
	// the signature in which the error is.
	File, Function, Signature string
	// Node is the node at fault, and Op its op.
	Node, Op string
	// Nodes lists all nodes of an op that does not compile; Node is the first of them.
	Nodes []string
	// Names is the path to the invalid part of Options.Names. Its first element is the name of the
	// signature, for example {"serving_default", "method"} or {"serving_default", "feeds", "x",
	// "key"}.
	Names []string
	// Unsupported reports whether the error is an op that graphc does not compile. If it is set,
	// errors.Is matches errors.ErrUnsupported.
	Unsupported bool
	// Code is TensorFlow's code, or OK for a warning.
	Code tensor.Code
	// Text is the message, in one or more lines.
	Text string
	// Suggestion says how to correct the error, if that is known: `did you mean "x"?`.
	Suggestion string
}

// Error returns a text of the form `graph.pb: signature "s": node "n" (Op): Code: text;
// suggestion`, without the parts that do not apply.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.File + ": ")
	}
	if d.Function != "" {
		fmt.Fprintf(&b, "function %q: ", tensor.Clip(d.Function))
	}
	if d.Signature != "" {
		fmt.Fprintf(&b, "signature %q: ", tensor.Clip(d.Signature))
	}
	if d.Node != "" {
		fmt.Fprintf(&b, "node %q (%s): ", tensor.Clip(d.Node), tensor.Clip(d.Op))
	}
	if d.Code != tensor.OK {
		b.WriteString(d.Code.String() + ": ")
	}
	b.WriteString(d.Text)
	if d.Suggestion != "" {
		b.WriteString("; " + d.Suggestion)
	}
	return b.String()
}

// Is reports whether target is errors.ErrUnsupported and d is Unsupported.
func (d *Diagnostic) Is(target error) bool { return target == errors.ErrUnsupported && d.Unsupported }

// Unwrap returns d as a *tensor.Error with TensorFlow's code, or nil for a warning.
func (d *Diagnostic) Unwrap() error {
	if d.Code == tensor.OK {
		return nil
	}
	return &tensor.Error{Code: d.Code, Node: d.Node, Op: d.Op, Msg: d.Text}
}

// Error explains why a model cannot be read or compiled. It lists all ops that do not compile.
type Error struct {
	// Diagnostics lists all errors. It has at least one entry.
	Diagnostics []*Diagnostic

	err error
}

// Error returns one or more lines for each diagnostic, as the command prints them.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap makes errors.Is and errors.As reach the diagnostics, and the errors from which these were
// made.
func (e *Error) Unwrap() []error {
	all := make([]error, 0, len(e.Diagnostics)+1)
	for _, d := range e.Diagnostics {
		all = append(all, d)
	}
	return append(all, e.err)
}

// diagnose turns an error of loading or compiling into an *Error. The parameter path is the path of
// the model.
func diagnose(err error, path string) error { return diagnoseAs(err, path, tensor.Unknown) }

// diagnoseAs does the same as diagnose. For an error that has no code, it uses the code in the
// parameter code.
func diagnoseAs(err error, path string, code tensor.Code) error {
	var had *Error
	if err == nil || errors.As(err, &had) {
		return err
	}
	file := filepath.Base(path)
	if path == "" {
		file = ""
	}
	all := collect(err, Diagnostic{File: file, Code: code})
	for _, d := range all {
		if d.File == file && file != "" {
			d.Text = files.Without(path, d.Text) // the field File already has the name of the file
		}
	}
	return &Error{all, err}
}

// collect turns an error and all errors that it wraps into diagnostics. The parameter at has the
// values of those fields that the errors do not set, such as the location and the code.
func collect(err error, at Diagnostic) []*Diagnostic {
	switch e := err.(type) {
	case *lower.UnsupportedError:
		return unsupported(e, at)
	case *frontend.FileError:
		at.File, at.Function = e.File, e.Function
		return collect(e.Err, at)
	case *formats.Error:
		at.Code, at.Text, at.Suggestion = codeOf(e, at.Code), e.Text(), e.Advice()
		return []*Diagnostic{&at}
	case *pipeline.SignatureError:
		at.Signature = e.Name
		return collect(e.Err, at)
	case *pipeline.NameError:
		at.Signature, at.Names, at.Code = e.Path[0], e.Path, tensor.CodeOf(e)
		at.Text, at.Suggestion = divide(e.Text())
		at.Text = "names: " + at.Text
		return []*Diagnostic{&at}
	case *tensor.Error:
		at.Node, at.Op, at.Code = e.Node, e.Op, e.Code
		at.Text, at.Suggestion = divide(e.Msg)
		return []*Diagnostic{&at}
	case interface{ Unwrap() []error }:
		return collectAll(e.Unwrap(), at)
	}
	inner := errors.Unwrap(err)
	if inner == nil {
		at.Code = codeOf(err, at.Code)
		at.Text, at.Suggestion = divide(err.Error())
		return []*Diagnostic{&at}
	}
	before, _ := strings.CutSuffix(err.Error(), inner.Error())
	all := collect(inner, at)
	for _, d := range all {
		if before != err.Error() {
			d.Text = before + d.Text
		}
	}
	return all
}

// codeOf returns the code of an error. If the error has no code but wraps an error of the file
// system, codeOf returns the code for that error. Otherwise it returns the code in the parameter
// other.
func codeOf(err error, other tensor.Code) tensor.Code {
	for _, e := range []error{err, files.Error(err)} {
		if code := tensor.CodeOf(e); code != tensor.Unknown {
			return code
		}
	}
	return other
}

// collectAll turns several errors into diagnostics. An element of errs that lists signatures or
// devices for the user to choose does not become a diagnostic. Its text becomes the suggestion of
// the preceding diagnostics that have no suggestion.
func collectAll(errs []error, at Diagnostic) []*Diagnostic {
	var all []*Diagnostic
	for _, e := range errs {
		text := ""
		switch e := e.(type) {
		case *pipeline.OthersCompile:
			text = fmt.Sprintf("other signatures compile: set Options.Signatures to %#v", e.Signatures)
		case *pipeline.MoreDevices:
			text = fmt.Sprintf("set Options.Devices to %#v", strings.Split(e.List, ","))
		default:
			all = append(all, collect(e, at)...)
			continue
		}
		for _, d := range all {
			if d.Suggestion == "" {
				d.Suggestion = text
			}
		}
	}
	return all
}

// unsupported returns a diagnostic for each op that does not compile.
func unsupported(e *lower.UnsupportedError, at Diagnostic) []*Diagnostic {
	var all []*Diagnostic
	for _, u := range e.Ops {
		d := at
		d.Code, d.Unsupported, d.Op, d.Nodes = u.Code(), true, u.Op, u.Nodes
		if len(u.Nodes) > 0 {
			d.Node = u.Nodes[0]
		}
		d.Text, d.Suggestion = fmt.Sprintf("the op is not supported, nodes with it: %d", len(u.Nodes)), goFunction
		if u.Why != "" {
			why, _ := divide(u.Why)
			d.Text += ": " + why
		}
		all = append(all, &d)
	}
	return all
}

// warnings turns the texts of warnings into diagnostics.
func warnings(list []string, path string) []*Diagnostic {
	var all []*Diagnostic
	for _, w := range list {
		all = append(all, &Diagnostic{File: filepath.Base(path), Text: w})
	}
	return all
}

// notes returns diagnostics for the signatures that are omitted.
func notes(list []pipeline.LeftOut, path string) []*Diagnostic {
	var all []*Diagnostic
	for _, x := range list {
		all = append(all, &Diagnostic{File: filepath.Base(path), Signature: x.Name,
			Text: fmt.Sprintf("it computes what %q does, and is compiled only if it is named", x.Same)})
	}
	return all
}
