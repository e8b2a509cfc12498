package state

import "testing"

// TestWireField checks wireField for protobuf messages, and for bytes that are not messages.
func TestWireField(t *testing.T) {
	for s, want := range map[string]struct {
		number uint64
		bytes  string
		ok     bool
	}{
		"":                   {0, "", true},
		"\x08\x07\x08\x09":   {9, "", true},
		"\x0a\x02ab\x10\x01": {0, "ab", true},
		"\x11\x01\x02\x03\x04\x05\x06\x07\x08\x08\x03": {3, "", true},
		"\x15\x01\x02\x03\x04\x08\x03":                 {3, "", true},
		"\x08":                                         {0, "", false},
		"\x0a":                                         {0, "", false},
		"\x0a\x05ab":                                   {0, "", false},
		"\x0b":                                         {0, "", false},
		"\x00\x01":                                     {0, "", false},
		"\xff":                                         {0, "", false},
	} {
		n, b, ok := wireField([]byte(s), 1)
		if ok != want.ok || ok && (n != want.number || string(b) != want.bytes) {
			t.Errorf("%q: %d %q %v", s, n, b, ok)
		}
	}
}
