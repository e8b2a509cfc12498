package build

import "testing"

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"My-Model_v2": "mymodelv2", "3d": "model3d", "": "model", "func": "modelfunc", "main": "modelmain", "été": "t"} {
		if got := packageNameOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
