package strs

import (
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../strs

// written calls the kernel k, whose first parameter is a slice to which it writes strings. It
// returns the n strings that the kernel has written.
func written(t *testing.T, k any, n int, args ...any) []string {
	t.Helper()
	dst := make([]string, n)
	_, r := typed.Call(k, append([]any{dst}, args...)...)
	if len(r) > 0 && r[0] != nil {
		t.Errorf("%s: %v", typed.Name(k), r[0])
	}
	return dst
}

// TestTypes writes numbers of every type as text, and reads them.
func TestTypes(t *testing.T) {
	in := typed.F(1, 0, 5)
	kind := func(k any) string { // kind returns the kind of the elements on which a kernel works.
		name := typed.Name(k)
		switch {
		case strings.HasSuffix(name, "Bool"), strings.HasSuffix(name, "String"):
			return name[strings.LastIndexAny(name, "BS"):]
		case strings.Contains(name[len(name)-4:], "C64"), strings.Contains(name[len(name)-4:], "C128"):
			return "complex"
		case strings.Contains(name[len(name)-4:], "F"):
			return "float"
		}
		return "int"
	}
	strs := func(list, quote string) string { return quote + strings.ReplaceAll(list, " ", quote+" "+quote) + quote }
	row := map[string]string{"Bool": "1 0 1", "String": "1 0 5", "complex": "(1,0) (0,0) (5,0)", "float": "1 0 5", "int": "1 0 5"}
	for _, k := range append([]any{SummarizeString}, wrappers["Summarize"]...) {
		want := row[kind(k)]
		if got := written(t, k, 1, in, []int{3}, SummaryParams{Limit: -1})[0]; got != want {
			t.Errorf("%s: %q, want %q", typed.Name(k), got, want)
		}
		if first, _, _ := strings.Cut(want, " "); written(t, k, 1, in, []int{3}, SummaryParams{Limit: 1})[0] != first+"..." {
			t.Errorf("%s of the first: %q", typed.Name(k), written(t, k, 1, in, []int{3}, SummaryParams{Limit: 1}))
		}
		if kind(k) == "String" {
			want = strs(want, `"`)
		}
		if got := written(t, k, 1, in, []int{3}, SummaryParams{Limit: 3, Nested: true, Unless: []bool{false}})[0]; got != "["+want+"]" {
			t.Errorf("%s in brackets: %q, want [%s]", typed.Name(k), got, want)
		}
		for _, c := range []struct {
			dims []int
			want string
		}{{[]int{0}, "[]"}, {[]int{2, 0}, "[\n ...]"}} {
			if kind(k) == "Bool" {
				c.want = ""
			}
			if got := written(t, k, 1, typed.F(), c.dims, SummaryParams{Limit: 3, Nested: true})[0]; got != c.want {
				t.Errorf("%s of %v: %q, want %q", typed.Name(k), c.dims, got, c.want)
			}
		}
	}
	inf := math.Inf(1)
	for _, k := range typed.Only(wrappers["Summarize"], func(n string) bool { return strings.Contains(n, "F") }) {
		if got := written(t, k, 1, typed.F(math.NaN(), inf, -inf), []int{3}, SummaryParams{Limit: -1})[0]; got != "nan inf -inf" {
			t.Errorf("%s: %q", typed.Name(k), got)
		}
	}
	if got := written(t, SummarizeString, 1, []string{"a\n\r\t\x01\x7f'\\é"}, []int(nil), SummaryParams{Nested: true})[0]; got != `"a\n\r\t\001\177\'\\é"` {
		t.Errorf("escapes: %s", got)
	}

	verbs := map[string]string{"Bool": "%t", "String": "%2s", "complex": "%.1f", "float": "%.1f", "int": "%d"}
	printed := map[string][]string{"Bool": {"true", "false", "true"}, "String": {" 1", " 0", " 5"}, "complex": {"(1.0,0.0)", "(0.0,0.0)", "(5.0,0.0)"}, "float": {"1.0", "0.0", "5.0"}, "int": {"1", "0", "5"}}
	for _, k := range append([]any{FormatString}, wrappers["Format"]...) {
		if got := written(t, k, 3, in, FormatParams{verbs[kind(k)]}); !slices.Equal(got, printed[kind(k)]) {
			t.Errorf("%s: %q, want %q", typed.Name(k), got, printed[kind(k)])
		}
		if kind(k) == "float" {
			if got := written(t, k, 3, typed.F(math.NaN(), inf, -inf), FormatParams{"%.1f"}); !slices.Equal(got, []string{"nan", "inf", "-inf"}) {
				t.Errorf("%s: %q", typed.Name(k), got)
			}
		}
	}

	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{typed.F(xs...)}} }
	bad := func(what string, ks []any, s string) {
		t.Helper()
		typed.Fails(t, what, ks, tensor.InvalidArgument, typed.Out(1), []string{s})
	}
	numbers := wrappers["Number"]
	whole := typed.Only(numbers, func(n string) bool { return !strings.Contains(n, "F") })
	typed.Check(t, "numbers", numbers, w(7, 0, 123), typed.Out(3), []string{" 7\n", "0", "\t123 "})
	for _, s := range []string{"", " ", "x", "1x", "1_0", "0x", "--1"} {
		bad(s, numbers, s)
	}
	for _, s := range []string{"+1", "1.0", "1e3", "99999999999999999999"} {
		bad(s, whole, s)
	}
	bad("a sign", []any{NumberU32, NumberU64}, "-1")
	bad("more than 32 bits", []any{NumberU32, NumberI32}, "4294967296")
	typed.Check(t, "fractions", []any{NumberF32, NumberF64}, w(1.5, -1000, inf, math.NaN(), 24, inf), typed.Out(6), []string{"+1.5", "-1e3", "INF", "nan", "0x18", "1e999"})

	for _, k := range wrappers["Raw"] {
		typ := reflect.TypeOf(k).In(0)
		data := typed.Slice(typ, []complex128{1, 0, 1})
		b, size := string(tensor.Raw(data)), int(typ.Elem().Size())
		typed.Check(t, "bytes", []any{k}, w(1, 0, 1), typed.Out(3), []string{b}, RawParams{Width: 3, Part: size})
		typed.Check(t, "in rows", []any{k}, w(1, 0, 1, 0), typed.Out(4), []string{b[:2*size], b[2*size:]}, RawParams{Width: 2, Part: size})
		part := size
		if typed.IsComplex(typ.Elem()) {
			part /= 2
		}
		swapped := []byte(b)
		for i := 0; i < len(swapped); i += part {
			slices.Reverse(swapped[i : i+part])
		}
		typed.Check(t, "the highest byte first", []any{k}, w(1, 0, 1), typed.Out(3), []string{string(swapped)}, RawParams{Width: 3, Part: part, Big: true})
	}
	if n, err := RawWidth(nil, 4); n != 0 || err != nil {
		t.Errorf("no strings: %d, %v", n, err)
	}
}

