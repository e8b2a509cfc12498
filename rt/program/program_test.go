package program

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// double is a program that doubles f32 numbers and passes strings through.
type double struct{}

var doubleSig = rt.Signature{Name: "serving_default", Method: "ServingDefault",
	Feeds: []rt.Port{
		{Name: "x:0", Key: "input", Field: "Input", DType: tensor.Float32, Shape: []int{-1, 2}, Dims: []string{"B", ""}},
		{Name: "s:0", Field: "S", DType: tensor.String, Shape: []int{-1}, Dims: []string{"N"}, Unused: true},
	},
	Fetches: []rt.Port{
		{Name: "y:0", Key: "output", Field: "Output", DType: tensor.Float32, Shape: []int{-1, 2}, Dims: []string{"B", ""}},
		{Name: "t:0", Field: "T", DType: tensor.String, Shape: []int{-1}, Dims: []string{"N"}},
	}}

func (double) Signatures() []*rt.Signature { return []*rt.Signature{&doubleSig} }

func (d double) Run(ctx context.Context, sig string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	b, err := d.Bind(sig, feeds)
	return rt.RunBound(ctx, b, err)
}

func (d double) Bind(sig string, feeds map[string]*tensor.Tensor) (*rt.Bound, error) {
	if sig != doubleSig.Name {
		return nil, rt.UnknownSignature(d, sig)
	}
	var x floats
	if err := doubleSig.SetFeeds(feeds, rt.FeedTo(&x)); err != nil {
		return nil, err
	}
	if err := doubleSig.CheckShape(0, x.Shape, len(x.Data)); err != nil {
		return nil, err
	}
	y := tensor.Must(tensor.New(tensor.Float32, x.Shape, 0))
	t := tensor.Must(tensor.New(tensor.String, tensor.Shape{0}, 0))
	if s := feeds["s:0"]; s != nil {
		t = s
	}
	return &rt.Bound{Signature: &doubleSig, Run: func(context.Context) error {
		for i, v := range x.Data {
			y.Data.([]float32)[i] = 2 * v
		}
		return nil
	}, Fetches: func() map[string]*tensor.Tensor { return map[string]*tensor.Tensor{"y:0": y, "t:0": t} }}, nil
}

// floats is the type of the feed x of the program double.
type floats = tensor.Of[float32]

// run runs the command line of double, and returns the exit code and the text on standard output
// and standard error.
func run(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	c := &command{name: "double", version: "v1.2.3", in: strings.NewReader(stdin), out: &o, err: &e,
		make: func(...rt.Option) (rt.Program, error) { return double{}, nil }}
	code = c.run(context.Background(), args)
	return code, o.String(), e.String()
}

func write(t *testing.T, dir string) {
	t.Helper()
	x := tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{1, 2, 3, float32(math.NaN())}))
	for name, text := range map[string]string{"a.csv": "1, 2\n3.5,4\n", "a.json": "[[1,2],[3,4]]", "s.json": `["é", {"b64":"/w=="}]`, "bad.json": "[[1,2],[3]]", "b.csv": "1\n2\n3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(dir, "a.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npy.Write(f, x); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteZip(filepath.Join(dir, "a.npz"), map[string]*tensor.Tensor{"x:0": x}); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteZip(filepath.Join(dir, "i.npz"), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{1, 2}, []int64{1, 2}))}); err != nil {
		t.Fatal(err)
	}
}

