package opdef

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

//go:embed cpukernels.txt
var cpuKernelsText string

// cpuKernels are, by op, the sets of types by attribute that TensorFlow's kernels for CPUs take.
var cpuKernels = sync.OnceValue(func() map[string][]map[string][]tensor.DType {
	m := map[string][]map[string][]tensor.DType{}
	for l := range strings.Lines(cpuKernelsText) {
		w := strings.Fields(l)
		if len(w) == 0 || w[0] == "#" {
			continue
		}
		row := map[string][]tensor.DType{}
		for _, limit := range w[1:] {
			attr, types, _ := strings.Cut(limit, "=")
			row[attr] = []tensor.DType{}
			for t := range strings.SplitSeq(types, ",") {
				if d, ok := tensor.ParseDType(t); ok { // else one of the types that graphc has none of
					row[attr] = append(row[attr], d)
				}
			}
		}
		m[w[0]] = append(m[w[0]], row)
	}
	return m
})

// HasCPUKernel reports whether TensorFlow has a kernel for CPUs of an op whose attributes have these types: one for
// an attribute of a type, any number for a list of types.
func HasCPUKernel(op string, types func(attr string) []tensor.DType) bool {
	return slices.ContainsFunc(cpuKernels()[op], func(row map[string][]tensor.DType) bool {
		for attr, taken := range row {
			for _, d := range types(attr) {
				if !slices.Contains(taken, d) {
					return false
				}
			}
		}
		return true
	})
}
