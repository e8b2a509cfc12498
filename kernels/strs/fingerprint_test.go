package strs

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"unicode"

	"github.com/graphc/graphc/rt/tensor"
)

func code(t *testing.T, name string, err error, want tensor.Code) {
	t.Helper()
	if tensor.CodeOf(err) != want {
		t.Errorf("%s: %v, want the code %v", name, err, want)
	}
}

const bad = tensor.InvalidArgument

// TestFingerprints compares fingerprints with those of TensorFlow's SdcaFprint and Fingerprint.
func TestFingerprints(t *testing.T) {
	for _, c := range []struct {
		n      int
		lo, hi int64
		short  uint64
	}{
		{0, 4463240938071824939, 4374473821787594281, 0x9ae16a3b2f90404f},
		{1, 7271283877269870694, -1352893286927000788, 0x4271b80e2915c76a},
		{3, -3176904318825945460, -5673071489285313686, 0x373a2b2a12e0c581},
		{5, -3910866647936199596, 706165881731521886, 0x23b0f79675bd1c16},
		{9, -1844922080030336897, -2080104431272231626, 0xdaebbbb958304dde},
		{15, -7767145533707297656, 1513677987448199716, 0x834f200cfa7ed95f},
		{16, 3806858926770103040, -7948775891866070270, 0xd836480326a974d6},
		{17, -523335638989645043, 4517127410728316484, 0x5cded6cb65c9dac6},
		{31, 6348120289853751185, 413997528377836423, 0x52a467e87c92d522},
		{33, -3075986537487295101, 669985715237521263, 0x839154ca67815696},
		{64, 2359382087326268289, -262948229963926875, 0xf03eac52d3535},
		{65, 7545173318802379101, -138835911326386820, 0xfb360c5023f60db6},
		{127, -2788368198616466155, 6343971704920885580, 0xd70e348fcbf64d04},
		{128, -2247649501050252166, -3423371591067615963, 0x33ef435f17af1739},
		{143, 8975510316181984014, -4570163243672040797, 0x1f678141723d8055},
		{144, -8010422077317731623, -1414627015621791519, 0x4e8d42ad195ce98},
		{160, -7923264973498855390, 5588129753699919396, 0xe312f97939357541},
		{300, 5166924053598653598, 6994054639063968027, 0x70118fe7a7f708b5},
	} {
		s := make([]byte, c.n)
		for i := range s {
			s[i] = byte(i*37 + 11)
		}
		two := make([]int64, 2)
		if Sdca(two, []string{string(s)}); two[0] != c.lo || two[1] != c.hi {
			t.Errorf("%d bytes: %v, want %d %d", c.n, two, c.lo, c.hi)
		}
		raw, str := make([]byte, 8), make([]byte, 8)
		FingerprintRaw(raw, s, c.n)
		FingerprintStr(str, []string{string(s)}, 1, nil)
		var got uint64
		for i, b := range raw {
			got |= uint64(b) << (8 * i)
		}
		if got != c.short || !slices.Equal(raw, str) {
			t.Errorf("%d bytes: %#x and %x, want %#x", c.n, got, str, c.short)
		}
	}
	pair, none := make([]byte, 8), []byte{1, 2, 3, 4, 5, 6, 7, 8}
	FingerprintStr(pair, []string{"a", "bc"}, 2, make([]byte, 16))
	FingerprintStr(none, nil, 0, nil)
	if got := fmt.Sprint(pair, none); got != "[85 27 103 37 147 177 144 87] [0 0 0 0 0 0 0 0]" {
		t.Error(got)
	}
	code(t, "method", FingerprintMethod([]string{"farmhash64"}), 0)
	code(t, "another", FingerprintMethod([]string{"md5"}), bad)
}

// TestScripts compares the table of Unicode scripts with Go's tables, which follow a newer Unicode
// version. A character with a script in our table must have the script of the same name in Go's
// tables. The exceptions are two characters that our table still has in the script Common.
func TestScripts(t *testing.T) {
	name := map[int32]string{0: "Common"}
	differ := 0
	var out [1]int32
	for _, script := range slices.Sorted(maps.Keys(unicode.Scripts)) {
		each := func(lo, hi, stride int32) {
			for c := lo; c <= hi; c += stride {
				Script(out[:], []int32{c})
				switch was, ok := name[out[0]]; {
				case out[0] == 103: // a character without a script in the Unicode version of our table
				case !ok:
					name[out[0]] = script
				case was != script:
					differ++
				}
			}
		}
		for _, r := range unicode.Scripts[script].R16 {
			each(int32(r.Lo), int32(r.Hi), int32(r.Stride))
		}
		for _, r := range unicode.Scripts[script].R32 {
			each(int32(r.Lo), int32(r.Hi), int32(r.Stride))
		}
	}
	if differ != 2 || len(name) < 150 {
		t.Errorf("%d characters of %d scripts have another script than Go's tables say, want 2", differ, len(name))
	}
	some := make([]int32, 6)
	if Script(some, []int32{'a', 'я', '1', -1, 0x110000, 0xd800}); !slices.Equal(some, []int32{25, 8, 0, -1, -1, 103}) {
		t.Error(some)
	}
}

