package random

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// uniform returns a random integer in [0, n). All of these integers have the same probability.
func (s *single) uniform(n uint32) uint32 {
	if n&(n-1) == 0 {
		return s.next() & (n - 1)
	}
	rem := ^uint32(0)%n + 1
	for {
		if v := s.next(); v >= rem {
			return v % n
		}
	}
}

// CropParams describes a random window of Height × Width of a picture of H × W.
type CropParams struct{ H, W, Height, Width int }

// Crop returns the first row and column of a random window of a picture. It returns
// FailedPrecondition if the window is larger than the picture, InvalidArgument if its size is
// negative.
func Crop(stream []uint64, p CropParams) (y, x int, err error) {
	switch {
	case p.Height < 0 || p.Width < 0:
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "a size of %d x %d is negative", p.Height, p.Width)
	case p.W < p.Width || p.H < p.Height:
		return 0, 0, tensor.Errorf(tensor.FailedPrecondition, "a window of %d x %d does not fit into an image of %d x %d", p.Height, p.Width, p.H, p.W)
	}
	s := single{p: open(stream)}
	if p.W > p.Width {
		x = s.place(p.W - p.Width)
	}
	if p.H > p.Height {
		y = s.place(p.H - p.Height)
	}
	return y, x, nil
}

// place returns a number from 0 to last. last is positive.
func (s *single) place(last int) int { return int(uint64(s.next()) % (uint64(last) + 1)) }

// DistortParams holds the attributes of SampleDistortedBoundingBox.
type DistortParams struct {
	Boxes      int
	AspectLow  float32
	AspectHigh float32
	AreaLow    float32
	AreaHigh   float32
	Attempts   int
	UseImage   bool // whether the whole image is used as a box if there are no boxes
}

// rectangle holds the smallest x, the smallest y, the largest x and the largest y of a rectangle,
// in this order.
type rectangle [4]int32

func (r rectangle) area() float32 { return float32((r[2] - r[0]) * (r[3] - r[1])) }

// meets returns the intersection of two rectangles. If they do not intersect, it returns an empty
// rectangle at the position 0.
func (r rectangle) meets(q rectangle) rectangle {
	m := rectangle{max(r[0], q[0]), max(r[1], q[1]), min(r[2], q[2]), min(r[3], q[3])}
	if m[0] > m[2] || m[1] > m[3] {
		return rectangle{}
	}
	return m
}

// Distort samples a random window of an image [height, width, …], with an area and an aspect ratio
// within limits. The window covers at least the fraction covered[0] of one of boxes [y1,x1,y2,x2].
// If no attempt succeeds, the window is the whole image. Distort writes the first position of the
// window to begin, its size to dims and its coordinates to box. It returns InvalidArgument for
// sizes, boxes or fractions out of range.
func Distort(run *mem.Budget, begin, dims []int64, box []float32, stream []uint64, size []int64, boxes, covered []float32, p DistortParams) error {
	for i, v := range size[:2] {
		if v < 0 || v >= math.MaxInt32 {
			return tensor.Errorf(tensor.InvalidArgument, "image_size[%d] is %d, it must be in [0, 2^31-1)", i, v)
		}
	}
	if !(covered[0] >= 0) {
		return tensor.Errorf(tensor.InvalidArgument, "min_object_covered is %v, it must not be negative", covered[0])
	}
	h, w := int32(size[0]), int32(size[1])
	for _, v := range boxes[:4*p.Boxes] {
		if !(v >= 0 && v <= 1) {
			return tensor.Errorf(tensor.InvalidArgument, "the coordinates of boxes must be in [0, 1], one is %v", v)
		}
	}
	if p.Boxes == 0 && !p.UseImage {
		return tensor.Errorf(tensor.InvalidArgument, "there are no boxes, which only use_image_if_no_bounding_boxes allows")
	}
	whole := rectangle{0, 0, w, h}
	crop := whole
	s := single{p: open(stream)}
	call := run.Call()
	for range p.Attempts {
		call.Work(mem.Add(64, mem.Mul(p.Boxes, 8)))
		r := float32(float(s.next())*(p.AspectHigh-p.AspectLow)) + p.AspectLow
		if c, ok := s.window(h, w, p.AreaLow, p.AreaHigh, r); ok && covers(c, whole, boxes, covered[0], p.Boxes) {
			crop = c
			break
		}
	}
	begin[0], begin[1], begin[2] = int64(crop[1]), int64(crop[0]), 0
	dims[0], dims[1], dims[2] = int64(crop[3]-crop[1]), int64(crop[2]-crop[0]), -1
	box[0], box[1] = float32(crop[1])/float32(h), float32(crop[0])/float32(w)
	box[2], box[3] = float32(crop[3])/float32(h), float32(crop[2])/float32(w)
	return nil
}

