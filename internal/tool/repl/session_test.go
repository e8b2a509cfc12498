package repl

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
)

var update = flag.Bool("update", false, "rewrite the transcripts of docs/repl.md")

// moons is the model of a training step in the examples.
const moons = "examples/training/moons.pbtxt"

// open returns a session with the model in the file path. The session prints to the returned
// Builder.
func open(t *testing.T, o pipeline.Options, path string) (*Session, *strings.Builder) {
	t.Helper()
	m, err := pipeline.Load([]string{path}, frontend.Options{Checkpoint: o.Checkpoint})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.NewSession(context.Background(), m, o, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	b := &strings.Builder{}
	return newSession(p, b, 1<<30), b
}

// says executes a line in session s and returns the printed text. If the line fails, the text of
// the error follows.
func says(t *testing.T, s *Session, b *strings.Builder, line string) string {
	t.Helper()
	b.Reset()
	if err := s.exec(context.Background(), line); err != nil {
		return b.String() + "error: " + err.Error() + "\n"
	}
	return b.String()
}

const graph = `
node { name: "in/x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "any" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "text" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "neg" op: "Neg" input: "in/x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "twice" op: "AddV2" input: "neg" input: "neg" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "abs" op: "Abs" input: "any" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "same" op: "Identity" input: "text" attr { key: "T" value { type: DT_STRING } } }
node { name: "group" op: "NoOp" input: "^twice" }
node { name: "a/end" op: "Identity" input: "neg" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "b/end" op: "Identity" input: "neg" attr { key: "T" value { type: DT_FLOAT } } }
`

// openGraph returns a session with a model, and the Builder to which the session prints. The text
// of the model is the string constant above.
func openGraph(t *testing.T) (*Session, *strings.Builder) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "g.pbtxt")
	if err := os.WriteFile(file, []byte(graph), 0o666); err != nil {
		t.Fatal(err)
	}
	return open(t, pipeline.Options{}, file)
}

func TestSession(t *testing.T) {
	s, b := openGraph(t)
	for _, c := range [][2]string{
		{"twice", `error: InvalidArgument: no value is fed for in/x f32[?,2]; give one, for example in/x = random` + "\n"},
		{"x = [[1, 2]]", "feed in/x:0 f32[1,2]\n"},
		{"twice", "twice:0 f32[1,2]\n[[-2, -4]]\n"},
		{"group", "done\n"},
		{"run neg group", "done\n"},
		{"neg:0, x", "neg:0 f32[1,2]\n[[-1, -2]]\nin/x:0 f32[1,2]\n[[1, 2]]\n"},
		{"x = [[1, 2], [3, 4]]; twice", "feed in/x:0 f32[2,2]\ntwice:0 f32[2,2]\n[[-2, -4],\n [-6, -8]]\n"},
		{"neg = [[5, 6]]", "feed neg:0 f32[1,2]\n"}, // an inner tensor
		{"twice", "twice:0 f32[1,2]\n[[10, 12]]\n"},
		{"kept = twice; neg = kept; twice", "value kept f32[1,2]\nfeed neg:0 f32[1,2]\ntwice:0 f32[1,2]\n[[20, 24]]\n"},
		{"feeds", "feed in/x:0 f32[2,2]\nfeed neg:0 f32[1,2]\nvalue kept f32[1,2]\n"},
		{"drop neg kept; twice", "twice:0 f32[2,2]\n[[-2, -4],\n [-6, -8]]\n"},
		{"any = -3; abs", "feed any:0 f32[]\nabs:0 f32[]\n3\n"}, // an unknown rank
		{"any = [-3, 4]; abs", "feed any:0 f32[2]\nabs:0 f32[2]\n[3, 4]\n"},
		{"any = range[2,2]; abs", "feed any:0 f32[2,2]\nabs:0 f32[2,2]\n[[0, 1],\n [2, 3]]\n"},
		{"x = ones; x", "feed in/x:0 f32[1,2]\nin/x:0 f32[1,2]\n[[1, 1]]\n"},
		{`text = ["a", {"b64": "/w=="}]; same`, "feed text:0 str[2]\nsame:0 str[2]\n[\"a\", \"\\xff\"]\n"},
		{"info neg", "  input    in/x:0  f32[?,2]\n"},
		{"end = neg; feeds", "value end f32[1,2]\n"}, // to the left of =, end does not mean the node a/end, which is no placeholder
		{"drop end; end", "is ambiguous"},
		{"ls end", "a/end  Identity  f32[?,2]\nb/end  Identity  f32[?,2]\n"},
		{"ls *nd*", "a/end  Identity  f32[?,2]\nb/end  Identity  f32[?,2]\n"},
		{"help", "NAME = JSON"},
		{"signature", "no signatures\n  input   in/x:0   f32[?,2]\n"},
		{"signature x", `unknown signature "x"`},

		{"x = [1, 2]", "error: InvalidArgument: x: got f32[2], want f32[?,2]\n"},
		{`x = [["a", "b"]]`, `error: InvalidArgument: x: "a" is not a value of type f32` + "\n"},
		{"x = [[1, 2], [3]]", "error: InvalidArgument: x: lists of different lengths\n"},
		{"x = same", "error: InvalidArgument: x: same is str[2], want f32[?,2]\n"},
		{"x = zeros[1,3]", "error: InvalidArgument: x: got f32[1,3], want f32[?,2]\n"},
		{"any = zeros", "error: Unknown: any: the rank of any:0 is unknown: give the sizes, as zeros[2,3]\n"},
		{"text = zeros", "error: InvalidArgument: text: elements of type str are not numbers\n"},
		{"x = zeros[1000000000,2]", "ResourceExhausted"},
		{"x = @missing.npy", "NotFound"},
		{"tex = [1]", `error: NotFound: unknown input "tex"; did you mean "text"?` + "\n"},
		{"twise", `error: NotFound: unknown name "twise"; did you mean "twice"?` + "\n"},
		{"sumary x", `error: NotFound: unknown name "sumary"; did you mean "summary"?` + "\n"},
		{"end", "is ambiguous"},
		{"neg:1", "OutOfRange"},
		{"run neg:0", "error: \"neg:0\" is a tensor: run takes the names of nodes\n"},
		{"save neg neg.jpg", "want a file name that ends in"},
		{"help = neg", "is a command"},
		{"ls nothing", `error: no node matches "nothing"` + "\n"},
		{"drop neg", "is neither fed nor a kept value"},
		{"time neg 0", "is not a number of runs"},
		{"info", "usage: info NAME, for example"},
		{"show x; x", "@@"},
	} {
		if got := says(t, s, b, c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s\n%s\nwant\n%s", c[0], got, c[1])
		}
	}
}

