package passes

import "testing"

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
