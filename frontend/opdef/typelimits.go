package opdef

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TypeLimits holds the types that a TensorFlow kernel accepts, keyed by the attribute's name.
// Attributes without an entry may have any type.
type TypeLimits map[string][]tensor.DType

// ParseTypeLimits parses limits in the form of the kernel tables: words such as T=f32,f64. A type
// without a name in graphc is written as # and its number.
func ParseTypeLimits(words []string) TypeLimits {
	l := TypeLimits{}
	for _, limit := range words {
		attr, types, _ := strings.Cut(limit, "=")
		ts := []tensor.DType{}
		for t := range strings.SplitSeq(types, ",") {
			if d, ok := tensor.ParseDType(t); ok {
				ts = append(ts, d)
			} else if n, err := strconv.ParseUint(strings.TrimPrefix(t, "#"), 10, 8); err == nil {
				ts = append(ts, tensor.DType(n))
			}
		}
		l[attr] = ts
	}
	return l
}

// Fit reports whether the kernel accepts a node's types. For an attribute that is a list, all types
// in it must be accepted.
func (l TypeLimits) Fit(n *ir.Node) bool {
	for attr, types := range l {
		switch v := n.Attrs[attr].(type) {
		case tensor.DType:
			if !slices.Contains(types, v) {
				return false
			}
		case []tensor.DType:
			if slices.ContainsFunc(v, func(d tensor.DType) bool { return !slices.Contains(types, d) }) {
				return false
			}
		}
	}
	return true
}
