package summary

import (
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSummaries compares the bytes with TensorFlow 2.21's.
func TestSummaries(t *testing.T) {
	var dst [1]string
	check := func(what, want string) {
		t.Helper()
		if dst[0] != want {
			t.Errorf("%s: %q, want %q", what, dst[0], want)
		}
	}
	Scalars(nil, dst[:], []string{"a", ""}, []float32{1, float32(math.Copysign(0, -1))})
	check("scalars", "\n\x08\n\x01a\x15\x00\x00\x80?\n\x05\x15\x00\x00\x00\x80")
	Scalars(nil, dst[:], nil, nil)
	check("no scalars", "")
	Raw(nil, dst[:], []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, []int{2}, tensor.Float32, "TensorSummary")
	check("tensor", "\n#:\rTensorSummaryB\x12\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00\x00@")
	Strings(nil, dst[:], []string{"a", "bc"}, []int{2}, "n")
	check("strings", "\n\x14:\x01nB\x0f\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc")
	TaggedStrings(nil, dst[:], []string{"tg"}, []string{"a", "bc"}, []string{"\x12\x01x"}, []int{2})
	check("tagged strings", "\n\x1a\n\x02tgB\x0f\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bcJ\x03\x12\x01x")
	TaggedRaw(nil, dst[:], []string{"tg"}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, []string{"\x01\x02\x03"}, []int{2}, tensor.Float32)
	check("tagged", "\n\x1a\n\x02tgB\x12\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00\x00@J\x00")
}

func TestHistogram(t *testing.T) {
	var dst [1]string
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "\n+\n\x01t*&\t\xff\xff\xff\xff\xff\xff\xef\x7f\x11\xff\xff\xff\xff\xff\xff\xef\xff2\x08\xff\xff\xff\xff\xff\xff\xef\x7f:\x08\x00\x00\x00\x00\x00\x00\x00\x00"},
		{[]float64{0}, "\nB\n\x01t*=\x19\x00\x00\x00\x00\x00\x00\xf0?2\x18\x00\x00\x00\x00\x00\x00\x00\x00\x11\xea-\x81\x99\x97q=\xff\xff\xff\xff\xff\xff\xef\x7f:\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00\x00"},
		{[]float64{1e300}, "\nV\n\x01t*Q\t\x9cu\x00\x88<\xe47~\x11\x9cu\x00\x88<\xe47~\x19\x00\x00\x00\x00\x00\x00\xf0?!\x9cu\x00\x88<\xe47~)\x00\x00\x00\x00\x00\x00\xf0\x7f2\x10LT\x9f\x02#\x83\x15D\xff\xff\xff\xff\xff\xff\xef\x7f:\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?"},
		{[]float64{math.MaxFloat64}, ""},
	} {
		if err := Histogram(nil, dst[:], []string{"t"}, c.values, "n"); err != nil || c.want != "" && dst[0] != c.want {
			t.Errorf("%v: %q, %v, want %q", c.values, dst[0], err, c.want)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		if err := Histogram(nil, dst[:], []string{"t"}, []float64{v}, "n"); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v: %v", v, err)
		}
	}
}

func TestMerge(t *testing.T) {
	a, b := "\n\x08\n\x01a\x15\x00\x00\x80?", "\n\x08\n\x01b\x15\x00\x00\x00@"
	var dst [1]string
	for _, c := range []struct {
		parts []string
		want  string
		bad   bool
	}{
		{parts: []string{a, b}, want: a + b},
		{parts: []string{"\x10\x05" + a, ""}, want: a}, // an unknown field
		{parts: []string{"\n\x0f\x15\x00\x00@@\n\x01q:\x02nn\xa0\x06\x05"}, want: "\n\x0f\n\x01q\x15\x00\x00@@:\x02nn\xa0\x06\x05"}, // in order
		{parts: []string{"\n\x10\n\x01q\n\x01z\x15\x00\x00@@\x15\x00\x00\x80@"}, want: "\n\x08\n\x01z\x15\x00\x00\x80@"},
		{parts: []string{"\n\x05\x15\x00\x00\x00\x00", "\n\x05\x15\x00\x00\x00\x00"}, want: "\n\x05\x15\x00\x00\x00\x00\n\x05\x15\x00\x00\x00\x00"}, // no tags
		{parts: []string{a, a}, bad: true},
		{parts: []string{"\n\xff"}, bad: true},
		{parts: []string{"\n\x03\n\x01\xff"}, bad: true},
	} {
		err := Merge(nil, dst[:], c.parts)
		if c.bad != (tensor.CodeOf(err) == tensor.InvalidArgument) || !c.bad && dst[0] != c.want {
			t.Errorf("%q: %q, %v, want %q", c.parts, dst[0], err, c.want)
		}
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("\n\x08\n\x01a\x15\x00\x00\x80?", "\n\x05\x15\x00\x00\x00\x00")
	f.Add("\b\xffa\x15\x00\x00\x80?", "\n\x05\x15\x00\x00\x00\x00") // values that are not messages
	f.Fuzz(func(t *testing.T, a, b string) {
		var dst, again [1]string
		if Merge(nil, dst[:], []string{a, b}) == nil {
			if err := Merge(nil, again[:], dst[:]); err != nil || again != dst {
				t.Errorf("%q %q: %q, then %q, %v", a, b, dst, again, err)
			}
		}
	})
}

// TestBudget checks that the memory of summaries is counted, and that making them stops when the run
// ends.
func TestBudget(t *testing.T) {
	long, dst := strings.Repeat("x", 10_000), make([]string, 1)
	typed.Exhausts(t, "a long tag", []any{Scalars}, 10_000, dst, []string{long}, []float32{1})
	typed.Exhausts(t, "a long tag", []any{Histogram}, 10_000, dst, []string{long}, []float64{1}, "n")
	typed.Exhausts(t, "many values", []any{Raw}, 10_000, dst, []byte(long), []int{len(long)}, tensor.Uint8, "n")
	typed.Exhausts(t, "a long text", []any{Strings}, 10_000, dst, []string{long}, []int{1}, "n")
	typed.Exhausts(t, "many values", []any{TaggedRaw}, 10_000, dst, []string{"t"}, []byte(long), []string{""}, []int{len(long)}, tensor.Uint8)
	typed.Exhausts(t, "a long text", []any{TaggedStrings}, 10_000, dst, []string{"t"}, []string{long}, []string{""}, []int{1})
	typed.Exhausts(t, "long metadata", []any{TaggedStrings}, 10_000, dst, []string{"t"}, []string{}, []string{"\x12\x90\x4e" + long}, []int{0})
	Scalars(nil, dst, []string{long}, []float32{1})
	typed.Exhausts(t, "a long tag", []any{Merge}, 10_000, make([]string, 1), dst)
	typed.Ends(t, "many values", []any{Histogram}, dst, []string{"t"}, make([]float64, 1<<15), "n")
	typed.Ends(t, "many values", []any{Merge}, dst, []string{strings.Repeat("\n\x05\x15\x00\x00\x00\x00", 1<<15)})
}
