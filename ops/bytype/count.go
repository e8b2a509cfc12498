package bytype

import (
	"github.com/graphc/graphc/kernels/count"
	"github.com/graphc/graphc/rt/tensor"
)

// Count holds the kernels for counting. The first type of a key is the type of the counts, and the
// second is the type of the counted values.
var Count = map[[2]tensor.DType]any{
	{tensor.Half, tensor.Int32}:       count.F16I32,
	{tensor.Half, tensor.Int64}:       count.F16I64,
	{tensor.BFloat16, tensor.Int32}:   count.BF16I32,
	{tensor.BFloat16, tensor.Int64}:   count.BF16I64,
	{tensor.Float32, tensor.Int32}:    count.F32I32,
	{tensor.Float32, tensor.Int64}:    count.F32I64,
	{tensor.Float64, tensor.Int32}:    count.F64I32,
	{tensor.Float64, tensor.Int64}:    count.F64I64,
	{tensor.Int8, tensor.Int32}:       count.I8I32,
	{tensor.Int8, tensor.Int64}:       count.I8I64,
	{tensor.Int16, tensor.Int32}:      count.I16I32,
	{tensor.Int16, tensor.Int64}:      count.I16I64,
	{tensor.Int32, tensor.Int32}:      count.I32I32,
	{tensor.Int32, tensor.Int64}:      count.I32I64,
	{tensor.Int64, tensor.Int32}:      count.I64I32,
	{tensor.Int64, tensor.Int64}:      count.I64I64,
	{tensor.Uint8, tensor.Int32}:      count.U8I32,
	{tensor.Uint8, tensor.Int64}:      count.U8I64,
	{tensor.Uint16, tensor.Int32}:     count.U16I32,
	{tensor.Uint16, tensor.Int64}:     count.U16I64,
	{tensor.Uint32, tensor.Int32}:     count.U32I32,
	{tensor.Uint32, tensor.Int64}:     count.U32I64,
	{tensor.Uint64, tensor.Int32}:     count.U64I32,
	{tensor.Uint64, tensor.Int64}:     count.U64I64,
	{tensor.Complex64, tensor.Int32}:  count.C64I32,
	{tensor.Complex64, tensor.Int64}:  count.C64I64,
	{tensor.Complex128, tensor.Int32}: count.C128I32,
	{tensor.Complex128, tensor.Int64}: count.C128I64,
}
