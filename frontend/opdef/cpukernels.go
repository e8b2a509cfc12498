package opdef

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/ir"
)

//go:embed cpukernels.txt
var cpuKernelsText string

// cpuKernels returns, by op, the types that TensorFlow's CPU kernels accept.
var cpuKernels = sync.OnceValue(func() map[string][]TypeLimits {
	m := map[string][]TypeLimits{}
	for l := range strings.Lines(cpuKernelsText) {
		if w := strings.Fields(l); len(w) > 0 && w[0] != "#" {
			m[w[0]] = append(m[w[0]], ParseTypeLimits(w[1:]))
		}
	}
	return m
})

// HasCPUKernel reports whether TensorFlow has a CPU kernel for a node's op and types.
func HasCPUKernel(n *ir.Node) bool {
	return slices.ContainsFunc(cpuKernels()[n.Op], func(l TypeLimits) bool { return l.Fit(n) })
}
