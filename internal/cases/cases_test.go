package cases

import (
	"archive/zip"
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

func vec[T tensor.Elem](v ...T) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{len(v)}, v))
}

func as(d tensor.DType, t *tensor.Tensor) *tensor.Tensor {
	return &tensor.Tensor{DType: d, Shape: t.Shape, Data: t.Data}
}

func TestCompare(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	cnan := complex(math.NaN(), 0)
	for _, c := range []struct {
		name       string
		got, want  *tensor.Tensor
		rtol, atol float64
		err        string
	}{
		{"equal", vec[float32](1, 2), vec[float32](1, 2), 0, 0, ""},
		{"nan is nan", vec(nan), vec(nan), 0, 0, ""},
		{"nan is no number", vec(nan), vec[float32](0), 1, 1, "[0]: got NaN, want 0"},
		{"inf is inf", vec(inf, -inf), vec(inf, -inf), 0, 0, ""},
		{"inf is not -inf", vec(inf), vec(-inf), 1, 1, "got +Inf, want -Inf"},
		{"finite is not inf", vec[float32](1), vec(inf), 1, 1, "got 1, want +Inf"},
		{"rtol is of want", vec[float32](110), vec[float32](100), 0.1, 0, ""},
		{"beyond rtol", vec[float32](100), vec[float32](90), 0.1, 0, "got 100, want 90 (1 of 1 differ, max abs 10, max rel 0.111)"},
		{"atol", vec[float32](0.5), vec[float32](0), 0, 0.5, ""},
		{"first bad index", as(tensor.Float32, tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{0, 0, 5, 6}))),
			tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{0, 0, 0, 0})), 0, 1, "[1,0]: got 5, want 0 (2 of 4 differ"},
		{"half", vec(tensor.ToF16(1)), vec(tensor.ToF16(1.001)), 1e-2, 0, ""},
		{"bf16", vec(tensor.ToBF16(1)), vec(tensor.ToBF16(2)), 1e-2, 0, "got 1, want 2"},
		{"complex", vec(1 + 1i), vec(1 + 1.05i), 0.1, 0, ""},
		{"complex nan", vec(cnan), vec(complex(0, math.NaN())), 0, 0, ""},
		{"complex differs", vec[complex64](1i), vec[complex64](2i), 0.1, 0, "differ"},
		{"ints are exact", vec[int32](101), vec[int32](100), 0.5, 0.9, "got 101, want 100"},
		{"ints by atol", vec[uint8](101), vec[uint8](100), 0, 1, ""},
		{"ints beyond atol", vec[uint8](99), vec[uint8](101), 0, 1, "max abs 2"},
		{"wide ints", vec[uint64](1<<63 + 1), vec[uint64](1 << 63), 0, 0, "differ"},
		{"bools", vec(true), vec(false), 9, 9, "got true, want false"},
		{"strings", vec("a"), vec("b"), 9, 9, `got "a", want "b"`},
		{"dtype", vec[int32](1), vec[int64](1), 0, 0, "got i32[1], want i64[1]"},
		{"quantized is not plain", vec[int8](1), as(tensor.QInt8, vec[int8](1)), 0, 0, "got i8[1], want qi8[1]"},
		{"shape", vec[int32](1), vec[int32](1, 2), 0, 0, "got shape [1], want [2]"},
		{"rank", vec[int32](1), tensor.Must(tensor.From(tensor.Shape{}, []int32{1})), 0, 0, "got shape [1], want []"},
		{"elements", as(tensor.Int32, &tensor.Tensor{Shape: tensor.Shape{2}, Data: []int32{1}}), vec[int32](1, 2), 0, 0, "got 1 elements, want 2"},
		{"handles", &tensor.Tensor{DType: tensor.Resource}, &tensor.Tensor{DType: tensor.Resource}, 0, 0, "tensors of resource cannot be compared"},
		{"long strings", vec(strings.Repeat("a", 90)), vec("b"), 0, 0, `aaa"…(90 bytes), want "b"`},
		{"missing", nil, vec[int32](1), 0, 0, "no value"},
		{"empty", vec[float32](), vec[float32](), 0, 0, ""},
	} {
		err := Compare(c.got, c.want, c.rtol, c.atol)
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: got %v, want ...%s...", c.name, err, c.err)
		}
	}
	var m *Mismatch
	if err := Compare(vec[int32](1, 3), vec[int32](1, 1), 0, 0); !errors.As(err, &m) || m.Count != 1 || m.MaxAbs != 2 || m.MaxRel != 2 {
		t.Errorf("mismatch %+v", m)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const good = `{"runs":[{"feeds":"feeds.npz","fetches":"fetches.npz","targets":["t"],
	"names":{"feeds":["a:0","h:0","q:0","b:0","s:0"],"fetches":["y:0"]}}],
	"dtypes":{"a:0":"DT_FLOAT","h:0":"DT_HALF","q:0":"DT_QINT8","b:0":"DT_BFLOAT16","s:0":"DT_STRING","y:0":"DT_DOUBLE"},
	"strings":{"s:0":{"shape":[2,1],"base64":["YQ==",""]}},"rtol":0.25,"atol":0.5,"features":["state"]}`

func TestFindAndLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "g/good/case.json", good)
	write(t, dir, "g/good/graph.pb", "")
	write(t, dir, "g/good/config.pbtxt", "")
	write(t, dir, "g/good/sub/case.json", "{}")
	write(t, dir, "g/err/case.json", `{"runs":[{"feeds":"feeds.npz","targets":[],"names":{"feeds":[],"fetches":["y:0"]}}],
		"expect":"error","error":{"code":"OutOfRange","when":"run"}}`)
	write(t, dir, "g/err/saved_model/saved_model.pb", "")
	feeds := map[string]*tensor.Tensor{"a:0": vec[float32](1), "h:0": vec(tensor.ToF16(2)),
		"q:0": vec[int8](3), "b:0": vec[uint16](0x3f80)}
	if err := npy.WriteZip(filepath.Join(dir, "g/good/feeds.npz"), feeds); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteZip(filepath.Join(dir, "g/good/fetches.npz"), map[string]*tensor.Tensor{"y:0": vec(1.5)}); err != nil {
		t.Fatal(err)
	}
	cs, err := Find([]string{dir, filepath.Join(dir, "g/good")})
	if err != nil || len(cs) != 3 {
		t.Fatal(cs, err)
	}
	if cs[0].Rel != "g/err" || cs[1].Rel != "g/good" || cs[2].Rel != "good" {
		t.Errorf("order: %s, %s, %s", cs[0].Rel, cs[1].Rel, cs[2].Rel)
	}
	if e := cs[0]; e.Err != nil || !e.ExpectErr || e.ErrCode != tensor.OutOfRange || e.ErrWhen != "run" ||
		filepath.Base(e.ModelPath) != "saved_model" {
		t.Errorf("error case: %+v", e)
	}
	if _, want, err := cs[0].LoadRun(0); err != nil || len(want) != 0 {
		t.Error("run that must fail:", want, err)
	}
	c := cs[1]
	if c.Err != nil || c.ConfigPath == "" || !c.Has("state") || c.RTol != 0.25 || c.ATol != 0.5 || c.Runs[0].Targets[0] != "t" {
		t.Errorf("%+v", c)
	}
	got, want, err := c.LoadRun(0)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]*tensor.Tensor{"a:0": vec[float32](1), "h:0": vec(tensor.ToF16(2)),
		"q:0": as(tensor.QInt8, vec[int8](3)), "b:0": vec(tensor.ToBF16(1)),
		"s:0": tensor.Must(tensor.From(tensor.Shape{2, 1}, []string{"a", ""}))} {
		if err := Compare(got[name], w, 0, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Compare(want["y:0"], vec(1.5), 0, 0); err != nil {
		t.Error(err)
	}
	if _, _, err := c.LoadRun(1); err == nil {
		t.Error("a run that does not exist was loaded")
	}
	if _, err := Find([]string{filepath.Join(dir, "none")}); err == nil {
		t.Error("a missing folder was searched")
	}
}

func TestBadCases(t *testing.T) {
	run := `"runs":[{"feeds":"f.npz","fetches":"g.npz","names":{"feeds":["x:0"],"fetches":["y:0"]}}]`
	for name, c := range map[string]struct{ json, err string }{
		"not json":  {`{`, "unexpected end"},
		"no runs":   {`{}`, "no runs"},
		"escape":    {`{"runs":[{"feeds":"../f.npz","fetches":"g.npz"}]}`, "outside"},
		"expect":    {`{"expect":"maybe",` + run + `}`, `expect is "maybe"`},
		"code":      {`{"expect":"error","error":{"code":"Bad","when":"run"},` + run + `}`, `error code "Bad"`},
		"when":      {`{"expect":"error","error":{"code":"Aborted","when":"late"},` + run + `}`, `"late"`},
		"no graph":  {`{` + run + `}`, "exactly one of"},
		"no feeds":  {`{"runs":[{"fetches":"g.npz","names":{"feeds":["x:0"]}}]}`, "feeds are named, but their file is missing"},
		"no result": {`{"runs":[{"feeds":"f.npz"}]}`, "the file of the fetches is missing"},
	} {
		dir := t.TempDir()
		write(t, dir, "case.json", c.json)
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want ...%s...", name, err, c.err)
		}
	}
	dir := t.TempDir()
	write(t, dir, "case.json", `{"dtypes":{"x:0":"DT_BFLOAT16"},`+run+`}`)
	write(t, dir, "graph.pb", "")
	if err := npy.WriteZip(filepath.Join(dir, "f.npz"), map[string]*tensor.Tensor{"x:0": vec[float32](1)}); err != nil {
		t.Fatal(err)
	}
	c, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for declared, says := range map[string]string{"DT_BFLOAT16": "stored as f32, declared as DT_BFLOAT16", "DT_FLOAT33": "unsupported element type DT_FLOAT33", "": "g.npz"} {
		c.DTypes["x:0"] = declared
		if _, _, err := c.LoadRun(0); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", declared, err)
		}
	}
	c.Runs[0].Feeds = []string{"z:0"}
	if _, _, err := c.LoadRun(0); err == nil || !strings.Contains(err.Error(), `no array "z:0"`) {
		t.Error(err)
	}
	c.Strings = map[string]StringTensor{"z:0": {Shape: []int{2}, Elems: [][]byte{{'a'}}}}
	if _, _, err := c.LoadRun(0); err == nil || !strings.Contains(err.Error(), "string tensor z:0: InvalidArgument: 1 elements given") {
		t.Error(err)
	}
	if _, err := Find([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no case.json in or below it") {
		t.Errorf("a folder without cases: %v", err)
	}
	bad := &Case{Err: errors.New("unreadable")}
	if _, _, err := bad.LoadRun(0); err != bad.Err {
		t.Error(err)
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no case: %v", err)
	}
}

