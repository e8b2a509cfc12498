package plan

import "testing"

func TestContainerKey(t *testing.T) {
	for name, want := range map[string]string{"": "", "box": "box", "a/b": "a%2Fb", "a:b": "a%3Ab", "100%": "100%25", "%2F": "%252F", "a%/:": "a%25%2F%3A"} {
		if key := ContainerKey(name); key != want || ContainerOf(key) != name {
			t.Errorf("%q: %q, which is %q", name, key, ContainerOf(key))
		}
	}
}