func TestSegmentJoin(t *testing.T) {
	src := []string{"a", "b", "", "d", "e", "f"}
	for name, c := range map[string]struct {
		ids  []int64
		sep  string
		want string
		code tensor.Code
	}{
		"pairs":    {[]int64{1, 1, 0}, ",", `["e" "f" "a," "b,d"]`, 0},
		"NUL":      {[]int64{1, 0, 1}, "-\x00+", `["" "d" "a-e" "b-f"]`, 0},
		"outside":  {[]int64{0, 2, 0}, ",", "", bad},
		"negative": {[]int64{0, -1, 0}, ",", "", bad},
	} {
		dst := make([]string, 4)
		err := SegmentJoin(nil, dst, src, c.ids, 2, c.sep, make([]int32, 2), make([]int32, 3))
		code(t, name, err, c.code)
		if got := fmt.Sprintf("%q", dst); err == nil && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestNGrams(t *testing.T) {
	data := []string{"a", "b", "c"}
	for name, c := range map[string]struct {
		splits []int64
		widths []int
		p      NGramParams
		want   string
		code   tensor.Code
	}{
		"padded":           {[]int64{0, 2, 3}, []int{2}, NGramParams{"|", "L", "R", -1, false}, `["L|a" "a|b" "b|R" "L|c" "c|R"] [0 3 5]`, 0},
		"two widths":       {[]int64{0, 3}, []int{3, 1}, NGramParams{"|", "L", "R", 1, false}, `["L|a|b" "a|b|c" "b|c|R" "a" "b" "c"] [0 6]`, 0},
		"an empty row":     {[]int64{0, 0, 3}, []int{3}, NGramParams{"|", "L", "R", 5, false}, `["L|L|R" "L|R|R" "L|L|a" "L|a|b" "a|b|c" "b|c|R" "c|R|R"] [0 2 7]`, 0},
		"a short one kept": {[]int64{0, 1, 3}, []int{2}, NGramParams{"|", "L", "R", 0, true}, `["a" "b|c"] [0 1 2]`, 0},
		"with pads":        {[]int64{0, 3}, nil, NGramParams{"|", "L", "R", 1, true}, `["L|a|b|c|R"] [0 1]`, 0},
		"no widths":        {[]int64{0, 3}, nil, NGramParams{"|", "L", "R", -1, true}, "", bad},
		"no splits":        {nil, []int{2}, NGramParams{}, `["" "" ""] []`, 0},
		"first":            {[]int64{1, 3}, []int{2}, NGramParams{}, "", bad},
		"decreases":        {[]int64{0, 2, 1, 3}, []int{2}, NGramParams{}, "", bad},
		"beyond":           {[]int64{0, 4}, []int{2}, NGramParams{}, "", bad},
		"last":             {[]int64{0, 2}, []int{2}, NGramParams{}, "", bad},
		"too wide":         {[]int64{0, 3}, []int{1 << 30}, NGramParams{Pad: -1}, "", bad},
		"too many bytes":   {[]int64{0, 3}, []int{1 << 20}, NGramParams{"|", "L", "R", -1, false}, "", tensor.ResourceExhausted},
	} {
		dst := make([]int64, len(c.splits))
		n, err := NGramSplits(nil, dst, data, c.splits, c.widths, c.p)
		if code(t, name, err, c.code); err != nil {
			continue
		}
		out := make([]string, n)
		NGrams(out, data, c.splits, c.widths, c.p)
		if got := fmt.Sprintf("%q %v", out, dst); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if n, err := NGramSplits(nil, make([]int64, 2), nil, []int64{0, 0}, []int{2}, NGramParams{Pad: -1}); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestCross(t *testing.T) {
	// Two rows; a sparse column of strings and a dense one of integers.
	ix, shape := []int64{0, 0, 0, 1, 1, 0}, []int64{2, 2}
	splits := make([]int64, 6)
	if err := CrossRows(splits[:3], ix, shape, 3, false); err != nil {
		t.Fatal(err)
	}
	copy(splits[3:], []int64{0, 2, 4})
	p := CrossParams{"SEID", 2}
	out := make([]int64, 3)
	n, widest, err := CrossCount(out, splits, p)
	if n != 6 || widest != 4 || err != nil || !slices.Equal(out, []int64{0, 4, 6}) {
		t.Fatal(n, widest, err, out)
	}
	texts, ints := []string{"a", "b", "c"}, []int64{1, -2, 3, 4}
	offs, place := []int{0, 0}, make([]int64, 2)
	s, h, k := make([]string, n), make([]int64, n), make([]int64, n)
	if err := CrossStr(nil, s, splits, ints, texts, offs, []string{"_X_"}, place, p); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s); got != "[a_X_1 a_X_-2 b_X_1 b_X_-2 c_X_3 c_X_4]" {
		t.Error(got)
	}
	CrossHash(h, splits, ints, texts, offs, 100, 956888297470, place, p)
	want := make([]int64, n)
	for i, c := range []struct {
		s string
		v int64
	}{{"a", 1}, {"a", -2}, {"b", 1}, {"b", -2}, {"c", 3}, {"c", 4}} {
		want[i] = int64(FingerprintCat64(FingerprintCat64(956888297470, Fingerprint64(c.s)), uint64(c.v)) % 100)
	}
	if !slices.Equal(h, want) {
		t.Errorf("%v, want %v", h, want)
	}
	for _, strong := range []bool{false, true} {
		if err := CrossHashKeyed(k, splits, ints, texts, offs, []int64{0}, []bool{strong}, []int64{1, 2}, place, p); err != nil {
			t.Fatal(err)
		}
		first := FingerprintCat64(Fingerprint64("a"), 1)
		if strong {
			first = FingerprintCat64(sip("a", 1, 2), sip("\x01\x00\x00\x00", 1, 2))
		}
		if k[0] != bucket(first, 0) {
			t.Errorf("strong %v: %d", strong, k[0])
		}
	}
	code(t, "separator", CrossStr(nil, s, splits, ints, texts, offs, nil, place, p), bad)
	code(t, "buckets", CrossHashKeyed(k, splits, ints, texts, offs, nil, []bool{true}, []int64{1, 2}, place, p), bad)
	code(t, "strong", CrossHashKeyed(k, splits, ints, texts, offs, []int64{1}, nil, []int64{1, 2}, place, p), bad)
	code(t, "salt", CrossHashKeyed(k, splits, ints, texts, offs, []int64{1}, []bool{true}, []int64{1}, place, p), bad)
	where, dense := make([]int64, 2*n), make([]int64, 2)
	CrossIndices(where, dense, out, widest)
	if got := fmt.Sprint(where, dense); got != "[0 0 0 1 0 2 0 3 1 0 1 1] [2 4]" {
		t.Error(got)
	}

	copy(splits, []int64{0, 0, 1}) // no value in row 0 of the first column
	if n, widest, _ := CrossCount(out, splits, p); n != 2 || widest != 2 {
		t.Error(n, widest)
	}
	CrossHash(h[:2], splits, ints, texts, offs, 100, 1, place, p)
	_, _, err = CrossCount(make([]int64, 2), []int64{0, 1 << 20, 0, 1 << 20}, CrossParams{"IDID", 1})
	code(t, "countless", err, tensor.ResourceExhausted)

	late := []int64{0, 0, 2, 0} // row 1 is empty
	rows := make([]int64, 4)
	for _, all := range []bool{false, true} {
		if err := CrossRows(rows, late, []int64{3, 1}, 2, all); err != nil || !slices.Equal(rows, []int64{0, 1, 1, 2}) {
			t.Error(rows, err)
		}
	}
	// The first value has the row number -1. With all == true, CrossRows counts it for row 0. With
	// all == false, every row is empty.
	for all, want := range map[bool][]int64{false: {0, 0, 0, 0}, true: {0, 1, 1, 2}} {
		if err := CrossRows(rows, []int64{-1, 0, 2, 0}, []int64{3, 1}, 2, all); err != nil || !slices.Equal(rows, want) {
			t.Errorf("all %t: %v, %v", all, rows, err)
		}
	}
	code(t, "rows", CrossRows(rows, late, []int64{2, 1}, 2, false), bad)
	code(t, "values", CrossRows(rows, late, []int64{3, 1}, 1, false), bad)
	code(t, "rank", CrossRows(rows, late, []int64{3}, 2, false), bad)
	code(t, "negative", CrossRows(rows, late, []int64{-1, 3}, 2, false), bad)
	code(t, "splits", CrossSplits([]int64{0, 1, 3}, 3), 0)
	code(t, "first split", CrossSplits([]int64{1, 3}, 3), bad)
	code(t, "decreasing splits", CrossSplits([]int64{0, 2, 1}, 1), bad)
	code(t, "last split", CrossSplits([]int64{0, 2}, 3), bad)
	code(t, "no split", CrossSplits(nil, 0), bad)
}
