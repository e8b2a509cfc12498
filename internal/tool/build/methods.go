package build

import (
	"fmt"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
)

// checkedMethods checks and converts the convolution methods that graphc.yaml selects for nodes.
func checkedMethods(byNode map[string]string) (map[string]graphc.Method, error) {
	out := map[string]graphc.Method{}
	for _, node := range base.SortedKeys(byNode) {
		m := graphc.Method(byNode[node])
		if m != graphc.MethodDirect && m != graphc.MethodWinograd {
			return nil, fmt.Errorf("methods: %s is %q: want %s or %s", node, string(m), graphc.MethodDirect, graphc.MethodWinograd)
		}
		out[node] = m
	}
	return out, nil
}
