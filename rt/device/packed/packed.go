// Package packed returns the text of modules and decompresses it if necessary. Only the packages of
// devices that load modules import this package, so that programs without such a device do not link
// a decompressor.
package packed

import (
	"compress/gzip"
	"io"
	"strings"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// MaxBytes bounds the size of a module's text.
const MaxBytes = 16 << 20

// Text returns the PTX of a module, or "" if the module has no PTX. The error is DataLoss if the
// compressed PTX is damaged.
func Text(m *device.Module) (string, error) {
	switch {
	case m == nil:
		return "", nil
	case m.PTX != nil:
		return *m.PTX, nil
	case m.Gzip != nil:
		return Unpack(*m.Gzip)
	}
	return "", nil
}

// Unpack decompresses the text of a module. The error is DataLoss for an incomplete or malformed
// gzip stream, and for more than MaxBytes.
func Unpack(data string) (string, error) {
	r := strings.NewReader(data)
	z, err := gzip.NewReader(r)
	if err != nil {
		return "", tensor.Errorf(tensor.DataLoss, "the PTX of a module is damaged: %v", err)
	}
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(z, MaxBytes+1))
	switch {
	case err != nil:
		return "", tensor.Errorf(tensor.DataLoss, "the PTX of a module is damaged: %v", err)
	case n > MaxBytes:
		return "", tensor.Errorf(tensor.DataLoss, "the PTX of a module has more than %d bytes", MaxBytes)
	}
	return text.String(), nil
}
