package reduce

import "github.com/graphc/graphc/rt/device"

// AllBool sets dst to whether all elements along the axis are true. Bools are bytes 0 and 1.
func AllBool(q *device.Queue, dst, src device.Ptr, p Params) {
	run(q, set{rows: &allBoolRows, cols: &allBoolCols}, dst, src, p, 1, 0, 0, 0)
}

// AnyBool sets dst to whether any element along the axis is true. Bools are bytes 0 and 1.
func AnyBool(q *device.Queue, dst, src device.Ptr, p Params) {
	run(q, set{rows: &anyBoolRows, cols: &anyBoolCols}, dst, src, p, 1, 0, 0, 0)
}
