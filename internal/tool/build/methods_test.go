package build

import (
	"strings"
	"testing"
)

// TestCheckedMethods: a method that there is none of is refused.
func TestCheckedMethods(t *testing.T) {
	if _, err := checkedMethods(map[string]string{"a": "fast"}); err == nil || !strings.Contains(err.Error(), `a is "fast"`) {
		t.Errorf("%v", err)
	}
}
