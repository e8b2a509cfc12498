package conv

// rowRange returns the range [from, to) of the output rows of all images that the fields
// First and Rows of a Params select.
func rowRange(first, rows, total int) (from, to int) {
	total = max(total, 0)
	if rows == 0 && first == 0 {
		return 0, total
	}
	if first < 0 || rows <= 0 || first > total || rows > total-first {
		panic("conv: no such rows")
	}
	return first, first + rows
}

// atMost returns the number of rows that the field Rows selects. It does not depend on First.
func atMost(rows, total int) int {
	if rows == 0 {
		return max(total, 0)
	}
	return min(rows, max(total, 0))
}
