package sim

import (
	"encoding/binary"
	"math"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/sim/ptx"
	"github.com/graphc/graphc/rt/tensor"
)

// Multiplies reports whether Options.Gemm is set and g has a type that device.Gemm allows.
func (d *Device) Multiplies(g *device.Gemm) bool {
	switch g.DType {
	case tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128:
		return d.opt.Gemm
	}
	return false
}

// matrix is an operand of a batch of products. It consists of one or more matrices, one for each
// product. A matrix has `rows` rows and `cols` columns. The field stride is the distance between
// adjacent rows, and the field step is the distance between successive matrices, both in elements.
type matrix struct {
	b                        []byte
	t                        tensor.DType
	rows, cols, stride, step int
}

// matrix returns the operand with `count` matrices that begins at address `at` of the device's
// memory.
func (d *Device) matrix(t tensor.DType, at device.Ptr, rows, cols, stride, step, count int) (matrix, error) {
	x := matrix{t: t, rows: rows, cols: cols, stride: stride, step: step}
	if rows == 0 || cols == 0 || count == 0 {
		return x, nil
	}
	if stride < cols || step < 0 {
		return x, internal("a matrix of %d×%d has the row stride %d and the batch stride %d", rows, cols, stride, step)
	}
	var err error
	x.b, err = d.m.bytes(d, at, t.Size()*((count-1)*step+(rows-1)*stride+cols))
	return x, err
}

func (x *matrix) at(i, r, c int) []byte {
	return x.b[x.t.Size()*(i*x.step+r*x.stride+c):]
}

// get returns the element in row r and column c of matrix i. The result is a complex128 for all
// types, because multiply computes all sums in complex128.
func (x *matrix) get(i, r, c int) complex128 {
	b := x.at(i, r, c)
	word := func(o int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[o:]))) }
	double := func(o int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[o:])) }
	switch x.t {
	case tensor.Half:
		return complex(ptx.HalfToFloat(binary.LittleEndian.Uint16(b)), 0)
	case tensor.BFloat16:
		return complex(ptx.BFloatToFloat(binary.LittleEndian.Uint16(b)), 0)
	case tensor.Float32:
		return complex(word(0), 0)
	case tensor.Float64:
		return complex(double(0), 0)
	case tensor.Complex64:
		return complex(word(0), word(4))
	}
	return complex(double(0), double(8))
}

func (x *matrix) set(i, r, c int, v complex128) {
	b := x.at(i, r, c)
	word := func(o int, v float64) { binary.LittleEndian.PutUint32(b[o:], math.Float32bits(float32(v))) }
	double := func(o int, v float64) { binary.LittleEndian.PutUint64(b[o:], math.Float64bits(v)) }
	switch x.t {
	case tensor.Half:
		binary.LittleEndian.PutUint16(b, ptx.FloatToHalf(real(v)))
	case tensor.BFloat16:
		binary.LittleEndian.PutUint16(b, ptx.FloatToBFloat(real(v)))
	case tensor.Float32:
		word(0, real(v))
	case tensor.Float64:
		double(0, real(v))
	case tensor.Complex64:
		word(0, real(v))
		word(4, imag(v))
	default:
		double(0, real(v))
		double(8, imag(v))
	}
}

// multiply computes C = Alpha·op(A)·op(B) + Beta·C. If Beta is 0, it does not read C.
func (d *Device) multiply(g *device.Gemm) error {
	if err := d.inject(LaunchFault); err != nil {
		return err
	}
	rows, cols := func(t bool, r, c int) (int, int) {
		if t {
			return c, r
		}
		return r, c
	}, func(x *matrix, t bool, i, r, c int) complex128 {
		if t {
			return x.get(i, c, r)
		}
		return x.get(i, r, c)
	}
	ar, ac := rows(g.TransA, g.M, g.K)
	br, bc := rows(g.TransB, g.K, g.N)
	a, err := d.matrix(g.DType, g.A, ar, ac, g.LDA, g.StrideA, g.Batch)
	if err != nil {
		return err
	}
	b, err := d.matrix(g.DType, g.B, br, bc, g.LDB, g.StrideB, g.Batch)
	if err != nil {
		return err
	}
	c, err := d.matrix(g.DType, g.C, g.M, g.N, g.LDC, g.StrideC, g.Batch)
	if err != nil {
		return err
	}
	for i := range g.Batch {
		for m := range g.M {
			for n := range g.N {
				var s complex128
				for k := range g.K {
					s += cols(&a, g.TransA, i, m, k) * cols(&b, g.TransB, i, k, n)
				}
				s *= complex(g.Alpha, 0)
				if g.Beta != 0 {
					s += complex(g.Beta, 0) * c.get(i, m, n)
				}
				c.set(i, m, n, s)
			}
		}
	}
	d.clock += uint64(g.Batch*g.M*g.N*g.K) / 32
	return nil
}
