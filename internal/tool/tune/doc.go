// Package tune measures which method computes each convolution of a model faster: graphc build --tune.
package tune
