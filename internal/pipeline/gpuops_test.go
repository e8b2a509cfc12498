package pipeline

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/partition"
	"github.com/graphc/graphc/rt/tensor"
)

var updateGPUOps = flag.Bool("update-gpu-ops", false, "write docs/gpu-ops.md anew")

// TestGPUOpsDoc checks docs/gpu-ops.md, which lists the ops that TensorFlow computes on GPUs and
// says whether graphc does, too.
func TestGPUOpsDoc(t *testing.T) {
	types := map[string]map[tensor.DType]bool{} // for each op: whether graphc supports each type for which TensorFlow has a GPU kernel
	for _, k := range partition.GPUKernels() {
		if types[k.Op] == nil {
			types[k.Op] = map[tensor.DType]bool{}
		}
		attrs := slices.Sorted(maps.Keys(k.Types))
		n := &ir.Node{Name: "n", Op: k.Op, Attrs: map[string]ir.Attr{}}
		attrs = slices.DeleteFunc(attrs, func(a string) bool { return len(k.Types[a]) == 0 })
		for _, a := range attrs {
			n.Attrs[a] = k.Types[a][0]
		}
		if len(attrs) == 0 {
			types[k.Op][tensor.Invalid] = onGPU(n)
			continue
		}
		main := attrs[0]
		if slices.Contains(attrs, "T") {
			main = "T"
		}
		for _, d := range k.Types[main] {
			if n.Attrs[main] = d; d.Valid() {
				types[k.Op][d] = types[k.Op][d] || onGPU(n)
			}
		}
	}
	var all, some, none []string
	for _, op := range slices.Sorted(maps.Keys(types)) {
		var ours, missing []string
		for _, d := range slices.Sorted(maps.Keys(types[op])) {
			if types[op][d] {
				ours = append(ours, d.String())
			} else {
				missing = append(missing, d.String())
			}
		}
		switch {
		case len(missing) == 0:
			all = append(all, op)
		case len(ours) == 0:
			none = append(none, op)
		default:
			some = append(some, fmt.Sprintf("| %s | %s | %s |", op, strings.Join(ours, " "), strings.Join(missing, " ")))
		}
	}
	text := fmt.Sprintf(`# Ops on GPUs

This page is written by
`+"`go test ./internal/pipeline -run TestGPUOpsDoc -update-gpu-ops`"+`
from TensorFlow's registered kernels. It lists ops with a GPU kernel that has an argument or a
result in the device's memory. Some kernels that TensorFlow registers for GPUs run on the host
(32-bit integers, shapes, handles). They run on the host here, too, in the GPU's partition.

%d ops run on the GPU in all of TensorFlow's types, %d in some. %d stay on the CPU under soft
placement.

## In all types

%s

## In some types

| op | on the GPU | on the CPU |
|---|---|---|
%s

## On the CPU

%s
`, len(all), len(some), len(none), lines(all), strings.Join(some, "\n"), lines(none))
	path := filepath.Join("..", "..", "docs", "gpu-ops.md")
	if *updateGPUOps {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("docs/gpu-ops.md is not up to date (%v): go test ./internal/pipeline -run TestGPUOpsDoc -update-gpu-ops", err)
	}
}

// onGPU reports whether node n can be in a partition that runs on a GPU.
func onGPU(n *ir.Node) bool { return ops.Ops().LookupGPU(n) != nil || ops.Ops().HostSide(n) }

// lines joins names by commas, in lines of at most 100 columns.
func lines(names []string) string {
	var b strings.Builder
	column := 0
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		switch {
		case i == 0:
		case column+1+len(name) > 100:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(name)
		column += len(name)
	}
	return b.String()
}