func TestFeedsAndResults(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	t.Chdir(dir)
	if err := os.WriteFile("all.json", []byte(`{"x": [[1, 3]]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	const none = "\n  \"t:0\": []\n}\n"
	for _, c := range []struct {
		args, stdin, want string
		code              int
	}{
		{"-feed x:0=a.csv", "", "{\n  \"output\": [[2, 4], [7, 8]]," + none, 0},
		{"-feed input=a.json", "", "{\n  \"output\": [[2, 4], [6, 8]]," + none, 0},
		{"--feed x=a.npy", "", "{\n  \"output\": [[2, 4], [6, \"NaN\"]]," + none, 0},
		{"-feed Input=a.npz", "", "{\n  \"output\": [[2, 4], [6, \"NaN\"]]," + none, 0},
		{"-feed a.npz", "", "{\n  \"output\": [[2, 4], [6, \"NaN\"]]," + none, 0},
		{"-feed x=-", `[["Infinity", "-Infinity"]]`, "{\n  \"output\": [[\"Infinity\", \"-Infinity\"]]," + none, 0},
		{"-feed x=- -feed s=s.json", "[[0.1, 1e30]]", "{\n  \"output\": [[0.2, 2e+30]],\n  \"t:0\": [\"é\", {\"b64\": \"/w==\"}]\n}\n", 0},
		{"-feed x=[[1,2]] -format text", "", "output f32[1,2]: 2 4\nt:0 str[0]:\n", 0},
		{"-feed x=[]", "", "{\n  \"output\": []," + none, 0},
		{"-version", "", "double v1.2.3\n", 0},
		{"-feed i.npz", "", `InvalidArgument: feed "x:0" from i.npz: got i64[1,2], want f32[B,2]`, 1},
		{"-feed x=i.npz", "", `InvalidArgument: feed "x" from i.npz: got i64[1,2], want f32[B,2]`, 1},
		{"-feed x=[[1e99,0]]", "", `"1e99" is not a value of type f32`, 1},
		{"-feed x=3.5", "", "got f32[], want f32[B,2]", 1},
		{"-feed x=bad.json", "", "lists of different lengths", 1},
		{"-feed x=b.csv", "", "3 rows of 1 values do not fill f32[B,2]", 1},
		{"-feed x=[[true,false]]", "", "true is not a value of type f32", 1},
		{"-feed x=[[1,2],3]", "", "lists of different lengths", 1},
		{"-feed x=[[1,2,3]]", "", `got f32[1,3], want f32[B,2]`, 1},
		{"-feed x=none.npy", "", "none.npy", 1},
		{"-feed x=a.txt", "", "a.txt", 1},
		{"", "", `the feed "input", "x:0"  f32[B,2] is missing`, 2},
		{"-feed -", `{"input": [[1, 2]]}`, "{\n  \"output\": [[2, 4]]," + none, 0},
		{"-feed all.json", "", "{\n  \"output\": [[2, 6]]," + none, 0},
		{"-feed -", `{"q": [[1, 2]]}`, `unknown feed "q"; feeds: "input"`, 2},
		{"-feed -", `[1]`, "want an object of feeds by name", 1},
		{"-feed -", `{"x": [[1, 2]], "input": [[1, 2]]}`, "fed twice", 2},
		{"-feed q=a.csv", "", `unknown feed "q"; feeds: "input"`, 2},
		{"-feed x=a.csv -feed input=a.csv", "", "fed twice", 2},
		{"-feed x=a.csv -signature other", "", `there are: "serving_default"`, 2},
		{"-feed x=a.csv -format xml", "", "json, text or npz", 2},
		{"-frob", "", "flag provided but not defined", 2},
		{"extra", "", `unexpected argument "extra"`, 2},
	} {
		code, out, errs := run(t, c.stdin, strings.Fields(c.args)...)
		got := out
		if c.code != 0 {
			got = errs
		}
		if code != c.code || c.code == 0 && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: exit %d: %q, want %d: %q", c.args, code, got, c.code, c.want)
		}
	}
	if code, _, errs := run(t, "", "-feed", "x=a.csv", "-out", "r.npz"); code != 0 {
		t.Fatal(errs)
	}
	if got, err := npy.ReadZip("r.npz"); err != nil || tensor.Data[float32](got["y:0"])[2] != 7 {
		t.Errorf("results in a file: %v, %v", got, err)
	}
	if _, _, errs := run(t, "", "-help"); !strings.Contains(errs, `feed   "input", "x:0"  f32[B,2]`) {
		t.Errorf("help: %s", errs)
	}
	var info []map[string]any
	if _, out, _ := run(t, "", "-info"); json.Unmarshal([]byte(out), &info) != nil || info[0]["name"] != "serving_default" {
		t.Errorf("info: %v", info)
	}
	if _, out, _ := run(t, "", "-feed", "x=a.csv", "-bench", "5"); !strings.HasPrefix(out, "5 runs: min ") {
		t.Errorf("bench: %s", out)
	}
}

func TestProtocol(t *testing.T) {
	dir := t.TempDir()
	x := tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{1, 2}))
	y := tensor.Must(tensor.From(tensor.Shape{1, 2}, []float32{2, 5}))
	if err := npy.WriteZip(filepath.Join(dir, "feeds.npz"), map[string]*tensor.Tensor{"x:0": x}); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteZip(filepath.Join(dir, "fetches.npz"), map[string]*tensor.Tensor{"y:0": y}); err != nil {
		t.Fatal(err)
	}
	text := `{"runs": [{"feeds": "feeds.npz", "fetches": "fetches.npz", "names": {"feeds": ["x:0"], "fetches": ["y:0"]}}]}`
	if err := os.WriteFile(filepath.Join(dir, "case.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t, "burst 1\nburst 0\nquit\n", "-protocol", dir, "2")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3 {
		t.Fatalf("exit %d, %q, %s", code, out, errs)
	}
	var ready struct {
		Ready  bool    `json:"ready"`
		MaxErr float64 `json:"max_err"`
	}
	if err := json.Unmarshal([]byte(lines[0]), &ready); err != nil || !ready.Ready || math.Abs(ready.MaxErr-0.2) > 1e-9 {
		t.Errorf("%s: %+v, %v", lines[0], ready, err)
	}
	var burst struct{ NS []int64 }
	if err := json.Unmarshal([]byte(lines[2]), &burst); err != nil || len(burst.NS) < 2 {
		t.Errorf("%s: %v", lines[2], err)
	}
}

func TestSetText(t *testing.T) {
	for _, c := range []struct {
		d        tensor.DType
		in, want string // "": refused
	}{
		{tensor.Int32, "-2147483648", "-2147483648"}, {tensor.Int32, "2147483648", ""}, {tensor.Int32, "3.0", "3"}, {tensor.Int32, "3.5", ""},
		{tensor.Int32, "1.5e3", "1500"}, {tensor.Int32, "15e-1", ""}, {tensor.Int32, "150e-1", "15"}, {tensor.Int32, "1e10", ""}, {tensor.Int32, "1e-999999999999", ""},
		{tensor.Int32, "1e999999999", ""}, {tensor.Int32, "-2.50e1", "-25"}, {tensor.Int32, "-1e-1", ""}, {tensor.Int32, "", ""}, {tensor.Int32, ".0", ""}, {tensor.Int32, "e3", ""},
		{tensor.Int64, "9223372036854775807", "9223372036854775807"}, {tensor.Int64, "9223372036854775808", ""}, {tensor.Int64, "9007199254740993.0", "9007199254740993"},
		{tensor.Uint64, "18446744073709551615", "18446744073709551615"}, {tensor.Uint8, "-1", ""}, {tensor.Uint8, "256", ""}, {tensor.QInt8, "-128", "-128"}, {tensor.QInt8, "128", ""},
		{tensor.Float32, "1e38", "1e+38"}, {tensor.Float32, "1e39", ""}, {tensor.Float32, "Infinity", "Infinity"}, {tensor.Float32, "NaN", "NaN"}, {tensor.Float32, "1e-60", "0"},
		{tensor.Float64, "1e309", ""}, {tensor.Half, "65504", "65504"}, {tensor.Half, "65520", ""}, {tensor.Half, "-Infinity", "-Infinity"}, {tensor.BFloat16, "1e38", "9.96921e+37"},
		{tensor.BFloat16, "3.4e38", ""}, {tensor.Bool, "true", "true"}, {tensor.Bool, "2", ""}, {tensor.Complex64, "1+2i", "(1+2i)"}, {tensor.Complex64, "x", ""}, {tensor.String, "é", "é"},
	} {
		x := tensor.Must(tensor.New(c.d, tensor.Shape{1}, 0))
		err := setText(x, 0, c.in)
		if c.want == "" && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v %q: %v, %v; want an error", c.d, c.in, elementText(x, 0), err)
		}
		if c.want != "" && (err != nil || elementText(x, 0) != c.want) {
			t.Errorf("%v %q: %v, %v; want %s", c.d, c.in, elementText(x, 0), err, c.want)
		}
	}
}

// TestOpenRank: values in files get a shape with an accepted rank.
func TestOpenRank(t *testing.T) {
	for _, c := range []struct {
		ranks      []int
		rows, cols int
		want       string
	}{
		{nil, 2, 3, "[2,3]"}, {nil, 3, 1, "[3]"}, {[]int{0, 1}, 2, 3, "[6]"}, {[]int{2, 3}, 3, 1, "[3,1]"}, {[]int{0, 3}, 1, 1, "[]"},
	} {
		p := &rt.Port{DType: tensor.Float32, AnyRank: true, Ranks: c.ranks}
		if got := csvShape(p, c.rows, c.cols); got.String() != c.want {
			t.Errorf("%v: %d rows of %d are %v, want %s", p, c.rows, c.cols, got, c.want)
		}
	}
	var b bytes.Buffer
	sig := &rt.Signature{Name: "s", Feeds: []rt.Port{
		{Name: "x:0", DType: tensor.Float32, AnyRank: true, Ranks: []int{0, 1}}, {Name: "y:0", DType: tensor.Int32, Shape: []int{-1, 2, -1}, Dims: []string{"B", "", ""}}}}
	if err := writeInfo(&b, []*rt.Signature{sig}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(b.String()), "")
	for _, want := range []string{`"shape":null,"ranks":[0,1]`, `"shape":["B",2,"?"]}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}

// TestTwoDashes: the help and the messages write flags with two dashes. On the command line, one
// dash is accepted as well.
func TestTwoDashes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	t.Chdir(dir)
	oneDash := regexp.MustCompile(`(^|[\s("'])-[a-z][a-z-]+`)
	c := &command{name: "double", make: func(...rt.Option) (rt.Program, error) { return double{}, nil }, out: io.Discard, err: io.Discard}
	c.run(context.Background(), []string{"--help"})
	names := map[string]bool{"help": true}
	c.flags.VisitAll(func(f *flag.Flag) { names[f.Name] = true })
	for _, args := range []string{"--help", "-help", "-h", "--bench", "--bench x", "--lines=x", "--none", "-none", "---", "--feed x=a.csv --bench -1", "--feed a.csv", "--lines --feed x=a.csv",
		"--run a --signature b", "--feed x=a.csv --run a", "--run a --bench 1", "--feed x=a.csv --format xml", "--protocol", "--feed x=a.csv --timeout -1s", "--feed x=a.csv more", "", "--feed q=1", "--max-bytes 9 --feed x=a.csv"} {
		code, _, errs := run(t, "", strings.Fields(args)...)
		if code == exitOK != strings.HasSuffix(args, "-h") && code == exitOK != strings.HasSuffix(args, "help") {
			t.Errorf("%s: exit %d", args, code)
		}
		if m := oneDash.FindString(errs); m != "" {
			t.Errorf("%s: %q in:\n%s", args, m, errs)
		}
		for _, m := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(errs, -1) {
			if !names[m[1]] && m[1] != "none" {
				t.Errorf("%s: there is no flag %s:\n%s", args, m[0], errs)
			}
		}
		if code != exitOK && errs == "" || strings.HasSuffix(args, "help") && !strings.Contains(errs, "  --bench n\n    \trun") {
			t.Errorf("%s: %s", args, errs)
		}
	}
	for _, dashes := range []string{"-", "--"} {
		if code, out, errs := run(t, "", dashes+"feed", "x=a.csv", dashes+"bench=1"); code != exitOK || !strings.HasPrefix(out, "1 runs: ") {
			t.Errorf("%s %s", out, errs)
		}
	}
}

