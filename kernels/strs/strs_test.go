package strs

import (
	"slices"
	"strings"
	"testing"
)

// The expected values in this file are TensorFlow 2.21's.

func TestHashes(t *testing.T) {
	src := []string{"", "a", "abc", "abcdefgh", "0123456789abcdef0", repeat("x", 33), repeat("y", 64), repeat("z", 65), repeat("w", 200)}
	const buckets = 1 << 40
	tests := []struct {
		name string
		hash func(dst []int64, src []string)
		want []int64
	}{
		{"fast", func(d []int64, s []string) { HashFast(d, s, buckets) },
			[]int64{254201053263, 436859794915, 689156125545, 178522695945, 775780673801, 361916405303, 245123770552, 273332821813, 31020218240}},
		{"old", func(d []int64, s []string) { HashOld(d, s, buckets) },
			[]int64{142163811899, 825286642172, 559149780406, 519226784850, 676931717776}},
		{"strong", func(d []int64, s []string) { HashStrong(d, s, buckets, 1, 2) },
			[]int64{231421486971, 201166748918, 391520530845, 921343509916, 585620590777}},
	}
	for _, c := range tests {
		got := make([]int64, len(c.want))
		c.hash(got, src[:len(c.want)])
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func repeat(s string, n int) string {
	r := ""
	for range n {
		r += s
	}
	return r
}

func TestSummaries(t *testing.T) {
	dst := make([]string, 1)
	seq := make([]int32, 100)
	for i := range seq {
		seq[i] = int32(i)
	}
	tests := []struct {
		run  func()
		want string
	}{
		{func() {
			SummarizeF32(dst, []float32{1.5, 2, 0.1, 1e10, 1e-7}, []int{5}, SummaryParams{Limit: 3, Nested: true})
		}, "[1.5 2 0.1 1e+10 1e-07]"},
		{func() { SummarizeI32(dst, seq[:10], []int{10}, SummaryParams{Limit: 3, Nested: true}) }, "[0 1 2 ... 7 8 9]"},
		{func() { SummarizeI32(dst, seq[:8], []int{2, 2, 2}, SummaryParams{Limit: 3, Nested: true}) }, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"},
		{func() { SummarizeF64(dst, []float64{1. / 3}, nil, SummaryParams{Limit: 3, Nested: true}) }, "0.33333333333333331"},
		{func() { SummarizeF32(dst, []float32{1. / 3}, nil, SummaryParams{Limit: 3, Nested: true}) }, "0.333333343"},
		{func() { SummarizeString(dst, []string{`a"b`}, []int{1}, SummaryParams{Limit: 3, Nested: true}) }, `["a\"b"]`},
		{func() { SummarizeI32(dst, seq, []int{10, 10}, SummaryParams{Limit: 2, Nested: true}) },
			"[[0 1 ... 8 9]\n [10 11 ... 18 19]\n ...\n [80 81 ... 88 89]\n [90 91 ... 98 99]]"},
		{func() { SummarizeI32(dst, seq[:10], []int{10}, SummaryParams{Limit: 3}) }, "0 1 2..."},
		{func() { SummarizeI32(dst, seq[:10], []int{10}, SummaryParams{Limit: 3, Unless: []bool{true}}) }, "kept"},
	}
	for _, c := range tests {
		dst[0] = "kept"
		c.run()
		if dst[0] != c.want {
			t.Errorf("%q, want %q", dst[0], c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		src  []string
		sep  string
		p    SplitParams
		want []string
	}{
		{[]string{" a b  c ", "", "x"}, "", SplitParams{Max: 1}, []string{"a", "b  c ", "x", ""}},
		{[]string{"a,b,,c", ""}, ",", SplitParams{Max: -1}, []string{"a", "b", "", "c", ""}},
		{[]string{"a,b,,c", ""}, ",", SplitParams{Max: 0}, []string{"a,b,,c", ""}},
		{[]string{"a,b,,c", ",x"}, ",", SplitParams{Max: 2}, []string{"a", "b", ",c", "", "x"}},
		{[]string{"abc", "", "d"}, "", SplitParams{Set: true}, []string{"a", "b", "c", "d"}},
		{[]string{"a b  c", "", " d"}, " ", SplitParams{Set: true}, []string{"a", "b", "", "c", "", "d"}},
		{[]string{"a,b;c", ";x"}, ",;", SplitParams{Set: true, SkipEmpty: true}, []string{"a", "b", "c", "x"}},
	}
	for _, c := range tests {
		n := SplitCount(c.src, []string{c.sep}, c.p)
		ix, vals, shape := make([]int64, 2*n), make([]string, n), make([]int64, 2)
		Split(ix, vals, shape, c.src, []string{c.sep}, c.p)
		if !slices.Equal(vals, c.want) {
			t.Errorf("%q by %q: %q, want %q", c.src, c.sep, vals, c.want)
		}
	}
}

func TestCase(t *testing.T) {
	dst := make([]string, 1)
	Upper(nil, dst, []string{"ßé ǆ"}, true)
	if dst[0] != "SSÉ Ǆ" {
		t.Errorf("upper: %q", dst[0])
	}
	Lower(nil, dst, []string{"ΑΣ ΣΑ İ"}, true)
	if dst[0] != "ας σα i̇" {
		t.Errorf("lower: %q", dst[0])
	}
	Lower(nil, dst, []string{"ABcÉ"}, false)
	if dst[0] != "abcÉ" {
		t.Errorf("ASCII lower: %q", dst[0])
	}
}

// TestBroken checks that no pattern matches bytes that are not valid characters.
func TestBroken(t *testing.T) {
	src := []string{"\xff\xfe", "a\xffb", "\ufffd", "ab"}
	for _, c := range []struct {
		p, match, cut string
	}{
		{".*", "0011", "\xff\xfe|\xff|| "},
		{"[^a]*?", "0010", "\xff\xfe|a\xffb|\ufffd|ab"},
		{"(?s)a.b|..", "0001", "\xff\xfe|a\xffb|\ufffd|"},
		{"\ufffd+|[\ufffd]", "0010", "\xff\xfe|a\xffb||ab"},
	} {
		got := make([]bool, len(src))
		if err := MatchStatic(got, src, c.p); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, b := range got {
			text += string(rune('0' + map[bool]int{true: 1}[b]))
		}
		if text != c.match {
			t.Errorf("%q matches %s, want %s", c.p, text, c.match)
		}
		out := make([]string, len(src))
		if err := ReplaceStatic(nil, out, src, c.p, "", true); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(out, "|"); s != strings.TrimSuffix(c.cut, " ") {
			t.Errorf("%q leaves %q, want %q", c.p, s, c.cut)
		}
	}
}

func TestReplace(t *testing.T) {
	tests := []struct {
		s, p, w string
		global  bool
		want    string
	}{
		{"aabb", "a", "x", true, "xxbb"},
		{"aabb", "a", "x", false, "xabb"},
		{"ab-cd", `(\w+)-(\w+)`, `\2-\1\\`, true, `cd-ab\`},
		{"abc", "b", `\1`, true, "abc"},
		{"abc", "x*", "-", true, "-a-b-c-"},
	}
	for _, c := range tests {
		dst := make([]string, 1)
		if err := ReplaceStatic(nil, dst, []string{c.s}, c.p, c.w, c.global); err != nil || dst[0] != c.want {
			t.Errorf("%+v: %q %v", c, dst[0], err)
		}
	}
}
