package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// odd is a program with the signatures of the type double. In addition, it has variables, and tests
// can make its methods fail.
type odd struct {
	double
	runs int // how many runs succeed before a run returns the error in the field run
	// the errors of opening the program, of a run, and of the methods Restore and Save
	open, run, restore, save  error
	close, partial            error
	options, restores, closes int
	saved                     string
	none, wait, badFetch      bool
	contexts                  []context.Context // of all runs
}

func (o *odd) Signatures() []*rt.Signature {
	if o.none {
		return nil
	}
	return o.double.Signatures()
}

func (o *odd) Bind(sig string, feeds map[string]*tensor.Tensor) (*rt.Bound, error) {
	b, err := o.double.Bind(sig, feeds)
	if err != nil {
		return nil, err
	}
	left, run := o.runs, b.Run
	b.Run = func(ctx context.Context) error {
		o.contexts = append(o.contexts, ctx)
		if o.wait {
			<-ctx.Done()
			return ctx.Err()
		}
		if o.run != nil {
			if left == 0 {
				return o.run
			}
			left--
		}
		return run(ctx)
	}
	if o.badFetch {
		b.Fetches = func() map[string]*tensor.Tensor { return nil }
	}
	return b, nil
}

func (o *odd) Run(ctx context.Context, sig string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	b, err := o.Bind(sig, feeds)
	return rt.RunBound(ctx, b, err)
}

func (o *odd) Variables() []string { return []string{"v"} }
func (o *odd) Save(prefix string) error {
	o.saved = prefix
	return o.save
}
func (o *odd) Restore(string) error  { o.restores++; return o.restore }
func (o *odd) Close() error          { o.closes++; return o.close }
func (o *odd) Reset(...string) error { return nil }
func (o *odd) Partial(sig string) (*rt.PartialRun, error) {
	if o.partial != nil {
		return nil, o.partial
	}
	return &rt.PartialRun{Signature: &doubleSig, End: func() {}}, nil
}

// runOdd runs the command line with the program o.
func runOdd(o *odd, stdin string, args ...string) (code int, out, errs string) {
	var a, b bytes.Buffer
	c := &command{name: "odd", in: strings.NewReader(stdin), out: &a, err: &b, make: func(opts ...rt.Option) (rt.Program, error) {
		o.options = len(opts)
		if o.open != nil {
			return nil, o.open
		}
		return o, nil
	}}
	code = c.run(context.Background(), args)
	return code, a.String(), b.String()
}

