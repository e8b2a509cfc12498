package finite

import (
	"math"
	"testing"
)

func test[T Real](t *testing.T, lowest, highest T) {
	t.Helper()
	if lo, hi := Lowest[T](), Highest[T](); lo != lowest || hi != highest {
		t.Errorf("%T: %v to %v", lo, lo, hi)
	}
}

func TestExtremes(t *testing.T) {
	test[int8](t, math.MinInt8, math.MaxInt8)
	test[int16](t, math.MinInt16, math.MaxInt16)
	test[int32](t, math.MinInt32, math.MaxInt32)
	test[int64](t, math.MinInt64, math.MaxInt64)
	test[uint8](t, 0, math.MaxUint8)
	test[uint16](t, 0, math.MaxUint16)
	test[uint32](t, 0, math.MaxUint32)
	test[uint64](t, 0, math.MaxUint64)
	test[float32](t, -math.MaxFloat32, math.MaxFloat32)
	test[float64](t, -math.MaxFloat64, math.MaxFloat64)
}
