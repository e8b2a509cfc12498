package panel

import "github.com/graphc/graphc/rt/cpu"

// Add adds each element of src to the element of dst with the same index. dst is at least as long
// as src.
func Add(dst, src []float32) {
	dst = dst[:len(src)]
	i := 0
	if cpu.UseAVX2() || cpu.UseNEON() {
		i = addSIMD(dst, src)
	}
	for ; i < len(src); i++ {
		dst[i] += src[i]
	}
}

// AddClamp adds bias to each row of c floats in dst, and then clamps the elements of dst to [lo, hi].
// If bias is empty, nothing is added. NaN stays NaN.
func AddClamp(dst, bias []float32, c int, lo, hi float32) {
	for i := 0; i+c <= len(dst) && c > 0; i += c {
		row := dst[i : i+c]
		if len(bias) != 0 {
			Add(row, bias[:c])
		}
		for j, v := range row {
			if v < lo {
				v = lo
			}
			if v > hi {
				v = hi
			}
			row[j] = v
		}
	}
}
