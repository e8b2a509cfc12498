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

// Unwrap returns the error itself.
func (e *SignatureError) Unwrap() error { return e.Err }

// OthersCompile accompanies the errors of signatures that do not compile. It names the other
// signatures, which do compile.
type OthersCompile struct{ Signatures []string }

// Error returns the hint for the command line.
func (e *OthersCompile) Error() string {
	text := "the other signatures compile:"
	for _, s := range e.Signatures {
		text += " --signature " + s
	}
	return text
}

// MoreDevices accompanies errors of nodes that request devices the program does not have. It lists
// the devices to add.
type MoreDevices struct{ List string } // cpu:0,cpu:1

// Error returns the hint for the command line.
func (e *MoreDevices) Error() string {
	return "give the program these devices with --devices " + e.List
}
