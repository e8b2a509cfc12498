package pipeline

import (
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// SignatureError adds the name of the signature to an error.
type SignatureError struct {
	Name string
	Err  error
}

// Error formats as `signature "predict": …`.
func (e *SignatureError) Error() string {
	return fmt.Sprintf("signature %q: %v", tensor.Clip(e.Name), e.Err)
}

// Unwrap returns the error without the name of the signature.
func (e *SignatureError) Unwrap() error { return e.Err }

// OthersCompile is an error that is joined to the errors of signatures that do not compile. It
// lists the names of the signatures that do compile.
type OthersCompile struct{ Signatures []string }

// Error returns a hint: the flags of the command graphc that select the signatures that compile.
func (e *OthersCompile) Error() string {
	text := "the other signatures compile:"
	for _, s := range e.Signatures {
		text += " --signature " + s
	}
	return text
}

// MoreDevices is an error that is joined to the error of a node that requests a device that the
// program lacks. It lists the devices that the program needs.
type MoreDevices struct{ List string } // cpu:0,cpu:1

// Error returns a hint: the flag of the command graphc that gives the program these devices.
func (e *MoreDevices) Error() string {
	return "give the program these devices with --devices " + e.List
}
