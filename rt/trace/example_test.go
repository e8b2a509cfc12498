package trace_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	half "github.com/graphc/graphc/examples/savedmodel/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// A trace records the steps of runs.
func Example() {
	m, err := half.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	tr := trace.New()
	ctx := rt.WithRun(context.Background(), rt.Observe(tr))
	if _, err := m.ServingDefault(ctx, half.ServingDefaultInput{X: tensor.Vector([]float32{3})}); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range tr.Runs() {
		fmt.Println(r.Signature, len(r.Steps) > 0)
	}
	var b strings.Builder
	if err := tr.WriteChrome(&b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(b.String(), `"traceEvents"`))
	// Output:
	// serving_default true
	// true
}

// A profile lists the costs of nodes; graphc build --profile reads it.
func ExampleTrace_Profile() {
	m, err := half.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	tr := trace.New(trace.Limit(1000))
	ctx := rt.WithRun(context.Background(), rt.Observe(tr))
	for range 3 {
		if _, err := m.ServingDefault(ctx, half.ServingDefaultInput{X: tensor.Vector([]float32{3})}); err != nil {
			fmt.Println(err)
			return
		}
	}
	var b strings.Builder
	if err := tr.Profile().Write(&b); err != nil {
		fmt.Println(err)
		return
	}
	p, err := trace.ReadProfile(strings.NewReader(b.String()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, node := range slices.Sorted(maps.Keys(p.PerRun())) {
		fmt.Println(node)
	}
	// Output:
	// StatefulPartitionedCall_5/StatefulPartitionedCall/Add
	// StatefulPartitionedCall_5/StatefulPartitionedCall/Mul
}
