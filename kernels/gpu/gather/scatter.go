package gather

import "github.com/graphc/graphc/rt/device"

// ScatterParams describes N slices of Inner elements that go to places in a tensor whose
// first Depth dimensions, at most 7, are D0, D1, …: indices are [N, Depth], updates
// [N, Inner]. With Scalar the one element of updates stands for all of them.
type ScatterParams struct {
	N, Inner, Depth            int
	D0, D1, D2, D3, D4, D5, D6 int
	Scalar                     bool
}

// The operations of the kernels.
const (
	opAdd = iota
	opSub
	opMul
	opDiv
	opMin
	opMax
)

func scatter(q *device.Queue, k *device.Kernel, ref, updates, indices device.Ptr, p ScatterParams, op, index int) {
	step := uint64(1)
	if p.Scalar {
		step = 0
	}
	each(q, k, p.N*p.Inner, uint64(ref), uint64(updates), uint64(indices), uint64(p.N), uint64(p.Inner), step, uint64(op), uint64(index), uint64(p.Depth),
		uint64(p.D0), uint64(p.D1), uint64(p.D2), uint64(p.D3), uint64(p.D4), uint64(p.D5), uint64(p.D6))
}

// set takes the widest elements that the slices and addresses allow.
func set(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams, size, index int) {
	if !p.Scalar {
		size, p.Inner = widen(size, p.Inner, ref|updates)
	}
	var k *device.Kernel
	switch size {
	case 1:
		k = &scatterSetB1
	case 2:
		k = &scatterSetB2
	case 4:
		k = &scatterSetB4
	case 8:
		k = &scatterSetB8
	default:
		k = &scatterSetB16
	}
	scatter(q, k, ref, updates, indices, p, 0, index)
}

// complex adds or subtracts numbers of two parts.
func complex(q *device.Queue, k *device.Kernel, ref, updates, indices device.Ptr, p ScatterParams, op, index int) {
	p.Inner *= 2
	scatter(q, k, ref, updates, indices, p, op, index)
}

// ScatterUpdate1I32 sets ref[indices[k, 0], indices[k, 1], …, i] = updates[k, i] for elements of one
// byte and int32 indices; nothing for a place outside. Of several for a place one is taken.
func ScatterUpdate1I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 1, 4)
}

// ScatterUpdate1I64 is ScatterUpdate1I32 for elements of 1 byte and int64 indices.
func ScatterUpdate1I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 1, 8)
}

// ScatterUpdate2I32 is ScatterUpdate1I32 for elements of 2 bytes.
func ScatterUpdate2I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 2, 4)
}

// ScatterUpdate2I64 is ScatterUpdate1I32 for elements of 2 bytes and int64 indices.
func ScatterUpdate2I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 2, 8)
}

// ScatterUpdate4I32 is ScatterUpdate1I32 for elements of 4 bytes.
func ScatterUpdate4I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 4, 4)
}

// ScatterUpdate4I64 is ScatterUpdate1I32 for elements of 4 bytes and int64 indices.
func ScatterUpdate4I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 4, 8)
}

// ScatterUpdate8I32 is ScatterUpdate1I32 for elements of 8 bytes.
func ScatterUpdate8I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 8, 4)
}

// ScatterUpdate8I64 is ScatterUpdate1I32 for elements of 8 bytes and int64 indices.
func ScatterUpdate8I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 8, 8)
}

// ScatterUpdate16I32 is ScatterUpdate1I32 for elements of 16 bytes.
func ScatterUpdate16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 16, 4)
}

// ScatterUpdate16I64 is ScatterUpdate1I32 for elements of 16 bytes and int64 indices.
func ScatterUpdate16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	set(q, ref, updates, indices, p, 16, 8)
}