// TestMalformed checks that malformed bytes are split as Unicode recommends.
func TestMalformed(t *testing.T) {
	for s, want := range map[string]int{
		"\x80": 1, "\xc0\x80": 1, "\xc1\xbf": 1, "\xc2": 1, "\xc2\x41": 1, "\xe0\x80\x80": 1, "\xe0\xa0": 2, "\xe0\xa0\x41": 2, "\xed\xa0\x80": 1, "\xed\x9f": 2, "\xef\xbf": 2,
		"\xf0\x80\x80\x80": 1, "\xf0\x90": 2, "\xf0\x90\x80": 3, "\xf0\x90\x80\x41": 3, "\xf4\x90\x80\x80": 1, "\xf4\x8f\xbf": 3, "\xf5\x80": 1, "\xff": 1,
	} {
		if got := malformed(s); got != want {
			t.Errorf("% x: %d bytes, want %d", s, got, want)
		}
	}
	sub := func(e Encoding) UnicodeParams { return UnicodeParams{From: e, Errors: Substitute, Replacement: '?'} }
	for _, c := range []struct {
		s    string
		p    UnicodeParams
		want string
	}{
		{"a\x00\x3d\xd8\x00\xde", sub(UTF16LE), "a😀"}, {"\xd8\x3d\x00a", sub(UTF16BE), "?a"}, {"\xdc\x00\x00a", sub(UTF16BE), "?a"}, {"\x00a\x00", sub(UTF16BE), "a?"}, {"\xd8\x3d", sub(UTF16BE), "?"},
		{"\x00\x01\xf6\x00", sub(UTF32BE), "😀"}, {"\x00\xf6\x01\x00", sub(UTF32LE), "😀"}, {"\x00\x00\xd8\x00\x00\x00\x00a\x00", sub(UTF32BE), "?a?"}, {"\xff\xff\xff\xff", sub(UTF32LE), "?"},
		{"a\xe9b", sub(ASCII), "a?b"}, {"a\xe9b", sub(Latin1), "aéb"},
	} {
		dst := make([]string, 1)
		if err := Transcode(nil, dst, []string{c.s}, c.p); err != nil || dst[0] != c.want {
			t.Errorf("% x of encoding %d: %q, %v; want %q", c.s, c.p.From, dst[0], err, c.want)
		}
		splits, chars := make([]int32, 2), make([]int32, len([]rune(c.want)))
		Characters32(splits, chars, []string{c.s}, c.p)
		if string(chars) != c.want || int(splits[1]) != len(chars) {
			t.Errorf("% x of encoding %d: %q", c.s, c.p.From, string(chars))
		}
		if strict := (UnicodeParams{From: c.p.From}); strings.Contains(c.want, "?") != (tensor.CodeOf(Transcode(nil, dst, []string{c.s}, strict)) == tensor.InvalidArgument) {
			t.Errorf("% x of encoding %d passes strictly, or does not", c.s, c.p.From)
		}
	}
	dst := make([]string, 2)
	if err := Encode64(nil, dst, []int32{'a', '😀', 'é'}, []int64{0, 1, 3}, UnicodeParams{To: UTF32BE}); err != nil || dst[1] != "\x00\x01\xf6\x00\x00\x00\x00\xe9" {
		t.Errorf("%q, %v", dst, err)
	}
	if err := Encode64(nil, dst, []int32{'a', 0xd800, 'é'}, []int64{0, 1, 3}, UnicodeParams{Errors: Ignore}); err != nil || dst[1] != "é" {
		t.Errorf("%q, %v", dst, err)
	}
	for says, splits := range map[string][]int64{"first of input_splits": {1, 3, 3}, "last of input_splits": {0, 1, 2}, "must rise": {0, 4, 3}, "out of range": {0, 2, 3}, "must be 0": {}} {
		if err := Encode64(nil, dst, []int32{'a', 0x110000, 'b'}, splits, UnicodeParams{}); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("splits %v: %v", splits, err)
		}
	}
}

