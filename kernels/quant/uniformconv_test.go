package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// rowConv describes a convolution of an input [2, 6, 4] (batch, space, channels) with a filter [4,
// 3, 2] into a result [1, out, 4]. The batch is divided into two groups.
func rowConv(stride, dilIn, dilK, pad, out int) UniformConvParams {
	p := UniformConvParams{Batch: 2, OutBatch: 1, Channels: 4, OC: 4, ChannelGroups: 1, BatchGroups: 2, Dims: 1, Lo: -1 << 20, Hi: 1 << 20}
	p.In[0], p.K[0], p.Out[0], p.Stride[0], p.DilIn[0], p.DilK[0], p.Pad[0] = 6, 3, out, stride, dilIn, dilK, pad
	p.StepIn = [2 + ConvDims]int{24, 1, 4}
	p.StepK = [2 + ConvDims]int{12, 1, 4}
	p.StepOut = [2 + ConvDims]int{4 * out, 1, 4}
	return p
}

func TestUniformConv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b := make([]int8, 48), make([]int8, 48)
	for i := range a {
		a[i], b[i] = int8(r.IntN(256)-128), int8(r.IntN(256)-128)
	}
	zerosB, scalesB := []int32{1, -2, 3, 0}, []float32{1, 0.5, 2, 1}
	for _, c := range []struct{ stride, dilIn, dilK, pad, out int }{{1, 1, 1, 0, 4}, {2, 1, 1, 1, 3}, {1, 2, 1, 2, 13}, {1, 1, 2, 0, 2}, {3, 2, 3, 4, 5}} {
		p := rowConv(c.stride, c.dilIn, c.dilK, c.pad, c.out)
		for _, zeroA := range []int32{0, 7, 200} {
			y := make([]int32, 4*c.out)
			if err := UniformConv(y, a, b, []float32{0.25}, []int32{zeroA}, scalesB, zerosB, []float32{0.5}, []int32{9}, p); err != nil {
				t.Fatal(err)
			}
			for x := range c.out {
				for o := range 4 {
					var sum int32
					for k := range 3 {
						for ch := range 4 {
							v := int32(int8(zeroA)) // the value of padding and of gaps in a dilated input
							if at := x*c.stride + k*c.dilK - c.pad; at >= 0 && at%c.dilIn == 0 && at/c.dilIn < 6 {
								v = int32(a[o/2*24+at/c.dilIn*4+ch])
							}
							sum += (v - zeroA) * (int32(b[o*12+k*4+ch]) - zerosB[o])
						}
					}
					want := int32(math.Floor(float64(sum)*0.25*float64(scalesB[o])/0.5+0.5)) + 9
					if got := y[x*4+o]; got != want {
						t.Fatalf("%+v, zero %d: result %d,%d is %d, want %d", c, zeroA, x, o, got, want)
					}
				}
			}
		}
		f, y, bytes := make([]float32, 48), make([]float32, 4*c.out), make([]int8, 48)
		for i := range f {
			f[i] = float32(a[i]) / 16
		}
		if err := UniformConvHybrid(y, f, b, scalesB, zerosB, bytes, make([]float32, 4), make([]int32, 2), p); err != nil {
			t.Fatal(err)
		}
		for x := range c.out {
			for o := range 4 {
				var sum, size float64
				for k := range 3 {
					for ch := range 4 {
						if at := x*c.stride + k*c.dilK - c.pad; at >= 0 && at%c.dilIn == 0 && at/c.dilIn < 6 {
							w := float64(int32(b[o*12+k*4+ch])-zerosB[o]) * float64(scalesB[o])
							sum += float64(f[o/2*24+at/c.dilIn*4+ch]) * w
							size += math.Abs(w)
						}
					}
				}
				if got := float64(y[x*4+o]); math.Abs(got-sum) > size/16 {
					t.Fatalf("%+v: result %d,%d is %v, want about %v", c, x, o, got, sum)
				}
			}
		}
	}
}