// ScatterAddF32I32 adds updates[k, i] to ref[indices[k, 0], indices[k, 1], …, i] for int32 indices; nothing for a place
// outside. The order of several for a place is open.
func ScatterAddF32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddF32, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddF32I64 is ScatterAddF32I32 for float32 and int64 indices.
func ScatterAddF32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddF32, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddF64I32 is ScatterAddF32I32 for float64.
func ScatterAddF64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddF64, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddF64I64 is ScatterAddF32I32 for float64 and int64 indices.
func ScatterAddF64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddF64, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddF16I32 is ScatterAddF32I32 for binary16.
func ScatterAddF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddF16, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddF16I64 is ScatterAddF32I32 for binary16 and int64 indices.
func ScatterAddF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddF16, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddBF16I32 is ScatterAddF32I32 for bfloat16.
func ScatterAddBF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddBF16, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddBF16I64 is ScatterAddF32I32 for bfloat16 and int64 indices.
func ScatterAddBF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddBF16, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddI32I32 is ScatterAddF32I32 for int32.
func ScatterAddI32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU32, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddI32I64 is ScatterAddF32I32 for int32 and int64 indices.
func ScatterAddI32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU32, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddU32I32 is ScatterAddF32I32 for uint32.
func ScatterAddU32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU32, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddU32I64 is ScatterAddF32I32 for uint32 and int64 indices.
func ScatterAddU32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU32, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddI64I32 is ScatterAddF32I32 for int64.
func ScatterAddI64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU64, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddI64I64 is ScatterAddF32I32 for int64 and int64 indices.
func ScatterAddI64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU64, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddU64I32 is ScatterAddF32I32 for uint64.
func ScatterAddU64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU64, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddU64I64 is ScatterAddF32I32 for uint64 and int64 indices.
func ScatterAddU64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterAddU64, ref, updates, indices, p, opAdd, 8)
}

// ScatterSubF32I32 is ScatterAddF32I32 where it subtracts.
func ScatterSubF32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opSub, 4)
}

// ScatterSubF32I64 is ScatterSubF32I32 for float32 and int64 indices.
func ScatterSubF32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opSub, 8)
}

// ScatterSubF64I32 is ScatterSubF32I32 for float64.
func ScatterSubF64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opSub, 4)
}

// ScatterSubF64I64 is ScatterSubF32I32 for float64 and int64 indices.
func ScatterSubF64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opSub, 8)
}

// ScatterSubF16I32 is ScatterSubF32I32 for binary16.
func ScatterSubF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opSub, 4)
}

// ScatterSubF16I64 is ScatterSubF32I32 for binary16 and int64 indices.
func ScatterSubF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opSub, 8)
}

// ScatterSubBF16I32 is ScatterSubF32I32 for bfloat16.
func ScatterSubBF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opSub, 4)
}

// ScatterSubBF16I64 is ScatterSubF32I32 for bfloat16 and int64 indices.
func ScatterSubBF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opSub, 8)
}

// ScatterSubI32I32 is ScatterSubF32I32 for int32.
func ScatterSubI32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opSub, 4)
}

// ScatterSubI32I64 is ScatterSubF32I32 for int32 and int64 indices.
func ScatterSubI32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opSub, 8)
}

// ScatterSubU32I32 is ScatterSubF32I32 for uint32.
func ScatterSubU32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opSub, 4)
}

// ScatterSubU32I64 is ScatterSubF32I32 for uint32 and int64 indices.
func ScatterSubU32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opSub, 8)
}

// ScatterSubI64I32 is ScatterSubF32I32 for int64.
func ScatterSubI64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opSub, 4)
}

// ScatterSubI64I64 is ScatterSubF32I32 for int64 and int64 indices.
func ScatterSubI64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opSub, 8)
}

// ScatterSubU64I32 is ScatterSubF32I32 for uint64.
func ScatterSubU64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opSub, 4)
}

// ScatterSubU64I64 is ScatterSubF32I32 for uint64 and int64 indices.
func ScatterSubU64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opSub, 8)
}

// ScatterMulF32I32 is ScatterAddF32I32 where it multiplies.
func ScatterMulF32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opMul, 4)
}

// ScatterMulF32I64 is ScatterMulF32I32 for float32 and int64 indices.
func ScatterMulF32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opMul, 8)
}

// ScatterMulF64I32 is ScatterMulF32I32 for float64.
func ScatterMulF64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opMul, 4)
}

// ScatterMulF64I64 is ScatterMulF32I32 for float64 and int64 indices.
func ScatterMulF64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opMul, 8)
}

// ScatterMulF16I32 is ScatterMulF32I32 for binary16.
func ScatterMulF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opMul, 4)
}

// ScatterMulF16I64 is ScatterMulF32I32 for binary16 and int64 indices.
func ScatterMulF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opMul, 8)
}

// ScatterMulBF16I32 is ScatterMulF32I32 for bfloat16.
func ScatterMulBF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opMul, 4)
}

// ScatterMulBF16I64 is ScatterMulF32I32 for bfloat16 and int64 indices.
func ScatterMulBF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opMul, 8)
}

// ScatterMulI32I32 is ScatterMulF32I32 for int32.
func ScatterMulI32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opMul, 4)
}

// ScatterMulI32I64 is ScatterMulF32I32 for int32 and int64 indices.
func ScatterMulI32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opMul, 8)
}

// ScatterMulU32I32 is ScatterMulF32I32 for uint32.
func ScatterMulU32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opMul, 4)
}

