package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// TestOneValue: a feed is exactly one value, and each feed is given once.
func TestOneValue(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	if err := npy.Write(&b, tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{1, 2}))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"good.json": "[[1, 2]]\n\n", "trail.json": "[[1, 2]] [[3, 4]]", "open.json": "[[1, 2]] [", "junk.json": "[[1, 2]] x",
		"all.json": `{"x": [[1, 2]], "s": ["a"]} `, "twice.json": `{"x": [[1, 2]], "x": [[3, 4]]}`, "names.json": `{"x": [[1, 2]], "input": [[3, 4]]}`, "more.json": `{"x": [[1, 2]]} {}`,
		"list.json": "[1]", "cut.json": `{"x": [[1, 2]]`, "key.json": `{"x"`, "colon.json": `{"x" [[1]]}`, "good.npy": b.String(), "trail.npy": b.String() + "\x00"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for feed, want := range map[string]string{
		"x=good.json": "", "all.json": "", "x=good.npy": "", "x=[[1,2]] ": "",
		"x=trail.json": `want one value, but "[" follows it`, "x=open.json": "want one value", "x=junk.json": "invalid character 'x'",
		"x=[[1,2]][[3,4]]": "want one value", "twice.json": `"x" is fed twice`, "names.json": `"input" is fed twice`, "more.json": `want one value, but "{" follows it`,
		"list.json": `it begins with "["`, "cut.json": "unexpected EOF", "key.json": "unexpected EOF", "colon.json": "invalid character '['",
		"x=trail.npy": "the .npy file has more bytes than its array, f32[1,2], takes", `x=[[1,2]]]`: "invalid character ']'",
	} {
		code, out, errs := run(t, "", "-feed", feed)
		if want == "" && (code != exitOK || !strings.Contains(out, "[[2, 4]]")) || want != "" && (code == exitOK || !strings.Contains(errs, want)) {
			t.Errorf("%s: exit %d, %s%s, want %q", feed, code, out, errs, want)
		}
	}
	for line, want := range map[string]string{
		`{"feeds": {"x": [[1, 2]]}}`: "[[2,4]]", `{"feeds": {"x": [[1, 2]], "x": [[3, 4]]}}`: `the key \"x\" is there twice`,
		`{"signature": "a", "signature": "serving_default", "feeds": {"x": [[1, 2]]}}`: `the key \"signature\" is there twice`,
	} {
		if code, out, errs := run(t, line, "-lines"); code != exitOK || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s%s", line, code, out, errs)
		}
	}
}

// forever is endless text.
type forever struct {
	head, again string
	left        int
	at          int // position in again
}

func (f *forever) Read(b []byte) (int, error) {
	n := copy(b, f.head)
	f.head = f.head[n:]
	for ; n < len(b); n++ {
		b[n] = f.again[f.at]
		f.at = (f.at + 1) % len(f.again)
	}
	if f.left -= n; f.left < 0 {
		return 0, io.ErrNoProgress
	}
	return n, nil
}

