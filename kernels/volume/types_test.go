package volume

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../volume

// TestTypes runs the kernels for every element type on two images of four pixels. Windows of three
// pixels begin at the pixels 0 and 2 of each image. The second window ends beyond its image.
func TestTypes(t *testing.T) {
	f, out := typed.F, typed.Out
	w := func(outs ...typed.E) typed.Wants { return typed.Wants{Outs: outs} }
	p := Params{N: 2, D: 1, H: 1, W: 4, C: 1, KD: 1, KH: 1, KW: 3, OD: 1, OH: 1, OW: 2, OC: 1, SD: 1, SH: 1, SW: 2}
	in, grad, largest := f(1, 5, 3, 5, 0, 3, 3, 1), f(1, 2, 3, 4), f(5, 5, 3, 3)
	scratch := f(9, 9, 9, 9)
	typed.Check(t, "in the batch", wrappers["MaxArg"], w(largest, f(1, 3, 5, 6)), out(4), out(4), in, true, p)
	typed.Check(t, "in the images", wrappers["MaxArg"], w(largest, f(1, 3, 1, 2)), out(4), out(4), in, false, p)
	typed.Check(t, "largest", wrappers["Max"], w(largest), out(4), in, p)
	typed.Check(t, "to the first", wrappers["MaxGrad"], w(f(0, 1, 0, 2, 0, 3, 4, 0)), out(8), in, grad, scratch, p)
	typed.Check(t, "to all", wrappers["MaxTies"], w(f(0, 1, 0, 2, 0, 3, 7, 0)), out(8), in, largest, grad, p)
	typed.Check(t, "from the first", wrappers["MaxGradGrad"], w(f(11, 13, 15, 0)), out(4), in, f(5, 5, 3, 4), typed.Seq(10, 8), scratch, p)
	images := ArgParams{N: 2, Image: 4, Out: 2}
	typed.Check(t, "to positions", wrappers["ArgGrad"], w(f(0, 1, 0, 2, 0, 3, 4, 0)), out(8), grad, f(1, 3, 1, 2), images)
	typed.Fails(t, "position outside", wrappers["ArgGrad"], tensor.InvalidArgument, out(8), grad, f(1, 3, 1, 4), images)
	typed.Fails(t, "negative position", wrappers["ArgGrad"], tensor.InvalidArgument, out(8), grad, f(-1, 3, 1, 2), images)
	typed.Check(t, "means", wrappers["Avg"], w(f(3, 4, 2, 2)), out(4), in, p)
	typed.Check(t, "gradient of means", wrappers["AvgGrad"], w(f(1, 1, 2, 1, 3, 3, 5, 2)), out(8), f(3, 2, 9, 4), p)

	filter := f(0, 1, 2)
	typed.Check(t, "dilation", wrappers["Dilate"], w(f(6, 6, 5, 3)), out(4), in, filter, p)
	typed.Check(t, "dilation's input", wrappers["DilateInput"], w(f(0, 1, 0, 2, 0, 0, 7, 0)), out(8), in, filter, grad, p)
	typed.Check(t, "dilation's filter", wrappers["DilateFilter"], w(f(4, 3, 3)), out(3), in, filter, grad, p)
	typed.Check(t, "convolution", wrappers["Conv"], w(f(20, 13, 15, 5)), out(4), in, f(1, 2, 3), p)
	typed.Check(t, "convolution's input", wrappers["Input"], w(f(1, 2, 5, 4, 3, 6, 13, 8)), out(8), grad, f(1, 2, 3), p)
	typed.Check(t, "convolution's filter", wrappers["Filter"], w(f(19, 28, 12)), out(3), in, grad, p)
}

// TestEnds checks that kernels with large windows stop when the run ends.
func TestEnds(t *testing.T) {
	p := Params{N: 1, D: 1, H: 128, W: 128, C: 1, KD: 1, KH: 64, KW: 64, OD: 1, OH: 65, OW: 65, OC: 1, SD: 1, SH: 1, SW: 1}
	in, grad := typed.Seq(0, 128*128), typed.Seq(0, 65*65)
	image, result := typed.Out(128*128), typed.Out(65*65)
	typed.Ends(t, "largest and where", wrappers["MaxArg"], result, result, in, true, p)
	typed.Ends(t, "largest", wrappers["Max"], result, in, p)
	typed.Ends(t, "to the first", wrappers["MaxGrad"], image, in, grad, result, p)
	typed.Ends(t, "to all", wrappers["MaxTies"], image, in, grad, grad, p)
	typed.Ends(t, "from the first", wrappers["MaxGradGrad"], result, in, grad, in, result, p)
	typed.Ends(t, "means", wrappers["Avg"], result, in, p)
	typed.Ends(t, "gradient of means", wrappers["AvgGrad"], image, grad, p)
	filter := typed.Seq(0, 64*64)
	typed.Ends(t, "dilation", wrappers["Dilate"], result, in, filter, p)
	typed.Ends(t, "dilation's input", wrappers["DilateInput"], image, in, filter, grad, p)
	typed.Ends(t, "dilation's filter", wrappers["DilateFilter"], typed.Out(64*64), in, filter, grad, p)
	typed.Ends(t, "convolution", wrappers["Conv"], result, in, filter, p)
}
