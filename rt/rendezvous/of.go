package rendezvous

import "github.com/graphc/graphc/rt/tensor"

// SendOf returns the function that emitted code calls to send elements of type d, or nil for an
// invalid type.
func SendOf(d tensor.DType) any {
	send, _ := of(d)
	return send
}

// RecvOf returns the function that emitted code calls to receive elements of type d, or nil for an
// invalid type.
func RecvOf(d tensor.DType) any {
	_, recv := of(d)
	return recv
}

// of returns the functions that send and receive elements of type d.
func of(d tensor.DType) (send, recv any) {
	switch d {
	case tensor.Bool:
		return SendBool, RecvBool
	case tensor.Int8, tensor.QInt8:
		return SendI8, RecvI8
	case tensor.Int16, tensor.QInt16:
		return SendI16, RecvI16
	case tensor.Int32, tensor.QInt32:
		return SendI32, RecvI32
	case tensor.Int64:
		return SendI64, RecvI64
	case tensor.Uint8, tensor.QUint8:
		return SendU8, RecvU8
	case tensor.Uint16, tensor.QUint16:
		return SendU16, RecvU16
	case tensor.Uint32:
		return SendU32, RecvU32
	case tensor.Uint64:
		return SendU64, RecvU64
	case tensor.Half:
		return SendF16, RecvF16
	case tensor.BFloat16:
		return SendBF16, RecvBF16
	case tensor.Float32:
		return SendF32, RecvF32
	case tensor.Float64:
		return SendF64, RecvF64
	case tensor.Complex64:
		return SendC64, RecvC64
	case tensor.Complex128:
		return SendC128, RecvC128
	case tensor.String:
		return SendString, RecvString
	case tensor.Resource, tensor.Variant:
		return SendHandle, RecvHandle
	}
	return nil, nil
}