// ScatterMulU32I64 is ScatterMulF32I32 for uint32 and int64 indices.
func ScatterMulU32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opMul, 8)
}

// ScatterMulI64I32 is ScatterMulF32I32 for int64.
func ScatterMulI64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opMul, 4)
}

// ScatterMulI64I64 is ScatterMulF32I32 for int64 and int64 indices.
func ScatterMulI64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opMul, 8)
}

// ScatterMulU64I32 is ScatterMulF32I32 for uint64.
func ScatterMulU64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opMul, 4)
}

// ScatterMulU64I64 is ScatterMulF32I32 for uint64 and int64 indices.
func ScatterMulU64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opMul, 8)
}

// ScatterDivF32I32 is ScatterAddF32I32 where it divides.
func ScatterDivF32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivF32I64 is ScatterDivF32I32 for float32 and int64 indices.
func ScatterDivF32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivF64I32 is ScatterDivF32I32 for float64.
func ScatterDivF64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivF64I64 is ScatterDivF32I32 for float64 and int64 indices.
func ScatterDivF64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivF16I32 is ScatterDivF32I32 for binary16.
func ScatterDivF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivF16I64 is ScatterDivF32I32 for binary16 and int64 indices.
func ScatterDivF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivBF16I32 is ScatterDivF32I32 for bfloat16.
func ScatterDivBF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivBF16I64 is ScatterDivF32I32 for bfloat16 and int64 indices.
func ScatterDivBF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivI32I32 is ScatterDivF32I32 for int32.
func ScatterDivI32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivI32I64 is ScatterDivF32I32 for int32 and int64 indices.
func ScatterDivI32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivU32I32 is ScatterDivF32I32 for uint32.
func ScatterDivU32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivU32I64 is ScatterDivF32I32 for uint32 and int64 indices.
func ScatterDivU32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivI64I32 is ScatterDivF32I32 for int64.
func ScatterDivI64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivI64I64 is ScatterDivF32I32 for int64 and int64 indices.
func ScatterDivI64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opDiv, 8)
}

// ScatterDivU64I32 is ScatterDivF32I32 for uint64.
func ScatterDivU64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opDiv, 4)
}

// ScatterDivU64I64 is ScatterDivF32I32 for uint64 and int64 indices.
func ScatterDivU64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opDiv, 8)
}

// ScatterMinF32I32 is ScatterAddF32I32 where it keeps the smaller number, NaN where there is one.
func ScatterMinF32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opMin, 4)
}

// ScatterMinF32I64 is ScatterMinF32I32 for float32 and int64 indices.
func ScatterMinF32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opMin, 8)
}

// ScatterMinF64I32 is ScatterMinF32I32 for float64.
func ScatterMinF64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opMin, 4)
}

// ScatterMinF64I64 is ScatterMinF32I32 for float64 and int64 indices.
func ScatterMinF64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opMin, 8)
}

// ScatterMinF16I32 is ScatterMinF32I32 for binary16.
func ScatterMinF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opMin, 4)
}

// ScatterMinF16I64 is ScatterMinF32I32 for binary16 and int64 indices.
func ScatterMinF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opMin, 8)
}

// ScatterMinBF16I32 is ScatterMinF32I32 for bfloat16.
func ScatterMinBF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opMin, 4)
}

// ScatterMinBF16I64 is ScatterMinF32I32 for bfloat16 and int64 indices.
func ScatterMinBF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opMin, 8)
}

// ScatterMinI32I32 is ScatterMinF32I32 for int32.
func ScatterMinI32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opMin, 4)
}

// ScatterMinI32I64 is ScatterMinF32I32 for int32 and int64 indices.
func ScatterMinI32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opMin, 8)
}

// ScatterMinU32I32 is ScatterMinF32I32 for uint32.
func ScatterMinU32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opMin, 4)
}

// ScatterMinU32I64 is ScatterMinF32I32 for uint32 and int64 indices.
func ScatterMinU32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opMin, 8)
}

// ScatterMinI64I32 is ScatterMinF32I32 for int64.
func ScatterMinI64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opMin, 4)
}

// ScatterMinI64I64 is ScatterMinF32I32 for int64 and int64 indices.
func ScatterMinI64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opMin, 8)
}

// ScatterMinU64I32 is ScatterMinF32I32 for uint64.
func ScatterMinU64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opMin, 4)
}

// ScatterMinU64I64 is ScatterMinF32I32 for uint64 and int64 indices.
func ScatterMinU64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opMin, 8)
}

