package array

// ConjC64 conjugates x in place.
func ConjC64(x []complex64) {
	for i, v := range x {
		x[i] = complex(real(v), -imag(v))
	}
}

// ConjC128 conjugates x in place.
func ConjC128(x []complex128) {
	for i, v := range x {
		x[i] = complex(real(v), -imag(v))
	}
}
