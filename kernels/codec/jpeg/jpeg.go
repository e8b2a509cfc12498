// Package jpeg decodes and encodes JPEG pictures with the arithmetic of the libjpeg-turbo library,
// so that pixels and files equal TensorFlow's. It uses the same integer transforms, the same
// triangle filter for chroma components and the same colour conversions. Damaged files give the
// same results, too.
//
// A unit, in the names of this package, is an MCU: the minimum coded unit of T.81.
//
// References: ITU-T T.81; Arai, Agui, Nakajima, "A fast DCT-SQ scheme for
// images", 1988; Loeffler, Ligtenberg, Moschytz, "Practical fast 1-D DCT
// algorithms with 11 multiplications", 1989.
package jpeg

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Params are the attributes of a decoding op.
type Params struct {
	Channels   int     // 1, 3, or 0 for the number of channels in the file
	Ratio      int     // how much smaller the picture becomes: 1, 2, 4, 8
	Box        bool    // whether colour components are repeated instead of interpolated
	Recover    bool    // whether to decode a file that ends early; the missing part of the picture becomes grey
	Acceptable float32 // the smallest accepted fraction of complete rows
	Accurate   bool    // whether to use the accurate inverse transform instead of the fast one
	Crop       bool    // whether to decode only the rows [Y, Y+H) and columns [X, X+W)
	Y, X, H, W int
}

// maxSamples is the largest number of samples of a picture.
const maxSamples = 1 << 29

// maxHeld is the largest number of coefficients that a picture with several scans may have.
const maxHeld = 1 << 27

// maxScans is the largest number of scans of a picture.
const maxScans = 500

func bad(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, "JPEG: "+format, args...)
}

// Size returns the height, the width and the number of channels of the picture that Decode writes.
func Size(data string, p Params) (h, w, c int, err error) {
	d := decoder{p: p, r: reader{data: data}}
	if err := d.open(); err != nil {
		return 0, 0, 0, err
	}
	if p.Crop {
		return p.H, p.W, d.channels, nil
	}
	return d.outH, d.outW, d.channels, nil
}

// Shape returns the height, the width and the number of components in a file's header. It returns
// InvalidArgument for a file with an invalid header.
func Shape(data string) (h, w, c int, err error) {
	d := decoder{p: Params{Ratio: 1, Channels: -1}, r: reader{data: data}}
	err = d.open()
	if err == nil {
		err = d.start()
	}
	if err != nil && err != errSuspended {
		return 0, 0, 0, err
	}
	return d.outH, d.outW, d.channels, nil
}

// Decode writes the picture to dst as rows of pixels with interleaved channels. dst has the size that
// Size returned. Decode returns InvalidArgument if data is not a JPEG file, is of an unsupported kind
// (lossless, arithmetic coding), or ends too early.
func Decode(run *mem.Budget, dst []uint8, data string, p Params) error {
	call := run.Call()
	defer call.Free()
	d := decoder{p: p, r: reader{data: data}, call: &call}
	if err := d.open(); err != nil {
		return err
	}
	return d.decode(dst)
}
