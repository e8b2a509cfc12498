//go:build cuda && cgo && linux

package main

/*
#include "gemm.h"
*/
import "C"

import (
	"encoding/binary"
	"math"
	"os"

	"github.com/graphc/graphc/rt/tensor"
)

// element describes a number type of matrix products: its size in bytes, and functions that read
// and write a number.
type element struct {
	size int
	load func(b []byte) complex128
	save func(b []byte, v complex128)
}

var le = binary.LittleEndian

// elements has the types of numbers, keyed by cuBLAS's codes for them.
var elements = map[C.int]element{
	0: {4, func(b []byte) complex128 { return complex(f32(b), 0) }, func(b []byte, v complex128) { putF32(b, real(v)) }},
	1: {8, func(b []byte) complex128 { return complex(f64(b), 0) }, func(b []byte, v complex128) { putF64(b, real(v)) }},
	2: {2, func(b []byte) complex128 { return complex(float64(tensor.F16(le.Uint16(b)).Float32()), 0) },
		func(b []byte, v complex128) { le.PutUint16(b, uint16(tensor.ToF16(float32(real(v))))) }},
	4: {8, func(b []byte) complex128 { return complex(f32(b), f32(b[4:])) }, func(b []byte, v complex128) { putF32(b, real(v)); putF32(b[4:], imag(v)) }},
	5: {16, func(b []byte) complex128 { return complex(f64(b), f64(b[8:])) }, func(b []byte, v complex128) { putF64(b, real(v)); putF64(b[8:], imag(v)) }},
	14: {2, func(b []byte) complex128 { return complex(float64(tensor.BF16(le.Uint16(b)).Float32()), 0) },
		func(b []byte, v complex128) { le.PutUint16(b, uint16(tensor.ToBF16(float32(real(v))))) }},
}

func f32(b []byte) float64       { return float64(math.Float32frombits(le.Uint32(b))) }
func f64(b []byte) float64       { return math.Float64frombits(le.Uint64(b)) }
func putF32(b []byte, v float64) { le.PutUint32(b, math.Float32bits(float32(v))) }
func putF64(b []byte, v float64) { le.PutUint64(b, math.Float64bits(v)) }

// allowTF32 is false if the environment variable NVIDIA_TF32_OVERRIDE disables TF32. The real
// library obeys this variable, too.
var allowTF32 = os.Getenv("NVIDIA_TF32_OVERRIDE") != "0"

// tf32 rounds the real part of v to TF32, which has a fraction of ten bits: to nearest, halves away
// from zero.
func tf32(v complex128) complex128 {
	bits := math.Float32bits(float32(real(v)))
	if bits>>23&0xff != 0xff {
		bits = (bits + 1<<12) &^ (1<<13 - 1)
	}
	return complex(float64(math.Float32frombits(bits)), 0)
}

// fakegpuGemm enqueues a matrix product. The product is summed in float64 and rounded once. The
// computation also overwrites the beginning of the workspace, as in the real library.
//
//export fakegpuGemm
func fakegpuGemm(p *C.fakegpu_gemm) C.int {
	g := *p
	return on("launch", uintptr(g.stream), func(s *stream) int {
		e, ok := elements[g._type]
		if !ok {
			return invalidValue
		}
		return s.push(func() int { return product(s.c, &g, e) })
	})
}

// product computes g.
func product(c *context, g *C.fakegpu_gemm, e element) int {
	work := span(c, uint64(g.workspace), int(g.workspace_size))
	if work == nil {
		return illegalAddress
	}
	for i := range work[:min(len(work), 4096)] {
		work[i] ^= 0xa5
	}
	alpha, beta := complex(float64(g.alpha[0]), float64(g.alpha[1])), complex(float64(g.beta[0]), float64(g.beta[1]))
	at := func(p C.uint64_t, i int) []byte { return span(c, uint64(p)+uint64(i*e.size), e.size) }
	for b := range int(g.batch) {
		for j := range int(g.n) {
			for i := range int(g.m) {
				sum := complex128(0)
				for l := range int(g.k) {
					ai, bi := b*int(g.sa)+i+l*int(g.lda), b*int(g.sb)+l+j*int(g.ldb)
					if g.ta != 0 {
						ai = b*int(g.sa) + l + i*int(g.lda)
					}
					if g.tb != 0 {
						bi = b*int(g.sb) + j + l*int(g.ldb)
					}
					x, y := at(g.a, ai), at(g.b, bi)
					if x == nil || y == nil {
						return illegalAddress
					}
					u, v := e.load(x), e.load(y)
					if g.compute == 77 && allowTF32 {
						u, v = tf32(u), tf32(v)
					}
					sum += u * v
				}
				out := at(g.c, b*int(g.sc)+i+j*int(g.ldc))
				if out == nil {
					return illegalAddress
				}
				sum *= alpha
				if beta != 0 {
					sum += beta * e.load(out)
				}
				e.save(out, sum)
			}
		}
	}
	return success
}
