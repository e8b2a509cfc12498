package rnn

import (
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func sigmoidOf(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// TestLSTM runs a cell over two of three steps, with and without peepholes. The third step is not
// used.
func TestLSTM(t *testing.T) {
	for _, peephole := range []bool{false, true} {
		x, w, b := []float32{0.5, -0.25, 0.75}, gputest.Floats[float32](1, 8), gputest.Floats[float32](2, 4)
		peep := []float32{0.3, -0.2, 0.6}
		cs, h := 0.1, -0.3
		var want [7][]float32
		for k := range 2 {
			g := [4]float64{}
			for j := range g {
				g[j] = float64(x[k])*float64(w[j]) + h*float64(w[4+j]) + float64(b[j])
			}
			g[2] += 0.5
			if peephole {
				g[0], g[2] = g[0]+cs*float64(peep[0]), g[2]+cs*float64(peep[1])
			}
			in, ci, f := sigmoidOf(g[0]), math.Tanh(g[1]), sigmoidOf(g[2])
			cs = in*ci + f*cs
			if peephole {
				g[3] += cs * float64(peep[2])
			}
			o := sigmoidOf(g[3])
			h = o * math.Tanh(cs)
			for j, v := range []float64{in, cs, f, o, ci, math.Tanh(cs), h} {
				want[j] = append(want[j], float32(v))
			}
		}
		r := gputest.New(t)
		var out [7]device.Ptr
		for j := range out {
			out[j] = gputest.Room[float32](r, 3)
		}
		r.Do(func(q *device.Queue) {
			LSTMF32(q, out[0], out[1], out[2], out[3], out[4], out[5], out[6], gputest.Put(r, x), gputest.Put(r, []float32{0.1}), gputest.Put(r, []float32{-0.3}),
				gputest.Put(r, w), gputest.Put(r, peep[:1]), gputest.Put(r, peep[1:2]), gputest.Put(r, peep[2:]), gputest.Put(r, b), gputest.Room[float32](r, 8),
				LSTMParams{Steps: 3, Used: 2, Batch: 1, Input: 1, Cell: 1, ForgetBias: 0.5, Peephole: peephole})
		})
		for j := range out {
			gputest.Close(t, "output", gputest.Get[float32](r, out[j], 3), append(want[j], 0), 1e-6, 1)
		}
	}
}

// TestHalves runs the binary16 kernels with numbers that are exact in binary16.
func TestHalves(t *testing.T) {
	r := gputest.New(t)
	zero := func() device.Ptr { return gputest.Put(r, make([]tensor.F16, 8)) }
	one := func() device.Ptr { return gputest.Put(r, []tensor.F16{tensor.ToF16(1), 0, 0, 0, 0, 0, 0, 0}) }
	p := LSTMParams{Steps: 1, Used: 1, Batch: 1, Input: 1, Cell: 1, Peephole: true}
	var out [12]device.Ptr
	for i := range out {
		out[i] = gputest.Room[tensor.F16](r, 8)
	}
	r.Do(func(q *device.Queue) {
		LSTMF16(q, out[0], out[1], out[2], out[3], out[4], out[5], out[6], zero(), one(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), p)
		LSTMCellGradF16(q, out[7], out[8], one(), zero(), zero(), zero(), zero(), one(), one(), zero(), zero(), zero(), one(), p)
		LSTMPeepholesF16(q, out[9], out[10], out[11], one(), one(), zero(), p)
		LSTMGradF16(q, zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), p)
	})
	for i, want := range []float32{0.5, 0.5, 0.5, 0.5, 0} {
		if got := gputest.Get[tensor.F16](r, out[i], 1)[0].Float32(); got != want {
			t.Errorf("output %d is %v, want %v", i, got, want)
		}
	}
	// The gradient of the cell state is (1 - co²)·hGrad·o = 1. The forget gate f is 1, so
	// csPrevGrad equals this gradient.
	for i, want := range map[int]float32{7: 1, 9: 1, 10: 0, 11: 0} {
		if got := gputest.Get[tensor.F16](r, out[i], 1)[0].Float32(); got != want {
			t.Errorf("output %d is %v, want %v", i, got, want)
		}
	}
}

// TestGRU checks a step whose weights are all zero. The new state is half of the previous state, and
// the gradient of the previous state is half of the gradient of the new state.
func TestGRU(t *testing.T) {
	r := gputest.New(t)
	zero := func() device.Ptr { return gputest.Put(r, make([]float32, 8)) }
	h := gputest.Put(r, []float32{0.5, -2})
	var out [8]device.Ptr
	for i := range out {
		out[i] = gputest.Room[float32](r, 4)
	}
	p := GRUParams{Batch: 2, Input: 1, Cell: 1}
	r.Do(func(q *device.Queue) {
		GRUF32(q, out[0], out[1], out[2], out[3], zero(), h, zero(), zero(), zero(), zero(), gputest.Room[float32](r, 6), p)
		GRUGradF32(q, out[4], out[5], out[6], out[7], h, zero(), zero(), out[0], out[1], out[2], gputest.Put(r, []float32{1, 2}), gputest.Room[float32](r, 8), p)
	})
	for i, want := range [][]float32{{0.5, 0.5}, {0.5, 0.5}, {0, 0}, {0.25, -1}, {0, 0}, {0.5, 1}, {0.5, 1}} {
		gputest.Close(t, "output", gputest.Get[float32](r, out[i], 2), want, 1e-6, 1)
	}
	gputest.Close(t, "gates", gputest.Get[float32](r, out[7], 4), []float32{0, 1 * 0.5 * 0.25, 0, -2 * 2 * 0.25}, 1e-6, 1)
}

func TestF32Gradients(t *testing.T) {
	r := gputest.New(t)
	zero := func() device.Ptr { return gputest.Put(r, make([]float32, 8)) }
	p := LSTMParams{Steps: 2, Used: 1, Batch: 1, Input: 1, Cell: 1, ForgetFirst: true}
	x, a, b := gputest.Room[float32](r, 2), gputest.Room[float32](r, 4), gputest.Room[float32](r, 4)
	c := gputest.Room[float32](r, 1)
	r.Do(func(q *device.Queue) {
		LSTMGradF32(q, x, c, zero(), zero(), b, zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), gputest.Put(r, []float32{1, 1}), zero(), zero(), zero(), zero(), // the argument f, the forget gate, is 1
			gputest.Put(r, []float32{3, 3}), zero(), a, p)
		LSTMCellGradF32(q, zero(), a, zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero(), p)
		LSTMPeepholesF32(q, zero(), zero(), zero(), a, zero(), zero(), p)
	})
	gputest.Same(t, "gradient of what the state was", gputest.Get[float32](r, c, 1), []float32{3})
	gputest.Same(t, "gradient of x", gputest.Get[float32](r, x, 2), []float32{0, 0})
}
