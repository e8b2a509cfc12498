package kit

import "github.com/graphc/graphc/rt/tensor"

// WithTypes adds the types of one more attribute.
func WithTypes(m map[string][]tensor.DType, attr string, ds []tensor.DType) map[string][]tensor.DType {
	m[attr] = ds
	return m
}
