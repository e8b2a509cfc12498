package passes

import (
	"testing"

	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

func TestExists(t *testing.T) {
	for name, want := range map[string]bool{
		"": true, "/cpu:0": true, "/CPU:3": true, "/device:CPU:1": true, "/device:cpu:*": true, "/device:*": true, "/task:0": true,
		"/job:localhost/replica:0/task:0/device:CPU:0": true, "/job:*/replica:*/task:*/device:*:*": true,
		"/gpu:0": false, "/device:GPU:0": false, "/device:TPU_SYSTEM:0": false, "/device:XLA_CPU:0": false,
		"/job:worker": false, "/job:localhost/task:1": false, "/replica:3": false, "/job:worker/device:CPU:0": false,
	} {
		if exists(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestSoftPlacement checks that a node with a missing device is an error only if placement is not
// soft and a fetch needs the node.
func TestSoftPlacement(t *testing.T) {
	for _, c := range []struct {
		fetch string
		soft  bool
		code  tensor.Code
	}{{"y", false, tensor.InvalidArgument}, {"y", true, tensor.OK}, {"x", false, tensor.OK}} {
		g := parse(t, []byte(`graph "g" producer=1000
feed "x:0" = x:0 key="x" shape=[4]
fetch "f" = `+c.fetch+`:0 key="f"
node x = Placeholder() {dtype=f32, shape=shape[4]} -> f32[4]
node y = Neg(x:0) {T=f32} on "/device:GPU:0" -> f32[4]
`))
		if err := Run(g, edit.Options{Ops: ops.Ops(), SoftPlacement: c.soft}); tensor.CodeOf(err) != c.code {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
