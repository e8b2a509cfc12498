package strs

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func TestCharacters(t *testing.T) {
	tests := []struct {
		s      string
		p      UnicodeParams
		chars  []int32
		starts []int64
	}{
		{"aé日😀", UnicodeParams{}, []int32{'a', 'é', '日', '😀'}, []int64{0, 1, 3, 6}},
		{"a\xffb\xe2\x82c", UnicodeParams{Errors: Substitute, Replacement: 0xfffd}, []int32{'a', 0xfffd, 'b', 0xfffd, 'c'}, []int64{0, 1, 2, 3, 5}},
		{"a\xffb", UnicodeParams{Errors: Ignore}, []int32{'a', 'b'}, []int64{0, 2}},
		{"a\tb", UnicodeParams{Errors: Substitute, Replacement: '?', Controls: true}, []int32{'a', '?', 'b'}, []int64{0, 1, 2}},
		{"\x00a\xd8\x3d\xde\x00", UnicodeParams{From: UTF16BE}, []int32{'a', '😀'}, []int64{0, 2}},
		{"\xe9", UnicodeParams{From: Latin1}, []int32{'é'}, []int64{0}},
	}
	for _, c := range tests {
		n, err := CharacterCount([]string{c.s}, c.p)
		if err != nil || n != len(c.chars) {
			t.Errorf("%q: %d characters, %v", c.s, n, err)
			continue
		}
		splits, chars, starts := make([]int64, 2), make([]int32, n), make([]int64, n)
		c.p.Starts = starts
		Characters64(splits, chars, []string{c.s}, c.p)
		if !slices.Equal(chars, c.chars) || !slices.Equal(starts, c.starts) || splits[1] != int64(n) {
			t.Errorf("%q: %v at %v", c.s, chars, starts)
		}
	}
	if _, err := CharacterCount([]string{"\xff"}, UnicodeParams{}); err == nil {
		t.Error("malformed text passes strictly")
	}
	dst := make([]string, 1)
	if err := Transcode(nil, dst, []string{"a😀"}, UnicodeParams{To: UTF16BE}); err != nil || dst[0] != "\x00a\xd8\x3d\xde\x00" {
		t.Errorf("UTF-16: %q %v", dst[0], err)
	}
	dst = make([]string, 2)
	if err := Encode32(nil, dst, []int32{'x', 0xd800, 'é'}, []int32{0, 2, 3}, UnicodeParams{Errors: Substitute, Replacement: '?'}); err != nil || !slices.Equal(dst, []string{"x?", "é"}) {
		t.Errorf("encoded %q %v", dst, err)
	}
}

// TestUnicodeBudget checks that the bytes of each new string are counted exactly once against the
// run's memory budget.
func TestUnicodeBudget(t *testing.T) {
	text := strings.Repeat("x", 100)
	for name, call := range map[string]func(run *mem.Budget, dst []string) error{
		"Transcode": func(run *mem.Budget, dst []string) error {
			return Transcode(run, dst, []string{text}, UnicodeParams{})
		},
		"Encode32": func(run *mem.Budget, dst []string) error {
			return Encode32(run, dst, make([]int32, 100), []int32{0, 100}, UnicodeParams{})
		},
	} {
		for limit, want := range map[int]tensor.Code{100: tensor.OK, 99: tensor.ResourceExhausted} {
			var run mem.Budget
			run.Init(limit, nil, nil)
			if err := call(&run, make([]string, 1)); tensor.CodeOf(err) != want {
				t.Errorf("%s with %d bytes: %v, want %v", name, limit, err, want)
			}
		}
	}
}

func TestRaw(t *testing.T) {
	src := []string{"\x01\x02\x03\x04", "\x05\x06\x07\x08"}
	n, err := RawWidth(src, 2)
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
	d := make([]int16, 4)
	RawI16(d, src, RawParams{Width: 2, Part: 2})
	if !slices.Equal(d, []int16{0x201, 0x403, 0x605, 0x807}) {
		t.Errorf("little endian %x", d)
	}
	RawI16(d, src, RawParams{Width: 2, Part: 2, Big: true})
	if !slices.Equal(d, []int16{0x102, 0x304, 0x506, 0x708}) {
		t.Errorf("big endian %x", d)
	}
	d = make([]int16, 6)
	RawI16(d, []string{"\x01", "\x01\x00\x02\x00\x03\x00\x04\x00"}, RawParams{Width: 3, Part: 2})
	if !slices.Equal(d, []int16{1, 0, 0, 1, 2, 3}) {
		t.Errorf("padded %x", d)
	}
	if _, err := RawWidth([]string{"ab", "c"}, 1); err == nil {
		t.Error("strings of two lengths are accepted")
	}
	if _, err := RawWidth([]string{"abc"}, 2); err == nil {
		t.Error("a part of an element is accepted")
	}
}
