package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		for i := range 3 * few {
			fmt.Fprintf(&b, `"k%d": {"k0": [], "k1": "k2"}, `, i)
		}
		return "{" + b.String() + `"` + last + `": 1}`
	}
	for text, want := range map[string]string{
		`1`: "", `[]`: "", `{}`: "", `"{"`: "", `{"a": 1, "b": 2}`: "", `{"a": {"a": 1}, "b": {"a": "b"}}`: "", `[{"a": 1}, {"a": 1}]`: "",
		`{"a": ["a", "a"]}`: "", `{"a": "\"a\":", "b": "a"}`: "", `{"a\"": 1, "a": 2}`: "", `{"": 1, "a": 2}`: "", many("k"): "",
		`{"a": 1, "a": 1}`: `"a"`, `{"b": {"c": 1}, "a": 1, "b": 2}`: `"b"`, `[[{"a": {}, "a": []}]]`: `"a"`, `{"a": 1, "\u0061": 2}`: `"a"`, `{"": 1, "": 2}`: `""`,
		`{"b": [{"c": 1, "c": 2}]}`: `"c"`, many("k3"): `"k3"`, many("k40"): `"k40"`,
	} {
		if !json.Valid([]byte(text)) {
			t.Fatalf("%s is no JSON", text)
		}
		err := Check([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want+" is there twice")) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// twice reports whether valid JSON contains a duplicate key. Unlike Check, it is simple and slow.
func twice(dec *json.Decoder) bool {
	found := false
	tok, _ := dec.Token()
	seen := map[string]bool{}
	switch tok {
	case json.Delim('{'):
		for dec.More() {
			key, _ := dec.Token()
			found = twice(dec) || found || seen[key.(string)]
			seen[key.(string)] = true
		}
		_, _ = dec.Token()
	case json.Delim('['):
		for dec.More() {
			found = twice(dec) || found
		}
		_, _ = dec.Token()
	}
	return found
}

// FuzzCheck checks that, for valid JSON, Check and the simple function twice agree. For invalid JSON,
// Check must not panic.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{`{"a": [1, {"b": "\""}], "\u0061": null}`, `]}"`, `{"`, `{"\`, `[{"a": {"a": 1, "b": 2, "a": 3}}]`, `{"\ud800": 1, "\ud801": 2}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := Check(text)
		if json.Valid(text) && (err != nil) != twice(json.NewDecoder(bytes.NewReader(text))) {
			t.Errorf("%s: %v", text, err)
		}
	})
}
