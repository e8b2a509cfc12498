package build

import (
	"strings"
	"testing"
)

// TestCheckedMethods: an unknown method is an error.
func TestCheckedMethods(t *testing.T) {
	if _, err := checkedMethods(map[string]string{"a": "fast"}); err == nil || !strings.Contains(err.Error(), `a is "fast"`) {
		t.Errorf("%v", err)
	}
}
