package rendezvous

import "github.com/graphc/graphc/rt/tensor"

// SendOf returns the function that sends elements of type d, nil where there is
// none: what a compiler puts into a call.
func SendOf(d tensor.DType) any {
	switch d {
	case tensor.Bool:
		return SendBool
	case tensor.Int8, tensor.QInt8:
		return SendI8
	case tensor.Int16, tensor.QInt16:
		return SendI16
	case tensor.Int32, tensor.QInt32:
		return SendI32
	case tensor.Int64:
		return SendI64
	case tensor.Uint8, tensor.QUint8:
		return SendU8
	case tensor.Uint16, tensor.QUint16:
		return SendU16
	case tensor.Uint32:
		return SendU32
	case tensor.Uint64:
		return SendU64
	case tensor.Half:
		return SendF16
	case tensor.BFloat16:
		return SendBF16
	case tensor.Float32:
		return SendF32
	case tensor.Float64:
		return SendF64
	case tensor.Complex64:
		return SendC64
	case tensor.Complex128:
		return SendC128
	case tensor.String:
		return SendString
	case tensor.Resource, tensor.Variant:
		return SendHandle
	}
	return nil
}

// RecvOf returns the function that receives elements of type d.
func RecvOf(d tensor.DType) any {
	switch d {
	case tensor.Bool:
		return RecvBool
	case tensor.Int8, tensor.QInt8:
		return RecvI8
	case tensor.Int16, tensor.QInt16:
		return RecvI16
	case tensor.Int32, tensor.QInt32:
		return RecvI32
	case tensor.Int64:
		return RecvI64
	case tensor.Uint8, tensor.QUint8:
		return RecvU8
	case tensor.Uint16, tensor.QUint16:
		return RecvU16
	case tensor.Uint32:
		return RecvU32
	case tensor.Uint64:
		return RecvU64
	case tensor.Half:
		return RecvF16
	case tensor.BFloat16:
		return RecvBF16
	case tensor.Float32:
		return RecvF32
	case tensor.Float64:
		return RecvF64
	case tensor.Complex64:
		return RecvC64
	case tensor.Complex128:
		return RecvC128
	case tensor.String:
		return RecvString
	case tensor.Resource, tensor.Variant:
		return RecvHandle
	}
	return nil
}
