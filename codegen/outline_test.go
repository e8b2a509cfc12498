package codegen

import (
	"slices"
	"strings"
	"testing"
)

// TestSpans divides lists of steps into spans. In the test, a letter is a step; a dot is a step
// that is not outlined.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		steps string
		want  []span // the expected spans, without spans of a single step
	}{
		{"abcd", nil},
		{"abab", nil}, // saves too little
		{"x" + strings.Repeat("abcd", 6) + "y", []span{{start: 1, period: 4, count: 6}}},
		{strings.Repeat("aab", 7) + "aa", []span{{start: 0, period: 3, count: 7}}},
		{strings.Repeat("ab.d", 6), nil},
		{strings.Repeat("a", 40), []span{{start: 0, period: 2, count: 20}}},
		{strings.Repeat("abc", 8) + "z" + strings.Repeat("cba", 8), []span{{start: 0, period: 3, count: 8}, {start: 25, period: 3, count: 8}}},
	} {
		var keys []string
		for _, r := range c.steps {
			keys = append(keys, strings.Trim(string(r), "."))
		}
		var got []span
		at := 0
		for _, s := range spans(keys) {
			if s.start != at {
				t.Errorf("%s: a span begins at %d, want %d", c.steps, s.start, at)
			}
			if at += s.period * s.count; s.count > 1 {
				got = append(got, s)
			}
		}
		if at != len(keys) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v up to %d, want %v", c.steps, got, at, c.want)
		}
	}
}
