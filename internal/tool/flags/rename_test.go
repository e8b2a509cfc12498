package flags

import (
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc"
)

func TestParseRenames(t *testing.T) {
	got, err := parseRenames([]string{"serving_default=score as ScoreAll: features=inputs as In, x:0=y -> output_0=probs", "other as Other", "=predict", "s:-> a as B"})
	want := map[string]graphc.Names{
		"serving_default": {Name: "score", Method: "ScoreAll", Feeds: map[string]graphc.PortNames{"features": {Key: "inputs", Field: "In"}, "x:0": {Key: "y"}},
			Fetches: map[string]graphc.PortNames{"output_0": {Key: "probs"}}},
		"other": {Method: "Other"}, "": {Name: "predict"}, "s": {Fetches: map[string]graphc.PortNames{"a": {Field: "B"}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	for text, say := range map[string]string{
		"a":             "nothing is renamed: want SIGNATURE=NAME as METHOD",
		"a=":            "nothing is renamed",
		"a=b as ":       "nothing is renamed",
		"a: b":          `"b": want OLD=KEY as FIELD`,
		"a: =b":         `"=b": want OLD=KEY as FIELD`,
		"a: b=c, b=d":   `"b" is renamed twice`,
		"a as b":        `"b" is not an exported Go name: a capital letter, then letters, digits and underscores; did you mean "B"?`,
		"a: b=c as d-e": `"d-e" is not an exported Go name`,
	} {
		if _, err := parseRenames([]string{text}); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want %s", text, err, say)
		}
	}
	if _, err := parseRenames([]string{"a=b", "a as C"}); err == nil || !strings.Contains(err.Error(), "is renamed already") {
		t.Error(err)
	}
}