// TestStringInPlace: if a feed accepts a single string, its value may be given as text that is not
// the name of a file. If a value cannot be given in this way, the error shows how to write it as
// JSON.
func TestStringInPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := &command{}
	str := func(shape ...int) *rt.Port { return &rt.Port{Name: "text", DType: tensor.String, Shape: shape} }
	for _, x := range []struct {
		p          *rt.Port
		text, want string // the value, or a part of the error
	}{
		{str(), "loved it", `str[]{"loved it"}`}, {str(-1), "loved it", `str[1]{"loved it"}`}, {str(1), "3", `str[1]{"3"}`}, {str(), "true", `str[]{"true"}`},
		{str(), `"quoted"`, `str[]{"quoted"}`}, {str(-1), `["a", "b"]`, `str[2]{"a", "b"}`}, {str(), "end.", `str[]{"end."}`}, {str(), "a\x00b", `str[]{"a\x00b"}`},
		{&rt.Port{DType: tensor.String, AnyRank: true}, "x", `str[]{"x"}`}, {&rt.Port{DType: tensor.String, AnyRank: true, Ranks: []int{1, 2}}, "x", `str[1]{"x"}`},
		{str(2), "loved it", `no such file or directory; a value in the argument is JSON: --feed 'text=["loved it"]'`},
		{str(-1, 2), "loved it", `--feed 'text=[["loved it"]]'`},
		{str(), "there", `want a file name ending in .npy, .npz, .json or .csv; a value in the argument is JSON: --feed 'text="there"'`},
		{str(), "none.npy", "none.npy"},
		{str(-1), "[loved it]", `invalid character 'l' looking for beginning of value; a value in the argument is JSON: --feed 'text=["loved it"]'`},
		{&rt.Port{DType: tensor.Float32, Shape: []int{-1}}, "loved it", `no such file or directory; a value in the argument is JSON: --feed 'text=[1]'`},
	} {
		got, err := c.load(x.p, "text", x.text, newBudget(1<<20))
		text := fmt.Sprint(err)
		if err == nil {
			text = fmt.Sprintf("str%v{%s}", got.Shape, strings.Trim(fmt.Sprintf("%q", got.Data), "[]"))
			text = strings.ReplaceAll(text, `" "`, `", "`)
		}
		if err == nil && text != x.want || err != nil && !strings.Contains(text, x.want) {
			t.Errorf("%v %q: %s, want %s", x.p, x.text, text, x.want)
		}
	}
	if _, err := c.load(str(), "text", "loved it", newBudget(8)); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("beyond the limit: %v", err)
	}
}
