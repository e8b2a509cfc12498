package sim

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/sim/ptx"
	"github.com/graphc/graphc/rt/tensor"
)

// TestGemm multiplies small matrices of every type. The matrices have strides, and are transposed
// in some of the products.
func TestGemm(t *testing.T) {
	write := map[tensor.DType]func(b []byte, v complex128){
		tensor.Half:     func(b []byte, v complex128) { binary.LittleEndian.PutUint16(b, ptx.FloatToHalf(real(v))) },
		tensor.BFloat16: func(b []byte, v complex128) { binary.LittleEndian.PutUint16(b, ptx.FloatToBFloat(real(v))) },
		tensor.Float32:  func(b []byte, v complex128) { binary.LittleEndian.PutUint32(b, math.Float32bits(float32(real(v)))) },
		tensor.Float64:  func(b []byte, v complex128) { binary.LittleEndian.PutUint64(b, math.Float64bits(real(v))) },
		tensor.Complex64: func(b []byte, v complex128) {
			binary.LittleEndian.PutUint32(b, math.Float32bits(float32(real(v))))
			binary.LittleEndian.PutUint32(b[4:], math.Float32bits(float32(imag(v))))
		},
		tensor.Complex128: func(b []byte, v complex128) {
			binary.LittleEndian.PutUint64(b, math.Float64bits(real(v)))
			binary.LittleEndian.PutUint64(b[8:], math.Float64bits(imag(v)))
		},
	}
	const M, N, K, batch, pad = 3, 4, 5, 2, 2
	value := func(i, r, c int, complexes bool) complex128 {
		v := complex(float64((i*5+r*3+c)%7-3), 0)
		if complexes {
			v += complex(0, float64((r+2*c)%3))
		}
		return v
	}
	for dtype, set := range write {
		for _, trans := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			within(t, Options{Gemm: true}, 1, func(ds []*Device) {
				d, size, cx := ds[0], dtype.Size(), dtype == tensor.Complex64 || dtype == tensor.Complex128
				s := d.stream(t)
				fill := func(rows, cols int, trans bool) (device.Memory, int, int) {
					if trans {
						rows, cols = cols, rows
					}
					ld, n := cols+pad, rows*(cols+pad)
					b := make([]byte, batch*n*size)
					for i := range batch {
						for r := range rows {
							for c := range cols {
								v := value(i, r, c, cx)
								if trans {
									v = value(i, c, r, cx)
								}
								set(b[size*(i*n+r*ld+c):], v)
							}
						}
					}
					m := d.mem(t, len(b))
					must(t, s.CopyIn(m, 0, b))
					return m, ld, n
				}
				a, lda, na := fill(M, K, trans[0])
				b, ldb, nb := fill(K, N, trans[1])
				c, ldc, nc := fill(M, N, false)
				g := device.Gemm{DType: dtype, TransA: trans[0], TransB: trans[1], M: M, N: N, K: K, Batch: batch, A: a.Addr(), B: b.Addr(), C: c.Addr(),
					LDA: lda, LDB: ldb, LDC: ldc, StrideA: na, StrideB: nb, StrideC: nc, Alpha: 2, Beta: 1}
				var w device.Batch
				w.Add(device.Item{Kind: device.GemmItem, Node: "product", Gemm: g})
				must(t, s.Launch(&w))
				got := make([]byte, c.Size())
				must(t, s.CopyOut(got, c, 0))
				x := matrix{b: got, t: dtype, rows: M, cols: N, stride: ldc, step: nc}
				for i := range batch {
					for m := range M {
						for n := range N {
							want := value(i, m, n, cx)
							for k := range K {
								want += 2 * value(i, m, k, cx) * value(i, k, n, cx)
							}
							if v := x.get(i, m, n); v != want {
								t.Fatalf("%s %v: element %d %d %d is %v, want %v", dtype, trans, i, m, n, v, want)
							}
						}
					}
				}
				for _, wrong := range []func(g *device.Gemm){func(g *device.Gemm) { g.A = 0 }, func(g *device.Gemm) { g.LDB = 1 }, func(g *device.Gemm) { g.StrideC = 1 << 20 }} {
					h := g
					wrong(&h)
					var w device.Batch
					w.Add(device.Item{Kind: device.GemmItem, Node: "product", Gemm: h})
					s := d.stream(t)
					must(t, s.Launch(&w))
					if err := s.Sync(); tensor.CodeOf(err) != tensor.Internal {
						t.Error(err)
					}
				}
			})
		}
	}
	if New(0, Options{}).Multiplies(&device.Gemm{DType: tensor.Float32}) || New(0, Options{Gemm: true}).Multiplies(&device.Gemm{DType: tensor.Int32}) {
		t.Error("products without the option")
	}
}
