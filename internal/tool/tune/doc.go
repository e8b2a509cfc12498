// Package tune measures which method computes each convolution of a model fastest: graphc build
// --tune.
package tune