// covers reports whether the window crop covers a large enough part of at least one of n boxes. The
// parameter least is the smallest fraction of the area of a box that must be covered.
func covers(crop, whole rectangle, boxes []float32, least float32, n int) bool {
	if crop.area() < 1 {
		return false
	}
	enough := func(b rectangle) bool { return b.area() >= 1 && crop.meets(b).area()/b.area() >= least }
	if n == 0 {
		return enough(whole)
	}
	h, w := float32(whole[3]), float32(whole[2])
	for i := range n {
		q := boxes[4*i:][:4]
		if enough(rectangle{pixel(q[1] * w), pixel(q[0] * h), pixel(q[3] * w), pixel(q[2] * h)}) {
			return true
		}
	}
	return false
}

// pixel converts v to an integer by dropping its fraction. If v is too large for an int32, pixel
// returns the lowest int32.
func pixel(v float32) int32 {
	if v >= math.MaxInt32 {
		return math.MinInt32
	}
	return int32(v)
}

// roundEven rounds v to an integer, halves to even. It returns the lowest int32 if v is out of
// range.
func roundEven(v float32) int32 {
	r := math.RoundToEven(float64(v))
	if !(r > math.MinInt32 && r < math.MaxInt32) {
		return math.MinInt32
	}
	return int32(r)
}

// window samples a window whose area is between the fractions lo and hi of the image and whose
// width is aspect times its height. It returns false if it finds no window.
func (s *single) window(h, w int32, lo, hi, aspect float32) (rectangle, bool) {
	if hi <= 0 || aspect <= 0 || w <= 0 || h <= 0 || lo > hi {
		return rectangle{}, false
	}
	least, most := lo*float32(w)*float32(h), hi*float32(w)*float32(h)
	root := func(v float32) float32 { return float32(math.Sqrt(float64(v))) }
	height, tallest := roundEven(root(least/aspect)), roundEven(root(most/aspect))
	if roundEven(float32(tallest)*aspect) > w {
		const eps = float32(0.0000001)
		tallest = int32((float64(w) + 0.5 - float64(eps)) / float64(aspect))
		if roundEven(float32(tallest)*aspect) > w {
			tallest--
		}
	}
	tallest = min(tallest, h)
	height = min(height, tallest)
	if height < tallest {
		height += int32(s.uniform(uint32(tallest - height + 1)))
	}
	width := roundEven(float32(height) * aspect)
	area := float32(width * height)
	if area < least {
		height++
		width = roundEven(float32(height) * aspect)
		area = float32(width * height)
	}
	if area > most {
		height--
		width = roundEven(float32(height) * aspect)
		area = float32(width * height)
	}
	if area < least || area > most || width > w || height > h || width <= 0 || height <= 0 {
		return rectangle{}, false
	}
	var x, y int32
	if height < h {
		y = int32(s.uniform(uint32(h - height)))
	}
	if width < w {
		x = int32(s.uniform(uint32(w - width)))
	}
	return rectangle{x, y, x + width, y + height}, true
}
