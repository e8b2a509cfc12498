package main

import (
	"strings"
	"testing"
)

// TestRun scores texts by the sum of their words' weights.
func TestRun(t *testing.T) {
	var b strings.Builder
	if err := run(&b, []string{"a good film", "awful  and dull ", "", "unsagbar good bad"}); err != nil {
		t.Fatal(err)
	}
	want := "0.88 a good film\n0.02 awful  and dull \n0.50 \n0.50 unsagbar good bad\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if err := run(&b, []string{"\xff"}); err == nil || !strings.Contains(err.Error(), "text 0 is not UTF-8") || !strings.Contains(err.Error(), "WhitespaceTokenizeWithOffsetsV2") {
		t.Errorf("a text that is not UTF-8: %v", err)
	}
}