// TestWriting checks streams, names of shards, templates and base64.
func TestWriting(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	first := PrintString([]string{"a"}, "stdout", "!\n")
	second := PrintString([]string{"b"}, "stderr", "")
	third := Print([]string{"x", "y"}, "m")
	os.Stdout, os.Stderr = out, errs
	w.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "a!\nbm[x][y]\n" || first != nil || second != nil || third != nil {
		t.Errorf("printed %q, %v", b, err)
	}
	if got := written(t, ShardPattern, 1, []string{"f"}, []int32{10})[0]; got != "f-?????-of-00010" {
		t.Error(got)
	}
	if got := written(t, Shard, 1, []string{"f"}, []int32{3}, []int32{10})[0]; got != "f-00003-of-00010" {
		t.Error(got)
	}
	if got := written(t, Template, 1, []string{"1", "2"}, "a{}b{}c", "{}")[0]; got != "a1b2c" {
		t.Error(got)
	}
	if err := Template(nil, make([]string, 1), []string{"1"}, "a{}b{}c", "{}"); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a part too few: %v", err)
	}
	for _, s := range []string{"a", "YQ=", "YQ===", "Y=Q=", "YQ==\n", "Y\nQ", "a+b/"} {
		if err := DecodeBase64(nil, make([]string, 1), []string{s}); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q is base64: %v", s, err)
		}
	}
	if got := written(t, DecodeBase64, 2, []string{"YQ==", "_-8"}); !slices.Equal(got, []string{"a", "\xff\xef"}) {
		t.Errorf("%q", got)
	}
	for says, f := range map[string]func(p string) error{
		"CheckPattern": CheckPattern, "MatchStatic": func(p string) error { return MatchStatic(make([]bool, 1), []string{"a"}, p) }, "Match": func(p string) error { return Match(make([]bool, 1), []string{"a"}, []string{p}) },
		"ReplaceStatic": func(p string) error { return ReplaceStatic(nil, make([]string, 1), []string{"a"}, p, "", true) },
		"Replace": func(p string) error {
			return Replace(nil, make([]string, 1), []string{"a"}, []string{p}, []string{""}, true)
		},
	} {
		if f("a[bc]*") != nil || tensor.CodeOf(f("a[b")) != tensor.InvalidArgument {
			t.Errorf("%s: %v, %v", says, f("a[bc]*"), f("a[b"))
		}
	}
	for w, want := range map[string]bool{`\0\1`: true, `\2`: false, `a\`: false, `\\`: true, `\x`: false} {
		if goodRewrite(w, 1) != want {
			t.Errorf("rewrite %q: %v", w, !want)
		}
	}
}