// ScatterMaxF32I32 is ScatterAddF32I32 where it keeps the larger number, NaN where there is one.
func ScatterMaxF32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxF32I64 is ScatterMaxF32I32 for float32 and int64 indices.
func ScatterMaxF32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF32, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxF64I32 is ScatterMaxF32I32 for float64.
func ScatterMaxF64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxF64I64 is ScatterMaxF32I32 for float64 and int64 indices.
func ScatterMaxF64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF64, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxF16I32 is ScatterMaxF32I32 for binary16.
func ScatterMaxF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxF16I64 is ScatterMaxF32I32 for binary16 and int64 indices.
func ScatterMaxF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterF16, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxBF16I32 is ScatterMaxF32I32 for bfloat16.
func ScatterMaxBF16I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxBF16I64 is ScatterMaxF32I32 for bfloat16 and int64 indices.
func ScatterMaxBF16I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterBF16, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxI32I32 is ScatterMaxF32I32 for int32.
func ScatterMaxI32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxI32I64 is ScatterMaxF32I32 for int32 and int64 indices.
func ScatterMaxI32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI32, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxU32I32 is ScatterMaxF32I32 for uint32.
func ScatterMaxU32I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxU32I64 is ScatterMaxF32I32 for uint32 and int64 indices.
func ScatterMaxU32I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU32, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxI64I32 is ScatterMaxF32I32 for int64.
func ScatterMaxI64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxI64I64 is ScatterMaxF32I32 for int64 and int64 indices.
func ScatterMaxI64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterI64, ref, updates, indices, p, opMax, 8)
}

// ScatterMaxU64I32 is ScatterMaxF32I32 for uint64.
func ScatterMaxU64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opMax, 4)
}

// ScatterMaxU64I64 is ScatterMaxF32I32 for uint64 and int64 indices.
func ScatterMaxU64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	scatter(q, &scatterU64, ref, updates, indices, p, opMax, 8)
}

// ScatterAddC64I32 is ScatterAddF32I32 for complex64; no Scalar.
func ScatterAddC64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterAddF32, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddC64I64 is ScatterAddF32I32 for complex64 and int64 indices; no Scalar.
func ScatterAddC64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterAddF32, ref, updates, indices, p, opAdd, 8)
}

// ScatterAddC128I32 is ScatterAddF32I32 for complex128; no Scalar.
func ScatterAddC128I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterAddF64, ref, updates, indices, p, opAdd, 4)
}

// ScatterAddC128I64 is ScatterAddF32I32 for complex128 and int64 indices; no Scalar.
func ScatterAddC128I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterAddF64, ref, updates, indices, p, opAdd, 8)
}

// ScatterSubC64I32 is ScatterAddC64I32 where it subtracts.
func ScatterSubC64I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterF32, ref, updates, indices, p, opSub, 4)
}

// ScatterSubC64I64 is ScatterAddC64I64 where it subtracts.
func ScatterSubC64I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterF32, ref, updates, indices, p, opSub, 8)
}

// ScatterSubC128I32 is ScatterAddC128I32 where it subtracts.
func ScatterSubC128I32(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterF64, ref, updates, indices, p, opSub, 4)
}

// ScatterSubC128I64 is ScatterAddC128I64 where it subtracts.
func ScatterSubC128I64(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams) {
	complex(q, &scatterF64, ref, updates, indices, p, opSub, 8)
}

// DivideF32 divides each row of sums[rows, inner] by its number in counts, int32, or with root
// by the number's root; a row of which there are none stays.
func DivideF32(q *device.Queue, sums, counts device.Ptr, rows, inner int, root bool) {
	divide(q, &meanF32, sums, counts, rows, inner, root)
}

// DivideF64 is DivideF32 for float64.
func DivideF64(q *device.Queue, sums, counts device.Ptr, rows, inner int, root bool) {
	divide(q, &meanF64, sums, counts, rows, inner, root)
}

// DivideF16 is DivideF32 for binary16.
func DivideF16(q *device.Queue, sums, counts device.Ptr, rows, inner int, root bool) {
	divide(q, &meanF16, sums, counts, rows, inner, root)
}

// DivideBF16 is DivideF32 for bfloat16.
func DivideBF16(q *device.Queue, sums, counts device.Ptr, rows, inner int, root bool) {
	divide(q, &meanBF16, sums, counts, rows, inner, root)
}

func divide(q *device.Queue, k *device.Kernel, sums, counts device.Ptr, rows, inner int, root bool) {
	r := uint64(0)
	if root {
		r = 1
	}
	each(q, k, rows*inner, uint64(sums), uint64(counts), uint64(rows), uint64(inner), r)
}
