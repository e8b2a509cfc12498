// Package tune implements graphc build --tune, which measures for each convolution of a model which
// method computes it fastest.
package tune