// TestFeedLimits: whatever their text, feeds take at most --max-bytes of memory, and about twice as
// much while they are read.
func TestFeedLimits(t *testing.T) {
	const most = 1 << 16
	port := func(d tensor.DType) *rt.Port { return &rt.Port{DType: d, AnyRank: true} }
	for name, c := range map[string]struct {
		d   tensor.DType
		csv bool
		in  forever
	}{
		"numbers":             {tensor.Float32, false, forever{"[", "1,", 0, 0}},
		"small numbers":       {tensor.Int8, false, forever{"[", "1,", 0, 0}},
		"digits":              {tensor.Float32, false, forever{"[", "1111111111111111", 0, 0}},
		"spaces":              {tensor.Float32, false, forever{"[", "                ", 0, 0}},
		"characters":          {tensor.String, false, forever{`["`, "aaaaaaaaaaaaaaa", 0, 0}},
		"strings":             {tensor.String, false, forever{"[", `"",`, 0, 0}},
		"base64":              {tensor.String, false, forever{`[{"b64": "`, "AAAAAAAAAAAAAAAA", 0, 0}},
		"rows":                {tensor.Float32, true, forever{"", "1\n", 0, 0}},
		"columns":             {tensor.Float32, true, forever{"", "1,", 0, 0}},
		"strings in rows":     {tensor.String, true, forever{"", "a\n", 0, 0}},
		"an open quote":       {tensor.String, true, forever{`"`, "aaaaaaaaaaaaaaa\n", 0, 0}},
		"a value in a row":    {tensor.Float32, true, forever{"", "1111111111111111", 0, 0}},
		"a comment in a row":  {tensor.Float32, true, forever{"#", "1111111111111111", 0, 0}},
		"an object, unending": {tensor.String, false, forever{`[{"`, "AAAAAAAAAAAAAAAA", 0, 0}},
	} {
		limit := newBudget(most)
		c.in.left = 16 << 20
		var err error
		if c.csv {
			_, err = readCSV(port(c.d), &c.in, limit)
		} else {
			_, err = readJSON(port(c.d), &c.in, limit)
		}
		if tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "; --max-bytes raises the limit") {
			t.Errorf("%s: %v", name, err)
		}
		if c.in.left < 0 {
			t.Errorf("%s: all of the text is read", name)
		}
	}
	// Feeds of one run share the limit.
	pair := fmt.Sprintf("[[%s1,1]]", strings.Repeat("1,1],[", 30))
	for limit, want := range map[string]int{"400": exitOK, "200": exitFailure} {
		if code, _, errs := run(t, "", "-max-bytes", limit, "-feed", "x="+pair, "-feed", `s=["aaaaaaaa"]`); code != want {
			t.Errorf("-max-bytes %s: exit %d, %s", limit, code, errs)
		}
	}
	if code, out, errs := run(t, `{"feeds": {"x": `+pair+`}}`+"\n"+`{"feeds": {"x": [[1, 2]]}}`, "-lines", "-max-bytes", "200"); code != exitOK || !strings.Contains(out, "ResourceExhausted") || !strings.Contains(out, "[[2,4]]") {
		t.Errorf("lines: exit %d, %s%s", code, out, errs)
	}
}

// TestCompiledLimit: a program that was compiled with a limit applies it to its feeds.
func TestCompiledLimit(t *testing.T) {
	tell := func(n int) New {
		return func(opts ...rt.Option) (rt.Program, error) {
			base, err := rt.Open(nil, append([]rt.Option{rt.WithMaxBytes(n)}, opts...)...)
			if err != nil {
				return nil, err
			}
			return double{}, base.Close()
		}
	}
	for n, want := range map[int]int{8: exitOK, 7: exitFailure} {
		var out, errs bytes.Buffer
		if code := Run(context.Background(), "p", "", tell(n), []string{"-feed", "x=[[1,2]]"}, nil, &out, &errs); code != want {
			t.Errorf("compiled with %d bytes: exit %d, %s", n, code, errs.String())
		}
	}
}

// TestEmptyResults: results without elements may have large dimensions. They are printed as JSON
// unless this takes too many empty lists.
func TestEmptyResults(t *testing.T) {
	for _, c := range []struct {
		shape tensor.Shape
		want  string
	}{
		{tensor.Shape{0}, "[]"}, {tensor.Shape{2, 0}, "[[], []]"}, {tensor.Shape{0, math.MaxInt}, "[]"}, {tensor.Shape{2, 1, 0, math.MaxInt}, "[[[]], [[]]]"},
		{tensor.Shape{1 << 10, 1<<10 + 1, 0}, ""}, {tensor.Shape{math.MaxInt, 0}, ""}, {tensor.Shape{math.MaxInt, math.MaxInt, 0}, ""},
	} {
		x := &tensor.Tensor{DType: tensor.Float32, Shape: c.shape, Data: []float32{}}
		none := tensor.Must(tensor.New(tensor.String, tensor.Shape{0}, 0))
		var b bytes.Buffer
		err := writeJSON(&b, &doubleSig, map[string]*tensor.Tensor{"y:0": x, "t:0": none})
		if c.want == "" && tensor.CodeOf(err) != tensor.ResourceExhausted || c.want != "" && (err != nil || !strings.Contains(b.String(), `"output": `+c.want+",")) {
			t.Fatalf("%v: %.100s, %v", c.shape, b.String(), err) // the next shape would print endlessly
		}
	}
}

// TestLongNames: long unknown names are clipped in errors.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, args := range [][]string{{"-feed", "-"}, {"-feed", long + "=[1]"}, {"-feed", long}, {"-signature", long}, {"-format", long, "-feed", "x=[[1, 2]]"}, {long}} {
		code, _, errs := run(t, `{"`+long+`": [1]}`, args...)
		if code != exitUsage || len(errs) > 5000 {
			t.Errorf("%.40q: exit %d and %d bytes: %.200s", args, code, len(errs), errs)
		}
	}
}
