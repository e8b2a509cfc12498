package sparse

import "github.com/graphc/graphc/rt/tensor"

// pick sets dst[i] = src[at[i]], or rest[0] if at[i] is negative.
func pick[T any](dst, src, rest []T, at []int64) {
	for i, k := range at {
		if k < 0 {
			dst[i] = rest[0]
		} else {
			dst[i] = src[k]
		}
	}
}

// PickRaw sets element i of dst to element at[i] of src, or to the element rest if at[i] is
// negative. size is the size of an element in bytes. Positions must be in bounds.
func PickRaw(dst, src, rest []byte, at []int64, size int) {
	switch size {
	case 1:
		pick(dst, src, rest, at)
		return
	case 4:
		for i, k := range at {
			if k < 0 {
				copy(dst[4*i:4*i+4], rest)
			} else {
				copy(dst[4*i:4*i+4], src[4*k:4*k+4])
			}
		}
		return
	case 8:
		for i, k := range at {
			if k < 0 {
				copy(dst[8*i:8*i+8], rest)
			} else {
				copy(dst[8*i:8*i+8], src[8*k:8*k+8])
			}
		}
		return
	}
	for i, k := range at {
		to := dst[i*size : (i+1)*size]
		if k < 0 {
			copy(to, rest)
		} else {
			copy(to, src[int(k)*size:])
		}
	}
}

// PickStr is PickRaw for strings.
func PickStr(dst, src, rest []string, at []int64, size int) { pick(dst, src, rest, at) }

// PickHnd is PickRaw for handles.
func PickHnd(dst, src, rest []tensor.Handle, at []int64, size int) { pick(dst, src, rest, at) }

// PickRows sets row i of dst to row at[i] of src. A row has rank columns.
func PickRows(dst, src, at []int64, rank int) {
	if rank == 0 {
		return
	}
	for i, k := range at {
		copy(dst[i*rank:(i+1)*rank], src[int(k)*rank:])
	}
}

// PutRaw sets element at[i] of dst to element i of src. size is the size of an element in
// bytes.
func PutRaw(dst, src []byte, at []int64, size int) {
	for i, k := range at {
		copy(dst[int(k)*size:int(k+1)*size], src[i*size:])
	}
}

// PutStr is PutRaw for strings.
func PutStr(dst, src []string, at []int64, size int) { put(dst, src, at) }

// PutHnd is PutRaw for handles.
func PutHnd(dst, src []tensor.Handle, at []int64, size int) { put(dst, src, at) }

func put[T any](dst, src []T, at []int64) {
	for i, k := range at {
		dst[k] = src[i]
	}
}

// ToDenseRaw sets all elements of dst to the default value, rest[:size]. It then sets element at[i]
// of dst to element i of values, or to the only element if values has just one. size is the size of
// an element in bytes.
func ToDenseRaw(dst, values, rest []byte, at []int64, size int) {
	for n := copy(dst, rest[:size]); n < len(dst) && n > 0; n *= 2 {
		copy(dst[n:], dst[:n])
	}
	step := size
	if len(values) == size {
		step = 0
	}
	for i, k := range at {
		copy(dst[int(k)*size:int(k+1)*size], values[i*step:])
	}
}

// ToDenseStr is ToDenseRaw for strings.
func ToDenseStr(dst, values, rest []string, at []int64, size int) {
	for i := range dst {
		dst[i] = rest[0]
	}
	step := 1
	if len(values) == 1 {
		step = 0
	}
	for i, k := range at {
		dst[k] = values[i*step]
	}
}

// ClearRaw sets all elements to 0.
func ClearRaw(dst []byte) { clear(dst) }
