package tensor

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

type named string

// TestClip: the length of an error text is limited, even if the values that it quotes are very long.
func TestClip(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	list := make([]string, 1<<16)
	for i := range list {
		list[i] = "x"
	}
	for _, arg := range []any{long, []byte(long), named(long), errors.New(long), []string{long, long}, list, make([]int, 1<<20), Errorf(Internal, "%s", long),
		fmt.Errorf("in a file: %w", errors.New(long))} {
		for _, verb := range []string{"%v", "%q"} {
			if n := len(Errorf(InvalidArgument, "what is "+verb+" here", arg).Error()); n > 5000 {
				t.Errorf("%T with %s: %d bytes", arg, verb, n)
			}
		}
	}
	if s := Clip(long); !strings.HasSuffix(s, "ä… (2097152 bytes)") || len(s) > maxWord+30 {
		t.Errorf("%d bytes: …%s", len(s), s[len(s)-40:])
	}
	if s := Clip(long[:maxWord]); s != long[:maxWord] {
		t.Error("a short text is clipped")
	}
	if n := len(AtNode(errors.New(long), long, long).Error()); n > 8000 {
		t.Errorf("at a node: %d bytes", n)
	}
	if n := len((&Error{Code: Internal, Msg: long}).Error()); n > 5000 {
		t.Errorf("a message that was not made by Errorf: %d bytes", n)
	}
	many := make([]error, 1000)
	for i := range many {
		many[i] = Errorf(OutOfRange, "error %d", i)
	}
	err := Join(many...)
	if s := err.Error(); strings.Count(s, "\n") != maxJoined || !strings.HasSuffix(s, "and 950 more errors") || CodeOf(err) != OutOfRange || !errors.Is(err, many[999]) {
		t.Errorf("many errors: %s", s)
	}
	if Join(nil, nil) != nil || Join(nil, many[0]) != many[0] {
		t.Error("no error, or one")
	}
}
