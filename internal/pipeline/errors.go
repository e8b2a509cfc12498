package pipeline

import (
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// SignatureError says in which signature an error lies.
type SignatureError struct {
	Name string
	Err  error
}

// Error formats as `signature "predict": …`.
func (e *SignatureError) Error() string {
	return fmt.Sprintf("signature %q: %v", tensor.Clip(e.Name), e.Err)
}

// Unwrap returns the error itself.
func (e *SignatureError) Unwrap() error { return e.Err }

// OthersCompile stands beside the errors of signatures that do not compile and names those that do.
type OthersCompile struct{ Signatures []string }

// Error words it for the command line.
func (e *OthersCompile) Error() string {
	text := "the other signatures compile:"
	for _, s := range e.Signatures {
		text += " --signature " + s
	}
	return text
}

// MoreDevices stands beside the errors of nodes whose devices a program does not have, and says what to give it.
type MoreDevices struct{ List string } // cpu:0,cpu:1

// Error words it for the command line.
func (e *MoreDevices) Error() string {
	return "give the program these devices with --devices " + e.List
}
