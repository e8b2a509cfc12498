// Package panics panics.
package panics

func bad(n int) {
	if n < 0 {
		panic("n is negative") // want "panics.bad panics"
	}
}

func good() {
	panic := func(string) {}
	panic("a function of this name")
}
