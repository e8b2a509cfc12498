package graphc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// Diagnostic is one thing that is wrong with a model or with what is asked of it, or a warning. It is an error, which
// errors.As finds in what Load, Compile and Files return:
//
//	var d *graphc.Diagnostic
//	if errors.As(err, &d) {
//		fmt.Println(d.Node, d.Code)
//	}
//
// Fields that do not apply are "".
type Diagnostic struct {
	// File is the file's name without its folder, Function the function of the graph, Signature the signature.
	File, Function, Signature string
	// Node is the node that is to blame, and Op its op.
	Node, Op string
	// Nodes lists all nodes of an op that does not compile; Node is the first of them.
	Nodes []string
	// Names says which of Options.Names is wrong: the signature, feeds or fetches with the name of one, and then name, method,
	// key or field, as far as it goes.
	Names []string
	// Unsupported marks an op that graphc does not compile; errors.Is says so of errors.ErrUnsupported.
	Unsupported bool
	// Code is TensorFlow's code, OK of a warning.
	Code tensor.Code
	// Text says what is wrong, in one line or more.
	Text string
	// Suggestion says what would be accepted, where that is known: "did you mean "x"?".
	Suggestion string
}

// Error formats as `graph.pb: signature "s": node "n" (Op): Code: text; suggestion`, without what does not apply.
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

// Unwrap returns d as a *tensor.Error, which has TensorFlow's code; nil of a warning.
func (d *Diagnostic) Unwrap() error {
	if d.Code == tensor.OK {
		return nil
	}
	return &tensor.Error{Code: d.Code, Node: d.Node, Op: d.Op, Msg: d.Text}
}

// Error is why a model cannot be read or compiled. Ops that do not compile are listed all at once.
type Error struct {
	// Diagnostics are all that is wrong, at least one.
	Diagnostics []*Diagnostic

	err error
}

// Error has a line or more for each diagnostic, as the command prints them.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap lets errors.Is and errors.As reach the diagnostics, and the errors that they were made of.
func (e *Error) Unwrap() []error {
	all := make([]error, 0, len(e.Diagnostics)+1)
	for _, d := range e.Diagnostics {
		all = append(all, d)
	}
	return append(all, e.err)
}

// diagnose makes an *Error of what loading and compiling return; path is the model's.
func diagnose(err error, path string) error { return diagnoseAs(err, path, tensor.Unknown) }

// diagnoseAs is diagnose of an error that has the code where it has none of its own.
func diagnoseAs(err error, path string, code tensor.Code) error {
	var had *Error
	if err == nil || errors.As(err, &had) {
		return err
	}
	file := filepath.Base(path)
	if path == "" {
		file = ""
	}
	return &Error{collect(err, Diagnostic{File: file, Code: code}), err}
}

// collect makes diagnostics of an error and of all that it wraps. at says where it lies.
func collect(err error, at Diagnostic) []*Diagnostic {
	switch e := err.(type) {
	case *lower.UnsupportedError:
		return unsupported(e, at)
	case *frontend.FileError:
		at.File, at.Function = e.File, e.Function
		return collect(e.Err, at)
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

// codeOf returns the code of an error, or of what the file system says, or else another.
func codeOf(err error, other tensor.Code) tensor.Code {
	for _, e := range []error{err, files.Error(err)} {
		if code := tensor.CodeOf(e); code != tensor.Unknown {
			return code
		}
	}
	return other
}

// collectAll collects several errors. What stands beside them and would be accepted is a suggestion to all.
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

// unsupported makes a diagnostic of each op that does not compile.
func unsupported(e *lower.UnsupportedError, at Diagnostic) []*Diagnostic {
	var all []*Diagnostic
	for _, u := range e.Ops {
		d := at
		d.Code, d.Unsupported, d.Op, d.Nodes = tensor.Unimplemented, true, u.Op, u.Nodes
		if len(u.Nodes) > 0 {
			d.Node = u.Nodes[0]
		}
		d.Text, d.Suggestion = fmt.Sprintf("the op is not supported, nodes with it: %d", len(u.Nodes)), goFunction
		all = append(all, &d)
	}
	return all
}

// warnings makes diagnostics of warnings.
func warnings(list []string, path string) []*Diagnostic {
	var all []*Diagnostic
	for _, w := range list {
		all = append(all, &Diagnostic{File: filepath.Base(path), Text: w})
	}
	return all
}

// notes makes diagnostics of the signatures that are left out.
func notes(list []pipeline.LeftOut, path string) []*Diagnostic {
	var all []*Diagnostic
	for _, x := range list {
		all = append(all, &Diagnostic{File: filepath.Base(path), Signature: x.Name,
			Text: fmt.Sprintf("it computes what %q does, and is compiled only if it is named", x.Same)})
	}
	return all
}
