package volume

// Convolution and the gradients of pooling of integers; sums wrap around.

// ConvI32 is ConvF32 for i32.
func ConvI32(out, in, filter []int32, p Params) { forward(out, in, filter, &p) }

// MaxGradI8 is MaxGradF32 for i8.
func MaxGradI8(dst, in, grad []int8, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradI8 is MaxGradGradF32 for i8.
func MaxGradGradI8(dst, in, grad []int8, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradI8 is ArgGradF32 for i8.
func ArgGradI8(dst, grad []int8, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxGradI16 is MaxGradF32 for i16.
func MaxGradI16(dst, in, grad []int16, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradI16 is MaxGradGradF32 for i16.
func MaxGradGradI16(dst, in, grad []int16, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradI16 is ArgGradF32 for i16.
func ArgGradI16(dst, grad []int16, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxGradI32 is MaxGradF32 for i32.
func MaxGradI32(dst, in, grad []int32, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradI32 is MaxGradGradF32 for i32.
func MaxGradGradI32(dst, in, grad []int32, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradI32 is ArgGradF32 for i32.
func ArgGradI32(dst, grad []int32, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxGradI64 is MaxGradF32 for i64.
func MaxGradI64(dst, in, grad []int64, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradI64 is MaxGradGradF32 for i64.
func MaxGradGradI64(dst, in, grad []int64, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradI64 is ArgGradF32 for i64.
func ArgGradI64(dst, grad []int64, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxGradU8 is MaxGradF32 for u8.
func MaxGradU8(dst, in, grad []uint8, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradU8 is MaxGradGradF32 for u8.
func MaxGradGradU8(dst, in, grad []uint8, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradU8 is ArgGradF32 for u8.
func ArgGradU8(dst, grad []uint8, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxGradU16 is MaxGradF32 for u16.
func MaxGradU16(dst, in, grad []uint16, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradU16 is MaxGradGradF32 for u16.
func MaxGradGradU16(dst, in, grad []uint16, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradU16 is ArgGradF32 for u16.
func ArgGradU16(dst, grad []uint16, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxArgU32 is MaxArgF32 for u32.
func MaxArgU32(out []uint32, at []int64, in []uint32, batch bool, p Params) {
	maxArg(out, at, in, batch, &p)
}

// MaxGradU32 is MaxGradF32 for u32.
func MaxGradU32(dst, in, grad []uint32, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradU32 is MaxGradGradF32 for u32.
func MaxGradGradU32(dst, in, grad []uint32, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradU32 is ArgGradF32 for u32.
func ArgGradU32(dst, grad []uint32, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }

// MaxArgU64 is MaxArgF32 for u64.
func MaxArgU64(out []uint64, at []int64, in []uint64, batch bool, p Params) {
	maxArg(out, at, in, batch, &p)
}

// MaxGradU64 is MaxGradF32 for u64.
func MaxGradU64(dst, in, grad []uint64, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradGradU64 is MaxGradGradF32 for u64.
func MaxGradGradU64(dst, in, grad []uint64, at []int64, p Params) { maxGradGrad(dst, in, grad, at, &p) }

// ArgGradU64 is ArgGradF32 for u64.
func ArgGradU64(dst, grad []uint64, at []int64, p ArgParams) error { return argGrad(dst, grad, at, &p) }