// TestFailures tests errors outside of runs: of the model, its variables and its files.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	t.Chdir(dir)
	if err := os.WriteFile("two.npz", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	one := tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{1, 2}))
	if err := npy.WriteZip("two.npz", map[string]*tensor.Tensor{"a": one, "b": one}); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteZip("one.npz", map[string]*tensor.Tensor{"any": one}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"short.npy": "\x93NUMPY", "quote.csv": "1,\"2", "word.csv": "1,x", "some.txt": "", "file": ""} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bad := tensor.Errorf(tensor.Aborted, "it is broken")
	for _, c := range []struct {
		name string
		o    odd
		args string
		code int
		want string // a part of the output, or of the error
	}{
		{"all well", odd{}, "-feed x=[[1,2]] -restore a -save b -files . -max-bytes 9 -no-init -weights w -threads 1", exitOK, `"output": [[2, 4]]`},
		{"restore", odd{restore: bad}, "-restore a", exitFailure, "it is broken"},
		{"save", odd{save: bad}, "-feed x=[[1,2]] -save a", exitFailure, "it is broken"},
		{"close", odd{close: bad}, "-feed x=[[1,2]]", exitFailure, "it is broken"},
		{"open", odd{open: bad}, "-feed x=[[1,2]]", exitFailure, "it is broken"},
		{"files", odd{}, "-files none", exitFailure, "none"},
		{"run", odd{run: bad}, "-feed x=[[1,2]]", exitFailure, "it is broken"},
		{"first runs of a measurement", odd{run: bad}, "-feed x=[[1,2]] -bench 2", exitFailure, "it is broken"},
		{"measured run", odd{run: bad, runs: 4}, "-feed x=[[1,2]] -bench 2", exitFailure, "it is broken"},
		{"number of runs", odd{}, "-feed x=[[1,2]] -bench -2", exitUsage, "must be positive"},
		{"timeout", odd{wait: true}, "-feed x=[[1,2]] -timeout 1ms", exitFailure, "DeadlineExceeded: the run has taken more than 1ms"},
		{"negative timeout", odd{}, "-feed x=[[1,2]] -timeout -1ms", exitUsage, ": --timeout must be positive"},
		{"watch folder", odd{}, "-feed x=[[1,2]] -watch-dir file", exitFailure, "file"},
		{"trace", odd{}, "-feed x=[[1,2]] -trace none/t.json", exitFailure, "none"},
		{"profile", odd{}, "-feed x=[[1,2]] -profile none/p", exitFailure, "none"},
		{"out", odd{}, "-feed x=[[1,2]] -out none/r.json", exitFailure, "none"},
		{"text", odd{}, "-feed x=[[1,2]] -feed s=[\"a\"] -out r.txt", exitOK, ""},
		{"npz of all", odd{}, "-feed none.npz", exitFailure, "none.npz"},
		{"npz of one", odd{}, "-feed x=none.npz", exitFailure, "none.npz"},
		{"any array of one", odd{}, "-feed x=one.npz", exitOK, `"output": [[2, 4]]`},
		{"array of two", odd{}, "-feed x=two.npz", exitFailure, `the file holds no array "x:0"`},
		{"json of all", odd{}, "-feed none.json", exitFailure, "none.json"},
		{"neither name nor file", odd{}, "-feed a.csv", exitUsage, "want name=file"},
		{"npy", odd{}, "-feed x=short.npy", exitFailure, "ends too early"},
		{"csv", odd{}, "-feed x=quote.csv", exitFailure, "InvalidArgument: feed \"x\" from quote.csv"},
		{"csv's value", odd{}, "-feed x=word.csv", exitFailure, `row 1, column 2: "x" is not a value of type f32`},
		{"ending", odd{}, "-feed x=some.txt", exitFailure, "want a file name ending in .npy, .npz, .json or .csv"},
		{"object in place", odd{}, `-feed x=[{"b64":"AA=="}]`, exitFailure, "an object is not a value of type f32"},
		{"bytes", odd{}, `-feed x=[[1,2]] -feed s=[{"b64":"*"}]`, exitFailure, "b64: illegal base64"},
		{"number for a string", odd{}, `-feed x=[[1,2]] -feed s=[3]`, exitFailure, "3 is not a value of type str"},
		{"null", odd{}, `-feed x=[[1,null]]`, exitFailure, "null is not a value"},
		{"cut off", odd{}, `-feed x=[[1,`, exitFailure, "unexpected EOF"},
		{"value for a list", odd{}, `-feed x=[[1],2,[3,4]]`, exitFailure, "lists of different lengths"},
		{"value for a list, as many", odd{}, `-feed x=[[1,2],3,4]`, exitFailure, "lists of different lengths"},
		{"list for a value", odd{}, `-feed x=[1,[2]]`, exitFailure, "lists of different lengths"},
		{"deep", odd{}, `-feed x=` + strings.Repeat("[", 255) + strings.Repeat("]", 255), exitFailure, "lists nested deeper than 254"},
		{"protocol", odd{}, "-protocol", exitUsage, "want --protocol CASE [THREADS]"},
		{"protocol's threads", odd{}, "-protocol . none", exitUsage, `"none" is not a number of threads`},
		{"protocol's model", odd{open: bad}, "-protocol . 1", exitFailure, "it is broken"},
		{"lines without signatures", odd{none: true}, "-lines", exitOK, `"the program has no signatures`},
		{"lines that run", odd{run: bad}, "-lines", exitOK, `"code":"Aborted"`},
	} {
		stdin := ""
		if c.args == "-lines" {
			stdin = `{"feeds": {"x": [[1, 2]]}}`
			c.want = strings.TrimPrefix(c.want, `"`)
		}
		o := c.o
		code, out, errs := runOdd(&o, stdin, strings.Fields(c.args)...)
		got := out
		if c.code != exitOK {
			got = errs
		}
		if code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("%s: exit %d: %q, want %d: %q", c.name, code, got, c.code, c.want)
		}
		switch {
		case c.name == "all well" && (o.options != 5 || o.restores != 1 || o.saved != "b" || o.closes != 1):
			t.Errorf("%d options, restored %d times, saved as %q, closed %d times", o.options, o.restores, o.saved, o.closes)
		case code != exitOK && o.save == nil && o.saved != "":
			t.Errorf("%s: variables are saved after an error", c.name)
		}
	}
	if b, err := os.ReadFile("r.txt"); err != nil || string(b) != "output f32[1,2]: 2 4\nt:0 str[1]: \"a\"\n" {
		t.Errorf("results as text: %q, %v", b, err)
	}
	if code, _, errs := run(t, "", "-feed", "x=[[1,2]]", "-save", "a"); code != exitUsage || !strings.Contains(errs, "no variables") {
		t.Errorf("a model without variables: %s", errs)
	}
	if _, _, errs := runOdd(&odd{open: bad}, "", "-help"); !strings.Contains(errs, "  --weights") || strings.Contains(errs, "Signature") {
		t.Errorf("help of a model that cannot be made: %s", errs)
	}
	if (&feedFlags{"a", "b"}).String() != "a b" {
		t.Error("feeds as text")
	}
	var b bytes.Buffer
	if err := writeText(&b, &doubleSig, map[string]*tensor.Tensor{"y:0": tensor.Must(tensor.New(tensor.Float32, tensor.Shape{3, 7}, 0)), "t:0": tensor.Must(tensor.New(tensor.String, tensor.Shape{0}, 0))}); err != nil ||
		!strings.HasPrefix(b.String(), "output f32[3,7]:"+strings.Repeat(" 0", 20)+" …\n") {
		t.Errorf("many elements: %s %v", b.String(), err)
	}
}

