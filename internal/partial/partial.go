// Package partial runs signatures in steps: programs that are compiled from a graph
// that testdata/make.py writes, whose steps TensorFlow's partial_run has taken, too.
package partial

//go:generate go tool graphc generate
