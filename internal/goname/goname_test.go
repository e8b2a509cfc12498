package goname

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for name, hint := range map[string]string{"Score": "ok", "X1": "ok", "Ünlaut": "ok", "A_b": "ok", "score": `did you mean "Score"?`, "type": `did you mean "Type"?`,
		"": "", "1x": "", "A-b": "", "_X": "", "世": ""} {
		err := Check(name)
		switch {
		case hint == "ok" && err != nil, hint != "ok" && err == nil:
			t.Errorf("%q: %v", name, err)
		case err != nil && !strings.Contains(err.Error(), "is not an exported Go name"), err != nil && strings.Contains(err.Error(), "did you mean") != (hint != ""), err != nil && !strings.Contains(err.Error(), hint):
			t.Errorf("%q: %v, want %s", name, err, hint)
		}
	}
}