// noSpace is a writer that accepts n bytes.
type noSpace struct{ n int }

func (w *noSpace) Write(b []byte) (int, error) {
	if w.n -= len(b); w.n < 0 {
		return 0, errors.New("no space")
	}
	return len(b), nil
}

// TestNoSpace: a failed write is an error, wherever the results are written.
func TestNoSpace(t *testing.T) {
	large := map[string]*tensor.Tensor{"y:0": tensor.Must(tensor.New(tensor.Float32, tensor.Shape{600_000}, 0)), "t:0": tensor.Must(tensor.New(tensor.String, tensor.Shape{0}, 0))}
	for _, n := range []int{0, 2_000_000} {
		if err := writeJSON(&noSpace{n}, &doubleSig, large); (err == nil) != (n > 0) {
			t.Errorf("room for %d bytes: %v", n, err)
		}
	}
	for _, n := range []int{0, 10, 60} {
		if err := writeText(&noSpace{n}, &doubleSig, large); err == nil {
			t.Errorf("text, room for %d bytes", n)
		}
	}
	for _, args := range []string{"-feed x=[[1,2]]", "-lines"} {
		var errs bytes.Buffer
		c := &command{in: strings.NewReader(`{"feeds":{"x":[[1,2]]}}`), out: &noSpace{}, err: &errs, make: func(...rt.Option) (rt.Program, error) { return double{}, nil }}
		if code := c.run(context.Background(), strings.Fields(args)); code != exitFailure || !strings.Contains(errs.String(), "no space") {
			t.Errorf("%s: %d, %s", args, code, errs.String())
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := &command{in: strings.NewReader(`{"feeds":{"x":[[1,2]]}}`), out: &noSpace{}, err: &bytes.Buffer{}, make: func(...rt.Option) (rt.Program, error) { return &odd{wait: true}, nil }}
	if code := c.run(ctx, []string{"-lines"}); code != exitFailure {
		t.Errorf("lines after an interrupt: %d", code)
	}
}

// TestPartialLines: wrong input lines, such as those that begin too many partial runs, are answered
// with an error.
func TestPartialLines(t *testing.T) {
	for _, c := range []struct {
		o           rt.Program
		lines, want string
	}{
		{double{}, `{"partial":"serving_default"}`, `"code":"FailedPrecondition"`},
		{&odd{partial: tensor.Errorf(tensor.Aborted, "it is broken")}, `{"partial":"serving_default"}`, `"code":"Aborted"`},
		{&odd{}, `{"feeds":{"x":[[1,2]],"input":[[1,2]]}}`, `is fed twice`},
		{&odd{}, strings.Repeat(`{"partial":"serving_default"}`+"\n", maxPartial+1), `1024 partial runs are open: close some of them`},
	} {
		var out bytes.Buffer
		cmd := &command{in: strings.NewReader(c.lines), out: &out, err: &bytes.Buffer{}, make: func(...rt.Option) (rt.Program, error) { return c.o, nil }}
		if code := cmd.run(context.Background(), []string{"-lines"}); code != exitOK || !strings.Contains(out.String(), c.want) {
			t.Errorf("%.40s: %d, %.300s", c.lines, code, out.String())
		}
	}
}

// TestProtocolErrors tests the flag --protocol with errors in the case (the files case.json, feeds.npz
// and fetches.npz), in the program, and in the lines of standard input.
func TestProtocolErrors(t *testing.T) {
	bad := tensor.Errorf(tensor.Aborted, "it is broken")
	x := tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{1, 2}))
	text := func(feeds, fetches string) string {
		return `{"runs":[{"feeds":"feeds.npz","fetches":"fetches.npz","names":{"feeds":[` + feeds + `],"fetches":[` + fetches + `]}}]}`
	}
	sound := text(`"x:0"`, `"y:0"`)
	for _, c := range []struct {
		name, text, lines string
		o                 odd
		feed, fetch       *tensor.Tensor
		code              int
		want              string
	}{
		{"sound", sound, "", odd{}, x, x, exitOK, `"ready":true`},
		{"no case", "", "", odd{}, x, x, exitFailure, "case.json"},
		{"no JSON", "{", "", odd{}, x, x, exitFailure, "case.json: unexpected end"},
		{"no runs", "{}", "", odd{}, x, x, exitFailure, "no runs"},
		{"no feeds", sound, "", odd{}, nil, x, exitFailure, "feeds.npz"},
		{"no fetches", sound, "", odd{}, x, nil, exitFailure, "fetches.npz"},
		{"another feed", text(`"q:0"`, `"y:0"`), "", odd{}, x, x, exitFailure, `NotFound: no signature has the feeds ["q:0"]`},
		{"type of the feed", sound, "", odd{}, tensor.Must(tensor.From(tensor.Shape{2}, []int32{1, 2})), x, exitFailure, `feed "x:0": got i32[2]`},
		{"shape of the feed", sound, "", odd{}, tensor.Must(tensor.From(tensor.Shape{2}, []float32{1, 2})), x, exitFailure, "InvalidArgument"},
		{"fetch", sound, "", odd{badFetch: true}, x, x, exitFailure, `the case fetches "y:0", the program does not`},
		{"first run", sound, "", odd{run: bad}, x, x, exitFailure, "it is broken"},
		{"later run", sound, "", odd{run: bad, runs: 2}, x, x, exitFailure, "it is broken"},
		{"run of a burst", sound, "burst 0", odd{run: bad, runs: 5}, x, x, exitFailure, "it is broken"},
		{"infinitely far", sound, "", odd{}, x, tensor.Must(tensor.From(tensor.Shape{1}, []float32{1})), exitOK, `"max_err":1.7976931348623157e+308`},
		{"command", sound, "explode 3", odd{}, x, x, exitUsage, `invalid command "explode 3"`},
		{"burst without a time", sound, "burst", odd{}, x, x, exitUsage, `invalid command "burst"`},
		{"time", sound, "burst -3", odd{}, x, x, exitUsage, `"-3" is not a time`},
		{"no number", sound, "burst NaN", odd{}, x, x, exitUsage, `"NaN" is not a time`},
	} {
		dir := t.TempDir()
		if c.text != "" {
			if err := os.WriteFile(filepath.Join(dir, "case.json"), []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for name, file := range map[string]*tensor.Tensor{"feeds.npz": c.feed, "fetches.npz": c.fetch} {
			if file != nil {
				if err := npy.WriteZip(filepath.Join(dir, name), map[string]*tensor.Tensor{"x:0": file, "y:0": file, "q:0": file}); err != nil {
					t.Fatal(err)
				}
			}
		}
		o := c.o
		code, out, errs := runOdd(&o, c.lines, "-protocol", dir)
		got := out
		if c.code != exitOK {
			got = errs
		}
		if code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("%s: exit %d: %q, want %d: %q", c.name, code, got, c.code, c.want)
		}
	}
	if n, ok := memory("NoSuchField:"); ok {
		t.Errorf("a field that is not there: %d", n)
	}
}

func TestDifference(t *testing.T) {
	nan := math.NaN()
	vec := func(data any, d tensor.DType, n int) *tensor.Tensor {
		return &tensor.Tensor{DType: d, Shape: tensor.Shape{n}, Data: data}
	}
	for i, c := range []struct {
		got, want *tensor.Tensor
		diff      float64
	}{
		{vec([]float32{1, 5}, tensor.Float32, 2), vec([]float32{2, 4}, tensor.Float32, 2), 0.25},
		{vec([]float64{1, nan}, tensor.Float64, 2), vec([]float64{1, nan}, tensor.Float64, 2), 0},
		{vec([]tensor.F16{0x3c00}, tensor.Half, 1), vec([]tensor.F16{0x4000}, tensor.Half, 1), 0.5},
		{vec([]tensor.BF16{0x3f80}, tensor.BFloat16, 1), vec([]tensor.BF16{0x3f80}, tensor.BFloat16, 1), 0},
		{vec([]int32{1, 2}, tensor.Int32, 2), vec([]int32{1, 2}, tensor.Int32, 2), 0},
		{vec([]string{"a"}, tensor.String, 1), vec([]string{"b"}, tensor.String, 1), math.Inf(1)},
		{vec([]int32{1, 2}, tensor.Int32, 2), vec([]int32{1}, tensor.Int32, 1), math.Inf(1)},
	} {
		if got := difference(c.got, c.want); math.Abs(got-c.diff) > 1e-9 && got != c.diff {
			t.Errorf("%d: %v, want %v", i, got, c.diff)
		}
	}
}

// TestSpelling: the JSON text that is printed for elements of every type reads back as the same
// elements. It also tests the shapes of CSV files.
func TestSpelling(t *testing.T) {
	for _, x := range []*tensor.Tensor{
		{DType: tensor.Float64, Shape: tensor.Shape{2}, Data: []float64{0.1, 1e300}}, {DType: tensor.Complex64, Shape: tensor.Shape{1}, Data: []complex64{1 - 2i}},
		{DType: tensor.Complex128, Shape: tensor.Shape{2}, Data: []complex128{1 - 2.5i, 1e300i}}, {DType: tensor.Half, Shape: tensor.Shape{1}, Data: []tensor.F16{0x3e00}},
		{DType: tensor.BFloat16, Shape: tensor.Shape{1}, Data: []tensor.BF16{0x3fc0}}, {DType: tensor.Bool, Shape: tensor.Shape{2}, Data: []bool{true, false}},
		{DType: tensor.Int64, Shape: tensor.Shape{1, 1}, Data: []int64{math.MinInt64}}, {DType: tensor.String, Shape: tensor.Shape{1}, Data: []string{"\xff\x00"}},
	} {
		out := &printer{w: io.Discard}
		out.lists(x, 0, x.Shape)
		text := out.b
		got, err := readJSON(&rt.Port{DType: x.DType, Shape: x.Shape}, bytes.NewReader(text), newBudget(1<<20))
		if err != nil || !json.Valid(text) || got.String() != x.String() {
			t.Errorf("%v: %s, %v", x, text, err)
			continue
		}
		for i := range x.Len() {
			if elementText(got, i) != elementText(x, i) {
				t.Errorf("%v: %s", x, text)
			}
		}
	}
	if err := setText(&tensor.Tensor{DType: tensor.Resource, Data: make([]tensor.Handle, 1)}, 0, "1"); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Errorf("a handle: %v", err)
	}
	if _, err := readJSON(&rt.Port{DType: tensor.Resource}, strings.NewReader("1"), newBudget(1<<20)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a handle in JSON: %v", err)
	}
	if _, err := readCSV(&rt.Port{DType: tensor.Resource, Shape: []int{-1}}, strings.NewReader("1"), newBudget(1<<20)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a handle in rows: %v", err)
	}
	for _, c := range []struct {
		shape      []int
		rows, cols int
		want       string
	}{
		{[]int{}, 1, 1, "[]"}, {[]int{-1}, 3, 2, "[6]"}, {[]int{-1, 2}, 3, 2, "[3,2]"}, {[]int{-1, -1}, 3, 4, "[3,4]"}, {[]int{-1, 2, -1}, 3, 4, "[3,2,2]"}, {[]int{-1, -1, -1}, 3, 4, "[3,4,1]"},
		{[]int{1, 4, 3}, 4, 3, "[1,4,3]"}, {[]int{1, 2, -1}, 2, 6, "[1,2,6]"}, {[]int{-1, 0}, 0, 0, "[0,0]"},
	} {
		if got := csvShape(&rt.Port{Shape: c.shape}, c.rows, c.cols); got.String() != c.want {
			t.Errorf("%v: %d rows of %d are %v, want %s", c.shape, c.rows, c.cols, got, c.want)
		}
	}
}