func TestUniformRefuses(t *testing.T) {
	one, zero := []float32{1}, []int32{0}
	p := rowConv(1, 1, 1, 0, 4)
	a, b, y := make([]int8, 48), make([]int8, 48), make([]int32, 16)
	for _, c := range []struct{ a, b, out float32 }{{0, 1, 1}, {1, -1, 1}, {1, 1, float32(math.NaN())}, {float32(math.Inf(1)), 1, 1}} {
		err := UniformConv(y, a, b, []float32{c.a}, zero, []float32{c.b}, zero, []float32{c.out}, zero, p)
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("scales %v: %v", c, err)
		}
		err = UniformRescale(y, y, []float32{c.a * c.b}, zero, []float32{c.out}, Uniform{Outer: 1, Slices: 1, Inner: 16})
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("scales %v: %v", c, err)
		}
	}
	if err := UniformConvHybrid(nil, nil, b, []float32{0}, zero, nil, nil, nil, p); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := UniformRescale(y, y, one, zero, []float32{1, 2}, Uniform{Outer: 1, Slices: 3, Inner: 1}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestUniformAdd(t *testing.T) {
	p := UniformAddParams{Dims: 2, Axis: 1, Lo: -5, Hi: 40}
	p.D, p.A, p.B = [AddDims]int{2, 3}, [AddDims]int{3, 1}, [AddDims]int{0, 1}
	y := make([]int32, 6)
	UniformAdd(y, []int32{1, 2, 3, 4, 5, 6}, []int32{10, 20, 30}, []int32{0, 1, -100}, p)
	if want := []int32{11, 23, -5, 14, 26, -5}; !slices.Equal(y, want) {
		t.Errorf("%v, want %v", y, want)
	}
	p.Axis = -1
	UniformAdd(y, []int32{1, 2, 3, 4, 5, 6}, []int32{10, 20, 30}, []int32{2}, p)
	if want := []int32{13, 24, 35, 16, 27, 38}; !slices.Equal(y, want) {
		t.Errorf("%v, want %v", y, want)
	}
	if err := UniformRescale(y, []int32{4, -4, 1<<25 + 1, math.MaxInt32, 6, 0}, []float32{1, 0.5}, []int32{0, 0}, []float32{0.5}, Uniform{Outer: 1, Slices: 2, Inner: 3}); err != nil {
		t.Fatal(err)
	}
	if want := []int32{8, -8, 1 << 26, math.MinInt32, 6, 0}; !slices.Equal(y, want) {
		t.Errorf("%v, want %v", y, want)
	}
}

func TestArithRule(t *testing.T) {
	for _, c := range []struct {
		x, y         []int
		cycle, first int
		code         tensor.Code
	}{
		{[]int{2, 3}, []int{2, 3}, 6, 0, tensor.OK},
		{[]int{2, 3}, []int{3}, 3, 0, tensor.OK},
		{[]int{3}, []int{2, 3}, 3, 1, tensor.OK},
		{[]int{}, []int{2, 3}, 1, 1, tensor.OK},
		{[]int{2, 3}, []int{1, 1}, 1, 0, tensor.OK},
		{[]int{1, 4}, []int{3, 4}, 4, 1, tensor.OK},
		{[]int{2, 3, 4}, []int{2, 1, 1}, 2, 0, tensor.OK},
		{[]int{2, 3, 4}, []int{2, 1, 4}, 0, 0, tensor.Unimplemented},
		{[]int{2, 1}, []int{1, 3}, 0, 0, tensor.Unimplemented},
		{[]int{2, 3}, []int{2}, 0, 0, tensor.InvalidArgument},
		{[]int{0, 4}, []int{4}, 0, 0, tensor.InvalidArgument},
		{[]int{0}, []int{0}, 1, 0, tensor.OK},
	} {
		cycle, first, err := ArithRule(c.x, c.y)
		if tensor.CodeOf(err) != c.code || err == nil && (cycle != c.cycle || first != c.first) {
			t.Errorf("%v and %v: %d, %d, %v", c.x, c.y, cycle, first, err)
		}
	}
}
