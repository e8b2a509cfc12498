package sets

// The kernels below join the sets of a and b, each given as indices, values and
// shape, and return the number of values of the result. A dense operand has no
// indices. indices and values have room for all values of both, scratch for as
// many. InvalidArgument where Check refuses an operand or the groups differ; Internal for an
// index outside of the shape that was not validated.

// OpI8 joins sets of int8.
func OpI8(indices []int64, values []int8, shape, ai []int64, av []int8, as, bi []int64, bv []int8, bs []int64, scratch []int8, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// OpI16 joins sets of int16.
func OpI16(indices []int64, values []int16, shape, ai []int64, av []int16, as, bi []int64, bv []int16, bs []int64, scratch []int16, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// OpI32 joins sets of int32.
func OpI32(indices []int64, values []int32, shape, ai []int64, av []int32, as, bi []int64, bv []int32, bs []int64, scratch []int32, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// OpI64 joins sets of int64.
func OpI64(indices []int64, values []int64, shape, ai []int64, av []int64, as, bi []int64, bv []int64, bs []int64, scratch []int64, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// OpU8 joins sets of uint8.
func OpU8(indices []int64, values []uint8, shape, ai []int64, av []uint8, as, bi []int64, bv []uint8, bs []int64, scratch []uint8, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// OpU16 joins sets of uint16.
func OpU16(indices []int64, values []uint16, shape, ai []int64, av []uint16, as, bi []int64, bv []uint16, bs []int64, scratch []uint16, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// OpStr joins sets of string.
func OpStr(indices []int64, values []string, shape, ai []int64, av []string, as, bi []int64, bv []string, bs []int64, scratch []string, p Params) (int, error) {
	return operate(indices, values, shape, ai, av, as, bi, bv, bs, scratch, p)
}

// The kernels below write the number of different values of each group of a sparse
// tensor that Check has checked, 0 for groups without any; scratch is as long as
// values. Internal for an index outside of the shape that was not validated.

// SizeI8 counts sets of int8.
func SizeI8(dst []int32, indices []int64, values []int8, shape []int64, scratch []int8) error {
	return size(dst, indices, values, shape, scratch)
}

// SizeI16 counts sets of int16.
func SizeI16(dst []int32, indices []int64, values []int16, shape []int64, scratch []int16) error {
	return size(dst, indices, values, shape, scratch)
}

// SizeI32 counts sets of int32.
func SizeI32(dst []int32, indices []int64, values []int32, shape []int64, scratch []int32) error {
	return size(dst, indices, values, shape, scratch)
}

// SizeI64 counts sets of int64.
func SizeI64(dst []int32, indices []int64, values []int64, shape []int64, scratch []int64) error {
	return size(dst, indices, values, shape, scratch)
}

// SizeU8 counts sets of uint8.
func SizeU8(dst []int32, indices []int64, values []uint8, shape []int64, scratch []uint8) error {
	return size(dst, indices, values, shape, scratch)
}

// SizeU16 counts sets of uint16.
func SizeU16(dst []int32, indices []int64, values []uint16, shape []int64, scratch []uint16) error {
	return size(dst, indices, values, shape, scratch)
}

// SizeStr counts sets of string.
func SizeStr(dst []int32, indices []int64, values []string, shape []int64, scratch []string) error {
	return size(dst, indices, values, shape, scratch)
}