// TestWatched: a watched tensor is written to a file named after it.
func TestWatched(t *testing.T) {
	o := &observing{watchDir: t.TempDir()}
	for name, file := range map[string]string{"a/b:0": "a_b_0.npz", "A-1.z_": "A-1.z_.npz", "é>": "%c3%a9%3e.npz"} {
		if err := o.watched(name, tensor.Must(tensor.From(nil, []int32{int32(len(name))}))); err != nil {
			t.Fatal(err)
		}
		got, err := npy.ReadZip(filepath.Join(o.watchDir, file))
		if err != nil || got[name] == nil || elementText(got[name], 0) != strconv.Itoa(len(name)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	dir := t.TempDir()
	for _, args := range []string{"-trace " + dir + "/t.txt", "-trace " + dir + "/t.json -profile " + dir + "/p", "-profile " + dir + "/q", "-timeout " + time.Hour.String()} {
		if code, _, errs := run(t, "", append(strings.Fields(args), "-feed", "x=[[1,2]]")...); code != exitOK {
			t.Errorf("%s: %s", args, errs)
		}
	}
	for _, f := range []string{"t.txt", "t.json", "p", "q"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
}

// TestWarmUp: a trace does not contain the first runs of a measurement.
func TestWarmUp(t *testing.T) {
	o := &odd{}
	var out, errs strings.Builder
	open := func(...rt.Option) (rt.Program, error) { return o, nil }
	args := []string{"--feed", "x=[[1,2]]", "--bench", "2", "--trace", filepath.Join(t.TempDir(), "t.json")}
	if code := Run(t.Context(), "double", "v1", open, args, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	if c := o.contexts; len(c) != 5 || c[0] != c[1] || c[1] != c[2] || c[2] == c[3] || c[3] != c[4] {
		t.Errorf("the contexts of %d runs", len(c))
	}
}
