package image

import "github.com/graphc/graphc/rt/tensor"

// NearestF32 copies, for every output pixel, the input pixel nearest to it.
func NearestF32(out, in []float32, p ResizeParams) { nearest(out, in, &p) }

// NearestF64 is NearestF32 for f64.
func NearestF64(out, in []float64, p ResizeParams) { nearest(out, in, &p) }

// NearestF16 is NearestF32 for f16.
func NearestF16(out, in []tensor.F16, p ResizeParams) { nearest(out, in, &p) }

// NearestBF16 is NearestF32 for bf16.
func NearestBF16(out, in []tensor.BF16, p ResizeParams) { nearest(out, in, &p) }

// NearestI8 is NearestF32 for i8.
func NearestI8(out, in []int8, p ResizeParams) { nearest(out, in, &p) }

// NearestI16 is NearestF32 for i16.
func NearestI16(out, in []int16, p ResizeParams) { nearest(out, in, &p) }

// NearestI32 is NearestF32 for i32.
func NearestI32(out, in []int32, p ResizeParams) { nearest(out, in, &p) }

// NearestI64 is NearestF32 for i64.
func NearestI64(out, in []int64, p ResizeParams) { nearest(out, in, &p) }

// NearestU8 is NearestF32 for u8.
func NearestU8(out, in []uint8, p ResizeParams) { nearest(out, in, &p) }

// NearestU16 is NearestF32 for u16.
func NearestU16(out, in []uint16, p ResizeParams) { nearest(out, in, &p) }

// NearestU32 is NearestF32 for u32.
func NearestU32(out, in []uint32, p ResizeParams) { nearest(out, in, &p) }

// NearestU64 is NearestF32 for u64.
func NearestU64(out, in []uint64, p ResizeParams) { nearest(out, in, &p) }
