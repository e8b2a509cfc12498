package main

import "testing"

// TestKinds: graphs of each kind compile.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		r, err := measure(k.name+":60", "", true, 0)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
		} else if r.Code == 0 || r.Memory == 0 || r.Kind != k.name {
			t.Errorf("%s: %+v", k.name, r)
		}
	}
	for _, what := range []string{"", "unary", "unary:x", "other:1"} {
		if _, err := measure(what, "", false, 0); err == nil {
			t.Errorf("%q is accepted", what)
		}
	}
}