// TestState checks that variables keep their values from run to run. If a run changes a variable, a
// part of the graph that was compiled earlier must read the new value. The command reset must
// restore the initial value.
func TestState(t *testing.T) {
	t.Chdir(testkit.Root(t))
	s, b := open(t, pipeline.Options{Checkpoint: "examples/training/testdata/start"}, moons)
	says(t, s, b, "points = [[1, 0.5], [-1, 0]]; labels = [1, 0]")
	first := says(t, s, b, "loss")
	if bias := says(t, s, b, "layer2/b"); bias != "layer2/b f32[2]\n[0, 0]\n" {
		t.Errorf("the checkpoint's value: %s", bias)
	}
	says(t, s, b, "run train")
	second := says(t, s, b, "loss")
	if got := says(t, s, b, "loss"); first == second || got != second {
		t.Errorf("the loss is %s, after a step %s and then %s", first, second, got)
	}
	if got := says(t, s, b, "reset; loss"); got != first {
		t.Errorf("after reset the loss is %s, want %s", got, first)
	}
}

// TestInterrupt: exec returns an error if its context has been cancelled.
func TestInterrupt(t *testing.T) {
	s, _ := openGraph(t)
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.exec(ctx, "x = ones; neg"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := s.exec(ctx, "time neg 1000000"); err == nil {
		t.Error("a cancelled line ends without an error")
	}
}

func TestSave(t *testing.T) {
	s, b := openGraph(t)
	t.Chdir(t.TempDir())
	for _, c := range [][2]string{
		{`x = [[1.5, -2]]; save neg n.npy; neg = @n.npy; neg`, "[[-1.5,  2.0]]\n"},
		{"save neg n.npz; x = @n.npz; x", "[[-1.5,  2.0]]\n"},
		{"save neg n.txt; any = [[[[0, 1]]], [[[0.2, 0.4]]]]", "feed any:0 f32[2,1,1,2]\n"},
		{"any = [[0, 1]]; save any a.png; any = @a.png; any", "any:0 f32[1,2,3]\n[[[0, 0, 0],\n  [1, 1, 1]]]\n"},
		{"any = @a.png -1..1; any", "[[[-1, -1, -1],\n  [ 1,  1,  1]]]\n"},
		{`text = ["a", "b c"]; save text t.txt; drop text; text = @t.txt; same`, "[\"a\", \"b c\"]\n"},
		{"save neg nowhere/n.npy", "error: "},
	} {
		if got := says(t, s, b, c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s\n%s\nwant\n%s", c[0], got, c[1])
		}
	}
	if text, err := os.ReadFile("n.txt"); string(text) != "-1.5 2\n" {
		t.Errorf("n.txt: %q, %v", text, err)
	}
}

func TestComplete(t *testing.T) {
	s, _ := openGraph(t)
	t.Chdir(t.TempDir())
	for _, name := range []string{"one.npy", "other.npy", ".hidden", "with space.npy"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("odd", 0o777); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]string{
		"su":         {"summary"},
		"s":          {"same", "save", "seed", "show", "signature", "summary"},
		"summary tw": {"twice"},
		"end":        {"a/end", "b/end"},
		"x = z":      {"zeros"},
		"neg; inf":   {"info"},
		"x = @o":     {"@odd/", "@one.npy", "@other.npy"},
		"save x on":  {"one.npy"},
		"save on":    {},
		"save sa":    {"same"},
	} {
		head, got, tail := s.complete(line, len(line))
		if !slices.Equal(got, want) && len(got)+len(want) > 0 || tail != "" || !strings.HasPrefix(line, head) {
			t.Errorf("%q: %q %q %q, want %q", line, head, got, tail, want)
		}
	}
	if head, got, tail := s.complete("ä ne b", 4); head != "ä " || !slices.Equal(got, []string{"neg"}) || tail != " b" {
		t.Errorf("%q %q %q", head, got, tail)
	}
}

// TestCommandsHaveExamples checks that each command has a description, and that its usage text and
// its example begin with the command's name. It must be possible to parse the examples of the other
// statements.
func TestCommandsHaveExamples(t *testing.T) {
	for _, c := range commands() {
		if c.text == "" || !strings.HasPrefix(c.example, c.name) || !strings.HasPrefix(c.usage, c.name) {
			t.Errorf("%+v", c)
		}
	}
	for _, f := range forms {
		for _, text := range statements(f[2]) {
			if _, err := parse(text); err != nil {
				t.Errorf("%s: %v", f[2], err)
			}
		}
	}
}

func TestHistoryFile(t *testing.T) {
	abs, err := filepath.Abs("state")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ xdg, home, want string }{
		{abs, "", filepath.Join(abs, "graphc", "history")},
		{"relative", abs, filepath.Join(abs, ".local", "state", "graphc", "history")},
		{"", abs, filepath.Join(abs, ".local", "state", "graphc", "history")},
	} {
		env := map[string]string{"XDG_STATE_HOME": c.xdg, "HOME": c.home}
		if got := historyFile(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestAttributes checks that a long attribute is shortened as in the output of the command info.
func TestAttributes(t *testing.T) {
	if got := base.Clip(ir.AttrText(strings.Repeat("x", 100), ir.PrintOptions{}), 10); got != `"xxxxxxxxx…` {
		t.Error(got)
	}
}

// TestDocs repeats the sessions that are shown in docs/repl.md: it executes the lines after each
// prompt and compares the output with the page. Numbers may differ a little, because the results
// depend on the processor. Times may differ by any amount.
func TestDocs(t *testing.T) {
	root := testkit.Root(t)
	t.Chdir(root)
	text, err := os.ReadFile("docs/repl.md")
	if err != nil {
		t.Fatal(err)
	}
	var s *Session
	var b *strings.Builder
	command := regexp.MustCompile(`^    \$ graphc repl (\S+)(?: --checkpoint (\S+))?$`)
	var out []string
	replayed := 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		if m := command.FindStringSubmatch(lines[i]); m != nil {
			s, b = open(t, pipeline.Options{Checkpoint: m[2]}, m[1])
			out = append(out, "    "+s.banner(m[1]))
			i++
			continue
		}
		line, ok := strings.CutPrefix(lines[i], "    "+prompt)
		if !ok {
			continue
		}
		var want []string
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "    "+prompt) && (strings.HasPrefix(lines[i+1], "    ") || lines[i+1] == "" && i+2 < len(lines) && strings.HasPrefix(lines[i+2], "    ") && !strings.HasPrefix(lines[i+2], "    $")) {
			i++
			want = append(want, strings.TrimRight(strings.TrimPrefix(lines[i], "    "), " "))
		}
		var got []string
		for _, l := range strings.Split(strings.TrimSuffix(says(t, s, b, line), "\n"), "\n") {
			got = append(got, strings.TrimRight(l, " "))
		}
		replayed++
		for _, l := range got {
			if l != "" || len(got) > 1 {
				out = append(out, strings.TrimRight("    "+l, " "))
			}
		}
		if !*update && !alike(strings.Join(want, "\n"), strings.Join(got, "\n")) {
			t.Errorf("%s\n%s\nthe page has\n%s", line, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if replayed < 10 {
		t.Errorf("%d lines are replayed", replayed)
	}
	if *update {
		if err := os.WriteFile("docs/repl.md", []byte(strings.Join(out, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	tokens    = regexp.MustCompile(`[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?(?:ns|µs|ms|s\b)?|#+|\S`)
	durations = regexp.MustCompile(`^[0-9.]+(ns|µs|ms|s)$`)
)

// alike reports whether two texts have equal tokens. Numbers may differ by 0.2 %. Durations, and
// bars that consist of #, may differ by any amount.
func alike(a, b string) bool {
	x, y := tokens.FindAllString(a, -1), tokens.FindAllString(b, -1)
	return slices.EqualFunc(x, y, func(v, w string) bool {
		p, err := strconv.ParseFloat(v, 64)
		q, err2 := strconv.ParseFloat(w, 64)
		switch {
		case v == w || durations.MatchString(v) && durations.MatchString(w):
			return true
		case err == nil && err2 == nil:
			return max(p-q, q-p) <= 2e-3*max(p, -p, 0.01)
		}
		return strings.Trim(v, "#") == "" && strings.Trim(w, "#") == ""
	})
}

// TestPrintable: control characters in the names of a model do not reach the terminal.
func TestPrintable(t *testing.T) {
	if got := printable("a\x1b]0;title\a\nß\u202e"); got != "a\ufffd]0;title\ufffd\nß\ufffd" {
		t.Errorf("%q", got)
	}
}
