// Package tune implements graphc build --tune. For each convolution of a model, it measures the
// methods that can compute the convolution, and selects the fastest.
package tune