// TestArchives: Find returns the cases in an archive as if they were in the archive's folder. A
// path in an archive must not lead out of the folder into which the archive is unpacked.
func TestArchives(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // on macOS, the user's cache is below $HOME
	t.Setenv("LocalAppData", t.TempDir())
	dir := t.TempDir()
	write(t, dir, "ops/folder/c/case.json", "{}")
	pack(t, filepath.Join(dir, "ops/math.zip"), map[string]string{"Abs/one/case.json": "{}", "Abs/one/graph.pb": "x", "Add/two/case.json": "{}"})
	cs, err := Find([]string{dir, filepath.Join(dir, "ops/math.zip")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cs {
		got = append(got, c.Rel+" "+filepath.ToSlash(strings.TrimPrefix(c.Path, dir)))
		if _, err := os.Stat(filepath.Join(c.Dir, "case.json")); err != nil {
			t.Error(err)
		}
	}
	want := []string{"ops/Abs/one /ops/math.zip/Abs/one", "ops/Add/two /ops/math.zip/Add/two", "ops/folder/c /ops/folder/c",
		"Abs/one /ops/math.zip/Abs/one", "Add/two /ops/math.zip/Add/two"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, text := range map[string]string{"not an archive": "nothing", "a name that leads out": ""} {
		bad := filepath.Join(t.TempDir(), "bad.zip")
		if text != "" {
			write(t, filepath.Dir(bad), "bad.zip", text)
		} else {
			pack(t, bad, map[string]string{"../out": "x"})
		}
		if _, err := Find([]string{filepath.Dir(bad)}); err == nil || !strings.Contains(err.Error(), "bad.zip") {
			t.Errorf("%s: %v", name, err)
		}
		if err := Extract(bad, t.TempDir()); err == nil {
			t.Errorf("%s: extracted", name)
		}
	}
	if err := Extract(filepath.Join(dir, "none.zip"), dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// pack writes an archive.
func pack(t *testing.T, path string, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFloats(t *testing.T) {
	for _, x := range []*tensor.Tensor{vec[float32](1.5, -2), vec(1.5, -2), vec(tensor.ToF16(1.5), tensor.ToF16(-2)), vec(tensor.ToBF16(1.5), tensor.ToBF16(-2))} {
		if got, ok := Floats(x); !ok || len(got) != 2 || got[0] != 1.5 || got[1] != -2 {
			t.Errorf("%v: %v", x, got)
		}
	}
	if got, ok := Floats(vec[int32](1)); ok {
		t.Errorf("integers: %v", got)
	}
}

// TestShared reads some shared cases, or all of them if GRAPHC_ALL_CASES is set. Each case must
// load, and Compare must find its fetches equal to themselves.
func TestShared(t *testing.T) {
	if Shared() == "" {
		t.Skip("no shared cases: set GRAPHC_SHARED")
	}
	dir := filepath.Join(Shared(), "cases")
	dirs := []string{filepath.Join(dir, "ops/Cast"), filepath.Join(dir, "hostile/const"), filepath.Join(dir, "hostile/strings"),
		filepath.Join(dir, "features/formats"), filepath.Join(dir, "opencv")}
	if os.Getenv("GRAPHC_ALL_CASES") != "" {
		dirs = []string{dir}
	}
	cs, err := Find(dirs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		if c.Err != nil {
			t.Error(c.Err)
			continue
		}
		for i := range c.Runs {
			_, want, err := c.LoadRun(i)
			if err != nil {
				t.Error(err)
			}
			for name, w := range want {
				if err := Compare(w, w, 0, 0); err != nil {
					t.Errorf("%s: %s: %v", c.Dir, name, err)
				}
			}
		}
	}
}

func TestFlushed(t *testing.T) {
	inf := math.Inf(-1)
	for _, c := range [][2]*tensor.Tensor{
		{vec[float32](1e-40, -1e-40, 2e-38, 0x1p-126, float32(inf), 0), vec[float32](0, float32(math.Copysign(0, -1)), 2e-38, 0x1p-126, float32(inf), 0)},
		{vec(1e-310, 1e-40, inf), vec(0, 1e-40, inf)},
		{vec(tensor.ToBF16(1e-40), tensor.ToBF16(1)), vec(tensor.ToBF16(0), tensor.ToBF16(1))},
		{vec(complex64(complex(1e-40, 1))), vec(complex64(complex(0, 1)))},
		{vec(complex(1e-310, -1)), vec(complex(0, -1))},
		{vec(tensor.ToF16(1e-7)), vec(tensor.ToF16(1e-7))},
		{vec[int32](1), vec[int32](1)},
	} {
		got := Flushed(c[0])
		if err := Compare(got, c[1], 0, 0); err != nil {
			t.Errorf("%v: %v", c[0], err)
		}
		if f, ok := got.Data.([]float32); ok && !math.Signbit(float64(f[1])) {
			t.Error("the sign of a denormal is lost")
		}
		if least, bits := Denormal(c[0].DType), map[tensor.DType]float64{tensor.Float32: 0x1p-126, tensor.BFloat16: 0x1p-126, tensor.Complex64: 0x1p-126, tensor.Float64: 0x1p-1022, tensor.Complex128: 0x1p-1022}; least != bits[c[0].DType] {
			t.Errorf("%v: the smallest normal number is %g", c[0], least)
		}
	}
}

// TestFindBehindLink: a root may be a symbolic link to a folder.
func TestFindBehindLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "real", "c"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "real", "c", "case.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Skip(err) // a system without links
	}
	cs, err := Find([]string{link})
	if err != nil || len(cs) != 1 || cs[0].Dir != filepath.Join(link, "c") || cs[0].Rel != "c" {
		t.Errorf("found %v, %v", cs, err)
	}
}
