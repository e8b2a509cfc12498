package tensor

import (
	"context"
	"errors"
	"fmt"
)

// Code is a TensorFlow (absl) status code.
type Code uint8

// The codes that a run can end with.
const (
	OK                 Code = 0
	Cancelled          Code = 1
	Unknown            Code = 2
	InvalidArgument    Code = 3
	DeadlineExceeded   Code = 4
	NotFound           Code = 5
	AlreadyExists      Code = 6
	PermissionDenied   Code = 7
	ResourceExhausted  Code = 8
	FailedPrecondition Code = 9
	Aborted            Code = 10
	OutOfRange         Code = 11
	Unimplemented      Code = 12
	Internal           Code = 13
	Unavailable        Code = 14
	DataLoss           Code = 15
	Unauthenticated    Code = 16
)

var codeNames = [...]string{"OK", "Cancelled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound",
	"AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange",
	"Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated"}

// String returns the name used in messages and in the files of test cases: "InvalidArgument".
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("Code(%d)", uint8(c))
}

// Error is an error with TensorFlow's code. Node and Op are set if a node caused the error.
type Error struct {
	Code Code
	Node string
	Op   string
	Msg  string
}

// Error returns a text of the form `node "n" (Op): Code: message`. If no node caused the error, the
// text has the form `Code: message`. Long parts are clipped.
func (e *Error) Error() string {
	msg := ClipTo(e.Msg, maxMessage)
	if e.Node != "" {
		return fmt.Sprintf("node %q (%s): %s: %s", Clip(e.Node), Clip(e.Op), e.Code, msg)
	}
	return e.Code.String() + ": " + msg
}

// Errorf returns an *Error with a code and a formatted message. Long arguments are clipped.
func Errorf(c Code, format string, args ...any) error {
	short := make([]any, len(args))
	for i, a := range args {
		short[i] = clipped(a)
	}
	return &Error{Code: c, Msg: ClipTo(fmt.Sprintf(format, short...), maxMessage)}
}

// AtNode returns an *Error that has the code and the message of err and names the given node and op.
// If err is nil or already names a node, AtNode returns err itself.
func AtNode(err error, node, op string) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if e.Node != "" {
			return err
		}
		return &Error{Code: e.Code, Node: node, Op: op, Msg: e.Msg}
	}
	return &Error{Code: CodeOf(err), Node: node, Op: op, Msg: ClipTo(err.Error(), maxMessage)}
}

// Message returns the text of an *Error without its code and node, or the text of any other error.
func Message(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}

// CodeOf returns the code of an error: OK for nil, Cancelled or DeadlineExceeded for a context's
// errors, Unknown for errors without a code.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	}
	return Unknown
}
