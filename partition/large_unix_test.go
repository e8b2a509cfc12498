//go:build unix

package partition

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSplitLarge checks that the time of Split grows linearly with the size of the graph, and not
// quadratically. The graphs are a chain, a node that has control edges to or from all others, and
// nested loops.
func TestSplitLarge(t *testing.T) {
	device := func(i int) string { return fmt.Sprintf("/job:localhost/replica:0/task:0/device:CPU:%d", i%3) }
	for name, build := range map[string]func(g *ir.Graph, n int){
		"chain": func(g *ir.Graph, n int) {
			v := source(t, g, "x", cpu0)
			for i := range n {
				v = identity(t, g, fmt.Sprintf("n%d", i), device(i), v)
			}
		},
		"fan": func(g *ir.Graph, n int) {
			all := add(t, g, "all", "NoOp", cpu0, nil, 0)
			x := source(t, g, "x", cpu0)
			for i := range n {
				v := identity(t, g, fmt.Sprintf("n%d", i), device(i), x)
				all.Controls = append(all.Controls, v)
			}
		},
		"nest": func(g *ir.Graph, n int) {
			v := source(t, g, "x", cpu0)
			for i := range n / 5 {
				v = add(t, g, fmt.Sprintf("e%d", i), "Enter", cpu0, map[string]ir.Attr{"T": tensor.Float32, "frame_name": fmt.Sprint("f", i)}, 1, out(v))
				add(t, g, fmt.Sprintf("c%d", i), "LoopCond", cpu0, nil, 1, out(v))
			}
			identity(t, g, "y", cpu1, v)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := ir.NewGraph("g")
			build(g, 50_000)
			start := cpuTime(t)
			parts, err := Split(g, Options{})
			if err != nil || len(parts) < 2 {
				t.Fatal(len(parts), err)
			}
			if d := cpuTime(t) - start; d > 10*time.Second {
				t.Errorf("50,000 nodes take %v", d)
			}
		})
	}
}

// cpuTime returns the processor time of this process.
func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}
